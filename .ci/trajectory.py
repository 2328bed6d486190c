#!/usr/bin/env python3
"""Reads run folders with NumPy and recomputes the figures of the ledger from the states.

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
        "coordinate": (n, len(data["coordinate_names"])), "source_energy": (n, len(data["source_names"])),
        "source_linear_momentum": (n, len(data["source_names"]), 3),
        "source_angular_momentum": (n, len(data["source_names"]), 3), "mass": (b,), "centre_of_mass": (b, 3), "inertia": (b, 3, 3),
    }
    contact, plan = summary["overlap_max"] is not None, summary.get("plan")
    watched = ["penetration"] if plan else ["penetration", "substep_min"]
    if plan:
        controls = len(data["control_names"])
        shapes |= {"controls": (n, controls), "momentum_consistency": (n, 6),
                   "reduced_momentum": (n, summary["counts"]["dofs"])}
    for name in watched:
        demand((name in data) == contact, f"{name} is there though nothing collides, or is not though something may")
        if contact:
            shapes[name] = (n,)
    for name, shape in shapes.items():
        demand(data[name].shape == shape, f"{name} has shape {data[name].shape}, not {shape}")
        demand(data[name].dtype == np.float64 and np.isfinite(data[name]).all(), f"{name} is not all numbers")
    demand(data["bodies"].dtype.kind == "U" and len(set(data["bodies"])) == b, "the bodies have no names of their own")
    demand(summary["rows"] == n and summary["counts"]["bodies"] == b, "the summary counts otherwise")

    steps = np.append(np.arange(n - 1) * summary["every"], summary["steps"]) * summary["h"]
    if plan:
        # Planned contacts divide the plan into segments, each with a time scale of its own.
        nodes = sorted({contact["node"] for contact in plan["contacts"]})
        scale = np.array(plan["sigma"])[np.searchsorted(nodes, np.arange(n - 1), side="right")]
        steps = np.append(0.0, np.cumsum(scale * summary["h"]))
    close(t, steps, summary["t_end"], "time", 1e-9)
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

    # The contributions of all sources sum up to the changes of energy and of the momenta, computed from the states.
    sources, contribution = list(data["source_names"]), data["source_energy"]
    scheme = sources.index("scheme")
    flow = max(scale, np.abs(contribution).sum(axis=1).max())
    close(contribution.sum(axis=1), energy["total"] - energy["total"][0], flow, "energy of all sources")
    close(np.delete(contribution, scheme, axis=1).sum(axis=1), energy["work"], flow, "work of all sources")
    close(contribution[:, scheme], energy["error"], flow, "energy of the scheme")
    for name, values, column in [("linear", momentum, 0), ("angular", angular, 1)]:
        contribution, total = data[f"source_{name}_momentum"], values.sum(axis=1)
        flow = max(np.abs(values).sum(axis=(1, 2)).max(), np.abs(contribution).sum(axis=(1, 2)).max())
        if name == "angular":
            # Arms along momenta give nothing but rounding.
            flow = max(flow, np.abs(c).max() * np.abs(momentum).sum(axis=(1, 2)).max())
        # Every step rounds once more.
        rounding = max(ROUNDING, 1e-15 * summary["steps"])
        close(contribution.sum(axis=1), total - total[0], flow, f"{name} momentum of all sources", rounding)
        close(np.linalg.norm(contribution[:, scheme], axis=1), data["momentum_error"][:, column], flow, f"{name} error")

    # What was watched between rows.
    if contact:
        penetration = data["penetration"]
        demand((penetration >= 0).all() and penetration.max() == summary["overlap_max"], "the max penetration differs")
    if contact and not plan:
        substep = data["substep_min"]
        demand((substep > 0).all() and (substep <= summary["h"]).all(), "a substep is not part of a step")
        demand(substep[0] == summary["h"], "a step was divided before the first")

    if summary["scheme"] == "lcp":
        problems = summary["complementarity"]
        demand(data["infeasibility"].max() == summary["infeasibility_max"], "the greatest violation is another")
        demand(data["solver_residual"].max() == problems["residual_max"], "the worst residual is another")
        demand(data["solver_iterations"].max() == problems["iterations_max"], "the most iterations are others")
        demand((data["solver_converged"] == 1).all() == (problems["unconverged"] == 0), "a step was not solved")
        demand((data["solver"] < len(data["solver_names"])).all(), "nobody solved a step")

    # The summary says the same.
    figures = {source["source"]: source for source in summary["sources"]}
    for i, name in enumerate(sources):
        if name in figures and len(figures) == len(sources):
            for key in ["energy", "linear_momentum", "angular_momentum"]:
                close(data[f"source_{key}"][-1, i], figures[name][key], 1.0, f"{key} of {name}", 0.0)
    for key, i in [("initial", 0), ("final", -1)]:
        close(summary["energy"][key], energy["total"][i], scale, f"{key} energy")
        close(summary["linear_momentum"][key], data["linear_momentum"][i], 1.0, f"{key} linear momentum")
        close(summary["angular_momentum"][key], data["angular_momentum"][i], 1.0, f"{key} angular momentum")
    slack = ROUNDING * scale
    demand(np.abs(energy["error"]).max() <= summary["energy"]["max_error"] + slack, "an energy error was overlooked")
    demand(data["constraint"][:, 0].max() <= summary["constraint_max"], "a violation was overlooked")

    # Velocities are the rates of the positions. Both the trapezoidal rule and a scheme of second order leave out terms of
    # the size of the second difference of the velocity; one of those is allowed, the greatest the body meets.
    if n > 4 and summary["every"] == 1:
        dt = np.diff(t)[:, None, None]
        wrong = np.abs(np.diff(x, axis=0) / dt - (v[1:] + v[:-1]) / 2).max(axis=(0, 2))
        bend = np.abs(np.diff(v, 2, axis=0)).max(axis=(0, 2))
        if summary["scheme"] == "lcp":
            # Bodies move with their velocities at the end of the step; order one leaves out a first difference.
            wrong = np.abs(np.diff(x, axis=0) / dt - v[1:]).max(axis=(0, 2))
            bend = np.abs(np.diff(v, axis=0)).max(axis=(0, 2))
        # Differences of positions of this size know no more digits.
        bound = bend + ROUNDING * (np.abs(x).max() / dt.min() + np.abs(v).max()) + 1e-300
        demand((wrong <= bound).all(), f"velocities are not rates: {np.max(wrong / bound):.1f} times the bound")
        print(f"{folder}: velocities are rates to {np.max(wrong / bound):.2f} of what is allowed")

    checkpoint = np.load(folder / "checkpoint")
    close(checkpoint["time"][0], t[-1], 1.0, "the checkpoint's time", 0.0)
    print(f"{folder}: {n} states of {b} bodies agree with the ledger")


if len(sys.argv) < 2:
    sys.exit(__doc__)
for argument in sys.argv[1:]:
    check(pathlib.Path(argument))
