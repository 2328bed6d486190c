// The data of the page: unpacked from the bytes that it contains or requests.
//
// The bytes are deflated; inside are the length of a JSON text, the text, and after it, from a multiple of eight on, the
// arrays that the text refers to as {at, count, kind}.

export interface Ref {
  at: number;
  count: number;
  kind: "f32" | "f64" | "u32" | "u8";
}

export interface MeshData {
  corners: Ref;
  normals: Ref;
  triangles: Ref;
  lines: Ref;
}

export interface BodyData {
  name: string;
  moves: boolean;
  colour: string;
  mesh: number | null;
  ground: number | null;
  substitute: boolean;
  mass: number;
  centre: Vec;
  pose: { position: Vec; quaternion: [number, number, number, number] };
}

export type Vec = [number, number, number];

export interface PlaceData {
  body: number | null;
  point: Vec;
}

export interface CurveData {
  name: string;
  values: Ref;
  /** Index of its color. */
  colour: number;
  /** Whether values are constant until the next instant. */
  steps: boolean;
  /** Lower and upper bound. */
  limits: [number | null, number | null];
}

export interface PlotData {
  id: string;
  title: string;
  unit: string;
  scale: "linear" | "log";
  note: string;
  /** Label of this plot among those that share a card. */
  choice: string | null;
  /** Abscissa: the time of the run, or iterations of the optimiser. */
  over: "time" | "iteration";
  time: Ref;
  curves: CurveData[];
  /** Indices at which rounds begin, except the first. */
  marks: number[];
}

export interface Source {
  source: string;
  energy: number;
  linear_momentum: Vec;
  angular_momentum: Vec;
}

/** `plan` of `summary.json`. */
export interface Plan {
  outcome: string;
  evidence: string[];
  objective: number | null;
  objective_guess: number | null;
  start: number;
  starts: { outcome: string; objective: number | null; violation_max: number | null; iterations: number; rounds: number }[];
  iterations: number;
  rounds: number;
  violation_max: number | null;
  stationarity_max: number | null;
  momentum_consistency_max: number | null;
  contact_times: number[];
  sigma: number[];
  solve_time_s: number;
  clearance: number | null;
  clearance_between: number | null;
  active_constraints: { name: string; multiplier: number }[];
  contacts: { name: string; node: number; time: number; bodies: [string, string]; point: Vec; normal: Vec; impulse: Vec }[];
}

/** `shoot` of `summary.json`. */
export interface Shoot {
  outcome: string;
  iterations: number;
  residuals: number[];
  impacts: number;
  time: number;
  unknowns: { name: string; guess: number; value: number }[];
  targets: { name: string; residual: number }[];
  solve_time_s: number;
}

/** `summary.json`, as far as the page names its keys. */
export interface Summary {
  scene: string;
  scheme: string;
  version: string;
  seed: number;
  h: number;
  steps: number;
  t_end: number;
  wall_time_s: number;
  warnings: string[];
  status: string;
  failure: null | { step: number; time: number; body: string; message: string; residuals: number[] };
  energy: Record<string, any>;
  linear_momentum: Record<string, any>;
  angular_momentum: Record<string, any>;
  constraint_max: number;
  overlap_max: number | null;
  collisions: number;
  sources: Source[];
  counts: Record<string, number>;
  plan?: Plan;
  shoot?: Shoot;
  replay?: { agreement_position: number; agreement_rotation: number };
  [key: string]: any;
}

