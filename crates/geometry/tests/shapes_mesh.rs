//! Triangle meshes: what is refused, what they weigh, and how they fall into convex parts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shapes_common;

use std::collections::{BTreeMap, BTreeSet};

use percussion_geometry::shapes::{DecompositionKind, DecompositionOptions, Polytope, Solid, TriangleMesh};
use percussion_geometry::{MassProperties, Pose, ShapeError, Vec3};
use percussion_testing::Random;
use shapes_common::check_polytope;

/// The surface of a heap of unit cubes, two triangles per exposed square.
fn blocks(cubes: &[[i32; 3]]) -> TriangleMesh {
    heap(cubes).unwrap()
}

/// The same, refused where cubes meet along an edge only: such a surface is not closed.
fn heap(cubes: &[[i32; 3]]) -> Result<TriangleMesh, ShapeError> {
    let solid: BTreeSet<[i32; 3]> = cubes.iter().copied().collect();
    let mut index: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for cube in &solid {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut next = *cube;
                next[axis] += if side == 1 { 1 } else { -1 };
                if solid.contains(&next) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let square = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                    let mut corner = *cube;
                    corner[axis] += side;
                    corner[u] += a;
                    corner[v] += b;
                    *index.entry(corner).or_insert_with(|| {
                        vertices.push(Vec3::new(corner[0] as f64, corner[1] as f64, corner[2] as f64));
                        vertices.len() as u32 - 1
                    })
                });
                let [a, b, c, d] = square;
                triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    TriangleMesh::new(vertices, triangles)
}

/// A plate of unit cubes drawn in text.
fn plate(rows: &[&str]) -> Vec<[i32; 3]> {
    let mut cubes = Vec::new();
    for (y, row) in rows.iter().enumerate() {
        cubes
            .extend(row.chars().enumerate().filter(|(_, c)| *c == '#').map(|(x, _)| [x as i32, y as i32, 0]));
    }
    cubes
}

fn turned(mesh: &TriangleMesh, pose: &Pose, scale: f64) -> TriangleMesh {
    let vertices = mesh.vertices().iter().map(|v| pose.point(&(v * scale))).collect();
    TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

fn torus(around: usize, across: usize, radius: f64, thickness: f64) -> TriangleMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (a, b) = (
                std::f64::consts::TAU * i as f64 / around as f64,
                std::f64::consts::TAU * j as f64 / across as f64,
            );
            let r = radius + thickness * b.cos();
            vertices.push(Vec3::new(r * a.cos(), r * a.sin(), thickness * b.sin()));
            let at = |i: usize, j: usize| (i % around * across + j % across) as u32;
            let [p, q, s, t] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[p, q, s], [p, s, t]]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// The deepest overlap of two bodies along the face normals of both and the products of their edges: negative
/// or zero when they only touch.
fn overlap(a: &Polytope, b: &Polytope) -> f64 {
    let mut axes: Vec<Vec3> =
        a.faces().iter().map(|f| f.normal).chain(b.faces().iter().map(|f| -f.normal)).collect();
    for e in 0..a.edges().len() {
        for f in 0..b.edges().len() {
            if let Some(axis) = a.edge_direction(e).cross(&b.edge_direction(f)).try_normalize(1e-6) {
                axes.extend([axis, -axis]);
            }
        }
    }
    let reach = |p: &Polytope, d: &Vec3| d.dot(&p.vertices()[p.support_index(d)]);
    axes.iter().map(|n| reach(a, n) + reach(b, &-n)).fold(f64::INFINITY, f64::min)
}

/// Exact means: convex parts inside the mesh, no two overlapping, with the mesh's mass properties.
fn check_exact(mesh: &TriangleMesh, most: usize, name: &str) {
    let found = mesh.decomposed().unwrap();
    assert_eq!(found.kind, DecompositionKind::Exact, "{name}");
    assert!(found.parts.len() <= most, "{name}: {} parts", found.parts.len());
    assert!(found.volume_error().abs() < 1e-12, "{name}: {:e}", found.volume_error());
    let size = mesh.vertices().iter().map(|v| (v - mesh.vertices()[0]).norm()).fold(0.0, f64::max);
    for (k, part) in found.parts.iter().enumerate() {
        check_polytope(part);
        for other in &found.parts[..k] {
            assert!(
                overlap(part, other) < 1e-9 * size,
                "{name}: parts overlap by {:e}",
                overlap(part, other)
            );
        }
        // Points throughout the part lie in the mesh.
        for v in part.vertices() {
            let point = part.reference() + (v - part.reference()) * 0.999;
            assert!((mesh.winding_number(&point) - 1.0).abs() < 1e-6, "{name}");
        }
    }
    let (sum, whole) = (found.compound().unwrap().mass_properties().unwrap(), mesh.mass_properties());
    assert!((sum.inertia - whole.inertia).norm() < 1e-11 * whole.inertia.norm(), "{name}");
    assert!((sum.centroid - whole.centroid).norm() < 1e-11 * (size + whole.centroid.norm()), "{name}");
}

