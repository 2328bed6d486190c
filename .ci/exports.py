#!/usr/bin/env python3
"""Opens the exports of runs with the readers other people use, and compares them with the trajectory.

Usage: exports.py RUN...

RUN/export holds what `percussion export RUN --to vtk --to gltf --to csv` has written. VTK's files are read by vtk and by
meshio, glTF's after its specification, tables by Python's csv and by NumPy. What is compared is computed anew from trajectory.npz.
"""

import csv
import json
import pathlib
import struct
import sys
import tomllib
import xml.etree.ElementTree as xml

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

# Rounding of a product of a matrix and a vector, beside the size of the scene.
DOUBLE, SINGLE = 1e-14, 1e-6


def demand(condition, what):
    if not condition:
        sys.exit(f"{demand.run}: {what}")


def close(a, b, scale, what, tolerance):
    a, b = np.asarray(a, float), np.asarray(b, float)
    demand(a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}")
    error = np.max(np.abs(a - b), initial=0.0)
    demand(error <= tolerance * max(scale, 1e-300), f"{what}: off by {error:.1e} beside {scale:.1e}")


def grid(path):
    """Points, triangles or vertices, arrays and field arrays of a .vtu file as vtk reads it; meshio must agree."""
    reader = vtk.vtkXMLUnstructuredGridReader()
    problems = []
    reader.AddObserver("ErrorEvent", lambda *_: problems.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    demand(not problems, f"vtk cannot read {path}")
    found = reader.GetOutput()

    def arrays(data):
        return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}

    kinds = set(vtk_to_numpy(found.GetDistinctCellTypesArray()).tolist())
    demand(len(kinds) == 1 and kinds <= {vtk.VTK_VERTEX, vtk.VTK_TRIANGLE}, f"{path} has cells {kinds}")
    size = 1 if vtk.VTK_VERTEX in kinds else 3
    points = vtk_to_numpy(found.GetPoints().GetData())
    cells = vtk_to_numpy(found.GetCells().GetConnectivityArray()).reshape(-1, size)
    of_points, of_cells = arrays(found.GetPointData()), arrays(found.GetCellData())
    field = arrays(found.GetFieldData())
    demand(points.dtype == np.float64 and np.isfinite(points).all(), f"{path}: points are not all doubles")

    other = meshio.read(path)
    demand(np.array_equal(other.points, points), f"{path}: meshio has other points")
    demand(np.array_equal(other.cells[0].data, cells), f"{path}: meshio has other cells")
    for name, values in of_points.items():
        demand(np.array_equal(other.point_data[name], values), f"{path}: meshio has another {name}")
    for name, values in of_cells.items():
        demand(np.array_equal(other.cell_data[name][0], values), f"{path}: meshio has another {name}")
    return points, cells, of_points, of_cells, field


def numbers(field, array):
    """Names by number, from field arrays `array:NAME`."""
    found = {int(v[0]): name.split(":", 1)[1] for name, v in field.items() if name.startswith(f"{array}:")}
    return [found[k] for k in range(len(found))]


