// What a search came to, for a manoeuvre or for initial conditions: how it ended, its price, its phases, and what holds it back.

import type { Happening, Plan, Run, Shoot } from "./data.ts";
import { h, number, small } from "./dom.ts";

const ENDINGS: Record<string, string> = {
  stopped: "The search was stopped. This is the best manoeuvre so far.",
  infeasible: "No manoeuvre satisfies all of these together, the worst first:",
  stalled: "The search stalled:",
  "iteration-limit": "The search took too many iterations. This is where it ended.",
  misses: "Planned contacts miss what is to meet:",
  overlaps: "Bodies overlap between nodes:",
  saddle: "This is a saddle, not a least manoeuvre:",
};

const MISSES: Record<string, string> = {
  stopped: "The search was stopped. This is the best shot so far.",
  stuck: "No step brings the shot nearer. What it misses:",
  "iteration-limit": "The search took too many iterations. What the last shot misses:",
};

function failure(text: string | undefined, evidence: string[]): HTMLElement[] {
  if (!text) return [];
  const list = evidence.length ? [h("ul", { class: "warnings" }, ...evidence.map((line) => h("li", {}, line)))] : [];
  return [h("p", { class: "failure" }, h("b", {}, text)), ...list];
}

/** What to worry about; nothing if the manoeuvre is optimal. */
export function verdict(plan: Plan): HTMLElement[] {
  return failure(ENDINGS[plan.ending], plan.evidence);
}

/** The same of a shot. */
export function missed({ ending, left }: Shoot): HTMLElement[] {
  return failure(MISSES[ending], left.map(({ name, residual }) => `${plain(name)}: ${small(residual)}`));
}

/** A name without the marks that a terminal needs. */
const plain = (name: string) => name.replaceAll("`", "");

function table(name: string, heads: string[], rows: string[][]): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    h(
      "table",
      {},
      heads.length > 0 && h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((t) => h("td", {}, t))))),
    ),
  );
}

/** Nodes where phases end: those of contacts, each once. */
function borders(plan: Plan): { node: number; time: number }[] {
  return plan.contacts.filter((c, k) => plan.contacts.findIndex((other) => other.node === c.node) === k).sort((a, b) => a.node - b.node);
}

/** The planned contact that an event is, with the time scales before and after it. */
export function contactOf(plan: Plan, event: Happening, bodies: [string, string]): { node: number; scales: number[] } | null {
  const near = (time: number) => Math.abs(time - event.time) <= 1e-9 * Math.max(1, event.time);
  const found = plan.contacts.find((c) => near(c.time) && c.bodies.every((name) => bodies.includes(name)));
  if (!found) return null;
  const phase = borders(plan).findIndex(({ node }) => node === found.node);
  return { node: found.node, scales: plan.sigma.slice(phase, phase + 2) };
}

/** From contact to contact. */
function phases(plan: Plan, steps: number, end: number, h: number): string[][] {
  const all = [{ node: 0, time: 0 }, ...borders(plan), { node: steps, time: end }];
  return plan.sigma.map((scale, k) => {
    const [from, to] = [all[k], all[k + 1] ?? all[all.length - 1]];
    return [String(k + 1), `${from.node} to ${to.node}`, `${number(from.time, 5)} to ${number(to.time, 5)}`, number(scale, 6), number(scale * h)];
  });
}

/** Rows of constraints that are shown. */
const DEAREST = 10;