fn tetrahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    (vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()], vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
}

#[test]
fn meshes_that_enclose_nothing_are_refused_with_the_place() {
    let (vertices, triangles) = tetrahedron();
    assert!(TriangleMesh::new(vertices.clone(), triangles.clone()).is_ok());
    let refuse = |v: &[Vec3], t: &[[u32; 3]]| TriangleMesh::new(v.to_vec(), t.to_vec()).unwrap_err();

    let open = refuse(&vertices, &[triangles[0], triangles[1], triangles[2], triangles[1]]);
    assert!(matches!(open, ShapeError::OpenMesh { .. }), "{open}");
    let cube = blocks(&[[0, 0, 0]]);
    let mut holed = cube.triangles().to_vec();
    let removed = holed.remove(5);
    match refuse(cube.vertices(), &holed) {
        ShapeError::OpenMesh { from, to, faces: 1 } => {
            assert!(removed.contains(&(from as u32)) && removed.contains(&(to as u32)));
        }
        other => panic!("{other}"),
    }
    let mut fin = cube.triangles().to_vec();
    fin.push(fin[0]);
    assert!(matches!(refuse(cube.vertices(), &fin), ShapeError::OpenMesh { faces: 3, .. }));

    let mut flipped = triangles.clone();
    flipped[2].swap(0, 1);
    assert!(matches!(refuse(&vertices, &flipped), ShapeError::MixedOrientation { .. }));
    let inside_out: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*b, *a, *c]).collect();
    match refuse(&vertices, &inside_out) {
        ShapeError::InsideOut { volume } => assert!((volume + 1.0 / 6.0).abs() < 1e-15),
        other => panic!("{other}"),
    }
    let mut missing = triangles.clone();
    missing[1][2] = 9;
    assert!(matches!(refuse(&vertices, &missing), ShapeError::BadTriangle { triangle: 1, .. }));
    let mut repeated = triangles.clone();
    repeated[3] = [0, 0, 2];
    assert!(matches!(refuse(&vertices, &repeated), ShapeError::BadTriangle { triangle: 3, .. }));
    let mut nan = vertices.clone();
    nan[2].x = f64::NAN;
    assert!(matches!(refuse(&nan, &triangles), ShapeError::NotFinite { index: 2, .. }));
    assert_eq!(refuse(&vertices, &[]), ShapeError::TooFewTriangles { given: 0 });
    let open = refuse(&vertices, &triangles[..3]);
    assert!(open.to_string().contains("3 triangle(s)") && open.to_string().contains("open"), "{open}");
    // A flat pocket closes on itself without any volume.
    assert!(matches!(
        refuse(&vertices, &[[0, 1, 2], [0, 2, 1], [0, 1, 3], [0, 3, 1]]),
        ShapeError::OpenMesh { .. } | ShapeError::InsideOut { .. }
    ));
}

