// Plots over time, with the time of the playback as a cursor; a click sets the time.

import uPlot from "uplot";
import type { CurveData, PlotData, Run } from "./data.ts";
import { css, h, number } from "./dom.ts";
import { decades, labels, padded, powerLabels, powers, roomy, widened } from "./scales.ts";

/** Height of a plot, px. */
const HEIGHT = 190;

interface Chart {
  element: HTMLElement;
  plot: uPlot;
}

export class Plots {
  readonly element = h("div", { class: "plots" });
  private charts: Chart[] = [];
  private time = 0;
  private readonly chosen = new Map<string, string | null>();
  private readonly sync = uPlot.sync("time");
  private readonly sizes: ResizeObserver;

  constructor(
    private runs: Run[],
    private readonly jump: (time: number) => void,
  ) {
    this.sizes = new ResizeObserver(() => {
      for (const { plot, element } of this.charts) {
        const width = element.clientWidth;
        if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
      }
    });
    this.show(runs);
  }

  show(runs: Run[]): void {
    this.runs = runs;
    this.build();
  }

  /** Builds all plots; colors are part of a plot, so that a change of theme rebuilds them. */
  build(): void {
    this.sizes.disconnect();
    for (const { plot } of this.charts) plot.destroy();
    this.charts = [];
    this.element.replaceChildren();
    const [first] = this.runs;
    const kinds = this.runs.length > 1 ? compared(this.runs) : [...first.data.plots.map((p) => single(first, p)), ...shooting(first)];
    for (const id of new Set(kinds.map((kind) => kind.id))) this.card(kinds.filter((kind) => kind.id === id));
  }

  /** A card with a plot, or with one of several plots.*/
  private card(kinds: Kind[]): void {
    const [first] = kinds;
    const host = h("div", { class: "plot", role: "img", "aria-label": `${first.title} over ${first.over}` });
    const unit = h("small", {});
    const note = h("p", { class: "note" });
    const title = h("h3", {}, first.title, unit);
    const show = (kind: Kind) => {
      this.chosen.set(first.id, kind.choice);
      unit.textContent = kind.unit;
      note.textContent = [kind.note, beyond(kind)].filter(Boolean).join(" ");
      note.hidden = !note.textContent;
      const old = this.charts.findIndex((chart) => chart.element === host);
      if (old >= 0) this.charts.splice(old, 1)[0].plot.destroy();
      host.replaceChildren();
      if (kind.curves.every(({ values }) => kind.scale === "log" && (values as (number | null)[]).every((v) => !v))) {
        host.append(h("p", { class: "nothing" }, "zero at all times"));
        return;
      }
      this.charts.push({ element: host, plot: this.chart(kind, host) });
      // The plot is completed after this; then it shows the present values.
      requestAnimationFrame(() => this.move(this.time));
    };
    if (kinds.length > 1) {
      const choice = h("select", { "aria-label": `${first.title}: of what` });
      kinds.forEach((kind, k) => choice.append(h("option", { value: k }, kind.choice ?? "")));
      choice.addEventListener("change", () => show(kinds[Number(choice.value)]));
      title.append(choice);
      choice.value = String(Math.max(0, kinds.findIndex((kind) => kind.choice === this.chosen.get(first.id))));
    }
    this.element.append(h("section", { class: "card", "data-plot": first.id }, title, host, note));
    show(kinds.find((kind) => kind.choice === this.chosen.get(first.id)) ?? first);
    this.sizes.observe(host);
  }

