//! `percussion distance` as a user and as a script meet it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};

use common::folder::{Place, refused, text};
use common::{answer, answers, call, distance, list, number, piped, vector, weights};
use percussion_testing::Random;
use serde_json::Value;

/// Numbers of which each is at most `size`.
fn numbers<const N: usize>(random: &mut Random, size: f64) -> [f64; N] {
    [0; N].map(|_| size * random.signed())
}

const SPATIAL: &[&str] = &[
    r#""box":[1,0.7,1.3]"#,
    r#""cube":1"#,
    r#""sphere":0.5"#,
    r#""capsule":{"length":0.8,"radius":0.3}"#,
    r#""cylinder":{"height":1,"radius":0.5}"#,
    r#""cone":{"height":1,"radius":0.5}"#,
    r#""ellipsoid":[0.7,0.5,0.4]"#,
    r#""prism":{"sides":6,"side":0.5,"height":0.8}"#,
    r#""prism":{"sides":3,"circumradius":0.7,"height":0.8}"#,
    r#""antiprism":{"sides":5,"circumradius":0.6,"height":0.9}"#,
    r#""antiprism":{"sides":4,"side":0.8,"height":0.9}"#,
    r#""pyramid":{"base":[1,0.8],"height":1.1}"#,
    r#""pyramid":{"sides":7,"circumradius":0.6,"height":1.1}"#,
    r#""frustum":{"sides":5,"bottom":0.7,"top":0.4,"height":0.9}"#,
    r#""wedge":[1,0.8,0.9]"#,
    r#""tetrahedron":1.2"#,
    r#""octahedron":0.9"#,
    r#""icosahedron":0.6"#,
    r#""dodecahedron":0.4"#,
    r#""rounded":{"count":60,"radius":0.6}"#,
    r#""vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.9,0.8,0.7]]"#,
    r#""half_spaces":[[1,0,0,0.5],[-1,0,0,0.5],[0,1,0,0.5],[0,-1,0,0.5],[0,0,1,0.5],[0,0,-1,0.5],[1,1,1,0.6]]"#,
];

const PLANAR: &[&str] = &[
    r#""polygon":[[0,0],[1,0],[1.2,0.6],[0.3,1]]"#,
    r#""vertices":[[0,0],[1,0],[0.5,1]]"#,
    r#""rectangle":[1.2,0.8]"#,
    r#""square":0.9"#,
    r#""triangle":{"base":1,"height":0.8}"#,
    r#""regular_polygon":{"sides":5,"side":0.6}"#,
    r#""regular_polygon":{"sides":8,"circumradius":0.6}"#,
    r#""circle":0.5"#,
    r#""ellipse":[0.7,0.4]"#,
    r#""half_spaces":[[1,0,0.5],[-1,0,0.5],[0,1,0.5],[0,-1,0.5]]"#,
];

/// Random pairs of every kind of body with every other, two thirds of them apart.
fn lines(count: usize) -> String {
    let mut random = Random::new(3);
    let mut text = String::new();
    for id in 0..count {
        let far = 1.1 + 0.7 * random.signed();
        if id % 3 == 0 {
            let (a, b) = (PLANAR[random.below(PLANAR.len())], PLANAR[random.below(PLANAR.len())]);
            let (p, angle) = (numbers::<2>(&mut random, far), random.signed() * 3.0);
            text += &format!(
                "{{\"id\":{id},\"a\":{{{a},\"position\":{p:?},\"angle\":{angle:?}}},\"b\":{{{b}}}}}\n"
            );
        } else {
            let (a, b) = (SPATIAL[random.below(SPATIAL.len())], SPATIAL[random.below(SPATIAL.len())]);
            let [p, u, v] = [far, 2.0, 2.0].map(|size| numbers::<3>(&mut random, size));
            text += &format!(
                "{{\"id\":{id},\"a\":{{{a},\"position\":{p:?},\"rotation_vector\":{u:?}}},\"b\":{{{b},\"rotation_vector\":{v:?}}}}}\n"
            );
        }
    }
    text
}

