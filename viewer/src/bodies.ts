// The bodies of a run: bodies with the same surface are drawn together, faces and edges.

import * as THREE from "three";
import type { Run } from "./data.ts";

/** Lines that are drawn like an instanced mesh: three.js has the parts, but no class for the whole. */
class InstancedLines extends THREE.InstancedMesh {
  readonly isLine = true;
  readonly isLineSegments = true;

  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, count: number) {
    super(geometry, material, count);
    // The renderer chooses triangles for a mesh and lines for a line; meshes are tested first.
    (this as { isMesh: boolean }).isMesh = false;
    this.frustumCulled = false;
  }

  override raycast(): void {}
}

interface Batch {
  bodies: number[];
  faces: THREE.InstancedMesh;
  edges: InstancedLines;
}

/** How a run is distinguished from the others in a comparison. */
export interface Manner {
  /** 1 is solid. */
  opacity: number;
  /** In place of the bodies' own colours. */
  tint: string | null;
}

function radius(corners: Float32Array): number {
  let most = 0;
  for (let k = 0; k < corners.length; k += 3) most = Math.max(most, Math.hypot(corners[k], corners[k + 1], corners[k + 2]));
  return most;
}

const ONE = new THREE.Vector3(1, 1, 1);

/** All bodies of a run. */
export class Bodies extends THREE.Group {
  private readonly batches: Batch[] = [];
  private readonly placement = new THREE.Matrix4();
  private readonly spot = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  /** Of each body, the greatest distance of a corner from its origin, m. */
  private readonly radii: number[];

  constructor(
    readonly run: Run,
    readonly manner: Manner,
  ) {
    super();
    const { bodies, meshes } = run.data;
    meshes.forEach((mesh, k) => {
      const members = bodies.map((_, b) => b).filter((b) => bodies[b].mesh === k);
      if (!members.length) return;
      const corners = run.array(mesh.corners) as Float32Array;
      const faces = new THREE.BufferGeometry();
      faces.setAttribute("position", new THREE.BufferAttribute(corners, 3));
      faces.setAttribute("normal", new THREE.BufferAttribute(run.array(mesh.normals) as Float32Array, 3));
      faces.setIndex(new THREE.BufferAttribute(run.array(mesh.triangles) as Uint32Array, 1));
      const lines = new THREE.BufferGeometry();
      lines.setAttribute("position", new THREE.BufferAttribute(run.array(mesh.lines) as Float32Array, 3));
      this.batches.push(this.batch(members, faces, lines));
    });
    const reach = meshes.map((mesh) => radius(run.array(mesh.corners) as Float32Array));
    this.radii = bodies.map((body) => (body.mesh === null ? 0 : reach[body.mesh]));
  }

  /** A length typical of the bodies that move: the middle one of their radii. */
  get size(): number {
    const radii = this.radii.filter((_, b) => this.run.data.bodies[b].moves).sort((a, b) => a - b);
    return radii[radii.length >> 1] ?? 0;
  }

  /** Expands a box by the moving bodies at a time and by their joints to the world. */
  reach(time: number, box: THREE.Box3): void {
    const frame = this.run.frame(time);
    for (const { parent } of this.run.data.joints) {
      if (parent.body === null) box.expandByPoint(this.spot.set(...parent.point));
    }
    this.run.data.bodies.forEach((body, b) => {
      if (!body.moves) return;
      const r = this.radii[b];
      this.spot.set(...this.run.at(b, time, frame).p);
      box.expandByPoint(this.spot.addScalar(r));
      box.expandByPoint(this.spot.addScalar(-2 * r));
    });
  }

  private batch(bodies: number[], faces: THREE.BufferGeometry, lines: THREE.BufferGeometry): Batch {
    const { opacity, tint } = this.manner;
    const material = new THREE.MeshLambertMaterial({
      side: THREE.DoubleSide,
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity === 1,
      // Edges lie on faces: push those back a little.
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const solid = new THREE.InstancedMesh(faces, material, bodies.length);
    solid.frustumCulled = false;
    solid.castShadow = opacity === 1;
    solid.receiveShadow = opacity === 1;
    const edges = new InstancedLines(lines, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.85 }), bodies.length);
    const colour = new THREE.Color();
    bodies.forEach((b, k) => solid.setColorAt(k, colour.set(tint ?? this.run.data.bodies[b].colour)));
    this.add(solid, edges);
    return { bodies, faces: solid, edges };
  }

  /** Colour of the edges: dark in the light theme and light in the dark theme. */
  ink(colour: string): void {
    for (const { edges } of this.batches) {
      (edges.material as THREE.LineBasicMaterial).color.set(this.manner.tint ?? colour);
    }
  }

  /** Opacity of the edges by the size of the bodies in pixels: edges of small bodies would hide their colours. */
  strength(pixels: number): void {
    for (const { edges } of this.batches) {
      (edges.material as THREE.LineBasicMaterial).opacity = 0.85 * Math.min(1, Math.max(0.15, pixels / 14));
    }
  }

  /** Sets the poses of all bodies at a time. */
  place(time: number): void {
    const frame = this.run.frame(time);
    for (const { bodies, faces, edges } of this.batches) {
      bodies.forEach((b, k) => {
        const { p, q } = this.run.at(b, time, frame);
        this.placement.compose(this.spot.set(...p), this.turn.set(...q), ONE);
        faces.setMatrixAt(k, this.placement);
        edges.setMatrixAt(k, this.placement);
      });
      faces.instanceMatrix.needsUpdate = true;
      // The bounding sphere is used for picking.
      faces.boundingSphere = null;
      edges.instanceMatrix.needsUpdate = true;
    }
  }

  /** Whether a fixed body intersects a ray. */
  hides(ray: THREE.Raycaster): boolean {
    const fixed = (b: number) => !this.run.data.bodies[b].moves;
    return this.batches.some(({ bodies, faces }) => bodies.some(fixed) && ray.intersectObject(faces).some(({ instanceId }) => instanceId !== undefined && fixed(bodies[instanceId])));
  }

  /** The body under a ray. */
  hit(ray: THREE.Raycaster): { body: number; distance: number } | null {
    let found: { body: number; distance: number } | null = null;
    for (const { bodies, faces } of this.batches) {
      for (const hit of ray.intersectObject(faces)) {
        if (hit.instanceId !== undefined && (!found || hit.distance < found.distance)) {
          found = { body: bodies[hit.instanceId], distance: hit.distance };
        }
      }
    }
    return found;
  }
}
