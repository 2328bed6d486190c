// The result of an optimal control or shooting problem: outcome, objective, phases, active constraints.

import type { ContactEvent, Plan, Run, Shoot } from "./data.ts";
import { h, number, small } from "./dom.ts";

const PLAN_OUTCOMES: Record<string, string> = {
  interrupted: "The optimiser was interrupted. This is the best iterate.",
  infeasible: "The problem is infeasible. Conflicting constraints, the most violated first:",
  stalled: "The optimiser stalled:",
  "iteration-limit": "The iteration limit was reached. This is the last iterate.",
  "contact-missed": "Planned contacts lie outside of the face or edge:",
  penetration: "Bodies penetrate each other between nodes:",
  saddle: "The solution is a saddle point, not a minimum:",
};

const SHOOTING_OUTCOMES: Record<string, string> = {
  interrupted: "Shooting was interrupted. This is the best iterate. Residuals:",
  stalled: "No step reduces the residual. Residuals:",
  "iteration-limit": "The iteration limit was reached. Residuals:",
};

function failure(text: string | undefined, evidence: string[]): HTMLElement[] {
  if (!text) return [];
  const list = evidence.length ? [h("ul", { class: "warnings" }, ...evidence.map((line) => h("li", {}, line)))] : [];
  return [h("p", { class: "failure" }, h("b", {}, text)), ...list];
}

/** Why a plan is not optimal; nothing if it is. */
export function planProblems(plan: Plan): HTMLElement[] {
  return failure(PLAN_OUTCOMES[plan.outcome], plan.evidence);
}

/** Why a shooting problem is not solved; nothing if it is. */
export function shootingProblems({ outcome, targets }: Shoot): HTMLElement[] {
  return failure(SHOOTING_OUTCOMES[outcome], targets.map(({ name, residual }) => `${plain(name)}: ${small(residual)}`));
}

/** A name without backticks. */
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

/** Nodes at which phases end: those of contacts, each once. */
function phaseEnds(plan: Plan): { node: number; time: number }[] {
  return plan.contacts.filter((c, k) => plan.contacts.findIndex((other) => other.node === c.node) === k).sort((a, b) => a.node - b.node);
}

/** The planned contact of an event, with the time scales before and after it. */
export function contactOf(plan: Plan, event: ContactEvent, bodies: [string, string]): { node: number; scales: number[] } | null {
  const near = (time: number) => Math.abs(time - event.time) <= 1e-9 * Math.max(1, event.time);
  const found = plan.contacts.find((c) => near(c.time) && c.bodies.every((name) => bodies.includes(name)));
  if (!found) return null;
  const phase = phaseEnds(plan).findIndex(({ node }) => node === found.node);
  return { node: found.node, scales: plan.sigma.slice(phase, phase + 2) };
}

/** The phases between contacts. */
function phases(plan: Plan, steps: number, end: number, h: number): string[][] {
  const all = [{ node: 0, time: 0 }, ...phaseEnds(plan), { node: steps, time: end }];
  return plan.sigma.map((scale, k) => {
    const [from, to] = [all[k], all[k + 1] ?? all[all.length - 1]];
    return [String(k + 1), `${from.node} to ${to.node}`, `${number(from.time, 5)} to ${number(to.time, 5)}`, number(scale, 6), number(scale * h)];
  });
}

/** Largest number of rows of active constraints. */
const LISTED = 10;

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

/** Active constraints, those that differ in their node or interval only as one row: name, nodes, multiplier with the largest magnitude. */
function grouped(run: Run, plan: Plan): string[][] {
  const { plots, summary } = run.data;
  const controls = plots.filter(({ id }) => id.startsWith("controls")).flatMap(({ curves }) => curves.map(({ name }) => name));
  const groups = new Map<string, { what: string; unit: string; places: number[]; largest: number }>();
  for (const { name, multiplier } of plan.active_constraints) {
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
    const group = groups.get(key) ?? { what, unit, places: [], largest: 0 };
    groups.set(key, group);
    if (place) group.places.push(at);
    if (Math.abs(multiplier) > Math.abs(group.largest)) group.largest = multiplier;
  }
  const where = ({ unit, places }: { unit: string; places: number[] }) => (places.length ? `${unit}${new Set(places).size > 1 ? "s" : ""} ${ranges(places)}` : "");
  return [...groups.values()].sort((a, b) => Math.abs(b.largest) - Math.abs(a.largest)).map((g) => [plain(g.what), where(g), number(g.largest)]);
}

