// The page of a run: 3D view, plots, events and figures with a common time.

import { fetched, load, type PageData, type Run } from "./data.ts";
import { h, number, vector } from "./dom.ts";
import { EventTable, neighbour } from "./events.ts";
import { planCard } from "./plan.ts";
import { Plots } from "./plots.ts";
import { View3D } from "./view3d.ts";
import { figures, ledger, problems, tiles } from "./summary.ts";
import { theme } from "./theme.ts";
import { Transport } from "./transport.ts";
import { licences } from "virtual:licences";

/** Milliseconds between two requests to the server of a run in progress. */
const BETWEEN = 1000;

/** Keys and their actions, for the help. */
const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "a frame back or on (with shift: ten)"],
  ["↑ ↓", "faster, slower"],
  ["home end", "first or last instant"],
  ["p n", "previous, next event"],
  ["f", "fit everything, or the followed bodies"],
  ["x y z", "look along an axis"],
  ["c t r q j g b o", "contacts, paths, forces, charges, joints, grid, names of bodies, follow"],
  ["d", "light or dark"],
  ["?", "this list"],
];

const LAYER_KEYS: Record<string, string> = { c: "contacts", t: "trails", r: "forces", q: "charges", j: "joints", g: "grid", b: "names", o: "follow" };

class Page {
  private readonly root: HTMLElement;
  private view: View3D | null = null;
  private readonly transport: Transport;
  private readonly plots: Plots;
  private readonly events: EventTable;
  private readonly layers = h("div", { class: "layers", role: "group", "aria-label": "what is drawn" });
  private readonly scale = h("p", { class: "scale" });
  private readonly tip = h("p", { class: "tip", hidden: true });
  private readonly head = h("div", { class: "head" });
  private readonly foot = h("div", { class: "tables" });
  private help: HTMLDialogElement;

  constructor(
    private data: PageData,
    private runs: Run[],
  ) {
    const host = h("div", { class: "view3d" });
    try {
      this.view = new View3D(host);
    } catch {
      host.append(h("p", { class: "no-webgl" }, "This browser draws no 3D (WebGL is off). Plots, events and figures are below."));
    }
    const jump = (time: number) => {
      this.transport.pause();
      this.transport.set(time);
    };
    this.plots = new Plots(runs, jump);
    this.events = new EventTable(runs[0], jump);
    this.transport = new Transport(runs, (time) => this.move(time));
    this.help = this.dialogue();
    host.append(this.layers, this.scale, this.tip);
    this.root = h(
      "main",
      {},
      this.head,
      h("section", { class: "playback", "aria-label": "playback" }, host, this.transport.element),
      this.plots.element,
      this.foot,
      this.help,
    );
    document.body.append(this.root);
    document.body.append(this.footer());
    host.addEventListener("pointermove", (event) => this.hover(event));
    host.addEventListener("pointerleave", () => (this.tip.hidden = true));
    document.addEventListener("keydown", (event) => this.key(event));
    theme.onchange(() => {
      this.view?.dress();
      this.plots.build();
      this.foot.replaceChildren(...this.tables());
    });
    this.fill(false);
  }

  /** Everything that depends on the runs. */
  private fill(keep: boolean): void {
    const { runs } = this;
    const [first] = runs;
    const { data } = first;
    document.title = `${this.title()} · percussion`;
    const several = runs.length > 1;
    this.root.classList.toggle("several", several);
    this.root.classList.toggle("planned", !several && Boolean(data.summary?.plan ?? data.summary?.shoot));
    const planned = `percussion plan · intervals of ${number(data.summary?.h ?? data.h)} s`;
    const shooting = `percussion plan · shooting with the ${data.scheme} scheme · step ${number(data.summary?.h ?? data.h)} s`;
    const ran = `percussion run · ${data.scheme} scheme · step ${number(data.h)} s`;
    const label = several ? "percussion comparison" : data.summary?.plan ? planned : data.summary?.shoot ? shooting : ran;
    this.head.replaceChildren(
      h(
        "header",
        {},
        h("div", {}, h("p", { class: "maker" }, label), h("h1", {}, this.title())),
        h(
          "div",
          { class: "buttons" },
          h("button", { type: "button", onclick: () => this.help.showModal(), title: "keys and licences (?)" }, "keys"),
          h("button", { type: "button", onclick: () => theme.turn(), title: "light or dark (d)" }, "light / dark"),
        ),
      ),
      ...runs.map((run) => problems(run.data)),
      several ? this.legend() : h("p", { class: "description" }, data.description.trim()),
      several ? "" : tiles(data),
    );
    this.view?.show(runs, keep);
    this.plots.show(runs);
    this.events.show(first);
    this.foot.replaceChildren(...this.tables());
    this.transport.show(runs, keep);
    if (this.view) {
      this.scale.textContent = `a square is ${number(this.view.spacing)} m`;
      this.paintLayers();
    }
  }

