//! What several shape tests share: random polytopes and the check of a polytope.
#![allow(dead_code)]

use percussion_geometry::Vec3;
use percussion_geometry::shapes::Polytope;
use percussion_testing::Random;

/// A polytope with 4 to about 20 vertices.
pub fn polytope(random: &mut Random) -> Polytope {
    loop {
        let n = 4 + random.below(20);
        let points: Vec<Vec3> = (0..n).map(|_| random.vector()).collect();
        if let Ok(p) = Polytope::from_vertices(&points)
            && p.inner_radius() > 1e-3
        {
            return p;
        }
    }
}

/// Counts of vertices, edges and faces.
pub fn counts(p: &Polytope) -> (usize, usize, usize) {
    (p.vertices().len(), p.edges().len(), p.faces().len())
}

/// Everything that makes a polytope one: Euler's formula, symmetric adjacency, outward normals, loops that
/// turn left, edges with their faces.
pub fn check_polytope(p: &Polytope) {
    let (v, e, f) = counts(p);
    assert_eq!(v + f, e + 2, "Euler");
    let furthest = p.vertices().iter().map(|v| v.amax()).fold(0.0, f64::max);
    // The flatness tolerance is a multiple of the diameter.
    let slack = 2e-9 * p.outer_radius() + 64.0 * f64::EPSILON * furthest;
    let middle = p.vertices().iter().sum::<Vec3>() / v as f64;
    for face in p.faces() {
        assert!((face.normal.norm() - 1.0).abs() < 1e-12);
        assert!(face.normal.dot(&middle) < face.offset, "normals point outwards");
        for vertex in p.vertices() {
            assert!(face.normal.dot(vertex) <= face.offset + slack, "every vertex within every face");
        }
        let corners = p.face_loop(face);
        assert!(corners.len() >= 3);
        for &corner in corners {
            let height = face.normal.dot(&p.vertices()[corner as usize]) - face.offset;
            assert!(height.abs() <= slack, "corners lie on their face: {height:e}");
        }
        for k in 0..corners.len() {
            let at = |j: usize| p.vertices()[corners[j % corners.len()] as usize];
            let turn = (at(k + 1) - at(k)).cross(&(at(k + 2) - at(k + 1))).dot(&face.normal);
            assert!(turn > 0.0, "loops turn left at every corner");
        }
    }
    for (index, edge) in p.edges().iter().enumerate() {
        let [from, to] = edge.vertices.map(|v| v as usize);
        assert!(p.neighbours(from).contains(&(to as u32)) && p.neighbours(to).contains(&(from as u32)));
        assert_eq!(p.edge_between(from, to), Some(index));
        assert_eq!(p.edge_between(to, from), Some(index));
        assert_eq!(p.faces_of_edge(index), edge.faces);
        let walks = |face: u32, a: usize, b: usize| {
            let corners = p.face_loop(&p.faces()[face as usize]);
            (0..corners.len())
                .any(|k| corners[k] as usize == a && corners[(k + 1) % corners.len()] as usize == b)
        };
        assert!(walks(edge.faces[0], from, to) && walks(edge.faces[1], to, from));
        let length = (p.vertices()[to] - p.vertices()[from]).norm();
        let along = p.vertices()[to] - p.vertices()[from] - p.edge_direction(index) * length;
        assert!(along.norm() < 1e-12 * length + 1e-300);
    }
    let degree: usize = (0..v).map(|k| p.neighbours(k).len()).sum();
    assert_eq!(degree, 2 * e);
    for k in 0..v {
        assert!(p.neighbours(k).len() >= 3);
        assert_eq!(p.neighbours(k).len(), p.vertex_faces(k).len());
        for &face in p.vertex_faces(k) {
            assert!(p.face_loop(&p.faces()[face as usize]).contains(&(k as u32)));
        }
    }
    for face in 0..f {
        assert_eq!(p.face_edges(face).count(), p.face_loop(&p.faces()[face]).len());
        for other in p.face_neighbours(face) {
            assert!(p.face_neighbours(other).any(|g| g == face), "face adjacency is symmetric");
        }
    }
    assert!(p.inner_radius() > 0.0 && p.inner_radius() <= p.outer_radius());
}
