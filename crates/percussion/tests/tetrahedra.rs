//! The gallery scene `tetrahedra`: the eight contacts of [Johnson, figure 2.12].
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::folder::Place;
use common::{alike, answers, call, list, number, vector, weights};
use percussion::geometry::Vec3;
use serde_json::Value;

/// Rounding of a value of order one after a few dozen operations.
const ROUNDING: f64 = 1e-14;

fn read(name: &str) -> String {
    common::tree::read(format!("scenes/tetrahedra/{name}"))
}

fn computed() -> Vec<Value> {
    let output = call(&["distance", "--example", "tetrahedra"]);
    assert!(output.status.success());
    answers(&output)
}

fn expected() -> Vec<Value> {
    serde_json::from_str(&read("expected.json")).unwrap()
}

/// The least of a body a and the greatest of a body b along a direction: their supporting planes.
fn supports(alpha: &Vec3, a: &[Vec3], b: &[Vec3]) -> (f64, f64) {
    let low = a.iter().map(|x| alpha.dot(x)).fold(f64::INFINITY, f64::min);
    (low, b.iter().map(|y| alpha.dot(y)).fold(f64::NEG_INFINITY, f64::max))
}

/// The value of the linear program by trying every direction that can be a vertex of its feasible set: face
/// normals of both bodies and cross products of their edges.
fn by_enumeration(a: &[Vec3], b: &[Vec3]) -> f64 {
    let mean = |p: &[Vec3]| p.iter().sum::<Vec3>() / p.len() as f64;
    let beta = (mean(a) - mean(b)).normalize();
    let edges = |p: &[Vec3]| -> Vec<Vec3> {
        (0..p.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| p[i] - p[j]).collect()
    };
    let (ea, eb) = (edges(a), edges(b));
    let mut normals: Vec<Vec3> = Vec::new();
    for (first, second) in [(&ea, &ea), (&eb, &eb), (&ea, &eb)] {
        normals.extend(first.iter().flat_map(|e| second.iter().map(move |f| e.cross(f))));
    }
    let mut best = f64::NEG_INFINITY;
    for normal in normals {
        let along = normal.dot(&beta);
        if along.abs() < 1e-9 {
            continue;
        }
        let alpha = normal / along;
        let (low, high) = supports(&alpha, a, b);
        best = best.max(low - high);
    }
    best
}

fn bodies() -> Vec<[Vec<Vec3>; 2]> {
    let of_line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        ["a", "b"]
            .map(|side| list(&line[side]["vertices"]).iter().map(|v| Vec3::from_vec(vector(v))).collect())
    };
    read("pairs.jsonl").lines().map(of_line).collect()
}

#[test]
fn the_eight_separations_are_those_of_the_closed_form_and_of_enumeration() {
    let (computed, expected, bodies) = (computed(), expected(), bodies());
    assert_eq!([computed.len(), expected.len(), bodies.len()], [8; 3]);
    for ((given, wanted), [a, b]) in computed.iter().zip(&expected).zip(&bodies) {
        assert_eq!(given["id"], wanted["id"]);
        let (s, closed) = (number(&given["separation"]), number(&wanted["separation"]));
        assert!((s - closed).abs() < ROUNDING, "{given}");
        assert!((s - by_enumeration(a, b)).abs() < ROUNDING, "{given}");
    }
}

#[test]
fn the_expected_answers_satisfy_the_optimality_conditions() {
    for (wanted, [a, b]) in expected().iter().zip(&bodies()) {
        let s = number(&wanted["separation"]);
        let alpha = Vec3::from_vec(vector(&wanted["alpha"]));
        let (low, high) = supports(&alpha, a, b);
        assert!((low - high - s).abs() < ROUNDING && alpha.z == 1.0, "{wanted}");
        let point = |side: &str, vertices: &[Vec3]| {
            weights(&wanted[side]).iter().map(|&(i, w)| w * vertices[i]).sum::<Vec3>()
        };
        let difference = point("weights_a", a) - point("weights_b", b);
        assert!((difference - Vec3::new(0.0, 0.0, s)).norm() < ROUNDING, "{wanted}");
    }
}

#[test]
fn only_active_vertices_carry_weight() {
    for (given, [a, b]) in computed().iter().zip(&bodies()) {
        let alpha = Vec3::from_vec(vector(&given["alpha"]));
        let (low, high) = supports(&alpha, a, b);
        let on_a = |&(i, _): &(usize, f64)| alpha.dot(&a[i]) < low + ROUNDING;
        let on_b = |&(i, _): &(usize, f64)| alpha.dot(&b[i]) > high - ROUNDING;
        assert!(weights(&given["weights_a"]).iter().all(on_a), "{given}");
        assert!(weights(&given["weights_b"]).iter().all(on_b), "{given}");
    }
}

#[test]
fn all_eight_contacts_have_the_expected_features_weights_and_direction() {
    for (given, wanted) in computed().iter().zip(&expected()) {
        assert_eq!(given["features"], wanted["features"], "{given}");
        for side in ["weights_a", "weights_b"] {
            let (given, wanted) = (weights(&given[side]), weights(&wanted[side]));
            assert_eq!(given.len(), wanted.len(), "{given:?} {wanted:?}");
            for ((i, w), (j, v)) in given.iter().zip(&wanted) {
                assert!(i == j && (w - v).abs() < ROUNDING, "{given:?} {wanted:?}");
            }
        }
        let (alpha, direction) = (vector(&given["alpha"]), vector(&wanted["alpha"]));
        assert!(alpha.iter().zip(&direction).all(|(x, y)| (x - y).abs() < ROUNDING), "{given}");
    }
}

#[test]
fn the_picture_is_what_the_report_draws() {
    let place = Place::new("tetrahedra");
    let folder = place.join("report");
    let output = call(&["distance", "--example", "tetrahedra", "--report", folder.to_str().unwrap()]);
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert_eq!(page.matches("<article").count(), 8);
    assert!(!page.contains("NaN") && !page.contains("http://") && !page.contains("https://"));
    let drawn = std::fs::read_to_string(folder.join("picture.svg")).unwrap();
    let same = alike(&drawn, &read("picture.svg"), |x, y| (x - y).abs() < 0.2);
    assert!(same, "copy the new picture.svg of the report into scenes/tetrahedra");
}