  private title(): string {
    const [{ data }] = this.runs;
    return data.title || data.name;
  }

  private tables(): HTMLElement[] {
    const sources = this.runs.length === 1 ? ledger(this.runs[0].data) : null;
    const plan = this.runs.length === 1 ? planCard(this.runs[0]) : null;
    const facts = figures(this.runs);
    const both = this.runs.length > 1 ? [facts, this.events.element] : [this.events.element, facts];
    // Of a plan the table of contacts has more columns, and the ledger fewer rows.
    const all = plan ? [plan, this.events.element, sources, facts] : [...both, sources];
    return all.filter((e): e is HTMLElement => e !== null);
  }

  /** The legend of several runs. */
  private legend(): HTMLElement {
    const entry = (run: Run, k: number) => {
      const box = h("input", { type: "checkbox", checked: true, onchange: () => this.view?.toggleRun(k, box.checked) });
      return h("label", {}, box, h("i", { style: `background: var(--run-${k})` }), `${run.data.label} (${run.data.scheme}, step ${number(run.data.h)} s)`);
    };
    return h("p", { class: "legend" }, ...this.runs.map(entry));
  }

  private paintLayers(): void {
    const view = this.view;
    if (!view) return;
    const fit = h("button", { type: "button", title: "fit everything (f)", onclick: () => view.fit() }, "fit");
    const boxes = view.toggles().map(({ id, title, on }) => {
      const box = h("input", { type: "checkbox", "data-layer": id, onchange: () => view.toggle(id, box.checked) });
      box.checked = on;
      return h("label", {}, box, title);
    });
    this.layers.replaceChildren(fit, ...boxes);
  }

  private move(time: number): void {
    this.view?.move(time, this.transport?.speed ?? 1);
    this.plots.move(time);
    this.events.move(time);
  }

  private hover(event: PointerEvent): void {
    const view = this.view;
    if (!view || event.target !== view.canvas || event.buttons) {
      this.tip.hidden = true;
      return;
    }
    const found = view.under(event.offsetX, event.offsetY);
    this.tip.hidden = !found;
    if (!found) return;
    const run = this.runs[found.run];
    const body = run.data.bodies[found.body];
    const { p } = run.at(found.body, this.transport.now);
    const which = this.runs.length > 1 ? `${run.data.label}: ` : "";
    const mass = body.moves ? `, ${number(body.mass)} kg` : ", fixed";
    this.tip.textContent = `${which}${body.name}${mass}, at ${vector(p)} m`;
    this.tip.style.transform = `translate(${event.offsetX + 14}px, ${event.offsetY + 14}px)`;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = target.matches("select, input:not([type=checkbox]):not([type=range])");
    const pressing = target.matches("button, input[type=checkbox], summary, a") && [" ", "Enter"].includes(event.key);
    if (typing || pressing || this.help.open) return;
    if (this.act(event.key, event.shiftKey)) event.preventDefault();
  }

