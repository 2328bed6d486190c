// What was run and what came of it: warnings first, then figures, then the books.

import type { Cause, Run, RunData, Summary } from "./data.ts";
import { css, h, number, small, vector } from "./dom.ts";
import { missed, verdict } from "./plan.ts";

/** What to worry about, in plain words. */
export function concerns(run: RunData): HTMLElement {
  const box = h("div", { class: "concerns", role: "status" });
  const { summary } = run;
  if (run.status === "running") {
    box.append(h("p", { class: "going" }, h("b", {}, "Running. "), "This page follows the run; its figures come at the end."));
  }
  const failure = summary?.failure;
  if (failure) {
    const history = failure.residuals.length ? ` Residuals of the iterations: ${failure.residuals.map((r) => small(r)).join(", ")}.` : "";
    box.append(
      h(
        "p",
        { class: "failure" },
        h("b", {}, `Step ${failure.step} at t = ${number(failure.time, 6)} s could not be made`),
        ` (body ${failure.body}): ${failure.message}.${history}`,
      ),
    );
  }
  if (summary?.plan) {
    box.append(...verdict(summary.plan));
  } else if (summary?.shoot) {
    box.append(...missed(summary.shoot));
  } else if (run.status === "interrupted") {
    box.append(h("p", { class: "failure" }, h("b", {}, "Interrupted. "), "The same command with --resume goes on."));
  }
  if (summary?.warnings.length) {
    box.append(h("ul", { class: "warnings" }, ...summary.warnings.map((w) => h("li", {}, w))));
  }
  return box;
}

/** The figures one looks for first. */
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
    if (plan.clearance_between !== null) tile(small(plan.clearance_between), "least clearance, m");
    tile(number(summary.t_end), "seconds planned");
    tile(`${number(plan.solve_time_s, 3)} s`, "to compute");
    return box;
  }
  const { shoot } = summary;
  if (shoot) {
    tile(small(shoot.residuals.at(-1) ?? 0), "residual");
    tile(String(shoot.iterations), "iterations");
  }
  tile(small(summary.energy.max_relative_error), "energy error, relative");
  tile(small(summary.linear_momentum.max_error), "linear momentum error, N s");
  tile(small(summary.angular_momentum.max_error), "angular momentum error, N m s");
  if (summary.counts.joints) tile(small(summary.constraint_max), "constraint violation");
  if (summary.overlap_max !== null) {
    tile(String(summary.collisions), summary.collisions === 1 ? "collision" : "collisions");
    tile(small(summary.overlap_max), "greatest overlap, m");
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
  ["interval before it is stretched", (s) => (s.plan ? `${number(s.h, 6)} s` : null)],
  ["intervals, time planned", (s) => (s.plan ? `${s.steps}, ${number(s.t_end, 6)} s` : null)],
  ["tolerances", (s) => list(s.tolerances)],
  ["most iterations of a step", (s) => (s.plan ? null : String(s.iterations_max))],
  ["version, seed", (s) => `${s.version}, ${s.seed}`],
  ["computed in", (s) => `${number(s.wall_time_s)} s${s.plan ? "" : `, ${number(s.steps / s.wall_time_s)} steps per second`}`],
  ["bodies, moving", (s) => `${s.counts.bodies}, ${s.counts.moving}`],
  ["joints, loops", (s) => `${s.counts.joints}, ${s.counts.loops}`],
  ["degrees of freedom, islands, forces", (s) => `${s.counts.dofs}, ${s.counts.islands}, ${s.counts.forces}`],
  ["energy at start, at end", (s) => `${number(s.energy.initial, 8)} J, ${number(s.energy.final, 8)} J`],
  ["work of forces", (s) => `${number(s.energy.work)} J`],
  ["energy error, greatest", (s) => `${small(s.energy.max_error)} J (${small(s.energy.max_relative_error)} of ${number(s.energy.scale)} J)`],
  ["linear momentum at start", (s) => `${vector(s.linear_momentum.initial)} N s`],
  ["linear momentum at end", (s) => `${vector(s.linear_momentum.final)} N s`],
  ["linear momentum, unexplained", (s) => `${small(s.linear_momentum.max_error)} N s`],
  ["angular momentum at start", (s) => `${vector(s.angular_momentum.initial)} N m s`],
  ["angular momentum at end", (s) => `${vector(s.angular_momentum.final)} N m s`],
  ["angular momentum, unexplained", (s) => `${small(s.angular_momentum.max_error)} N m s`],
  ["constraints: placements, velocities", (s) => `${small(s.constraint_max)}, ${small(s.constraint_velocity_max)}`],
  ["constraints: unprojected momenta", (s) => small(s.constraint_hidden_max)],
  ["collisions", (s) => (s.overlap_max === null ? null : String(s.collisions))],
  ["greatest overlap", (s) => (s.overlap_max === null ? null : `${small(s.overlap_max)} m`)],
  ["constraints violated, mean and greatest", (s) => (s.infeasibility_mean === undefined ? null : `${small(s.infeasibility_mean)}, ${small(s.infeasibility_max)}`)],
  ["contacts of a step, mean and most", (s) => (s.complementarity ? `${number(s.complementarity.contacts_mean)}, ${s.complementarity.contacts_max}` : null)],
  ["solved by, in steps", (s) => (s.complementarity ? list(s.complementarity.solvers) : null)],
  ["iterations of a step, mean and most", (s) => (s.complementarity ? `${number(s.complementarity.iterations_mean)}, ${s.complementarity.iterations_max}` : null)],
  ["worst residual; steps above the tolerance", (s) => (s.complementarity ? `${small(s.complementarity.residual_max)}; ${s.complementarity.unconverged}` : null)],
  ["steps handed over", (s) => (s.overlap_max === null ? null : String(s.fallbacks))],
  ["distance from the plan at its nodes", (s) => (s.replay ? `${small(s.replay.agreement_position)} m, ${small(s.replay.agreement_rotation)} rad` : null)],
  ["projection brought", (s) => (s.projection ? `${number(s.projection.energy)} J, ${vector(s.projection.angular_momentum)} N m s` : null)],
  ["states kept", (s) => `${s.rows}, every ${s.every} steps`],
];

