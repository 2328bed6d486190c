// What can be drawn over the bodies: contacts, paths, forces, charges, joints and springs, names.

import * as THREE from "three";
import { Arrows, Balls } from "./arrows.ts";
import type { Run, Vec } from "./data.ts";
import { css, h } from "./dom.ts";

/** Something that may be shown and follows the time. */
export interface Layer {
  readonly id: string;
  readonly title: string;
  readonly object: THREE.Object3D;
  /** Seconds of the scene that pass in one of the viewer, at the present speed. */
  update(time: number, speed: number): void;
}

const length = (v: Vec) => Math.hypot(...v);

/** Contact points with their normals and impulses, around the instants of the events. */
export class Contacts implements Layer {
  readonly id = "contacts";
  readonly title = "contacts";
  readonly object = new THREE.Group();
  private readonly balls: Balls;
  private readonly impulses: Arrows;
  private readonly normals: Arrows;
  private readonly greatest: number;

  constructor(
    private readonly run: Run,
    private readonly radius: number,
  ) {
    this.balls = new Balls(400, 0.012 * radius, true);
    this.impulses = new Arrows(800, 0.013 * radius, css("--impulse"));
    this.normals = new Arrows(400, 0.003 * radius, css("--normal"));
    this.greatest = run.events.reduce((most, e) => Math.max(most, length(e.impulse)), 0);
    this.object.add(this.normals, this.impulses, this.balls);
  }

  /** Recent events: those of the last moment of playback, and of this frame. */
  update(time: number, speed: number): void {
    const { run } = this;
    for (const part of [this.balls, this.impulses, this.normals]) part.begin();
    const frame = run.frame(time);
    const spacing = (run.times[frame + 1] ?? run.end) - run.times[frame];
    const window = Math.max(0.15 * speed, 0.51 * spacing);
    const colour = css("--impulse");
    let k = firstAfter(run, time - window);
    for (; k < run.events.length && run.events[k].time <= time + 1e-9 * Math.max(1, time); k++) {
      const { a, b, point, normal, impulse, time: then } = run.events[k];
      const fresh = 1 - 0.6 * Math.min(1, (time - then) / window);
      const size = length(impulse);
      const reach = 0.7 * this.radius * Math.sqrt(this.greatest > 0 ? size / this.greatest : 0) * fresh;
      this.balls.push(point, colour, fresh);
      // Impulses on fixed bodies are not drawn.
      if (run.data.bodies[a].moves) this.impulses.push(point, impulse, reach);
      if (run.data.bodies[b].moves) this.impulses.push(point, [-impulse[0], -impulse[1], -impulse[2]], reach);
      this.normals.push(point, normal, 0.18 * this.radius * fresh);
    }
    for (const part of [this.balls, this.impulses, this.normals]) part.finish();
  }
}

function firstAfter(run: Run, time: number): number {
  let [low, high] = [0, run.events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.events[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Maximum number of points of a path. */
const TRAIL = 3000;

/** The paths of the centres of mass up to the present. */
export class Trails implements Layer {
  readonly id = "trails";
  readonly title = "paths";
  readonly object = new THREE.Group();
  private frames: number[] = [];
  private readonly lines: THREE.Line[] = [];

  constructor(
    private readonly run: Run,
    private readonly tint: string | null,
  ) {}

  /** Made on first use: there are many. */
  private make(): void {
    const { run } = this;
    const count = Math.min(run.times.length, TRAIL);
    this.frames = Array.from({ length: count }, (_, k) => Math.round((k * (run.times.length - 1)) / Math.max(count - 1, 1)));
    run.data.bodies.forEach((body, b) => {
      if (!body.moves) return;
      const points = new Float32Array(3 * count);
      this.frames.forEach((frame, k) => {
        points.set(run.point({ body: b, point: body.centre }, run.times[frame], frame), 3 * k);
      });
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: this.tint ?? body.colour }));
      line.frustumCulled = false;
      this.lines.push(line);
      this.object.add(line);
    });
  }

  update(time: number): void {
    if (!this.object.visible) return;
    if (!this.frames.length) this.make();
    const frame = this.run.frame(time);
    let count = 0;
    while (count < this.frames.length && this.frames[count] <= frame) count++;
    for (const line of this.lines) line.geometry.setDrawRange(0, count);
  }
}

/** Resultant forces on each body, without gravity and joints. */
export class Forces implements Layer {
  readonly id = "forces";
  readonly title = "forces";
  readonly object: Arrows;
  private readonly times: Float64Array;
  private readonly values: Float32Array;

  constructor(
    private readonly run: Run,
    private readonly radius: number,
  ) {
    const forces = run.data.forces!;
    this.times = run.array(forces.times) as Float64Array;
    this.values = run.array(forces.values) as Float32Array;
    this.object = new Arrows(run.data.frames.moving.length, 0.007 * radius, css("--force"));
  }

  update(time: number): void {
    this.object.begin();
    this.object.colour(css("--force"));
    const { moving } = this.run.data.frames;
    let k = 0;
    while (k + 1 < this.times.length && this.times[k + 1] <= time) k++;
    const next = Math.min(k + 1, this.times.length - 1);
    const span = this.times[next] - this.times[k];
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.times[k]) / span)) : 0;
    const largest = this.run.data.forces!.largest;
    const frame = this.run.frame(time);
    moving.forEach((body, slot) => {
      const at = (row: number, axis: number) => this.values[3 * (row * moving.length + slot) + axis];
      const force = [0, 1, 2].map((axis) => (1 - part) * at(k, axis) + part * at(next, axis)) as Vec;
      const reach = 0.5 * this.radius * Math.sqrt(largest > 0 ? length(force) / largest : 0);
      if (reach > 0.01 * this.radius) {
        this.object.push(this.run.point({ body, point: this.run.data.bodies[body].centre }, time, frame), force, reach);
      }
    });
    this.object.finish();
  }
}