  private chart(kind: Kind, host: HTMLElement): uPlot {
    const ink = css("--ink-soft");
    const line = css("--line");
    const log = kind.scale === "log";
    const timed = kind.over === "time";
    const limits = shownLimits(kind);
    const axis: uPlot.Axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 }, font: FONT };
    const options: uPlot.Options = {
      width: host.clientWidth || 420,
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      cursor: { sync: timed ? { key: this.sync.key, setSeries: false } : undefined, drag: { x: true, y: false }, points: { size: 5 } },
      legend: { live: true },
      scales: {
        x: { time: false },
        y: log
          ? { distr: 3, log: 10, range: (_u, low, high) => decades(low, high, timed) }
          : { range: (_u, low, high) => padded(...widened(low, high, limits.map(({ value }) => value))) },
      },
      axes: [
        { ...axis, size: 28, splits: (u, _k, low, high) => roomy(low, high, breadth(u), "across"), filter: (_u, ticks) => ticks, values: (_u, ticks) => labels(ticks) },
        {
          ...axis,
          size: 62,
          splits: (_u, _k, low, high) => (log ? powers(low, high) : roomy(low, high, HEIGHT - 40, "up")),
          filter: (_u, ticks) => ticks,
          values: (_u, ticks) => (log ? powerLabels(ticks) : labels(ticks)),
        },
      ],
      series: [
        { label: timed ? "t / s" : "iteration", value: (_u, v) => (v === null ? "" : number(v, 6)) },
        ...kind.curves.map((curve) => ({
          label: curve.name,
          stroke: curve.colour,
          width: 1.4,
          // Between contacts there is no penetration, and bodies connected by a joint have no clearance.
          spanGaps: !GAPPED.test(kind.id),
          points: { show: GAPPED.test(kind.id), size: 4, fill: curve.colour, filter: lonely },
          paths: curve.steps ? uPlot.paths.stepped!({ align: 1 }) : undefined,
          value: (u: uPlot, v: number | null, series: number, at: number | null) => {
            // Compared runs have different instants: the last one before is used.
            const all = u.data[series];
            let k = at ?? -1;
            while (v === undefined && k > 0) v = all[--k] as number | null;
            return v === null && kind.id === "clearance" ? "connected" : number(v ?? 0, 5);
          },
        })),
      ],
      hooks: {
        draw: timed ? [(u) => lines(u, limits), (u) => this.marks(u), (u) => this.mark(u)] : [rounds],
        ready: [
          (u) => {
            if (!timed) {
              u.over.append(...kind.marks.map((at, k) => h("i", { class: "round", "data-at": at, "data-round": k + 2 })));
              rounds(u);
              const last = () => u.setLegend({ idx: kind.time.length - 1 }, false);
              u.over.addEventListener("pointerleave", last);
              requestAnimationFrame(last);
              return;
            }
            u.over.append(h("i", { class: "present" }));
            u.over.addEventListener("pointerleave", () => this.move(this.time));
            let down = 0;
            u.over.addEventListener("pointerdown", (e) => (down = e.clientX));
            u.over.addEventListener("click", (e) => {
              if (Math.abs(e.clientX - down) < 3) this.jump(u.posToVal(e.offsetX, "x"));
            });
          },
        ],
      },
    };
    return new uPlot(options, [kind.time, ...kind.curves.map((c) => c.values)] as uPlot.AlignedData, host);
  }

  /** Events as ticks at the foot. */
  private marks(u: uPlot): void {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    const step = Math.max(1, Math.floor(this.runs[0].events.length / 2000));
    ctx.strokeStyle = css("--impulse");
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    for (let k = 0; k < this.runs[0].events.length; k += step) {
      const x = Math.round(u.valToPos(this.runs[0].events[k].time, "x", true));
      if (x < left || x > left + width) continue;
      ctx.moveTo(x, top + height);
      ctx.lineTo(x, top + height - 6 * devicePixelRatio);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Moves the cursor of the present time and shows the values there. */
  move(time: number): void {
    this.time = time;
    for (const { plot } of this.charts) this.mark(plot);
  }

  private mark(plot: uPlot): void {
    const line = plot.over.querySelector<HTMLElement>(".present");
    if (!line) return;
    const { min, max } = plot.scales.x;
    const inside = min !== undefined && max !== undefined && this.time >= min && this.time <= max;
    line.hidden = !inside;
    line.style.transform = `translateX(${plot.valToPos(this.time, "x")}px)`;
    // Under a pointer the values are those at its position.
    if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: plot.valToIdx(this.time) }, false);
  }
}

const FONT = "11px ui-sans-serif, system-ui, sans-serif";

/** Plots with gaps. */
const GAPPED = /^(penetration|clearance)/;