function list(values: Record<string, number> | undefined): string | null {
  const entries = Object.entries(values ?? {});
  return entries.length ? entries.map(([name, value]) => `${name.replaceAll("_", " ")} ${number(value)}`).join(", ") : null;
}

/** The facts a referee asks for; of several runs side by side. */
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
  // What holds for all is said once.
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

/** Causes that are listed: scenes with thousands of forces have them in `summary.json`. */
const CAUSES = 40;

/** Whether a cause brought anything. */
function brings({ energy, linear_momentum, angular_momentum }: Cause): boolean {
  return [energy, ...linear_momentum, ...angular_momentum].some((v) => v !== 0);
}

/** What each cause brought. */
export function books(run: RunData): HTMLElement | null {
  const all = run.summary?.causes;
  if (!all?.length) return null;
  const [causes, idle] = [all.filter(brings), all.filter((cause) => !brings(cause))];
  const heads = ["cause", "energy / J", "linear momentum / N s", "angular momentum / N m s"];
  const rows = causes
    .slice(0, CAUSES)
    .map((c) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, c.cause),
        h("td", {}, number(c.energy)),
        h("td", {}, vector(c.linear_momentum)),
        h("td", {}, vector(c.angular_momentum)),
      ),
    );
  const more = causes.length > CAUSES && h("p", { class: "note" }, `and ${causes.length - CAUSES} more in summary.json`);
  const nothing = idle.length > 0 && h("p", { class: "note" }, `Nothing was brought by ${idle.slice(0, CAUSES).map(({ cause }) => cause).join(", ")}${idle.length > CAUSES ? " and others" : ""}.`);
  return h(
    "section",
    { class: "card ledger" },
    h("h3", {}, "Ledger", h("small", {}, "what each cause brought")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "ledger" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...rows))),
    more,
    nothing,
  );
}