/** Numbers in a row as ranges: 0, 3 to 5. */
function ranges(numbers: number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const n of sorted) {
    const last = runs.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a} to ${b}`)).join(", ");
}

const AXES = ["x", "y", "z"];

/** Active constraints, those that differ in their node or interval only as one row: what, where, the dearest multiplier. */
function grouped(run: Run, plan: Plan): string[][] {
  const { plots, summary } = run.data;
  const controls = plots.filter(({ id }) => id.startsWith("controls")).flatMap(({ curves }) => curves.map(({ name }) => name));
  const groups = new Map<string, { what: string; unit: string; places: number[]; dearest: number }>();
  for (const { name, multiplier } of plan.active) {
    const place = /^(.*?) (?:in (interval) (\d+)|at (node) (\d+)|at the (start|end))(.*)$/.exec(name);
    const component = /^component (\d) of (.*)$/.exec(place?.[1] ?? "");
    let what = place ? place[1] + place[7] : name;
    const unit = place?.[2] ?? (place ? "node" : "");
    const at = Number(place?.[3] ?? place?.[5] ?? (place?.[6] === "end" ? summary!.steps : 0));
    if (component) {
      const axis = `${component[2]}.${AXES[Number(component[1])]}`;
      const own = controls.includes(axis) ? axis : component[2];
      what = `${own}, ${multiplier < 0 ? "lower" : "upper"} bound`;
    }
    const key = `${what}|${unit}`;
    const group = groups.get(key) ?? { what, unit, places: [], dearest: 0 };
    groups.set(key, group);
    if (place) group.places.push(at);
    if (Math.abs(multiplier) > Math.abs(group.dearest)) group.dearest = multiplier;
  }
  const where = ({ unit, places }: { unit: string; places: number[] }) => (places.length ? `${unit}${new Set(places).size > 1 ? "s" : ""} ${ranges(places)}` : "");
  return [...groups.values()].sort((a, b) => Math.abs(b.dearest) - Math.abs(a.dearest)).map((g) => [plain(g.what), where(g), number(g.dearest)]);
}

/** How much less the manoeuvre costs than the guess. */
function saving({ objective, objective_guess }: Plan): string {
  if (!objective || !objective_guess || objective <= 0 || objective_guess <= objective) return "";
  const times = objective_guess / objective;
  return times < 1e4 ? ` (${number(times, 3)} times less than the guess)` : "";
}

/** The card of a planned run. */
export function manoeuvre(run: Run): HTMLElement | null {
  const { summary } = run.data;
  if (summary?.shoot) return shot(summary.shoot);
  const plan = summary?.plan;
  if (!plan) return null;
  const price = (value: number | null) => (value === null ? "none" : number(value, 7));
  const tiny = (value: number | null) => (value === null ? "none" : small(value));
  const rows = [
    ["ending", plan.ending],
    ["J of the guess", price(plan.objective_guess)],
    ["J of the solution", price(plan.objective) + saving(plan)],
    ["iterations, rounds", `${plan.iterations}, ${plan.rounds}`],
    ...(plan.starts.length > 1 ? [["best of the starts", `${plan.start} of ${plan.starts.length}`]] : []),
    ["violation of constraints", tiny(plan.violation_max)],
    ["violation of stationarity", tiny(plan.stationarity_max)],
    ["momentum consistency", `${tiny(plan.momentum_consistency_max)} N s or N m s`],
    ["contacts at", plan.contact_times.length ? `${plan.contact_times.map((t) => number(t, 6)).join(", ")} s` : "none planned"],
    ["searched in", `${number(plan.solve_time_s)} s`],
  ];
  if (plan.clearance !== null) rows.push(["clearance at nodes", `${tiny(plan.clearance)} m`], ["clearance between nodes", `${tiny(plan.clearance_between)} m`]);
  const active = grouped(run, plan);
  const more = active.length > DEAREST && h("p", { class: "note" }, `and ${active.length - DEAREST} more in summary.json`);
  const spread = phases(plan, summary.steps, summary.t_end, summary.h);
  return h(
    "section",
    { class: "card figures manoeuvre" },
    h("div", {}, h("h3", {}, "Manoeuvre", h("small", {}, "what the search came to")), table("manoeuvre", [], rows)),
    h("div", {}, h("h3", {}, "Phases", h("small", {}, "time scales between contacts")), table("phases", ["", "nodes", "t / s", "σ", "interval / s"], spread)),
    active.length > 0 &&
      h(
        "div",
        {},
        h("h3", {}, "What holds it back", h("small", {}, "the dearest first")),
        table("active constraints", ["constraint", "where", "multiplier"], active.slice(0, DEAREST)),
        more,
      ),
  );
}

/** The card of a shot. */
function shot(shoot: Shoot): HTMLElement {
  const last = shoot.residuals.at(-1);
  const rows = [
    ["ending", shoot.ending],
    ["iterations", String(shoot.iterations)],
    ["residual of the first shot", number(shoot.residuals[0] ?? 0)],
    ["residual", last === undefined ? "none" : small(last)],
    ["impacts", String(shoot.impacts)],
    ["time of the shot", `${number(shoot.time, 9)} s`],
    ["searched in", `${number(shoot.solve_time_s)} s`],
  ];
  const chosen = shoot.chosen.map(({ name, guess, value }) => [name, number(guess, 6), number(value, 9)]);
  const left = shoot.left.map(({ name, residual }) => [plain(name), small(residual)]);
  return h(
    "section",
    { class: "card figures manoeuvre" },
    h("div", {}, h("h3", {}, "Shot", h("small", {}, "what the search came to")), table("shot", [], rows)),
    h("div", {}, h("h3", {}, "What was chosen"), table("chosen", ["", "guess", "found"], chosen)),
    h("div", {}, h("h3", {}, "What was asked"), table("asked", ["", "missed by"], left)),
  );
}
