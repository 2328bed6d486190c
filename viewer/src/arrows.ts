// Many arrows, or many balls, drawn at once.

import * as THREE from "three";
import type { Vec } from "./data.ts";

const UP = new THREE.Vector3(0, 1, 0);

/** Arrows with shafts and heads; their number may change at every instant. */
export class Arrows extends THREE.Group {
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly placement = new THREE.Matrix4();
  private readonly turn = new THREE.Quaternion();
  private readonly to = new THREE.Vector3();
  private readonly from = new THREE.Vector3();
  private readonly size = new THREE.Vector3();
  private used = 0;

  /** At most `most` arrows, `thick` metres thick. */
  constructor(
    private readonly most: number,
    private readonly thick: number,
    colour: string,
  ) {
    super();
    const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.92 });
    const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(1.5, 4, 14).translate(0, -2, 0);
    this.shafts = new THREE.InstancedMesh(shaft, material, most);
    this.heads = new THREE.InstancedMesh(head, material, most);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.add(mesh);
    }
    this.finish();
  }

  colour(colour: string): void {
    (this.shafts.material as THREE.MeshBasicMaterial).color.set(colour);
  }

  begin(): void {
    this.used = 0;
  }

  /** Adds an arrow along `direction`, `length` metres long. */
  push(from: Vec, direction: Vec, length: number): void {
    if (this.used >= this.most || !(length > 0)) return;
    this.to.set(...direction).normalize();
    if (!(this.to.lengthSq() > 0)) return;
    this.turn.setFromUnitVectors(UP, this.to);
    this.from.set(...from);
    const thick = Math.min(this.thick, length / 5);
    this.shafts.setMatrixAt(
      this.used,
      this.placement.compose(this.from, this.turn, this.size.set(thick, Math.max(length - 3 * thick, 0), thick)),
    );
    this.from.addScaledVector(this.to, length);
    this.heads.setMatrixAt(this.used, this.placement.compose(this.from, this.turn, this.size.setScalar(thick)));
    this.used++;
  }

  finish(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.used;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Balls of one size in several colours. */
export class Balls extends THREE.InstancedMesh {
  private readonly placement = new THREE.Matrix4();
  private readonly tint = new THREE.Color();
  private used = 0;

  constructor(
    private readonly most: number,
    private readonly radius: number,
    on = false,
  ) {
    const look = { transparent: true, opacity: 0.95, depthTest: !on };
    super(new THREE.SphereGeometry(1, 16, 10), new THREE.MeshBasicMaterial(look), Math.max(most, 1));
    this.frustumCulled = false;
    this.renderOrder = on ? 6 : 0;
    this.count = 0;
  }

  begin(): void {
    this.used = 0;
  }

  push(at: Vec, colour: string, scale = 1): void {
    if (this.used >= this.most) return;
    const r = this.radius * scale;
    this.setMatrixAt(this.used, this.placement.makeScale(r, r, r).setPosition(...at));
    this.setColorAt(this.used, this.tint.set(colour));
    this.used++;
  }

  finish(): void {
    this.count = this.used;
    this.instanceMatrix.needsUpdate = true;
    if (this.instanceColor) this.instanceColor.needsUpdate = true;
  }
}