def volume(points, triangles):
    """Volume and centroid of a closed surface."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    six = np.einsum("ti,ti->t", a, np.cross(b, c))
    return six.sum() / 6, np.einsum("t,ti->i", six, a + b + c) / 4 / max(six.sum(), 1e-300)


def exact_volume(shape):
    """Volume by closed form and the share by which triangles may stand inside; None for other shapes."""
    match shape:
        case {"cube": a}:
            return a**3, 1e-12
        case {"box": [a, b, c]}:
            return a * b * c, 1e-12
        case {"sphere": r}:
            return 4 / 3 * np.pi * r**3, 0.01
        case {"pyramid": {"base": [a, b], "height": h}}:
            return a * b * h / 3, 1e-12
    return None


def check_vtk(folder, run, scene):
    entries = [e.attrib for e in xml.parse(folder / "run.pvd").getroot().find("Collection")]
    times = sorted({float(e["timestep"]) for e in entries})
    moving = [(float(e["timestep"]), e["file"]) for e in entries if e["part"] == "0"]
    still = {e["file"] for e in entries if e["part"] == "1"}
    demand(still <= {"vtk/fixed.vtu"}, f"fixed parts are {still}")
    for part in ["0", "1"]:
        own = [e for e in entries if e["part"] == part]
        demand(len(own) in (0, len(times)), f"part {part} is not there at all times")
    rows = np.searchsorted(run["time"], times)
    demand(np.array_equal(run["time"][rows], times), "times of the collection are none of the trajectory")
    demand(rows[0] == 0 or len(rows) == 1, "the first row is missing")
    demand(rows[-1] == len(run["time"]) - 1, "the last row is missing")
    written = sorted(p.name for p in (folder / "vtk").glob("frame-*.vtu"))
    demand(written == sorted(pathlib.Path(f).name for _, f in moving), "there are other frames than the listed ones")

    bodies = list(run["bodies"])
    x, r, v, w = (run[name] for name in ("position", "rotation", "velocity", "angular_velocity"))
    own, seen, wrong, turns, fast = None, 0, [], [], 0.0
    chosen = sorted({0, 1, len(moving) // 3, len(moving) // 2, len(moving) - 2, len(moving) - 1} & set(range(len(moving))))
    for index in chosen:
        time, file = moving[index]
        row = rows[index]
        points, triangles, of_points, of_cells, field = grid(folder / file)
        demand(field["TimeValue"] == time and numbers(field, "body") == bodies, f"{file}: other time or names")
        body = np.full(len(points), -1)
        body[triangles] = of_cells["body"][:, None]
        # A corner without a triangle, as poles have, belongs to the body of the corner before it.
        body = body[np.maximum.accumulate(np.where(body >= 0, np.arange(len(body)), 0))]
        demand((np.diff(body) >= 0).all(), f"{file}: bodies are not in order")
        local = np.einsum("pji,pj->pi", r[row, body], points - x[row, body])
        scale = np.abs(points).max() + np.abs(x[row]).max()
        if own is None:
            own, topology = local, triangles
        demand(np.array_equal(topology, triangles), f"{file}: other triangles than before")
        close(local, own, scale, f"{file}: corners in the body's frame", 4 * DOUBLE)
        arm = points - x[row, body]
        expected = v[row, body] + np.cross(w[row, body], arm)
        fast = max(fast, np.abs(v).max() + np.abs(w).max() * np.abs(arm).max())
        close(of_points["velocity"], expected, fast, f"{file}: velocity", SINGLE)
        # The same from where the corners are one row before and after: the formula itself.
        if 0 < row < len(run["time"]) - 1:
            at = lambda k: np.einsum("pij,pj->pi", r[k, body], own) + x[k, body]
            step = run["time"][row + 1] - run["time"][row - 1]
            wrong.append(np.abs((at(row + 1) - at(row - 1)) / step - of_points["velocity"]).max(axis=1))
            turns.append(np.linalg.norm(w[row, body], axis=1) * step / 2)
        for k in np.unique(body):
            mine = triangles[of_cells["body"] == k]
            inside, centroid = volume(points, mine)
            size = np.ptp(points[body == k], axis=0).max()
            # Patches of half-spaces close nothing: they have no inside.
            patches = "half_space" in str(scene["bodies"][bodies[k]])
            if patches or abs(inside) < 1e-9 * size**3:
                continue
            demand(inside > 0, f"{file}: {bodies[k]} is inside out")
            exact = exact_volume(scene["bodies"][bodies[k]].get("shape", {}))
            if exact:
                close(inside, exact[0], exact[0], f"{file}: volume of {bodies[k]}", exact[1])
                centre = x[row, k] + r[row, k] @ run["centre_of_mass"][k]
                close(centroid, centre, size + np.abs(centre).max(), f"{file}: centroid of {bodies[k]}", 1e-10)
        seen += len(triangles)
    if wrong and fast > 0:
        # Not the greatest: velocities jump at collisions.
        error = np.median(np.concatenate(wrong)) / fast
        # Plans turn far from row to row, and a central difference is short by a sixth of the turn squared.
        allowed = 5e-3 + np.median(np.concatenate(turns)) ** 2 / 6
        demand(error < allowed, f"velocities differ from differences of places by {error:.1e}, not {allowed:.1e}")
    if still:
        points, triangles, of_points, of_cells, field = grid(folder / "vtk/fixed.vtu")
        demand(not of_points["velocity"].any() and numbers(field, "body") == bodies, "fixed.vtu: velocity or names")
        fixed = set(np.unique(of_cells["body"]).tolist())
        demand(not run["mass"][list(fixed)].any(), "fixed.vtu has bodies with a mass")
        seen += len(triangles)
    events = [json.loads(line) for line in (folder.parent / "events.jsonl").read_text().splitlines()]
    demand((folder / "vtk/events.vtu").exists() == bool(events), "events.vtu is there, or not, for no reason")
    if events:
        points, _, data, _, field = grid(folder / "vtk/events.vtu")
        names, kinds = numbers(field, "body"), numbers(field, "kind")
        demand(np.array_equal(points, [e["point"] for e in events]), "events are elsewhere")
        for name in ["time", "normal", "impulse"]:
            demand(np.array_equal(data[name], [e[name] for e in events]), f"events have another {name}")
        both = [[names[a], names[b]] for a, b in zip(data["first"], data["second"])]
        demand(both == [e["bodies"] for e in events], "events of other bodies")
        demand([kinds[k] for k in data["kind"]] == [e["kind"] for e in events], "events of another kind")
    return rows, own, (topology if own is not None else None), seen


def matrices(q):
    """Rotations of quaternions x, y, z, w."""
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.moveaxis(
        np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]), (0, 1), (-2, -1))


def check_gltf(folder, run, scene, rows, own, topology):
    data = (folder / "run.glb").read_bytes()
    magic, version, length, size, kind = struct.unpack("<4sIII4s", data[:20])
    demand((magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON"), "run.glb has another header")
    document, blob = json.loads(data[20 : 20 + size]), data[28 + size :]

    def read(k):
        accessor = document["accessors"][k]
        view = document["bufferViews"][accessor["bufferView"]]
        dtype = {5126: "<f4", 5123: "<u2", 5125: "<u4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        values = np.frombuffer(blob, dtype, accessor["count"] * width, view["byteOffset"])
        return values.reshape(-1, width)

    nodes, bodies = document["nodes"], list(run["bodies"])
    demand(document["asset"]["generator"].startswith("percussion "), "run.glb has another generator")
    root = matrices(np.array(nodes[document["scenes"][0]["nodes"][0]]["rotation"]))
    close(root @ [0, 0, 1], [0, 1, 0], 1.0, "z does not go up", SINGLE)
    x, r = run["position"], run["rotation"]
    scale = np.abs(x).max() + (np.abs(own).max() if own is not None else 1.0)
    keys = {}
    for animation in document.get("animations", []):
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times, values = read(sampler["input"])[:, 0], read(sampler["output"])
            demand(sampler["interpolation"] == "LINEAR" and (np.diff(times) > 0).all(), "keys are not in order")
            keys[channel["target"]["node"], channel["target"]["path"]] = times, values.astype(float)
    corner = 0
    for index in nodes[document["scenes"][0]["nodes"][0]].get("children", []):
        node = nodes[index]
        body = bodies.index(node["name"])
        triangles = document["meshes"][node["mesh"]]["primitives"][0]
        points = read(triangles["attributes"]["POSITION"])
        normals, faces = read(triangles["attributes"]["NORMAL"]), read(triangles["indices"]).reshape(-1, 3)
        a, b, c = (points[faces[:, k]].astype(float) for k in range(3))
        out = np.einsum("ti,ti->t", np.cross(b - a, c - a), normals[faces].sum(axis=1))
        demand((out > 0).all(), f"{node['name']}: triangles face another way than their normals")
        # What forces move, and what is driven.
        if run["mass"][body] > 0 or "motion" in scene["bodies"].get(node["name"], {}):
            mine = own[corner : corner + len(points)]
            close(points, mine, np.abs(mine).max(), f"corners of {node['name']} in the .glb and the .vtu", SINGLE)
            belongs = (topology >= corner).all(axis=1) & (topology < corner + len(points)).all(axis=1)
            demand(np.array_equal(faces, topology[belongs] - corner), f"{node['name']} has other triangles")
            corner += len(points)
        first = rows[0]
        close(node["translation"], x[first, body], scale, f"first place of {node['name']}", SINGLE)
        close(matrices(np.array(node["rotation"])), r[first, body], 1.0, f"first turn of {node['name']}", SINGLE)
        for path, expected, unit in [("translation", x, scale), ("rotation", r, 1.0)]:
            if (index, path) in keys:
                times, values = keys[index, path]
                at = rows[np.searchsorted(run["time"][rows].astype(np.float32), times)]
                if path == "rotation":
                    close(np.linalg.norm(values, axis=1), np.ones(len(values)), 1.0, "lengths of quaternions", SINGLE)
                    demand((np.sum(values[1:] * values[:-1], axis=1) >= 0).all(), "a quaternion jumps")
                    values = matrices(values)
                close(values, expected[at, body], unit, f"{path} of {node['name']}", SINGLE)
            else:
                still = np.broadcast_to(expected[first, body], expected[rows, body].shape)
                close(expected[rows, body], still, unit, f"{node['name']} moves and has no keys: {path}", SINGLE)
    demand(own is None or corner == len(own), "the .glb and the .vtu have other corners")
    return len(keys)


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file, strict=True)
    demand(all(len(line) == len(header) for line in lines), f"{path.name}: lines of different lengths")
    demand(len(set(header)) == len(header), f"{path.name}: two columns of one name")
    return header, lines


def check_csv(folder, run, rows):
    header, lines = table(folder / "plots.csv")
    values = np.loadtxt(folder / "plots.csv", delimiter=",", skiprows=1, ndmin=2)
    demand(np.array_equal(values, np.array(lines, float), equal_nan=True), "plots.csv: NumPy reads other numbers")
    per_body = {"position", "rotation", "velocity", "angular_velocity"}
    fixed = {"mass", "centre_of_mass", "inertia", "bodies"}
    # Of a plan and its search, not of its nodes.
    fixed |= {"control_units", "control_bounds", "clearance_margins", "search"}
    arrays = [a for a in run.files if a not in per_body | fixed and not a.endswith("_names")]
    demand(arrays[0] == "time", "time is not the first array")
    expected = np.hstack([run[a].reshape(len(run["time"]), -1) for a in arrays])
    demand(values.tobytes() == expected.tobytes(), "plots.csv has other numbers, or in another order")
    plain = [title.split(" [")[0] for title in header]
    names = [f"energy_{name}" for name in run["energy_names"]] + [f"coordinate_{n}" for n in run["coordinate_names"]]
    names += [f"{a}_{axis}" for a in ("linear_momentum", "angular_momentum") for axis in "xyz"]
    demand(set(names) <= set(plain), f"plots.csv lacks {set(names) - set(plain)}")
    energy = run["energy"][:, list(run["energy_names"]).index("kinetic")]
    demand(np.array_equal(values[:, header.index("energy_kinetic [J]")], energy), "energy_kinetic is something else")

    header, lines = table(folder / "bodies.csv")
    plain = ",".join(title.split(" [")[0] for title in header)
    demand(plain == "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", f"bodies.csv has columns {plain}")
    count = len(run["bodies"])
    demand([line[1] for line in lines] == list(run["bodies"]) * len(rows), "bodies.csv has other bodies")
    numbers = np.array([line[:1] + line[2:] for line in lines], float).reshape(len(rows), count, 14)
    for at, name in [(slice(1, 4), "position"), (slice(8, 11), "velocity"), (slice(11, 14), "angular_velocity")]:
        demand(np.array_equal(numbers[:, :, at], run[name][rows]), f"bodies.csv has another {name}")
    demand((numbers[:, :, 0] == run["time"][rows][:, None]).all(), "bodies.csv has other times")
    turns = matrices(np.roll(numbers[:, :, 4:8], -1, axis=2))
    close(turns, run["rotation"][rows], 1.0, "bodies.csv: rotations of the quaternions", 1e-11)

    header, lines = table(folder / "events.csv")
    events = [json.loads(line) for line in (folder.parent / "events.jsonl").read_text().splitlines()]
    keys = ["point", "normal", "impulse"]
    last = ["energy_before", "energy_after", "normal_velocity_before", "normal_velocity_after"]
    expected = [
        [e["time"], *e["bodies"], e["kind"], *[v for key in keys for v in e[key]], *[e[key] for key in last]] for e in events
    ]
    found = [[float(l[0]), *l[1:4], *map(float, l[4:])] for l in lines]
    demand(found == expected and len(header) == 17, "events.csv differs from events.jsonl")
    return len(values)


def check(folder):
    demand.run = folder
    run = np.load(folder / "trajectory.npz")
    scene = tomllib.loads((folder / "scene.toml").read_text())
    export = folder / "export"
    rows, own, topology, triangles = check_vtk(export, run, scene)
    channels = check_gltf(export, run, scene, rows, own, topology)
    lines = check_csv(export, run, rows)
    print(f"{folder}: {len(rows)} frames, {triangles} triangles looked at, {channels} channels, {lines} rows of plots agree")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for argument in sys.argv[1:]:
        check(pathlib.Path(argument))