export interface RunData {
  name: string;
  title: string;
  description: string;
  label: string;
  status: "finished" | "interrupted" | "failed" | "running";
  scheme: string;
  h: number;
  until: number;
  /** Whether contact is a potential, which has no events. */
  potential: boolean;
  summary: Summary | null;
  bodies: BodyData[];
  meshes: MeshData[];
  planes: { body: number; point: Vec; normal: Vec }[];
  joints: { name: string; kind: string; parent: PlaceData; child: PlaceData; axis: Vec }[];
  springs: { name: string; ends: [PlaceData, PlaceData] }[];
  charges: { place: PlaceData; charge: number }[];
  frames: { times: Ref; moving: number[]; low: Ref; step: Ref; poses: Ref; rows: number };
  events: {
    count: number;
    total: number;
    time: Ref;
    bodies: Ref;
    vectors: Ref;
    figures: Ref;
    kinds: string[];
    kind: Ref;
  };
  forces: null | { times: Ref; values: Ref; largest: number };
  plots: PlotData[];
  /** Box around all bodies in all frames. */
  extent: { low: Vec; high: Vec };
  /** Box around most of the motion. */
  core: { low: Vec; high: Vec };
  /** Normal of the plane of a planar scene, towards the camera. */
  plane: Vec | null;
  notes: string[];
}

export interface PageData {
  format: number;
  program: string;
  runs: RunData[];
}

type Numbers = Float32Array | Float64Array | Uint32Array | Uint8Array;

async function inflate(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return await new Response(stream).arrayBuffer();
}