#[test]
fn every_kind_of_shape_is_answered_in_the_order_of_the_input() {
    let output = distance(&["--euclidean", "--gradient"], &lines(3000));
    assert!(output.status.success());
    let all = answers(&output);
    assert_eq!(all.len(), 3000);
    for (k, answer) in all.iter().enumerate() {
        assert_eq!(answer["id"], k, "{answer}");
        assert_eq!(answer["outcome"], "solved", "{answer}");
        let (s, gap) = (number(&answer["separation"]), number(&answer["gap"]));
        let [lower, upper] = ["lower", "upper"].map(|key| number(&answer["certificate"][key]));
        assert!(upper - lower <= 1e-11 && lower <= s + 1e-13 && s <= upper + 1e-13, "{answer}");
        let [p, q, beta, alpha, normal] =
            ["point_a", "point_b", "beta", "alpha", "normal"].map(|key| vector(&answer[key]));
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for i in 0..p.len() {
            assert!((p[i] - q[i] - s * beta[i]).abs() < 1e-11, "p1 - p2 = s beta in {answer}");
        }
        assert!((dot(&alpha, &beta) - 1.0).abs() < 1e-9 && (dot(&normal, &normal) - 1.0).abs() < 1e-12);
        assert!((gap - s / dot(&alpha, &alpha).sqrt()).abs() < 1e-12);
        for side in ["weights_a", "weights_b"] {
            let all = weights(&answer[side]);
            let sum: f64 = all.iter().map(|(_, w)| w).sum();
            assert!(all.is_empty() || (sum - 1.0).abs() < 1e-9, "{answer}");
        }
        // The gap of any supporting planes is at most the Euclidean distance, and never the other sign.
        let euclidean = number(&answer["euclidean"]["distance"]);
        assert!(gap <= euclidean + 1e-9 && (s > 1e-9) == (euclidean > 1e-9), "{answer}");
        assert_eq!(vector(&answer["gradient"]["translation_a"]).len(), p.len());
    }
}

#[test]
fn the_keys_of_the_contract_are_there() {
    let line = r#"{"a":{"vertices":[[0,0,2],[1,0,3],[0,1,3],[-1,-1,3]]},"b":{"box":[2,2,2]}}"#;
    let given = answer(line);
    let keys =
        "separation gap normal point_a point_b weights_a weights_b features ratio certificate iterations";
    for key in keys.split(' ') {
        assert!(given.get(key).is_some(), "{key} is missing in {given}");
    }
    assert_eq!(given["features"], serde_json::json!(["vertex", "face"]));
    assert_eq!(given["separation"], 1.0);
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let input = lines(2000);
    let one = distance(&["--jobs", "1"], &input);
    let four = distance(&["--jobs", "4"], &input);
    assert!(one.status.success() && one.stdout == four.stdout);
}

