// What the search for a manoeuvre came to: how it ended, its price, contacts, and what holds it back.

import type { Plan, RunData } from "./data.ts";
import { h, number, small, vector } from "./dom.ts";

const ENDINGS: Record<string, string> = {
  stopped: "The search was stopped. This is the best manoeuvre so far.",
  infeasible: "No manoeuvre satisfies all of these together, the worst first:",
  stalled: "The search stalled:",
  "iteration-limit": "The search took too many iterations. This is where it ended.",
  overlaps: "Bodies overlap between nodes:",
  saddle: "This is a saddle, not a least manoeuvre:",
};

/** What to worry about; nothing if the manoeuvre is optimal. */
export function verdict(plan: Plan): HTMLElement[] {
  const text = ENDINGS[plan.ending];
  if (!text) return [];
  const list = plan.evidence.length ? [h("ul", { class: "warnings" }, ...plan.evidence.map((line) => h("li", {}, line)))] : [];
  return [h("p", { class: "failure" }, h("b", {}, text)), ...list];
}

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

/** The card of a planned run. */
export function manoeuvre(run: RunData): HTMLElement | null {
  const plan = run.summary?.plan;
  if (!plan) return null;
  const price = (value: number | null) => (value === null ? "none" : number(value, 7));
  const tiny = (value: number | null) => (value === null ? "none" : small(value));
  const rows = [
    ["ending", plan.ending],
    ["objective of the guess", price(plan.objective_guess)],
    ["objective", price(plan.objective)],
    ["iterations, rounds", `${plan.iterations}, ${plan.rounds}`],
    ["constraints, greatest violation", tiny(plan.violation_max)],
    ["stationarity, greatest violation", tiny(plan.stationarity_max)],
    ["momentum consistency, greatest", `${tiny(plan.momentum_consistency_max)} N s or N m s`],
    ["time scales σ", plan.sigma.map((s) => number(s, 6)).join(", ")],
    ["contacts at", plan.contact_times.length ? `${plan.contact_times.map((t) => number(t, 6)).join(", ")} s` : "none planned"],
    ["searched in", `${number(plan.solve_time_s)} s`],
  ];
  if (plan.clearance !== null) rows.push(["clearance at nodes, between them", `${tiny(plan.clearance)} m, ${tiny(plan.clearance_between)} m`]);
  const contacts = plan.contacts.map((c) => [c.name, `${c.bodies[0]}, ${c.bodies[1]}`, number(c.time, 6), String(c.node), vector(c.point), vector(c.impulse)]);
  const active = plan.active.map((a) => [a.name, number(a.multiplier)]);
  return h(
    "section",
    { class: "card figures manoeuvre" },
    h("h3", {}, "Manoeuvre"),
    table("manoeuvre", [], rows),
    ...(contacts.length ? [h("h3", {}, "Planned contacts"), table("planned contacts", ["contact", "bodies", "t / s", "node", "point / m", "impulse / N s"], contacts)] : []),
    ...(active.length ? [h("h3", {}, "What holds it back", h("small", {}, "the dearest first")), table("active constraints", ["constraint", "multiplier"], active)] : []),
  );
}
