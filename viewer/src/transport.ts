// Time: play, pause, speed, slider, steps.

import type { Run } from "./data.ts";
import { clock, h, number } from "./dom.ts";

/** Playback speeds: scene seconds per second. */
const SPEEDS = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4];

export class Transport {
  readonly element: HTMLElement;
  private time = 0;
  private playing = false;
  private last = 0;
  private speedIndex: number;
  private readonly slider = h("input", { type: "range", min: 0, max: 1, step: "any", class: "slider", "aria-label": "time" });
  private readonly readout = h("output", { class: "clock", "aria-live": "off" });
  private readonly button = h("button", { type: "button", class: "play", "aria-label": "play", title: "play or pause (space)" });
  private readonly rate = h("select", { "aria-label": "speed", title: "speed (up, down)" });
  private readonly ticks = h("canvas", { class: "ticks", "aria-hidden": "true" });
  private readonly repeat = h("input", { type: "checkbox", id: "repeat" });
  private run: Run;
  private end = 0;
  private begin = 0;

  constructor(
    runs: Run[],
    private readonly moved: (time: number) => void,
  ) {
    this.run = runs[0];
    this.speedIndex = SPEEDS.indexOf(1);
    const step = (by: number) => () => this.step(by);
    const text = (label: string, sign: string, act: () => void, title: string) =>
      h("button", { type: "button", "aria-label": label, title, onclick: act }, sign);
    SPEEDS.forEach((speed, k) => this.rate.append(h("option", { value: k }, `× ${number(speed)}`)));
    this.rate.addEventListener("change", () => (this.speedIndex = Number(this.rate.value)));
    this.button.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => {
      this.pause();
      this.set(Number(this.slider.value));
    });
    this.element = h(
      "div",
      { class: "transport", role: "group", "aria-label": "playback" },
      this.button,
      text("previous frame", "‹", step(-1), "a frame back (left)"),
      text("next frame", "›", step(1), "a frame on (right)"),
      h("div", { class: "track" }, this.ticks, this.slider),
      this.readout,
      this.rate,
      h("label", { for: "repeat", class: "repeat", title: "begin again at the end" }, this.repeat, "repeat"),
    );
    new ResizeObserver(() => this.drawTicks()).observe(this.slider);
    this.show(runs, false);
    const length = this.end - this.begin;
    // Runs of a second to a minute are played at real time; others within a quarter of a minute.
    if (length > 0 && (length < 1 || length > 60)) {
      const wanted = length / (length < 1 ? 6 : 15);
      const near = SPEEDS.map((speed) => Math.abs(Math.log(speed / wanted)));
      this.speedIndex = near.indexOf(Math.min(...near));
    }
    this.rate.value = String(this.speedIndex);
    this.paint();
  }

  /** Shows runs; with new rows of the same runs a playback at the end stays at the end. */
  show(runs: Run[], follow: boolean): void {
    const atEnd = this.time >= this.end;
    this.run = runs[0];
    this.begin = Math.min(...runs.map((run) => run.begin));
    this.end = Math.max(...runs.map((run) => run.end));
    this.slider.min = String(this.begin);
    this.slider.max = String(this.end > this.begin ? this.end : this.begin + 1e-9);
    this.drawTicks();
    this.set(follow && atEnd && !this.playing ? this.end : Math.min(this.time, this.end));
  }

  get now(): number {
    return this.time;
  }

  get speed(): number {
    return SPEEDS[this.speedIndex];
  }

  get isPlaying(): boolean {
    return this.playing;
  }

  set(time: number): void {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    this.slider.value = String(this.time);
    const spacing = (this.end - this.begin) / Math.max(this.run.times.length - 1, 1);
    this.readout.textContent = `${clock(this.time, spacing)} s`;
    this.slider.setAttribute("aria-valuetext", this.readout.textContent);
    this.moved(this.time);
  }

  /** Moves by whole frames. */
  step(by: number): void {
    this.pause();
    const { times } = this.run;
    const frame = this.run.frame(this.time);
    const between = this.time - times[frame] > 1e-9 * Math.max(1, Math.abs(this.time));
    const next = frame + by + (by < 0 && between ? 1 : 0);
    this.set(times[Math.min(Math.max(next, 0), times.length - 1)]);
  }

  faster(by: number): void {
    this.speedIndex = Math.min(Math.max(this.speedIndex + by, 0), SPEEDS.length - 1);
    this.rate.value = String(this.speedIndex);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.end <= this.begin) return;
    if (this.time >= this.end) this.set(this.begin);
    this.playing = true;
    this.last = performance.now();
    this.paint();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.playing = false;
    this.paint();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    // No jump after the tab was in the background.
    const passed = Math.min(Math.max(now - this.last, 0), 100) / 1000;
    this.last = now;
    let next = this.time + passed * this.speed;
    if (next >= this.end) {
      if (this.repeat.checked) next = this.begin;
      else this.pause();
    }
    this.set(next);
    requestAnimationFrame((t) => this.tick(t));
  }

  private paint(): void {
    this.button.textContent = this.playing ? "❚❚" : "►";
    this.button.setAttribute("aria-label", this.playing ? "pause" : "play");
  }

  /** Events as ticks above the slider. */
  private drawTicks(): void {
    const { ticks, slider } = this;
    const width = (ticks.width = Math.max(1, Math.round(slider.clientWidth * devicePixelRatio)));
    const height = (ticks.height = Math.round(8 * devicePixelRatio));
    const context = ticks.getContext("2d");
    if (!context || this.end <= this.begin) return;
    context.fillStyle = getComputedStyle(ticks).color;
    const inset = 8 * devicePixelRatio;
    for (const { time } of this.run.events) {
      const x = inset + ((width - 2 * inset) * (time - this.begin)) / (this.end - this.begin);
      context.fillRect(Math.round(x), 0, Math.max(1, devicePixelRatio), height);
    }
  }
}
