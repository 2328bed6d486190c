#!/usr/bin/env python3
"""Reads run folders with NumPy and recomputes from the states what the ledger says about them.

Usage: trajectory.py RUN...
"""

import json
import pathlib
import sys

import numpy as np

# Sums of a few hundred terms of order one, computed in another order than the ledger does.
ROUNDING = 1e-12


def demand(condition, what):
    if not condition:
        sys.exit(f"{demand.run}: {what}")


def close(a, b, scale, what, tolerance=ROUNDING):
    error = np.max(np.abs(np.asarray(a) - np.asarray(b)), initial=0.0)
    demand(error <= tolerance * max(scale, 1e-300), f"{what}: off by {error:.1e} beside {scale:.1e}")


def check(folder):
    demand.run = folder
    data = np.load(folder / "trajectory.npz")
    summary = json.loads((folder / "summary.json").read_text())
    t, x, r = data["time"], data["position"], data["rotation"]
    v, w = data["velocity"], data["angular_velocity"]
    mass, centre, inertia = data["mass"], data["centre_of_mass"], data["inertia"]
    n, b = len(t), len(data["bodies"])

    shapes = {
        "position": (n, b, 3), "rotation": (n, b, 3, 3), "velocity": (n, b, 3), "angular_velocity": (n, b, 3),
        "energy": (n, len(data["energy_names"])), "linear_momentum": (n, 3), "angular_momentum": (n, 3),
        "angular_momentum_centre": (n, 3), "momentum_error": (n, 2), "constraint": (n, len(data["constraint_names"])),
        "coordinate": (n, len(data["coordinate_names"])), "mass": (b,), "centre_of_mass": (b, 3), "inertia": (b, 3, 3),
    }
    for name, shape in shapes.items():
        demand(data[name].shape == shape, f"{name} has shape {data[name].shape}, not {shape}")
        demand(data[name].dtype == np.float64 and np.isfinite(data[name]).all(), f"{name} is not all numbers")
    demand(data["bodies"].dtype.kind == "U" and len(set(data["bodies"])) == b, "the bodies have no names of their own")
    demand(summary["rows"] == n and summary["counts"]["bodies"] == b, "the summary counts otherwise")

    steps = np.append(np.arange(n - 1) * summary["every"], summary["steps"])
    close(t, steps * summary["h"], summary["t_end"], "time", 1e-9)
    close(np.swapaxes(r, 2, 3) @ r, np.broadcast_to(np.eye(3), r.shape), 1.0, "rotations are not orthogonal")
    demand((np.linalg.det(r) > 0).all(), "a rotation is a reflection")

    # Centres of mass, and momenta from them.
    arm = np.einsum("tbij,bj->tbi", r, centre)
    c, vc = x + arm, v + np.cross(w, arm)
    spin = np.einsum("tbij,bjk,tblk,tbl->tbi", r, inertia, r, w)
    kinetic = 0.5 * (mass * np.sum(vc * vc, axis=2) + np.sum(w * spin, axis=2)).sum(axis=1)
    momentum = mass[:, None] * vc
    angular = np.cross(c, momentum) + spin
    energy = dict(zip(data["energy_names"], data["energy"].T))
    scale = max(summary["energy"]["scale"], np.abs(energy["total"]).max())
    close(kinetic, energy["kinetic"], scale, "kinetic energy")
    close(energy["kinetic"] + energy["potential"], energy["total"], scale, "total energy")
    close(energy["total"] - energy["total"][0] - energy["work"], energy["error"], scale, "energy error")
    size = np.abs(momentum).sum(axis=(1, 2)).max()
    close(momentum.sum(axis=1), data["linear_momentum"], size, "linear momentum")
    size = np.abs(angular).sum(axis=(1, 2)).max()
    close(angular.sum(axis=1), data["angular_momentum"], size, "angular momentum")
    common = np.einsum("b,tbi->ti", mass, c) / mass.sum()
    about = data["angular_momentum"] - np.cross(common, data["linear_momentum"])
    close(about, data["angular_momentum_centre"], size, "angular momentum about the centre of mass")

    # The summary says the same.
    for key, i in [("initial", 0), ("final", -1)]:
        close(summary["energy"][key], energy["total"][i], scale, f"{key} energy")
        close(summary["linear_momentum"][key], data["linear_momentum"][i], 1.0, f"{key} linear momentum")
        close(summary["angular_momentum"][key], data["angular_momentum"][i], 1.0, f"{key} angular momentum")
    slack = ROUNDING * scale
    demand(np.abs(energy["error"]).max() <= summary["energy"]["max_error"] + slack, "an energy error was overlooked")
    demand(data["constraint"][:, 0].max() <= summary["constraint_max"], "a violation was overlooked")

    # Velocities are the rates of the positions: the trapezoidal rule errs by a twelfth of the second difference of the
    # velocity, three of which leave room for what varies within.
    dt = np.diff(t)[1:-1, None, None]
    if n > 4 and summary["every"] == 1:
        mean = (v[2:-1] + v[1:-2]) / 2
        bend = np.abs(v[2:] - 2 * v[1:-1] + v[:-2])
        bound = 3 / 12 * np.maximum(bend[:-1], bend[1:]) + 1e-9 * np.abs(v).max() + 1e-15
        # A second-order scheme: its own error in a step is of the size of what the trapezoidal rule leaves out.
        wrong = np.abs((x[2:-1] - x[1:-2]) / dt - mean)
        bound = np.maximum(bound, bound.max(axis=(0, 2), keepdims=True))
        demand((wrong <= bound).all(), f"velocities are not rates: {np.max(wrong / bound):.1f} times the bound")

    checkpoint = np.load(folder / "checkpoint")
    close(checkpoint["times"][0], t[-1], 1.0, "the checkpoint's time", 0.0)
    print(f"{folder}: {n} states of {b} bodies agree with the ledger")


if len(sys.argv) < 2:
    sys.exit(__doc__)
for argument in sys.argv[1:]:
    check(pathlib.Path(argument))