interface Curve {
  name: string;
  values: (number | null)[] | Float32Array;
  colour: string;
  steps: boolean;
  limits: CurveData["limits"];
}

interface Kind extends Omit<PlotData, "time" | "curves"> {
  time: ArrayLike<number>;
  curves: Curve[];
}

/** A curve as it comes. */
const PLAIN = { steps: false, limits: [null, null] as CurveData["limits"] };

function values(run: Run, plot: PlotData, k: number): (number | null)[] | Float32Array {
  const raw = run.array(plot.curves[k].values) as Float32Array;
  // Zero is not on a logarithmic scale.
  if (plot.scale === "log") return Array.from(raw, (v) => (v > 0 ? v : null));
  return raw.some(Number.isNaN) ? Array.from(raw, (v) => (Number.isNaN(v) ? null : v)) : raw;
}

function single(run: Run, plot: PlotData): Kind {
  const curves = plot.curves.map((curve, k) => ({ ...curve, colour: css(`--curve-${curve.colour % 8}`), values: values(run, plot, k) }));
  return { ...plot, time: run.array(plot.time), curves };
}

/** The residuals of a shooting problem. */
function shooting(run: Run): Kind[] {
  const shoot = run.data.summary?.shoot;
  if (!shoot) return [];
  const curves = [{ ...PLAIN, name: "residual", colour: css("--curve-0"), values: shoot.residuals.map((r) => (r > 0 ? r : null)) }];
  const time = shoot.residuals.map((_, k) => k);
  const note = "Max residual of the targets.";
  return [{ id: "search", title: "Shooting", unit: "over iterations", scale: "log", note, choice: null, over: "iteration", time, curves, marks: [] }];
}

interface Limit {
  value: number;
  colour: string;
}

/** All limits of a plot, each once, in the colour of its curve if it is one curve's only. */
function limitsOf(kind: Kind): Limit[] {
  const all = kind.curves.flatMap(({ limits, colour }) => limits.flatMap((value) => (value === null ? [] : [{ value, colour }])));
  const same = (value: number) => all.filter((other) => other.value === value);
  return [...new Set(all.map(({ value }) => value))].map((value) => ({ value, colour: same(value).length > 1 ? css("--ink-soft") : same(value)[0].colour }));
}

/** A bound is drawn where the curves still fill a fifth of the picture with it; a margin is always drawn. */
function shownLimits(kind: Kind): Limit[] {
  const all = kind.curves.flatMap(({ values }) => Array.from(values).filter((v): v is number => typeof v === "number"));
  const [low, high] = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
  const span = Math.max(high - low, 0.2 * Math.max(Math.abs(low), Math.abs(high)));
  const near = (value: number) => value >= high - 5 * span && value <= low + 5 * span;
  return limitsOf(kind).filter(({ value }) => kind.id === "clearance" || near(value));
}

/** A note about bounds that are not drawn. */
function beyond(kind: Kind): string {
  const shown = shownLimits(kind).map(({ value }) => value);
  const far = limitsOf(kind).filter(({ value }) => !shown.includes(value));
  return far.length ? `Bounds outside of the plot: ${far.map(({ value }) => number(value)).join(", ")}.` : "";
}

/** Limits as dashed lines. */
function lines(u: uPlot, limits: Limit[]): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { value, colour } of limits) {
    const y = Math.round(u.valToPos(value, "y", true));
    if (y < top - 1 || y > top + height + 1) continue;
    ctx.strokeStyle = colour;
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(left + width, y);
    ctx.stroke();
  }
  ctx.restore();
}

/** Positions the lines at which rounds begin. */
function rounds(u: uPlot): void {
  const { min, max } = u.scales.x;
  for (const line of u.over.querySelectorAll<HTMLElement>(".round")) {
    const at = Number(line.dataset.at);
    line.hidden = min === undefined || max === undefined || at < min || at > max;
    line.style.transform = `translateX(${u.valToPos(at, "x")}px)`;
  }
}

/** Pixels from the left to the right of the curves. */
function breadth(u: uPlot): number {
  return Math.max(u.width - 80, 80);
}