#[test]
fn separate_triangles_are_welded() {
    let mut random = Random::new(51);
    let mesh = turned(
        &blocks(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
        &Pose::new(random.rotation(), random.vector()),
        0.1,
    );
    let soup: Vec<[Vec3; 3]> =
        (0..mesh.triangles().len()).map(|t| mesh.corners(t).map(|v| v + random.vector() * 1e-12)).collect();
    let welded = TriangleMesh::from_soup(&soup).unwrap();
    assert_eq!(welded.vertices().len(), mesh.vertices().len());
    assert!((welded.volume() - mesh.volume()).abs() < 1e-10 * mesh.volume());
    assert!(TriangleMesh::from_soup(&soup[1..]).is_err());
    assert!(TriangleMesh::from_soup(&[]).is_err());
}

#[test]
fn a_mesh_weighs_what_its_cubes_weigh() {
    let mut random = Random::new(52);
    for _ in 0..20 {
        let mut cubes = vec![[0, 0, 0]];
        while cubes.len() < 8 {
            let mut next = cubes[random.below(cubes.len())];
            next[random.below(3)] += 1;
            if !cubes.contains(&next) {
                cubes.push(next);
            }
        }
        let Ok(mesh) = heap(&cubes) else { continue };
        let unit = Polytope::cube(1.0).unwrap().mass_properties();
        let expected: MassProperties = cubes
            .iter()
            .map(|c| {
                unit.placed(&Pose::at(Vec3::new(c[0] as f64 + 0.5, c[1] as f64 + 0.5, c[2] as f64 + 0.5)))
            })
            .sum();
        let m = mesh.mass_properties();
        assert!((m.volume - expected.volume).abs() < 1e-12 * expected.volume);
        assert!((m.centroid - expected.centroid).norm() < 1e-12);
        assert!((m.inertia - expected.inertia).norm() < 1e-12 * expected.inertia.norm());
    }
}

#[test]
fn a_torus_approaches_its_closed_form() {
    let (r, t) = (2.0f64, 0.5f64);
    let exact = 2.0 * std::f64::consts::PI.powi(2) * r * t * t;
    let coarse = (torus(40, 20, r, t).volume() - exact).abs();
    let fine = (torus(80, 40, r, t).volume() - exact).abs();
    assert!((3.9..4.1).contains(&(coarse / fine)), "second order in the mesh width: {}", coarse / fine);
}

#[test]
fn convex_meshes_are_one_part() {
    let mut random = Random::new(53);
    for cubes in [vec![[0, 0, 0]], vec![[0, 0, 0], [1, 0, 0]], plate(&["###", "###"])] {
        let mesh = turned(&blocks(&cubes), &Pose::new(random.rotation(), random.vector()), 0.3);
        assert!(mesh.is_convex());
        let found = mesh.decomposed().unwrap();
        assert_eq!(found.kind, DecompositionKind::Convex);
        assert_eq!((found.parts.len(), found.parts[0].faces().len()), (1, 6));
        assert!(found.volume_error().abs() < 1e-12);
    }
    assert!(!blocks(&plate(&["#.", "##"])).is_convex());
    assert!(!torus(20, 10, 2.0, 0.5).is_convex());
}

#[test]
fn blocks_with_corners_fall_apart_exactly() {
    let mut random = Random::new(54);
    let shapes: Vec<(&str, Vec<[i32; 3]>, usize)> = vec![
        ("L", plate(&["#.", "#.", "##"]), 2),
        ("U", plate(&["#.#", "#.#", "###"]), 3),
        ("T", plate(&["###", ".#.", ".#."]), 2),
        ("plus", plate(&[".#.", "###", ".#."]), 3),
        ("ring", plate(&["####", "#..#", "####"]), 4),
        ("stairs", plate(&["#...", "##..", "###.", "####"]), 4),
        ("H", plate(&["#.#", "###", "#.#"]), 3),
        ("E", plate(&["###", "#..", "###", "#..", "###"]), 5),
        ("corner", vec![[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 4),
    ];
    for (name, cubes, most) in shapes {
        let mesh = blocks(&cubes);
        check_exact(&mesh, most, name);
        for scale in [1.0, 1e-3, 1e3] {
            let pose = Pose::new(random.rotation(), random.vector() * scale * 10.0);
            check_exact(&turned(&mesh, &pose, scale), most, &format!("{name} turned at {scale}"));
        }
    }
}

#[test]
fn a_box_with_a_cavity_is_filled_by_walls_only() {
    let mut cubes = Vec::new();
    for k in 0..27 {
        cubes.push([k % 3, k / 3 % 3, k / 9]);
    }
    cubes.retain(|c| *c != [1, 1, 1]);
    let mesh = blocks(&cubes);
    assert!((mesh.volume() - 26.0).abs() < 1e-12);
    check_exact(&mesh, 6, "cavity");
}

#[test]
fn random_heaps_of_cubes_fall_apart_exactly() {
    let mut random = Random::new(55);
    let mut checked = 0;
    for round in 0..60 {
        let mut cubes = vec![[0, 0, 0]];
        while cubes.len() < 4 + round % 8 {
            let mut next = cubes[random.below(cubes.len())];
            next[random.below(3)] += if random.below(2) == 0 { 1 } else { -1 };
            if !cubes.contains(&next) {
                cubes.push(next);
            }
        }
        let Ok(mesh) = heap(&cubes) else { continue };
        if mesh.is_convex() {
            continue;
        }
        let mesh = turned(&mesh, &Pose::new(random.rotation(), random.vector()), 1.0);
        check_exact(&mesh, cubes.len() + 4, &format!("heap {round}"));
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn oblique_concave_bodies_fall_apart_exactly() {
    // A box with one face pushed in to a point.
    let cube = blocks(&[[0, 0, 0]]);
    let mut vertices = cube.vertices().to_vec();
    let mut triangles = cube.triangles().to_vec();
    let top: Vec<usize> =
        (0..triangles.len()).filter(|&t| cube.corners(t).iter().all(|v| v.z == 1.0)).collect();
    let [a, b, c] = triangles[top[0]];
    let d = triangles[top[1]].into_iter().find(|v| ![a, b, c].contains(v)).unwrap();
    triangles.retain(|t| !t.iter().all(|&v| vertices[v as usize].z == 1.0));
    vertices.push(Vec3::new(0.4, 0.55, 0.3));
    let dent = vertices.len() as u32 - 1;
    let mut rim = [a, b, c, d];
    let angle = |v: &u32| (vertices[*v as usize].y - 0.5).atan2(vertices[*v as usize].x - 0.5);
    rim.sort_by(|v, w| angle(v).total_cmp(&angle(w)));
    for k in 0..4 {
        triangles.push([rim[k], rim[(k + 1) % 4], dent]);
    }
    let mesh = TriangleMesh::new(vertices, triangles).unwrap();
    assert!((mesh.volume() - (1.0 - 0.7 / 3.0)).abs() < 1e-14);
    check_exact(&mesh, 8, "dented box");
}

#[test]
fn curved_concave_bodies_are_approximated_and_say_by_how_much() {
    let mesh = torus(48, 24, 2.0, 0.6);
    let found = mesh.decomposed().unwrap();
    assert_eq!(found.kind, DecompositionKind::Approximate);
    assert!(found.parts.len() > 4, "{}", found.parts.len());
    assert!(found.volume_error().abs() < 0.02, "{}", found.volume_error());
    for (k, part) in found.parts.iter().enumerate() {
        check_polytope(part);
        for other in &found.parts[..k] {
            assert!(overlap(part, other) < 1e-6, "{:e}", overlap(part, other));
        }
    }
    // The hole stays open.
    for part in &found.parts {
        assert!(part.faces().iter().any(|f| f.offset < 0.0), "no part covers the middle of the ring");
    }
    let coarse = DecompositionOptions { concavity: 0.05, ..Default::default() };
    let coarser = mesh.decomposed_with(&coarse).unwrap();
    assert!(coarser.parts.len() < found.parts.len());
    assert!(
        coarser.volume_error().abs() > found.volume_error().abs(),
        "{} {}",
        coarser.volume_error(),
        found.volume_error()
    );
    let compound = found.compound().unwrap();
    assert!(compound.parts().iter().all(|(_, s)| matches!(s, Solid::Polytope(_))));
    for bad in [
        DecompositionOptions { resolution: 1, ..Default::default() },
        DecompositionOptions { concavity: f64::NAN, ..Default::default() },
    ] {
        assert!(matches!(mesh.decomposed_with(&bad), Err(ShapeError::OutOfRange { .. })));
    }
}

#[test]
fn a_coarse_torus_of_few_flat_faces_is_exact() {
    check_exact(&torus(4, 4, 2.0, 0.7), 16, "square torus");
    check_exact(&torus(6, 4, 2.0, 0.7), 32, "hexagonal torus");
}

/// A ball of `n` by `2 n` facets whose radius varies by `spike` at random.
fn burr(random: &mut Random, n: usize, spike: f64) -> TriangleMesh {
    let around = 2 * n;
    let mut vertices = vec![Vec3::z(), -Vec3::z()];
    for i in 1..n {
        for j in 0..around {
            let (a, b) = (
                std::f64::consts::PI * i as f64 / n as f64,
                std::f64::consts::TAU * j as f64 / around as f64,
            );
            let r = 1.0 - spike * random.unit();
            vertices.push(Vec3::new(a.sin() * b.cos(), a.sin() * b.sin(), a.cos()) * r);
        }
    }
    let at = |i: usize, j: usize| (2 + (i - 1) * around + j % around) as u32;
    let mut triangles = Vec::new();
    for j in 0..around {
        triangles.extend([[0, at(1, j), at(1, j + 1)], [1, at(n - 1, j + 1), at(n - 1, j)]]);
        for i in 1..n - 1 {
            triangles.extend([
                [at(i, j), at(i + 1, j), at(i + 1, j + 1)],
                [at(i, j), at(i + 1, j + 1), at(i, j + 1)],
            ]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

#[test]
fn rough_bodies_always_fall_into_convex_parts() {
    let mut random = Random::new(56);
    for round in 0..12 {
        let mesh = burr(&mut random, 3 + round % 4, [0.02, 0.3, 0.8][round % 3]);
        let options = DecompositionOptions { resolution: 32, ..Default::default() };
        let found = mesh.decomposed_with(&options).unwrap();
        assert!(!found.parts.is_empty());
        found.parts.iter().for_each(check_polytope);
        match found.kind {
            DecompositionKind::Exact => assert!(found.volume_error().abs() < 1e-9),
            _ => assert!(found.volume_error().abs() < 0.25, "{} {}", found.parts.len(), found.volume_error()),
        }
    }
}

#[test]
fn separate_bodies_in_one_mesh_are_separate_parts() {
    let mesh = blocks(&[[0, 0, 0], [3, 0, 0], [0, 4, 1]]);
    check_exact(&mesh, 3, "three cubes");
}
