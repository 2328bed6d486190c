// The summary of a run: warnings, figures and the ledger.

import type { Run, RunData, Source, Summary } from "./data.ts";
import { css, h, number, small, vector } from "./dom.ts";
import { planProblems, shootingProblems } from "./plan.ts";

/** Errors and warnings. */
export function problems(run: RunData): HTMLElement {
  const box = h("div", { class: "concerns", role: "status" });
  const { summary } = run;
  if (run.status === "running") {
    box.append(h("p", { class: "going" }, h("b", {}, "Running. "), "This page follows the run; figures are shown at its end."));
  }
  const failure = summary?.failure;
  if (failure) {
    const history = failure.residuals.length ? ` Residuals of the iterations: ${failure.residuals.map((r) => small(r)).join(", ")}.` : "";
    box.append(
      h(
        "p",
        { class: "failure" },
        h("b", {}, `Step ${failure.step} at t = ${number(failure.time, 6)} s failed`),
        ` (body ${failure.body}): ${failure.message}.${history}`,
      ),
    );
  }
  if (summary?.plan) {
    box.append(...planProblems(summary.plan));
  } else if (summary?.shoot) {
    box.append(...shootingProblems(summary.shoot));
  } else if (run.status === "interrupted") {
    box.append(h("p", { class: "failure" }, h("b", {}, "Interrupted. "), "The same command with --resume continues the run."));
  }
  if (summary?.warnings.length) {
    box.append(h("ul", { class: "warnings" }, ...summary.warnings.map((w) => h("li", {}, w))));
  }
  return box;
}

/** The main figures. */
export function tiles(run: RunData): HTMLElement {
  const { summary } = run;
  const box = h("dl", { class: "tiles" });
  const tile = (value: string, label: string) => box.append(h("div", {}, h("dt", {}, label), h("dd", {}, value)));
  if (!summary) {
    tile(run.scheme, "scheme");
    tile(`${number(run.h)} s`, "step");
    tile(`${number(run.until)} s`, "until");
    tile(String(run.bodies.length), "bodies");
    return box;
  }
  const { plan } = summary;
  if (plan) {
    tile(plan.objective === null ? "none" : number(plan.objective, 6), "objective");
    tile(String(plan.iterations), "iterations");
    tile(small(plan.violation_max ?? 0), "constraint violation");
    tile(small(plan.momentum_consistency_max ?? 0), "momentum consistency, N s or N m s");
    if (plan.clearance_between !== null) tile(small(plan.clearance_between), "min clearance, m");
    tile(number(summary.t_end), "seconds planned");
    tile(`${number(plan.solve_time_s, 3)} s`, "to compute");
    return box;
  }
  const { shoot } = summary;
  if (shoot) {
    tile(small(shoot.residuals.at(-1) ?? 0), "residual");
    tile(String(shoot.iterations), "iterations");
  }
  tile(small(summary.energy.max_relative_error), "max relative energy error");
  tile(small(summary.linear_momentum.max_error), "unaccounted linear momentum, N s");
  tile(small(summary.angular_momentum.max_error), "unaccounted angular momentum, N m s");
  if (summary.counts.joints) tile(small(summary.constraint_max), "constraint violation");
  if (summary.overlap_max !== null) {
    tile(String(summary.collisions), summary.collisions === 1 ? "collision" : "collisions");
    tile(small(summary.overlap_max), "max penetration, m");
  }
  tile(number(summary.t_end), "seconds simulated");
  tile(`${number(summary.wall_time_s, 3)} s`, "to compute");
  return box;
}

type Row = [label: string, value: (s: Summary, run: RunData) => string | null];