/** Values between gaps: no line shows them. */
function lonely(u: uPlot, series: number): number[] | null {
  const all = u.data[series] as (number | null)[];
  const found: number[] = [];
  for (let k = 0; k < all.length; k++) {
    if (all[k] !== null && (all[k - 1] ?? null) === null && (all[k + 1] ?? null) === null) found.push(k);
  }
  return found;
}

/** Curves that are compared. */
const COMPARED: Record<string, string[]> = {
  energy: ["total", "kinetic"],
  "energy-error": ["error"],
  "momentum-error": ["linear", "angular"],
  penetration: ["penetration"],
  constraints: ["positions"],
};

/** A plot of every kind with the curves of all runs, and their distances. */
function compared(runs: Run[]): Kind[] {
  const kinds: Kind[] = [];
  const apart = differences(runs);
  if (apart) kinds.push(apart);
  const ids = [...new Set(runs.flatMap((run) => run.data.plots.map((p) => p.id)))].filter((id) => id in COMPARED);
  for (const id of ids) {
    for (const name of COMPARED[id]) {
      const found = runs.flatMap((run, k) => {
        const plot = run.data.plots.find((p) => p.id === id);
        const curve = plot?.curves.findIndex((c) => c.name === name) ?? -1;
        if (!plot || curve < 0) return [];
        return [{ run, k, plot, time: run.array(plot.time), values: values(run, plot, curve) }];
      });
      if (!found.length) continue;
      const { plot } = found[0];
      const time = united(found.map((f) => f.time));
      kinds.push({
        ...plot,
        id: `${id}-${name}`,
        title: plot.curves.length > 1 ? `${plot.title}: ${name}` : plot.title,
        note: "",
        time,
        curves: found.map((f) => ({
          ...PLAIN,
          name: f.run.data.label,
          values: spread(time, f.time, f.values),
          colour: css(`--run-${f.k}`),
        })),
      });
    }
  }
  return kinds;
}

/** Instants at which runs are compared. */
const COMPARISONS = 600;

/** The max distance of bodies from their positions in the first run. */
function differences(runs: Run[]): Kind | null {
  const [first, ...others] = runs;
  const end = Math.min(...runs.map((run) => run.end));
  const begin = Math.max(...runs.map((run) => run.begin));
  const count = Math.min(COMPARISONS, Math.max(...runs.map((run) => run.times.length)));
  if (!others.length || !(end > begin)) return null;
  const time = Float64Array.from({ length: count }, (_, k) => begin + ((end - begin) * k) / Math.max(count - 1, 1));
  const curves = others.flatMap((run, k) => {
    const pairs = first.data.bodies.flatMap((body, a) => {
      const b = run.data.bodies.findIndex((other) => other.name === body.name);
      return body.moves && b >= 0 ? [[a, b]] : [];
    });
    if (!pairs.length) return [];
    const values = Array.from(time, (t) => {
      let most = 0;
      for (const [a, b] of pairs) {
        const p = first.at(a, t).p.slice();
        const q = run.at(b, t).p;
        most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
      }
      return most > 0 ? most : null;
    });
    return [{ ...PLAIN, name: run.data.label, values, colour: css(`--run-${k + 1}`) }];
  });
  if (!curves.length) return null;
  const unit = "m, max of all bodies";
  const note = "Positions on this page are rounded to 16 bits of their range.";
  return { id: "apart", title: `Distance from ${first.data.label}`, unit, scale: "log", note, choice: null, over: "time", time, curves, marks: [] };
}

/** All times, sorted, each once. */
function united(lists: ArrayLike<number>[]): number[] {
  return [...new Set(lists.flatMap((list) => Array.from(list)))].sort((a, b) => a - b);
}

/** Values at their own times, nothing in between. */
function spread(all: number[], own: ArrayLike<number>, values: ArrayLike<number | null>): (number | null)[] {
  const out: (number | null)[] = new Array(all.length).fill(undefined);
  let k = 0;
  for (let j = 0; j < own.length; j++) {
    while (k < all.length && all[k] < own[j]) k++;
    out[k] = values[j];
  }
  return out;
}