/** The ratio of the objectives of the guess and the solution. */
function saving({ objective, objective_guess }: Plan): string {
  if (!objective || !objective_guess || objective <= 0 || objective_guess <= objective) return "";
  const times = objective_guess / objective;
  return times < 1e4 ? ` (${number(times, 3)} times less than the guess)` : "";
}

/** The card of a plan or a shooting problem. */
export function planCard(run: Run): HTMLElement | null {
  const { summary } = run.data;
  if (summary?.shoot) return shootingCard(summary.shoot);
  const plan = summary?.plan;
  if (!plan) return null;
  const objective = (value: number | null) => (value === null ? "none" : number(value, 7));
  const tiny = (value: number | null) => (value === null ? "none" : small(value));
  const rows = [
    ["outcome", plan.outcome],
    ["objective of the guess", objective(plan.objective_guess)],
    ["objective of the solution", objective(plan.objective) + saving(plan)],
    ["iterations, rounds", `${plan.iterations}, ${plan.rounds}`],
    ...(plan.starts.length > 1 ? [["best of the starts", `${plan.start} of ${plan.starts.length}`]] : []),
    ["violation of constraints", tiny(plan.violation_max)],
    ["violation of stationarity", tiny(plan.stationarity_max)],
    ["momentum consistency", `${tiny(plan.momentum_consistency_max)} N s or N m s`],
    ["contacts at", plan.contact_times.length ? `${plan.contact_times.map((t) => number(t, 6)).join(", ")} s` : "none planned"],
    ["solved in", `${number(plan.solve_time_s)} s`],
  ];
  if (plan.clearance !== null) rows.push(["clearance at nodes", `${tiny(plan.clearance)} m`], ["clearance between nodes", `${tiny(plan.clearance_between)} m`]);
  const active = grouped(run, plan);
  const more = active.length > LISTED && h("p", { class: "note" }, `and ${active.length - LISTED} more in summary.json`);
  const spread = phases(plan, summary.steps, summary.t_end, summary.h);
  return h(
    "section",
    { class: "card figures plan" },
    h("div", {}, h("h3", {}, "Plan", h("small", {}, "optimal control problem")), table("plan", [], rows)),
    h("div", {}, h("h3", {}, "Phases", h("small", {}, "time scales between contacts")), table("phases", ["", "nodes", "t / s", "σ", "interval / s"], spread)),
    active.length > 0 &&
      h(
        "div",
        {},
        h("h3", {}, "Active constraints", h("small", {}, "largest multipliers first")),
        table("active constraints", ["constraint", "where", "multiplier"], active.slice(0, LISTED)),
        more,
      ),
  );
}

/** The card of a shooting problem. */
function shootingCard(shoot: Shoot): HTMLElement {
  const last = shoot.residuals.at(-1);
  const rows = [
    ["outcome", shoot.outcome],
    ["iterations", String(shoot.iterations)],
    ["residual of the guess", number(shoot.residuals[0] ?? 0)],
    ["residual", last === undefined ? "none" : small(last)],
    ["impacts", String(shoot.impacts)],
    ["duration", `${number(shoot.time, 9)} s`],
    ["solved in", `${number(shoot.solve_time_s)} s`],
  ];
  const unknowns = shoot.unknowns.map(({ name, guess, value }) => [name, number(guess, 6), number(value, 9)]);
  const targets = shoot.targets.map(({ name, residual }) => [plain(name), small(residual)]);
  return h(
    "section",
    { class: "card figures plan" },
    h("div", {}, h("h3", {}, "Shooting", h("small", {}, "initial conditions")), table("shooting", [], rows)),
    h("div", {}, h("h3", {}, "Unknowns"), table("unknowns", ["", "guess", "solution"], unknowns)),
    h("div", {}, h("h3", {}, "Targets"), table("targets", ["", "residual"], targets)),
  );
}