function fromBase64(text: string): Uint8Array {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Loads the data that the page contains, or those of its server. */
export async function load(): Promise<{ page: PageData; runs: Run[]; served: boolean }> {
  const embedded = document.getElementById("percussion-data")?.textContent?.trim() ?? "";
  if (embedded) return { ...(await unpack(fromBase64(embedded))), served: false };
  return { ...(await fetched()), served: true };
}

/** Requests the present data of the server. */
export async function fetched(): Promise<{ page: PageData; runs: Run[] }> {
  const answer = await fetch("recording", { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  return await unpack(new Uint8Array(await answer.arrayBuffer()));
}

async function unpack(bytes: Uint8Array): Promise<{ page: PageData; runs: Run[] }> {
  const buffer = await inflate(bytes);
  const length = new DataView(buffer).getUint32(0, true);
  const page = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as PageData;
  const start = Math.ceil((4 + length) / 8) * 8;
  const runs = page.runs.map((data) => new Run(data, buffer, start));
  return { page, runs };
}

/** A pose: position and quaternion (x, y, z, w). */
export interface Pose {
  p: Vec;
  q: [number, number, number, number];
}

/** An event of a run. */
export interface ContactEvent {
  index: number;
  time: number;
  a: number;
  b: number;
  point: Vec;
  normal: Vec;
  impulse: Vec;
  kind: string;
  energy: [number, number];
  speed: [number, number];
}

/** Components of a pose: three of the position, four of the quaternion. */
const PARTS = 7;

/** A run with its arrays at hand. */
export class Run {
  readonly times: Float64Array;
  readonly events: ContactEvent[] = [];
  private readonly poses: Uint16Array;
  private readonly low: Float64Array;
  private readonly step: Float64Array;
  /** Index of each body among the moving ones; -1 for the others. */
  private readonly slot: Int32Array;
  private readonly pose: Pose = { p: [0, 0, 0], q: [0, 0, 0, 1] };
  private readonly other: Pose = { p: [0, 0, 0], q: [0, 0, 0, 1] };

  constructor(
    readonly data: RunData,
    private readonly buffer: ArrayBuffer,
    private readonly start: number,
  ) {
    const { frames } = data;
    this.times = this.array(frames.times) as Float64Array;
    this.low = this.array(frames.low) as Float64Array;
    this.step = this.array(frames.step) as Float64Array;
    this.poses = decode(this.array(frames.poses) as Uint8Array, frames.moving.length * PARTS, this.times.length);
    this.slot = new Int32Array(data.bodies.length).fill(-1);
    frames.moving.forEach((body, slot) => (this.slot[body] = slot));
    this.readEvents();
  }

  array(ref: Ref): Numbers {
    const at = this.start + ref.at;
    switch (ref.kind) {
      case "f32":
        return new Float32Array(this.buffer, at, ref.count);
      case "f64":
        return new Float64Array(this.buffer, at, ref.count);
      case "u32":
        return new Uint32Array(this.buffer, at, ref.count);
      case "u8":
        return new Uint8Array(this.buffer, at, ref.count);
    }
  }

  /** Half the diagonal of the box around everything, m. */
  get radius(): number {
    const { low, high } = this.data.extent;
    return 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  }

  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  get begin(): number {
    return this.times[0] ?? 0;
  }

  /** The last frame at or before a time. */
  frame(time: number): number {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-12 * Math.abs(time)) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** The pose of a body at a time, interpolated between frames. The object is reused by the next call. */
  at(body: number, time: number, frame = this.frame(time)): Pose {
    const slot = this.slot[body];
    if (slot < 0) {
      const { position, quaternion } = this.data.bodies[body].pose;
      this.pose.p = position;
      this.pose.q = quaternion;
      return this.pose;
    }
    this.raw(slot, frame, this.pose);
    const next = frame + 1;
    if (next < this.times.length) {
      const part = (time - this.times[frame]) / (this.times[next] - this.times[frame]);
      if (part > 0) blend(this.pose, this.raw(slot, next, this.other), Math.min(part, 1));
    }
    const { q } = this.pose;
    const size = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
    for (let k = 0; k < 4; k++) q[k] /= size;
    return this.pose;
  }

  /** A point of a body, or of the world, at a time. */
  point(place: PlaceData, time: number, frame: number): Vec {
    if (place.body === null) return place.point;
    return apply(this.at(place.body, time, frame), place.point);
  }

  private raw(slot: number, frame: number, into: Pose): Pose {
    const count = this.times.length;
    const value = (part: number) => {
      const k = slot * PARTS + part;
      return this.low[k] + this.step[k] * this.poses[k * count + frame];
    };
    into.p = [value(0), value(1), value(2)];
    into.q = [value(3), value(4), value(5), value(6)];
    return into;
  }

  private readEvents(): void {
    const { events } = this.data;
    const time = this.array(events.time);
    const bodies = this.array(events.bodies);
    const vectors = this.array(events.vectors);
    const figures = this.array(events.figures);
    const kind = this.array(events.kind);
    const three = (at: number): Vec => [vectors[at], vectors[at + 1], vectors[at + 2]];
    for (let k = 0; k < events.count; k++) {
      this.events.push({
        index: k,
        time: time[k],
        a: bodies[2 * k],
        b: bodies[2 * k + 1],
        point: three(9 * k),
        normal: three(9 * k + 3),
        impulse: three(9 * k + 6),
        kind: events.kinds[kind[k]],
        energy: [figures[4 * k], figures[4 * k + 1]],
        speed: [figures[4 * k + 2], figures[4 * k + 3]],
      });
    }
  }
}

/**
 * Rows of 16-bit numbers: the low bytes of all, then the high bytes, of what remains when each number is predicted from the
 * two before it in its row.
 */
function decode(bytes: Uint8Array, rows: number, columns: number): Uint16Array {
  const count = rows * columns;
  const values = new Uint16Array(count);
  for (let row = 0, k = 0; row < rows; row++) {
    let [before, last] = [0, 0];
    for (let column = 0; column < columns; column++, k++) {
      const rest = bytes[k] | (bytes[count + k] << 8);
      const guess = column === 0 ? 0 : column === 1 ? last : 2 * last - before;
      before = last;
      last = (guess + rest) & 0xffff;
      values[k] = last;
    }
  }
  return values;
}

function blend(pose: Pose, other: Pose, part: number): void {
  for (let k = 0; k < 3; k++) pose.p[k] += part * (other.p[k] - pose.p[k]);
  const along = pose.q.reduce((sum, v, k) => sum + v * other.q[k], 0) < 0 ? -1 : 1;
  for (let k = 0; k < 4; k++) pose.q[k] += part * (along * other.q[k] - pose.q[k]);
}

/** A point of a body's frame in the world. */
export function apply(pose: Pose, v: Vec): Vec {
  const [x, y, z, w] = pose.q;
  const t: Vec = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [
    pose.p[0] + v[0] + w * t[0] + y * t[2] - z * t[1],
    pose.p[1] + v[1] + w * t[1] + z * t[0] - x * t[2],
    pose.p[2] + v[2] + w * t[2] + x * t[1] - y * t[0],
  ];
}
