// The 3D view: camera, light, bodies, floor and layers of one run or of several compared runs.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Bodies, type Manner } from "./bodies.ts";
import type { Run, Vec } from "./data.ts";
import { css } from "./dom.ts";
import { Ground } from "./ground.ts";
import { Charges, Contacts, Forces, Joints, Names, Trails, type Layer } from "./layers.ts";

/** View directions, the default first. */
const CORNERS: Vec[] = [
  [0.62, -1, 0.5],
  [1, 0.62, 0.5],
  [-0.62, 1, 0.5],
  [-1, -0.62, 0.5],
];
/** Instants at which occlusion of the moving bodies is tested. */
const ASKED = 12;
/** Bodies that fill a smaller part of the extent of their motion are followed; plans are shown whole if possible. */
const [SMALL, TINY] = [1 / 3, 1 / 10];

/** Layers that are shown at first. */
const SHOWN = ["contacts", "joints", "charges"];

export interface Toggle {
  id: string;
  title: string;
  on: boolean;
}

export class View3D {
  readonly canvas: HTMLCanvasElement;
  readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.3);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb4b4bd, 2.0);
  private content = new THREE.Group();
  private bodies: Bodies[] = [];
  private layers: { layer: Layer; run: number }[] = [];
  /** Of several runs, those that are not shown. */
  private readonly hidden = new Set<number>();
  private ground: Ground | null = null;
  private runs: Run[] = [];
  private centre = new THREE.Vector3();
  private radius = 1;
  /** Length of what is drawn over bodies, m. */
  private unit = 1;
  /** Whether the camera follows the bodies. */
  private following = false;
  private readonly box = new THREE.Box3();
  private readonly whole = new THREE.Box3();
  private readonly wanted = new Map<string, boolean>(SHOWN.map((id) => [id, true]));
  private time = 0;
  private speed = 1;
  private stale = true;
  private frameRequest = 0;
  private readonly names = document.createElement("div");

  constructor(private readonly host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Bodies in space; drag to rotate, scroll to zoom");
    host.append(this.canvas, this.names);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.ask());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.scene.add(this.sun, this.sun.target, this.sky, this.content);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  /** Shows runs; the view is kept if they are the same ones, grown. */
  show(runs: Run[], keep: boolean): void {
    this.runs = runs;
    this.scene.remove(this.content);
    this.content.traverse((object) => {
      const { geometry, material } = object as THREE.Mesh;
      geometry?.dispose();
      (material as THREE.Material | undefined)?.dispose();
    });
    this.content = new THREE.Group();
    this.scene.add(this.content);
    const low = new THREE.Vector3(Infinity, Infinity, Infinity);
    const high = new THREE.Vector3(-Infinity, -Infinity, -Infinity);
    for (const { data } of runs) {
      low.min(new THREE.Vector3(...data.core.low));
      high.max(new THREE.Vector3(...data.core.high));
    }
    this.whole.set(low, high);
    this.whole.getCenter(this.centre);
    this.radius = 0.5 * low.distanceTo(high) || 1;
    this.bodies = runs.map((run, k) => new Bodies(run, this.manner(k)));
    this.unit = Math.min(Math.max(3 * this.bodies[0].size, 0.06 * this.radius), this.radius);
    this.ground = new Ground(runs[0], this.centre, this.unit);
    this.layers = [];
    this.names.replaceChildren();
    runs.forEach((run, k) => {
      const { data } = run;
      const tint = runs.length > 1 ? this.manner(k).tint : null;
      const add = (layer: Layer) => this.layers.push({ layer, run: k });
      add(new Trails(run, tint));
      if (data.events.count) add(new Contacts(run, this.unit));
      if (data.forces) add(new Forces(run, this.unit));
      if (data.charges.length) add(new Charges(run, this.unit));
      if (data.joints.length + data.springs.length) add(new Joints(run, this.unit));
      if (k === 0) {
        const names = new Names(run);
        this.names.append(names.element);
        add(names);
      }
    });
    if (!keep) this.following = this.isSpreading();
    // Paths are visible where bodies are small, and distinguish runs.
    const small = this.bodies[0].size < 0.04 * this.radius && !this.following;
    if (!this.wanted.has("trails") && (runs.length > 1 || small)) this.wanted.set("trails", true);
    this.choose();
    this.content.add(...this.bodies, ...this.layers.map(({ layer }) => layer.object), this.ground);
    this.light();
    this.dress();
    if (!keep) this.fit();
    this.move(this.time, this.speed);
  }

  /** The box around the moving bodies at present. */
  private now(): THREE.Box3 {
    this.box.makeEmpty();
    for (const bodies of this.bodies) if (bodies.visible) bodies.reach(this.time, this.box);
    return this.box;
  }

  /** Whether bodies spread, or fill a small part of the extent of their motion. */
  private isSpreading(): boolean {
    const [{ begin, end }] = this.runs;
    const now = this.time;
    const radii = Array.from({ length: 40 }, (_, k) => {
      this.time = begin + ((end - begin) * k) / 39;
      this.now();
      return this.boxRadius();
    });
    this.time = now;
    const mean = (quarter: number) => radii.slice(10 * quarter, 10 * quarter + 10).reduce((sum, r) => sum + r, 0);
    const grows = [1, 2, 3].every((quarter) => mean(quarter) > 1.1 * mean(quarter - 1));
    const [first, last] = [radii[0], radii[39]];
    const usual = radii.sort((a, b) => a - b)[20];
    const { summary } = this.runs[0].data;
    const part = summary?.plan ?? summary?.shoot ? TINY : SMALL;
    return (grows && last > 2.2 * first) || part * this.radius > Math.max(usual, 0.3 * this.unit);
  }

  private boxRadius(): number {
    return this.box.isEmpty() ? this.radius : 0.5 * this.box.min.distanceTo(this.box.max);
  }

  /** The first run of several is solid, the others are glass in the colours of their curves. */
  private manner(k: number): Manner {
    if (this.runs.length === 1) return { opacity: 1, tint: null };
    return { opacity: k === 0 ? 1 : 0.3, tint: css(`--run-${k}`) };
  }

  private light(): void {
    const { sun, centre } = this;
    const radius = Math.max(...this.runs.map((run) => Math.min(run.radius, 3 * this.radius)));
    sun.target.position.copy(centre);
    sun.position.copy(centre).addScaledVector(new THREE.Vector3(-0.5, -0.65, 1.4).normalize(), 4 * radius);
    const { camera } = sun.shadow;
    Object.assign(camera, { left: -1.4 * radius, right: 1.4 * radius, top: 1.4 * radius, bottom: -1.4 * radius });
    Object.assign(camera, { near: 0.5 * radius, far: 8 * radius });
    camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.004 * radius;
    sun.shadow.bias = -0.0004;
  }

  /** Colours of the page's theme. */
  dress(): void {
    this.bodies.forEach((bodies) => bodies.ink(css("--edge")));
    this.ground?.dress({ line: css("--grid"), strong: css("--grid-strong"), floor: css("--floor") });
    this.move(this.time, this.speed);
  }

  toggles(): Toggle[] {
    const all = new Map<string, Toggle>();
    for (const { id, title } of this.layers.map(({ layer }) => layer)) all.set(id, { id, title, on: this.wanted.get(id) ?? false });
    all.set("follow", { id: "follow", title: "follow", on: this.following });
    all.set("grid", { id: "grid", title: "grid", on: this.wanted.get("grid") ?? true });
    return [...all.values()];
  }

  toggle(id: string, on: boolean): void {
    this.wanted.set(id, on);
    if (id === "follow") {
      this.following = on;
      this.fit();
    }
    if (id === "grid" && this.ground) this.ground.gridVisible = on;
    this.choose();
    this.move(this.time, this.speed);
  }

  /** Shows or hides one of several runs. */
  toggleRun(k: number, on: boolean): void {
    if (on) this.hidden.delete(k);
    else this.hidden.add(k);
    this.choose();
    this.move(this.time, this.speed);
  }

  /** Shows the selected layers of the visible runs. */
  private choose(): void {
    this.bodies.forEach((bodies, k) => (bodies.visible = !this.hidden.has(k)));
    for (const { layer, run } of this.layers) {
      layer.object.visible = (this.wanted.get(layer.id) ?? false) && !this.hidden.has(run);
    }
  }

  /** Length of a square of the grid, m. */
  get spacing(): number {
    return this.ground?.spacing ?? 1;
  }

  /** Updates everything to a time. */
  move(time: number, speed: number): void {
    const before = this.following ? this.boxRadius() : 0;
    this.time = time;
    this.speed = speed;
    if (this.following && before > 0) this.pursue(before);
    for (const bodies of this.bodies) bodies.place(time);
    for (const { layer } of this.layers) layer.update(time, speed);
    this.ask();
  }

  /** Follows the bodies in the same view; the distance scales with the radius of their box, which was `before`. */
  private pursue(before: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const now = this.now();
    if (now.isEmpty()) return;
    offset.multiplyScalar(this.boxRadius() / before);
    now.getCenter(this.controls.target);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  /** Fits the camera to the whole run, or to the present poses if it follows, from a side (`x`, `y`, `z`) or a corner. */
  fit(from?: "x" | "y" | "z"): void {
    const plane = this.runs[0]?.data.plane;
    const planar = plane && !from;
    this.camera.fov = planar ? 12 : 30;
    const directions = { x: [1, 0, 0], y: [0, -1, 0], z: [0, -1e-3, 1] };
    const corner = planar || from ? CORNERS[0] : this.corner();
    const toward = new THREE.Vector3(...((from && directions[from]) ?? (planar ? plane : corner)) as Vec).normalize();
    this.camera.up.set(0, 0, 1);
    if (Math.abs(toward.z) > 0.999) toward.set(0, -1e-3, Math.sign(toward.z)).normalize();
    const half = THREE.MathUtils.degToRad(this.camera.fov) / 2;
    const aspect = Math.min(1, this.camera.aspect);
    if (this.following) this.now();
    else this.box.copy(this.whole);
    const centre = this.box.getCenter(new THREE.Vector3());
    // Planar scenes have no depth behind the middle of the picture.
    const share = planar ? 1.12 : 0.92;
    const distance = (share * this.reach(toward, centre)) / Math.tan(half) / aspect + 0.35 * this.boxRadius();
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(toward, distance);
    this.camera.near = Math.min(distance, this.radius) / 100;
    this.camera.far = Math.max(distance, this.radius) * 30;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.ask();
  }

  /** The first corner from which fixed bodies hide the least of the motion. */
  private corner(): Vec {
    const [run] = this.runs;
    const [bodies] = this.bodies;
    const moving = run.data.bodies.flatMap((body, b) => (body.moves ? [{ b, point: body.centre }] : [])).slice(0, ASKED);
    const places = Array.from({ length: ASKED }, (_, k) => {
      const time = run.begin + ((run.end - run.begin) * k) / (ASKED - 1);
      const frame = run.frame(time);
      return moving.map(({ b, point }) => new THREE.Vector3(...run.point({ body: b, point }, time, frame)));
    }).flat();
    bodies.place(this.time);
    bodies.updateMatrixWorld(true);
    const hidden = CORNERS.map((corner) => {
      const toward = new THREE.Vector3(...corner).normalize();
      return places.filter((place) => bodies.hides(new THREE.Raycaster(place, toward))).length;
    });
    return CORNERS[hidden.indexOf(Math.min(...hidden))];
  }

  /** Extent of the box across a direction. */
  private reach(toward: THREE.Vector3, centre: THREE.Vector3): number {
    const right = new THREE.Vector3(0, 0, 1).cross(toward).normalize();
    const up = toward.clone().cross(right);
    const { min, max } = this.box;
    let most = 0;
    for (let corner = 0; corner < 8; corner++) {
      const pick = (axis: number) => (corner & (1 << axis) ? max : min).getComponent(axis);
      const p = new THREE.Vector3(pick(0), pick(1), pick(2)).sub(centre);
      const wide = Math.abs(p.dot(right)) / Math.max(1, this.camera.aspect);
      most = Math.max(most, wide, Math.abs(p.dot(up)));
    }
    return most || this.radius;
  }

  /** The body at a place of the canvas, in pixels from its corner. */
  under(x: number, y: number): { run: number; body: number } | null {
    const { clientWidth, clientHeight } = this.canvas;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.camera);
    let found: { run: number; body: number; distance: number } | null = null;
    this.bodies.forEach((bodies, run) => {
      const hit = bodies.visible ? bodies.hit(ray) : null;
      if (hit && (!found || hit.distance < found.distance)) found = { run, ...hit };
    });
    return found;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  /** Requests a frame; requests before the next frame are merged. */
  ask(): void {
    this.stale = true;
    this.frameRequest ||= requestAnimationFrame(() => {
      this.frameRequest = 0;
      this.draw();
    });
  }

  /** Draws now if something has changed. */
  draw(): void {
    if (!this.stale) return;
    this.stale = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    const scale = this.host.clientHeight / (2 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov) / 2) * distance);
    for (const bodies of this.bodies) bodies.strength(2 * bodies.size * scale);
    this.renderer.render(this.scene, this.camera);
    for (const { layer } of this.layers) {
      if (layer instanceof Names) layer.project(this.camera, this.host.clientWidth, this.host.clientHeight);
    }
  }
}
