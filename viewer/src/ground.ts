// The floor: a grid with a known spacing, the pieces of half-spaces, and shadows on both.

import * as THREE from "three";
import type { Run, Vec } from "./data.ts";
import { apply } from "./data.ts";

/** 1, 2 or 5 times a power of ten, the largest that is not above. */
export function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

export interface FloorColors {
  line: string;
  strong: string;
  floor: string;
}

/** The floor of a scene, or where there is none a grid below it. */
export class Ground extends THREE.Group {
  /** Side of a square of the grid, m. */
  readonly spacing: number;
  readonly normal: THREE.Vector3;
  private readonly grid: THREE.LineSegments;
  private readonly floors: THREE.Mesh[] = [];
  private readonly shade: THREE.Mesh;

  constructor(run: Run, centre: THREE.Vector3, unit: number) {
    super();
    const { data } = run;
    const { radius } = run;
    this.spacing = round(Math.max(0.8 * unit, radius / 12));
    const place = (body: number) => {
      const { position, quaternion } = data.bodies[body].pose;
      return { p: position, q: quaternion };
    };
    const level = data.planes
      .map(({ body, point, normal }) => {
        const pose = place(body);
        const tip = apply(pose, [point[0] + normal[0], point[1] + normal[1], point[2] + normal[2]]);
        const foot = new THREE.Vector3(...apply(pose, point));
        return { foot, normal: new THREE.Vector3(...tip).sub(foot) };
      })
      .sort((a, b) => b.normal.z - a.normal.z)[0];
    const plane = data.plane && new THREE.Vector3(...data.plane);
    const floor = level && level.normal.z > 0.5;
    const foot = centre.clone();
    if (plane) {
      this.normal = plane;
    } else if (floor) {
      this.normal = level.normal;
      foot.addScaledVector(this.normal, this.normal.dot(level.foot.clone().sub(centre)));
    } else {
      this.normal = new THREE.Vector3(0, 0, 1);
      // Below everything, also what is drawn larger than it is.
      foot.z = data.extent.low[2] - 0.04 * radius;
    }
    const half = Math.max(Math.floor((1.45 * radius) / this.spacing), 4) * this.spacing;
    this.grid = lattice(foot, this.normal, half, this.spacing);
    this.grid.renderOrder = -1;
    this.add(this.grid);
    const sheet = new THREE.PlaneGeometry(2 * half + this.spacing, 2 * half + this.spacing);
    this.shade = new THREE.Mesh(sheet, new THREE.ShadowMaterial({ opacity: 0.22 }));
    this.shade.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
    this.shade.position.copy(foot).addScaledVector(this.normal, 1e-4 * radius);
    this.shade.receiveShadow = true;
    this.shade.visible = !plane;
    this.add(this.shade);
    data.bodies.forEach((body, b) => {
      if (body.ground === null) return;
      const mesh = data.meshes[body.ground];
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(run.array(mesh.corners) as Float32Array, 3));
      geometry.setAttribute("normal", new THREE.BufferAttribute(run.array(mesh.normals) as Float32Array, 3));
      geometry.setIndex(new THREE.BufferAttribute(run.array(mesh.triangles) as Uint32Array, 1));
      const material = new THREE.MeshLambertMaterial({
        side: THREE.DoubleSide,
        transparent: true,
        opacity: 0.4,
        depthWrite: false,
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 4,
      });
      const piece = new THREE.Mesh(geometry, material);
      const { p, q } = place(b);
      piece.position.set(...p);
      piece.quaternion.set(...q);
      piece.renderOrder = -2;
      this.floors.push(piece);
      this.add(piece);
    });
  }

  dress(colors: FloorColors): void {
    const colours = this.grid.geometry.getAttribute("color") as THREE.BufferAttribute;
    const strong = this.grid.userData.strong as boolean[];
    const [a, b] = [new THREE.Color(colors.line), new THREE.Color(colors.strong)];
    for (let k = 0; k < colours.count; k++) {
      const c = strong[k >> 1] ? b : a;
      colours.setXYZ(k, c.r, c.g, c.b);
    }
    colours.needsUpdate = true;
    for (const floor of this.floors) (floor.material as THREE.MeshLambertMaterial).color.set(colors.floor);
  }

  set gridVisible(on: boolean) {
    this.grid.visible = on;
  }
}

/** Lines through multiples of the spacing, every fifth one strong. */
function lattice(foot: THREE.Vector3, normal: THREE.Vector3, half: number, spacing: number): THREE.LineSegments {
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  const x = new THREE.Vector3(1, 0, 0).applyQuaternion(turn);
  const y = new THREE.Vector3(0, 1, 0).applyQuaternion(turn);
  const [u, v] = [foot.dot(x), foot.dot(y)].map((s) => Math.round(s / spacing) * spacing);
  const height = normal.clone().multiplyScalar(foot.dot(normal));
  const at = (s: number, t: number): Vec =>
    height.clone().addScaledVector(x, s).addScaledVector(y, t).toArray() as Vec;
  const points: number[] = [];
  const strong: boolean[] = [];
  const lines = Math.round(half / spacing);
  for (let k = -lines; k <= lines; k++) {
    for (const [from, to, s] of [
      [at(u + k * spacing, v - half), at(u + k * spacing, v + half), u / spacing + k],
      [at(u - half, v + k * spacing), at(u + half, v + k * spacing), v / spacing + k],
    ] as const) {
      points.push(...from, ...to);
      strong.push(Math.round(s) % 5 === 0);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(new Float32Array(points.length), 3));
  const grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true }));
  grid.userData.strong = strong;
  return grid;
}