/** Charges: red is positive, blue negative. */
export class Charges implements Layer {
  readonly id = "charges";
  readonly title = "charges";
  readonly object: Balls;

  constructor(
    private readonly run: Run,
    radius: number,
  ) {
    this.object = new Balls(run.data.charges.length, 0.012 * radius, true);
  }

  update(time: number): void {
    this.object.begin();
    const frame = this.run.frame(time);
    for (const { place, charge } of this.run.data.charges) {
      this.object.push(this.run.point(place, time, frame), css(charge > 0 ? "--positive" : "--negative"));
    }
    this.object.finish();
  }
}

/** Windings of a spring. */
const COILS = 8;

/** Joints with their axes and rods, and springs. */
export class Joints implements Layer {
  readonly id = "joints";
  readonly title: string;
  readonly object = new THREE.Group();
  private readonly balls: Balls;
  private readonly lines: THREE.LineSegments;
  private readonly points: Float32Array;

  constructor(
    private readonly run: Run,
    private readonly radius: number,
  ) {
    const { joints, springs } = run.data;
    this.title = springs.length ? (joints.length ? "joints, springs" : "springs") : "joints";
    this.balls = new Balls(joints.length * 2 + springs.length * 2, 0.013 * radius, true);
    this.points = new Float32Array(6 * (joints.length + springs.length * (2 * COILS + 1)));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.points, 3));
    const material = new THREE.LineBasicMaterial({ color: css("--joint"), depthTest: false, transparent: true });
    this.lines = new THREE.LineSegments(geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 5;
    this.object.add(this.lines, this.balls);
  }

  update(time: number): void {
    const { run } = this;
    const frame = run.frame(time);
    const colour = css("--joint");
    (this.lines.material as THREE.LineBasicMaterial).color.set(colour);
    this.balls.begin();
    let n = 0;
    const line = (a: Vec, b: Vec) => {
      this.points.set(a, n);
      this.points.set(b, n + 3);
      n += 6;
    };
    for (const { kind, parent, child, axis } of run.data.joints) {
      const [a, b] = [run.point(parent, time, frame), run.point(child, time, frame)];
      this.balls.push(a, colour);
      if (kind === "rod") {
        this.balls.push(b, colour);
        line(a, b);
      } else if (kind !== "spherical" && kind !== "fixed") {
        const reach = 0.08 * this.radius;
        const tip = (s: number): Vec => {
          const point = parent.point.map((x, i) => x + s * reach * axis[i]) as Vec;
          return run.point({ body: parent.body, point }, time, frame);
        };
        line(tip(-1), tip(1));
      }
    }
    for (const { ends } of run.data.springs) {
      const [a, b] = ends.map((end) => run.point(end, time, frame));
      this.balls.push(a, colour, 0.7);
      this.balls.push(b, colour, 0.7);
      zigzag(a, b, 0.02 * this.radius, line);
    }
    this.lines.geometry.setDrawRange(0, n / 3);
    this.lines.geometry.getAttribute("position").needsUpdate = true;
    this.balls.finish();
  }
}

function zigzag(a: Vec, b: Vec, width: number, line: (a: Vec, b: Vec) => void): void {
  const along = new THREE.Vector3(...b).sub(new THREE.Vector3(...a));
  const side = new THREE.Vector3(0, 0, 1).cross(along);
  if (side.lengthSq() < 1e-12 * along.lengthSq()) side.set(1, 0, 0);
  side.setLength(width);
  let last = a;
  for (let k = 0; k <= 2 * COILS; k++) {
    const s = (k + 0.5) / (2 * COILS + 1);
    const turn = k === 2 * COILS ? 0 : k % 2 ? -1 : 1;
    const next = (k === 2 * COILS ? b : a.map((x, i) => x + s * along.getComponent(i) + turn * side.getComponent(i))) as Vec;
    line(last, next);
    last = next;
  }
}

/** Names beside the bodies; as elements, so that they can be read at any size. */
export class Names implements Layer {
  readonly id = "names";
  readonly title = "names";
  readonly object = new THREE.Group();
  readonly element = h("div", { class: "names", "aria-hidden": "true" });
  private readonly labels: { body: number; element: HTMLElement }[] = [];
  private readonly at = new THREE.Vector3();
  private time = 0;

  constructor(private readonly run: Run) {
    run.data.bodies.forEach((body, b) => {
      if (!body.moves) return;
      const element = h("span", {}, body.name);
      this.labels.push({ body: b, element });
      this.element.append(element);
    });
  }

  update(time: number): void {
    this.time = time;
    this.element.hidden = !this.object.visible;
  }

  /** Puts the names where the bodies are on the screen. */
  project(camera: THREE.Camera, width: number, height: number): void {
    if (!this.object.visible) return;
    const frame = this.run.frame(this.time);
    for (const { body, element } of this.labels) {
      const { centre } = this.run.data.bodies[body];
      this.at.set(...this.run.point({ body, point: centre }, this.time, frame)).project(camera);
      const seen = Math.abs(this.at.z) < 1;
      element.style.display = seen ? "" : "none";
      element.style.transform = `translate(${(0.5 + 0.5 * this.at.x) * width}px, ${(0.5 - 0.5 * this.at.y) * height}px)`;
    }
  }
}
