"""The program of a cube that hits a wall, as CasADi writes it and Ipopt solves it.

Reads a problem as JSON from standard input and writes figures as JSON. Unknowns, equations and bounds are those of
`percussion-control`, in the same order: displacements of each node from where the guess has it (shifts, and rotation vectors of the
exponential map), momenta and impulses at the node of the contact, efforts, time scales. Times are seconds of the processor; `building` is everything from the
data to a solver that is ready, `solving` the call of that solver; each is the least of `repeats` times.
"""

import json
import math
import sys
import time

import casadi as ca
import numpy as np


def turn(w):
    """exp(w), by series of entire functions of |w|^2: smooth at zero, and exact to rounding for turns below 2 rad."""
    s = ca.dot(w, w)
    a, b = 0.0, 0.0
    for k in range(10, -1, -1):
        a = a * s + (-1) ** k / math.factorial(2 * k + 1)
        b = b * s + (-1) ** k / math.factorial(2 * k + 2)
    k = ca.skew(w)
    return ca.SX.eye(3) + a * k + b * (k @ k)


def interval(problem, here, there, effort, h):
    """Momenta at both ends of an interval: the discrete Euler-Lagrange equations of a free body."""
    (x0, r0), (x1, r1) = here, there
    linear = problem["mass"] * (x1 - x0) / h
    b = r1 @ ca.diag(ca.DM(problem["directors"])) @ r0.T
    angular = ca.vertcat(b[2, 1] - b[1, 2], b[0, 2] - b[2, 0], b[1, 0] - b[0, 1]) / h
    momentum = ca.vertcat(linear, angular)
    return momentum - 0.5 * h * effort, momentum + 0.5 * h * effort


def contact(problem, node, before, impulses):
    """What the impulses of three corners do to the momentum, and the corners' heights and velocities."""
    x, r = node
    n = ca.DM([0, 1, 0])
    arms = [r @ ca.DM(corner) for corner in problem["corners"]]
    kick = sum(impulses[i] * ca.vertcat(n, ca.cross(arm, n)) for i, arm in enumerate(arms))
    inverse = r @ ca.diag(1 / ca.DM(problem["inertia"])) @ r.T
    heights, laws = [], []
    for arm in arms:
        def speed(p):
            return ca.dot(n, p[:3] / problem["mass"] + ca.cross(inverse @ p[3:], arm))

        heights.append(ca.dot(n, x + arm))
        laws.append(speed(before + kick) + problem["restitution"] * speed(before))
    return kick, heights, laws


def build(problem):
    """A solver, with bounds of variables and of constraints."""
    last, hit = problem["intervals"], problem["node"]
    unknowns, lower, upper = [], [], []

    def take(name, count, low=-ca.inf, high=ca.inf):
        v = ca.SX.sym(name, count)
        unknowns.append(v)
        lower.extend([low] * count if np.isscalar(low) else low)
        upper.extend([high] * count if np.isscalar(high) else high)
        return v

    nodes, efforts = [], []
    for k, (x, r) in enumerate(zip(problem["positions"], problem["rotations"])):
        x, r = ca.DM(x), ca.DM(r)
        if 0 < k < last:
            d = take(f"q{k}", 6)
            x, r = x + d[:3], turn(d[3:]) @ r
        nodes.append((x, r))
        if k == hit:
            momentum, impulses = take("p", 6), take("impulse", 3)
        if k < last:
            bounds = np.array(problem["bounds"])
            efforts.append(take(f"u{k}", 6, list(-bounds), list(bounds)))
    scales = take("sigma", 2, *problem["scales"])

    lengths = [scales[0 if k < hit else 1] * problem["step"] for k in range(last)]
    ends = [interval(problem, nodes[k], nodes[k + 1], efforts[k], lengths[k]) for k in range(last)]
    rows = [ends[0][0] - ca.DM(problem["first"]), ends[-1][1] - ca.DM(problem["last"])]
    for k in range(1, last):
        if k == hit:
            kick, heights, laws = contact(problem, nodes[k], momentum, impulses)
            rows += [ends[k - 1][1] - momentum, momentum + kick - ends[k][0], *heights, *laws]
        else:
            rows.append(ends[k - 1][1] - ends[k][0])
    rows.append(sum(lengths) - problem["time"])
    price = sum(h * ca.dot(u, u) for h, u in zip(lengths, efforts))
    nlp = {"x": ca.vertcat(*unknowns), "f": price * problem["scale"], "g": ca.vertcat(*rows)}
    quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.bound_relax_factor": 0}
    return ca.nlpsol("plan", "ipopt", nlp, {**quiet, "ipopt.tol": problem["tolerance"]}), lower, upper, nlp


def main():
    problem = json.load(sys.stdin)
    building, solving = [], []
    for _ in range(problem["repeats"]):
        start = time.process_time()
        solver, lower, upper, nlp = build(problem)
        built = time.process_time()
        found = solver(x0=problem["start"], lbx=lower, ubx=upper, lbg=0, ubg=0)
        solving.append(time.process_time() - built)
        building.append(built - start)
    stats = solver.stats()
    json.dump(
        {
            "version": ca.__version__,
            "unknowns": nlp["x"].shape[0],
            "equations": nlp["g"].shape[0],
            "building": min(building),
            "solving": min(solving),
            "whole": min(b + s for b, s in zip(building, solving)),
            "iterations": stats["iter_count"],
            "status": stats["return_status"],
            "objective": float(found["f"]) / problem["scale"],
            "violation": float(ca.norm_inf(found["g"])),
            "scales": [float(s) for s in found["x"][-2:].full().ravel()],
        },
        sys.stdout,
    )


main()