#[test]
fn a_bad_line_is_named_and_the_others_are_answered() {
    let good = r#"{"a":{"sphere":1,"position":[0,0,3]},"b":{"sphere":1}}"#;
    let bad = [
        ("{\"a\":", "not valid JSON"),
        ("nonsense", "not valid JSON"),
        ("[1,2]", "expected an object"),
        (r#"{"a":{"spere":1},"b":{"sphere":1}}"#, "did you mean `sphere`?"),
        (r#"{"a":{"sphere":1},"b":{"sphere":1},"evnts":true}"#, "did you mean `events`?"),
        (r#"{"a":{"capsule":{"lenght":1,"radius":1}},"b":{"sphere":1}}"#, "did you mean `length`?"),
        (r#"{"a":{"sphere":1}}"#, "the key `b` is missing"),
        (r#"{"a":{"sphere":1,"box":[1,1,1]},"b":{"sphere":1}}"#, "two kinds in one shape"),
        (r#"{"a":{"position":[0,0,0]},"b":{"sphere":1}}"#, "a shape without a kind"),
        (r#"{"a":{"sphere":-1},"b":{"sphere":1}}"#, "sphere radius is -1"),
        (r#"{"a":{"sphere":1e999},"b":{"sphere":1}}"#, "number out of range"),
        (r#"{"a":{"sphere":NaN},"b":{"sphere":1}}"#, "not valid JSON"),
        (r#"{"a":{"sphere":null},"b":{"sphere":1}}"#, "invalid type: null"),
        (r#"{"a":"teapot","b":{"sphere":1}}"#, "no shape named `teapot`"),
        (r#"{"a":{"vertices":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]},"b":{"sphere":1}}"#, "lie in a plane"),
        (r#"{"a":{"vertices":[[0,0,0],[1,0]]},"b":{"sphere":1}}"#, "vertex 1 has 2 coordinates"),
        (r#"{"a":{"vertices":[]},"b":{"sphere":1}}"#, "at least 4"),
        (r#"{"a":{"parts":[]},"b":{"sphere":1}}"#, "at least one part"),
        (r#"{"a":{"parts":[{"cube":1},{"circle":1}]},"b":{"sphere":1}}"#, "parts[1]: a planar part"),
        (r#"{"a":{"circle":1},"b":{"sphere":1}}"#, "a is a planar body"),
        (r#"{"a":{"sphere":1,"position":[0,1]},"b":{"sphere":1}}"#, "`position` has two entries"),
        (r#"{"a":{"sphere":1,"angle":1},"b":{"sphere":1}}"#, "rotation_vector"),
        (r#"{"a":{"sphere":1,"rotation":[[1,0,0],[0,1,0],[0,0.1,1]]},"b":{"sphere":1}}"#, "not a rotation"),
        (r#"{"a":{"sphere":1},"b":{"sphere":1},"beta":[0,0,0]}"#, "beta"),
        (r#"{"a":{"half_space":{"normal":[0,0,1]}},"b":{"half_space":{"normal":[0,0,1]}}}"#, "half-space"),
        (
            r#"{"a":{"mesh":{"vertices":[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0.5,0.5,1]],"triangles":[[0,1,4],[1,2,4],[2,3,4],[3,0,4]]}},"b":{"sphere":1}}"#,
            "open",
        ),
        (r#"{"a":{"sphere":1,"position":[1e300,0,0]},"b":{"sphere":1}}"#, "between 1e-70 m and 1e70 m"),
        (r#"{"a":{"prism":{"sides":6,"height":1}},"b":{"sphere":1}}"#, "`side` and `circumradius`"),
    ];
    let mut input = String::new();
    for (line, _) in bad {
        input += &format!("{good}\n{line}\n");
    }
    let output = distance(&[], &input);
    assert_eq!(output.status.code(), Some(1));
    let all = answers(&output);
    assert_eq!(all.len(), 2 * bad.len());
    for (k, (line, complaint)) in bad.iter().enumerate() {
        assert_eq!(all[2 * k]["separation"], 1.0);
        let error = all[2 * k + 1]["error"].as_str().unwrap_or_else(|| panic!("{line} was answered"));
        assert!(error.contains(complaint), "{line}: {error}");
        assert_eq!(all[2 * k + 1]["line"], 2 * k + 2);
    }
}

#[test]
fn every_mutated_line_has_one_answer_or_one_complaint() {
    let source = lines(300);
    let mut random = Random::new(11);
    let mut input = Vec::new();
    for line in source.lines() {
        let mut bytes = line.as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = b"{}[]\",:0-.eE9x\\\x80"[random.below(16)],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[]\",:0-.eE9x\\\xff"[random.below(16)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        input.extend_from_slice(&bytes);
        input.push(b'\n');
    }
    let output = distance(&[], &input);
    let all = answers(&output);
    assert_eq!(all.len(), 300);
    let failed = all.iter().filter(|answer| answer.get("error").is_some()).count();
    assert!((30..300).contains(&failed), "{failed} of 300 mutilated lines were refused");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_name_holds_from_its_definition_to_the_next() {
    let pair = r#"{"a":{"shape":"ball","position":[0,0,5]},"b":"ball"}"#;
    let input = format!(
        "{pair}\n{{\"define\":\"ball\",\"shape\":{{\"sphere\":1}}}}\n{pair}\n\n{{\"shape\":{{\"sphere\":2}},\"define\":\"ball\"}}\n{pair}\n"
    );
    let output = distance(&[], &input);
    let all = answers(&output);
    assert_eq!(all.len(), 3);
    assert!(all[0]["error"].as_str().unwrap().contains("no shape named `ball` is defined above"));
    assert_eq!((&all[1]["separation"], &all[2]["separation"]), (&3.0.into(), &1.0.into()));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_definition_that_fails_is_reported_in_its_place() {
    let input = "{\"define\":\"flat\",\"shape\":{\"box\":[1,1,0]}}\n{\"a\":\"flat\",\"b\":{\"sphere\":1}}\n";
    let all = answers(&distance(&[], input));
    assert_eq!(all.len(), 2);
    assert_eq!(all[0]["line"], 1);
    assert_eq!(all[1]["line"], 2);
}

#[test]
fn named_shapes_from_a_file_answer_like_inline_ones() {
    let place = Place::new("shapes");
    let path = place.join("shapes.json");
    let shapes = r#"{"nut":{"prism":{"sides":6,"side":0.5,"height":0.8}},
        "bolt":{"parts":["nut",{"cylinder":{"height":2,"radius":0.2},"position":[0,0,1.4]}]}}"#;
    std::fs::write(&path, shapes).unwrap();
    let inline = r#"{"parts":[{"prism":{"sides":6,"side":0.5,"height":0.8}},{"cylinder":{"height":2,"radius":0.2},"position":[0,0,1.4]}],"position":[0.3,0.1,0.7]}"#;
    let named = r#"{"shape":"bolt","position":[0.3,0.1,0.7]}"#;
    let input = [named, inline].map(|a| format!("{{\"a\":{a},\"b\":{{\"sphere\":0.2}}}}\n")).concat();
    let said = text(&distance(&["--shapes", path.to_str().unwrap()], &input));
    let (first, second) = said.trim_end().split_once('\n').unwrap();
    assert_eq!(first, second);
    assert!(first.contains("\"parts\":["));
    std::fs::write(&path, r#"{"nut":{"prsm":1}}"#).unwrap();
    refused(&distance(&["--shapes", path.to_str().unwrap()], ""), &["shapes.json"]);
}

#[test]
fn a_rotation_means_the_same_as_a_matrix_and_as_a_vector() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let by_vector = format!(r#"{{"box":[1,2,3],"position":[4,0.5,0],"rotation_vector":[0,0,{quarter}]}}"#);
    let by_matrix = r#"{"box":[1,2,3],"position":[4,0.5,0],"rotation":[[0,-1,0],[1,0,0],[0,0,1]]}"#;
    let [v, m] = [by_vector.as_str(), by_matrix]
        .map(|a| answer(&format!("{{\"a\":{a},\"b\":{{\"sphere\":1}}}}"))["separation"].as_f64().unwrap());
    assert!((v - m).abs() < 1e-14, "{v} {m}");
}

#[test]
fn weights_carry_the_indices_of_the_vertices_as_given() {
    // Vertices 0 and 2 lie inside the hull of the others.
    let a = r#"{"vertices":[[0.1,0.1,2.6],[0,0,2],[0,0,2.7],[1,0,3],[0,1,3],[-1,-1,3]]}"#;
    let given = answer(&format!("{{\"a\":{a},\"b\":{{\"box\":[2,2,2]}}}}"));
    assert_eq!(weights(&given["weights_a"]), vec![(1, 1.0)]);
}

#[test]
fn symmetric_contacts_have_symmetric_answers() {
    let bricks = r#""a":{"box":[2,1,1],"position":[0,0,1]},"b":{"box":[2,1,1]}"#;
    let given = answer(&format!("{{{bricks},\"gradient\":true,\"ranges\":true}}"));
    assert_eq!(given["features"], serde_json::json!(["face", "face"]));
    for (side, corners) in [("weights_a", [0, 1, 2, 3]), ("weights_b", [4, 5, 6, 7])] {
        let carried = weights(&given[side]);
        let quarter = |(w, k): (&(usize, f64), usize)| w.0 == k && (w.1 - 0.25).abs() < 1e-15;
        assert!(carried.len() == 4 && carried.iter().zip(corners).all(quarter), "{given}");
        // One corner alone can carry: its twin is right under it.
        for corner in corners {
            assert_eq!(given["ranges"][side][corner.to_string()], serde_json::json!([0.0, 1.0]), "{given}");
        }
    }
    assert!(near(&given["point_a"], &[0.0, 0.0, 0.5], 1e-15), "{given}");
    assert!(near(&given["gradient"]["rotation_a"], &[0.0; 3], 1e-15), "{given}");
    assert_eq!(given["ranges"]["alpha"][2], serde_json::json!([1.0, 1.0]));

    // Octahedra tip to tip: every direction of a square is optimal, the axis is the shortest.
    let tips =
        r#""a":{"octahedron":1.4142135623730951,"position":[0,0,2.5]},"b":{"octahedron":1.4142135623730951}"#;
    let given = answer(&format!("{{{tips},\"ranges\":true}}"));
    assert!(near(&given["alpha"], &[0.0, 0.0, 1.0], 1e-14), "{given}");
    for (k, wanted) in [[-1.0, 1.0], [-1.0, 1.0], [1.0, 1.0]].iter().enumerate() {
        assert!(near(&given["ranges"]["alpha"][k], wanted, 1e-14), "{given}");
    }
}

/// Whether a list has these numbers up to a deviation.
fn near(found: &Value, wanted: &[f64], off: f64) -> bool {
    let found = vector(found);
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(x, y)| (x - y).abs() < off)
}

/// The generalized gradients of an answer, each as the list of its numbers.
fn motions(given: &Value) -> Vec<Vec<f64>> {
    let keys = ["translation_a", "rotation_a", "translation_b", "rotation_b"];
    let numbers = |value: &Value| value.as_f64().map_or_else(|| vector(value), |number| vec![number]);
    let row = |gradient: &Value| keys.iter().flat_map(|key| numbers(&gradient[key])).collect();
    list(&given["subdifferential"]["motions"]).iter().map(row).collect()
}

/// Whether two lists hold the same rows in any order.
fn same_rows(found: &[Vec<f64>], expected: &[Vec<f64>]) -> bool {
    let near =
        |p: &[f64], q: &[f64]| p.len() == q.len() && p.iter().zip(q).all(|(x, y)| (x - y).abs() < 1e-12);
    found.len() == expected.len() && expected.iter().all(|q| found.iter().any(|p| near(p, q)))
}

#[test]
fn a_corner_on_a_corner_has_one_generalized_gradient_for_each_face_that_meets_there() {
    let tips =
        r#""a":{"octahedron":1.4142135623730951,"position":[0,0,2]},"b":{"octahedron":1.4142135623730951}"#;
    let given = answer(&format!("{{{tips},\"subdifferential\":true}}"));
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    // alpha = (x, y, 1), and the tip is at (0, 0, -1) from the centroid of a and at (0, 0, 1) from that of b.
    let expected = signs.map(|(x, y)| vec![x, y, 1.0, y, -x, 0.0, -x, -y, -1.0, y, -x, 0.0]);
    assert!(same_rows(&motions(&given), &expected), "{given}");
    // Vertex 5 is the lower tip of a, vertex 4 the upper tip of b.
    let by_vertex = list(&given["subdifferential"]["vertices"]);
    let rows =
        |body: &str, index: &str| by_vertex.iter().map(|g| vector(&g[body][index])).collect::<Vec<_>>();
    assert!(same_rows(&rows("a", "5"), &signs.map(|(x, y)| vec![x, y, 1.0])), "{given}");
    assert!(same_rows(&rows("b", "4"), &signs.map(|(x, y)| vec![-x, -y, -1.0])), "{given}");
}

#[test]
fn a_face_on_a_face_has_one_generalized_gradient_for_each_corner_of_the_contact_region() {
    let cubes = r#""a":{"cube":1,"position":[0.5,0,1]},"b":{"cube":1}"#;
    let given = answer(&format!("{{{cubes},\"subdifferential\":true,\"gradient\":true}}"));
    // alpha = z/<z, beta> with beta along (0.5, 0, 1); the faces share the rectangle from x = 0 to 0.5.
    let a = 1.25f64.sqrt();
    let corners = [(0.0, -0.5), (0.5, -0.5), (0.5, 0.5), (0.0, 0.5)];
    let expected =
        corners.map(|(x, y)| vec![0.0, 0.0, a, y * a, (0.5 - x) * a, 0.0, 0.0, 0.0, -a, -y * a, x * a, 0.0]);
    assert!(same_rows(&motions(&given), &expected), "{given}");
    assert_eq!(answer(&format!("{{{cubes}}}"))["subdifferential"], Value::Null);

    // In the plane: an edge on an edge, whose contact region has two ends.
    let planks = r#""a":{"rectangle":[2,1],"position":[0,1]},"b":{"rectangle":[2,1]},"subdifferential":true"#;
    let given = answer(&format!("{{{planks}}}"));
    let expected = [-1.0, 1.0].map(|x| vec![0.0, 1.0, x, 0.0, -1.0, -x]);
    assert!(same_rows(&motions(&given), &expected), "{given}");
    // Every vertex gradient is an optimal direction times weights of sum one.
    for gradient in list(&given["subdifferential"]["vertices"]) {
        for (body, sign) in [("a", 1.0), ("b", -1.0)] {
            let all = gradient[body].as_object().unwrap().values().map(vector);
            let sum = all.fold([0.0; 2], |sum, g| [sum[0] + g[0], sum[1] + g[1]]);
            assert!(sum[0].abs() < 1e-12 && (sum[1] - sign).abs() < 1e-12, "{given}");
        }
    }
}

#[test]
fn planar_contacts_and_floors_have_ranges_too() {
    // The upper plank reaches half its length beyond the lower one.
    let planks = r#""a":{"rectangle":[2,1],"position":[1,1]},"b":{"rectangle":[2,1]},"beta":[0,1]"#;
    let given = answer(&format!("{{{planks},\"ranges\":true}}"));
    assert_eq!(given["features"], serde_json::json!(["edge", "edge"]));
    let near = |value: &Value, wanted: [f64; 2]| assert!(near(value, &wanted, 1e-14), "{given}");
    near(&given["ranges"]["alpha"][1], [1.0, 1.0]);
    // Vertices 0, 1 are a's lower ones from left to right; 2, 3 b's upper ones from right to left.
    near(&given["ranges"]["weights_a"]["0"], [0.5, 1.0]);
    near(&given["ranges"]["weights_a"]["1"], [0.0, 0.5]);
    near(&given["ranges"]["weights_b"]["2"], [0.5, 1.0]);
    near(&given["ranges"]["weights_b"]["3"], [0.0, 0.5]);
    near(&given["point_a"], [0.5, 0.5]);

    let on_floor =
        r#"{"a":{"cube":1,"position":[0,0,0.5]},"b":{"half_space":{"normal":[0,0,1]}},"ranges":true}"#;
    let given = answer(on_floor);
    assert_eq!(weights(&given["weights_a"]), [0, 1, 2, 3].map(|k| (k, 0.25)));
    assert_eq!(given["features"], serde_json::json!(["face", "plane"]));
    assert_eq!(given["ranges"]["weights_a"]["3"], serde_json::json!([0.0, 1.0]));
    assert_eq!(given["ranges"]["weights_b"], serde_json::json!({}));
    // Without a request, or without contact points, there are none.
    assert_eq!(answer(&on_floor.replace("true", "false"))["ranges"], Value::Null);
    let beyond = r#"{"a":{"cube":1,"position":[9,0,0]},"b":{"cube":1},"prediction":1,"ranges":true}"#;
    assert_eq!(answer(beyond)["ranges"], Value::Null);
}

#[test]
fn the_parts_that_touch_first_answer_for_a_compound() {
    let rake = r#"{"parts":[{"box":[3,0.2,0.2]},{"box":[0.2,0.2,1],"position":[-1,0,-0.5]},{"box":[0.2,0.2,1.5],"position":[1,0,-0.75]}],"position":[0,0,3]}"#;
    let given = answer(&format!("{{\"a\":{rake},\"b\":{{\"half_space\":{{\"normal\":[0,0,1]}}}}}}"));
    assert_eq!(given["parts"], serde_json::json!([2, 0]));
    assert_eq!(given["separation"], 1.5);
}

#[test]
fn a_prediction_distance_answers_early_and_a_wrong_beta_misses() {
    let pair = r#""a":{"cube":1,"position":[9,0,0]},"b":{"cube":1}"#;
    let beyond = answer(&format!("{{{pair},\"prediction\":1}}"));
    assert_eq!(beyond["outcome"], "beyond");
    assert!(number(&beyond["separation"]) > 1.0 && beyond["point_a"] == Value::Null);
    let missed = answer(&format!("{{{pair},\"beta\":[0,0,1]}}"));
    assert_eq!((&missed["outcome"], &missed["separation"]), (&"missed".into(), &Value::Null));
}

#[test]
fn the_corners_of_the_contact_region_are_its_events() {
    // A square on a square, turned by an eighth: a regular octagon of inradius one half.
    let turned = r#""position":[0,0,1],"rotation_vector":[0,0,0.7853981633974483]"#;
    let given = answer(&format!(
        "{{\"a\":{{\"cube\":1,{turned}}},\"b\":{{\"cube\":1}},\"events\":true,\"gradient\":true}}"
    ));
    let events = list(&given["events"]);
    assert_eq!(events.len(), 8);
    for event in events {
        let p = vector(&event["point_a"]);
        let (x, y) = (p[0].abs().max(p[1].abs()), p[0].abs().min(p[1].abs()));
        assert!((x - 0.5).abs() < 1e-12 && (y - (2f64.sqrt() - 1.0) / 2.0).abs() < 1e-12, "{event}");
        assert_eq!(event["features"], serde_json::json!(["edge", "edge"]));
        assert_eq!(vector(&event["gradient"]["translation_a"]), [0.0, 0.0, 1.0]);
    }
    let box_on_floor =
        r#"{"a":{"box":[1,2,3],"position":[0,0,1.5]},"b":{"half_space":{"normal":[0,0,1]}},"events":true}"#;
    assert_eq!(answer(box_on_floor)["events"].as_array().unwrap().len(), 4);
    let square_on_line =
        r#"{"a":{"square":1,"position":[0,0.5]},"b":{"half_plane":{"normal":[0,1]}},"events":true}"#;
    let given = answer(square_on_line);
    assert_eq!(list(&given["events"]).len(), 2);
    assert_eq!(given["events"][0]["features"], serde_json::json!(["vertex", "line"]));
    // A tilt of half a degree: two corners lie higher by 8.7 millimetres, nearly active but not active.
    let tilted = |events: &str| {
        let pose = r#""position":[0,0,1.01],"rotation_vector":[0,0.0087,0]"#;
        let given =
            answer(&format!("{{\"a\":{{\"cube\":1,{pose}}},\"b\":{{\"box\":[4,4,1]}},\"events\":{events}}}"));
        list(&given["events"]).len()
    };
    assert_eq!(tilted("true"), 4);
    assert_eq!(tilted(r#"{"eps_x":0,"eps_t":0,"tilt":0}"#), 2);
    let slip = answer(r#"{"a":{"cube":1},"b":{"cube":1},"events":{"epsx":1}}"#);
    assert!(slip["error"].as_str().unwrap().contains("`eps_x`"));
}

#[test]
fn each_answer_is_written_before_the_next_line_is_read() {
    let mut child = piped().spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for distance in 3..20 {
        writeln!(stdin, "{{\"a\":{{\"sphere\":1,\"position\":[{distance},0,0]}},\"b\":{{\"sphere\":1}}}}")
            .unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["separation"], f64::from(distance) - 2.0);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_stops_early_ends_the_run_quietly() {
    let mut child = piped().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let block = lines(500);
        // Until the program no longer reads.
        while stdin.write_all(block.as_bytes()).is_ok() {}
    });
    let mut some = [0u8; 1000];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut some).unwrap();
    drop(stdout);
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert_eq!(complaint, "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    feeder.join().unwrap();
}

#[test]
fn misuse_and_bad_lines_have_different_exit_codes() {
    for arguments in [
        &["no-such-file.jsonl"][..],
        &["--example", "no-such-scene"],
        &["--shapes", "no-such.json"],
        &["--bogus"],
    ] {
        let output = distance(arguments, "");
        refused(&output, &[]);
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_last_line_needs_no_newline_and_nothing_gives_nothing() {
    assert_eq!(answer("{\"a\":{\"circle\":1,\"position\":[4,0]},\"b\":{\"circle\":1}}")["separation"], 2.0);
    let output = distance(&[], "");
    assert!(output.status.success() && output.stdout.is_empty());
}

#[test]
fn help_shows_examples_and_the_version_is_known() {
    let help = text(&call(&["distance", "--help"]));
    assert!(help.contains("percussion distance --example tetrahedra --report runs/tetrahedra"), "{help}");
    assert_eq!(text(&call(&["--version"])).trim(), concat!("percussion ", env!("CARGO_PKG_VERSION")));
    assert_eq!(call(&[]).status.code(), Some(2), "no command is misuse");
}