  /** The action of a key; returns whether it has one. */
  private act(key: string, shift: boolean): boolean {
    const { transport, view } = this;
    const step = shift ? 10 : 1;
    const event = (by: 1 | -1) => {
      const time = neighbour(this.runs[0], transport.now, by);
      if (time !== null) {
        transport.pause();
        transport.set(time);
      }
    };
    const actions: Record<string, () => void> = {
      " ": () => transport.toggle(),
      ArrowLeft: () => transport.step(-step),
      ArrowRight: () => transport.step(step),
      ArrowUp: () => transport.faster(1),
      ArrowDown: () => transport.faster(-1),
      Home: () => transport.set(-Infinity),
      End: () => transport.set(Infinity),
      n: () => event(1),
      p: () => event(-1),
      f: () => view?.fit(),
      x: () => view?.fit("x"),
      y: () => view?.fit("y"),
      z: () => view?.fit("z"),
      d: () => theme.turn(),
      "?": () => this.help.showModal(),
    };
    const layer = LAYER_KEYS[key];
    if (layer) {
      const box = this.layers.querySelector<HTMLInputElement>(`[data-layer=${layer}]`);
      box?.click();
      return box !== null;
    }
    actions[key]?.();
    return key in actions;
  }

  private dialogue(): HTMLDialogElement {
    const rows = KEYS.map(([key, what]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, what)));
    const dialogue = h(
      "dialog",
      { "aria-label": "keys and licences" },
      h("h2", {}, "Keys"),
      h("table", {}, h("tbody", {}, ...rows)),
      h("p", { class: "note" }, "Drag turns, the right button shifts, the wheel comes nearer. In a plot a click goes to an instant, a drag looks closer, a double click looks at all."),
      h("h2", {}, "Licences"),
      h("p", { class: "note" }, `This page was made by ${this.data.program}, which is licensed under MIT or Apache-2.0. It contains:`),
      ...licences.map(({ name, version, text }) => h("details", {}, h("summary", {}, `${name} ${version}`), h("pre", {}, text))),
      h("form", { method: "dialog" }, h("button", {}, "close")),
    );
    return dialogue;
  }

  private footer(): HTMLElement {
    const files = ["summary.json", "trajectory.npz", "events.jsonl", "scene.toml"].flatMap((name, k) => [k ? ", " : "", h("a", { href: name }, name)]);
    const beside = this.runs.length === 1 ? [" Beside this page: ", ...files, "."] : [];
    return h("footer", {}, `Made by ${this.data.program}. Units are SI, angles in radians, z is up.`, ...beside);
  }

  /** Follows runs in progress. */
  follow(): void {
    const ask = async () => {
      try {
        const { page: data, runs } = await fetched();
        const grown = runs.some((run, k) => run.end !== this.runs[k]?.end || run.data.status !== this.runs[k]?.data.status);
        this.data = data;
        if (grown) {
          this.runs = runs;
          this.fill(true);
        }
      } catch {
        // The server has stopped, or the run is between two states: the present data stay.
      }
      if (this.runs.some((run) => run.data.status === "running")) setTimeout(ask, BETWEEN);
    };
    if (this.runs.some((run) => run.data.status === "running")) {
      this.transport.set(Infinity);
      setTimeout(ask, BETWEEN);
    }
  }

  /** Interface for scripts: tests, pictures. */
  handle(): Record<string, unknown> {
    return {
      ready: true,
      data: this.data,
      runs: () => this.runs.length,
      time: () => this.transport.now,
      set: (time: number) => this.transport.set(time),
      playing: () => this.transport.isPlaying,
      position: (name: string, run = 0) => {
        const body = this.runs[run].data.bodies.findIndex((b) => b.name === name);
        return body < 0 ? null : [...this.runs[run].at(body, this.transport.now).p];
      },
      frames: (run = 0) => this.runs[run].times.length,
      events: (run = 0) => this.runs[run].events.length,
      draw: () => {
        this.view?.ask();
        this.view?.draw();
      },
    };
  }
}

async function begin(): Promise<void> {
  const waiting = document.getElementById("waiting");
  try {
    const { page: data, runs, served } = await load();
    waiting?.remove();
    const page = new Page(data, runs);
    (window as unknown as Record<string, unknown>).percussion = page.handle();
    if (served) page.follow();
  } catch (error) {
    if (waiting) waiting.textContent = `The run cannot be shown: ${error instanceof Error ? error.message : error}`;
    else throw error;
  }
}

void begin();