const FIGURES: Row[] = [
  ["scene", (s) => s.scene],
  ["scheme", (s) => s.scheme],
  ["order in time", (s) => (s.order ? String(s.order) : null)],
  ["step", (s) => (s.plan ? null : `${number(s.h, 6)} s`)],
  ["steps, time reached", (s) => (s.plan ? null : `${s.steps}, ${number(s.t_end, 6)} s`)],
  ["interval at time scale one", (s) => (s.plan ? `${number(s.h, 6)} s` : null)],
  ["intervals, time planned", (s) => (s.plan ? `${s.steps}, ${number(s.t_end, 6)} s` : null)],
  ["tolerances", (s) => list(s.tolerances)],
  ["max iterations of a step", (s) => (s.plan ? null : String(s.iterations_max))],
  ["version, seed", (s) => `${s.version}, ${s.seed}`],
  ["computed in", (s) => `${number(s.wall_time_s)} s${s.plan ? "" : `, ${number(s.steps / s.wall_time_s)} steps per second`}`],
  ["bodies, moving", (s) => `${s.counts.bodies}, ${s.counts.moving}`],
  ["joints, loops", (s) => `${s.counts.joints}, ${s.counts.loops}`],
  ["degrees of freedom, islands, forces", (s) => `${s.counts.dofs}, ${s.counts.islands}, ${s.counts.forces}`],
  ["energy at start, at end", (s) => `${number(s.energy.initial, 8)} J, ${number(s.energy.final, 8)} J`],
  ["work of forces", (s) => `${number(s.energy.work)} J`],
  ["max energy error (relative)", (s) => `${small(s.energy.max_error)} J (${small(s.energy.max_relative_error)} of ${number(s.energy.scale)} J)`],
  ["linear momentum at start", (s) => `${vector(s.linear_momentum.initial)} N s`],
  ["linear momentum at end", (s) => `${vector(s.linear_momentum.final)} N s`],
  ["linear momentum, unaccounted", (s) => `${small(s.linear_momentum.max_error)} N s`],
  ["angular momentum at start", (s) => `${vector(s.angular_momentum.initial)} N m s`],
  ["angular momentum at end", (s) => `${vector(s.angular_momentum.final)} N m s`],
  ["angular momentum, unaccounted", (s) => `${small(s.angular_momentum.max_error)} N m s`],
  ["constraints: positions, velocities", (s) => `${small(s.constraint_max)}, ${small(s.constraint_velocity_max)}`],
  ["constraints: unprojected momenta", (s) => small(s.constraint_hidden_max)],
  ["collisions", (s) => (s.overlap_max === null ? null : String(s.collisions))],
  ["max penetration", (s) => (s.overlap_max === null ? null : `${small(s.overlap_max)} m`)],
  ["constraint violation, mean and max", (s) => (s.infeasibility_mean === undefined ? null : `${small(s.infeasibility_mean)}, ${small(s.infeasibility_max)}`)],
  ["contacts of a step, mean and max", (s) => (s.complementarity ? `${number(s.complementarity.contacts_mean)}, ${s.complementarity.contacts_max}` : null)],
  ["steps by solver", (s) => (s.complementarity ? list(s.complementarity.solvers) : null)],
  ["iterations of a step, mean and max", (s) => (s.complementarity ? `${number(s.complementarity.iterations_mean)}, ${s.complementarity.iterations_max}` : null)],
  ["max residual; steps above the tolerance", (s) => (s.complementarity ? `${small(s.complementarity.residual_max)}; ${s.complementarity.unconverged}` : null)],
  ["fallback steps", (s) => (s.overlap_max === null ? null : String(s.fallbacks))],
  ["max deviation from the plan at its nodes", (s) => (s.replay ? `${small(s.replay.agreement_position)} m, ${small(s.replay.agreement_rotation)} rad` : null)],
  ["contribution of the projection", (s) => (s.projection ? `${number(s.projection.energy)} J, ${vector(s.projection.angular_momentum)} N m s` : null)],
  ["rows of the trajectory", (s) => `${s.rows}, every ${s.every} steps`],
];

function list(values: Record<string, number> | undefined): string | null {
  const entries = Object.entries(values ?? {});
  return entries.length ? entries.map(([name, value]) => `${name.replaceAll("_", " ")} ${number(value)}`).join(", ") : null;
}

/** All figures; of several runs side by side. */
export function figures(runs: Run[]): HTMLElement {
  const finished = runs.filter((run) => run.data.summary);
  const several = runs.length > 1;
  const head =
    several &&
    h(
      "thead",
      {},
      h("tr", {}, h("th"), ...finished.map((run) => h("th", { scope: "col", style: `color: ${css(`--run-${runs.indexOf(run)}`)}` }, run.data.label))),
    );
  const rows = FIGURES.flatMap(([label, value]) => {
    const values = finished.map((run) => value(run.data.summary!, run.data));
    if (values.every((v) => v === null)) return [];
    return [h("tr", {}, h("th", { scope: "row" }, label), ...values.map((v) => h("td", {}, v ?? "")))];
  });
  // Notes that hold for all runs are shown once.
  const notes = [...new Set(runs.flatMap((run) => run.data.notes))].map((note) => {
    const those = runs.filter((run) => run.data.notes.includes(note));
    return those.length < runs.length ? `${those.map((run) => run.data.label).join(", ")}: ${note}` : note;
  });
  return h(
    "section",
    { class: "card figures" },
    h("h3", {}, "Figures"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "figures" }, h("table", {}, head, h("tbody", {}, ...rows))),
    ...notes.map((note) => h("p", { class: "note" }, note)),
  );
}

/** Largest number of sources that are listed; all of them are in `summary.json`. */
const LISTED = 40;

/** Whether a source has a contribution. */
function contributes({ energy, linear_momentum, angular_momentum }: Source): boolean {
  return [energy, ...linear_momentum, ...angular_momentum].some((v) => v !== 0);
}

/** Contributions of the sources. */
export function ledger(run: RunData): HTMLElement | null {
  const all = run.summary?.sources;
  if (!all?.length) return null;
  const [sources, idle] = [all.filter(contributes), all.filter((source) => !contributes(source))];
  const heads = ["source", "energy / J", "linear momentum / N s", "angular momentum / N m s"];
  const rows = sources
    .slice(0, LISTED)
    .map((c) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, c.source),
        h("td", {}, number(c.energy)),
        h("td", {}, vector(c.linear_momentum)),
        h("td", {}, vector(c.angular_momentum)),
      ),
    );
  const more = sources.length > LISTED && h("p", { class: "note" }, `and ${sources.length - LISTED} more in summary.json`);
  const nothing = idle.length > 0 && h("p", { class: "note" }, `No contribution: ${idle.slice(0, LISTED).map(({ source }) => source).join(", ")}${idle.length > LISTED ? " and others" : ""}.`);
  return h(
    "section",
    { class: "card ledger" },
    h("h3", {}, "Ledger", h("small", {}, "contributions of all sources")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "ledger" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...rows))),
    more,
    nothing,
  );
}
