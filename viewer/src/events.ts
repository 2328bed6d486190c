// The table of events; a row is a link to its instant.

import type { ContactEvent, Run, RunData } from "./data.ts";
import { h, number, small, vector } from "./dom.ts";
import { contactOf } from "./plan.ts";

/** Rows of the table at a time. */
const PAGE = 200;

export class EventTable {
  readonly element = h("section", { class: "card events", "aria-label": "events" });
  private run: Run;
  private rows: HTMLTableRowElement[] = [];
  private readonly body = h("tbody");
  private page = 0;
  private marked: HTMLTableRowElement | null = null;

  constructor(
    run: Run,
    private readonly jump: (time: number) => void,
  ) {
    this.run = run;
    this.show(run);
  }

  show(run: Run): void {
    this.run = run;
    const { events } = run.data;
    const planned = run.data.summary?.plan;
    const second = planned ? "node" : "kind";
    const heads = ["", "t / s", second, "bodies", "point / m", "normal velocity / m/s", "impulse / N s", "energy lost / J"];
    if (planned) heads.push("σ before, after");
    const title = h("h3", {}, planned ? "Planned contacts" : "Events", h("small", {}, count(events.count, events.total)));
    if (!events.count) {
      this.element.replaceChildren(title, h("p", { class: "note" }, why(run.data)));
      return;
    }
    const pages = Math.ceil(events.count / PAGE);
    this.page = Math.min(this.page, pages - 1);
    const turn = (by: number) => () => this.turn(this.page + by);
    const pager =
      pages > 1 &&
      h(
        "p",
        { class: "pager" },
        h("button", { type: "button", onclick: turn(-1) }, "‹ earlier"),
        h("span", { class: "where" }),
        h("button", { type: "button", onclick: turn(1) }, "later ›"),
      );
    const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))), this.body);
    this.element.replaceChildren(title, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table of events" }, table));
    if (pager) this.element.append(pager);
    this.turn(this.page);
  }

  private turn(page: number): void {
    const { events } = this.run;
    const pages = Math.ceil(events.length / PAGE);
    this.page = Math.min(Math.max(page, 0), pages - 1);
    const from = this.page * PAGE;
    const shown = events.slice(from, from + PAGE);
    this.rows = shown.map((event) => this.row(event));
    this.body.replaceChildren(...this.rows);
    const where = this.element.querySelector(".where");
    if (where) where.textContent = `${from + 1} to ${from + shown.length}`;
  }

  private row(event: ContactEvent): HTMLTableRowElement {
    const { bodies, summary } = this.run.data;
    const jump = () => this.jump(event.time);
    const planned = summary?.plan && contactOf(summary.plan, event, [bodies[event.a].name, bodies[event.b].name]);
    const cells = [
      planned ? String(planned.node) : event.kind,
      `${bodies[event.a].name}, ${bodies[event.b].name}`,
      vector(event.point, 3),
      `${number(event.speed[0])} to ${number(event.speed[1])}`,
      number(Math.hypot(...event.impulse)),
      small(event.energy[0] - event.energy[1]),
    ];
    if (planned) cells.push(planned.scales.map((scale) => number(scale)).join(", "));
    const link = h("button", { type: "button", class: "link", title: "go to this instant", onclick: jump }, number(event.time, 7));
    return h("tr", { onclick: jump }, h("th", { scope: "row" }, String(event.index + 1)), h("td", {}, link), ...cells.map((text) => h("td", {}, text)));
  }

  /** Marks the last event at or before a time. */
  move(time: number): void {
    const { events } = this.run;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle].time <= time * (1 + 1e-12) + 1e-12) low = middle + 1;
      else high = middle;
    }
    const row = this.rows[low - 1 - this.page * PAGE] ?? null;
    if (row === this.marked) return;
    this.marked?.classList.remove("now");
    row?.classList.add("now");
    this.marked = row;
  }
}

/** Why there are no events. */
function why({ summary, potential }: RunData): string {
  if (summary?.plan) {
    if (potential) return "No contact is planned: contact is a potential here, which has no events.";
    if (summary.plan.clearance !== null) return "No contact is planned: bodies keep clear of each other. See the plot of their clearance.";
    return "No contact is planned.";
  }
  if (summary?.overlap_max === null) return "This scene has no contact.";
  return potential ? "None: contact is a potential here, which has no events." : "None.";
}

/** The next event after a time, or the last one before it. */
export function neighbour(run: Run, time: number, by: 1 | -1): number | null {
  const slack = 1e-9 * Math.max(1, Math.abs(time));
  const times = run.events.map((event) => event.time);
  const found = by > 0 ? times.find((t) => t > time + slack) : times.findLast((t) => t < time - slack);
  return found ?? null;
}

function count(shown: number, total: number): string {
  if (shown === total) return String(total);
  return `the first ${shown} of ${total}; all are in events.jsonl`;
}
