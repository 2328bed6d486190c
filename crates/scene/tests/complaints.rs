//! Every mistake is named with its line and its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{complaints, refused, try_changed, with_run};

const BALL: &str = "[bodies.ball]\nshape = { sphere = 0.1 }\nmass = 1.0\n";
/// Two bodies for joints.
const PAIR: &str = "[bodies.a]\nshape = { cube = 0.1 }\nmass = 1\n\
                    [bodies.b]\nshape = { cube = 0.1 }\nmass = 1\nposition = [1, 0, 0]\n";

fn refused_ball(text: &str, said: &str) {
    refused(&with_run(&format!("{BALL}{text}")), said);
}

fn refused_pair(text: &str, said: &str) {
    refused(&with_run(&format!("{PAIR}{text}")), said);
}

fn refused_body(text: &str, said: &str) {
    refused(&with_run(text), said);
}

#[test]
fn misspelt_keys_come_with_a_suggestion() {
    refused_ball(
        "positoin = [0, 0, 1] # <-",
        "unknown key `positoin` in `bodies.ball`; did you mean `position`?",
    );
    refused(&format!("{BALL}[run]\nstep = 1\nuntil = 2\nevrey = 2 # <-"), "did you mean `every`?");
    refused(&format!("run = {{ step = 1, until = 2 }}\n{BALL}[body.x] # <-"), "did you mean `bodies`?");
    refused_ball("[materials.wood]\ndensty = 500 # <-", "did you mean `density`?");
    refused_ball("[shapes.s]\nshpere = 1 # <-\nsphere = 1", "did you mean `sphere`?");
    refused_ball("[templates.t]\nmas = 1 # <-", "did you mean `mass`?");
    refused_pair(
        "[joints.j]\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\nlimit = [0, 1] # <-",
        "did you mean `limits`?",
    );
    refused_pair(
        "[forces.f]\nkind = \"spring\"\na = \"a\"\nb = \"b\"\nstifness = 1 # <-\nstiffness = 1",
        "did you mean `stiffness`?",
    );
    refused_body("[bodies.p]\nmass = 1\nshape = { box = [1, 1, 1], scale = 2 } # <-", "known here:");
}

#[test]
fn misspelt_words_come_with_a_suggestion() {
    refused_ball("kind = \"rigit\" # <-", "did you mean `rigid`?");
    refused(
        &format!("{BALL}[run]\nstep = 1\nuntil = 2\nscheme = \"variatonal\" # <-"),
        "did you mean `variational`?",
    );
    refused_pair("[forces.f]\nkind = \"torsion_spring\" # <-", "did you mean `torsion-spring`?");
    refused_pair(
        "[joints.j]\nparent = \"a\"\nchild = \"b\"\nkind = \"revolut\" # <-",
        "did you mean `revolute`?",
    );
    refused_body("[patterns.p]\nkind = \"rwo\" # <-", "did you mean `row`?");
}

#[test]
fn names_that_are_not_there_come_with_a_suggestion() {
    refused_ball(
        "material = \"wod\" # <-\n[materials.wood]\ndensity = 500",
        "there is no material `wod`; did you mean `wood`?",
    );
    refused_body(
        "[bodies.a]\nmass = 1\nshape = \"bal\" # <-\n[shapes.ball]\nsphere = 1",
        "did you mean `ball`?",
    );
    refused_body(
        "[bodies.a]\ntemplate = \"x\" # <-\nmass = 1\nshape = { sphere = 1 }",
        "define it under [templates.x]",
    );
    refused_pair(
        "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"c\" # <-",
        "there is no body `c`; did you mean `a`?",
    );
    refused_pair(
        "[forces.f]\nkind = \"spring\"\nstiffness = 1\na = \"bdoy\" # <-\nb = \"b\"",
        "there is no body `bdoy`",
    );
    refused_pair("[forces.f]\nkind = \"motor\"\nvalue = 1\njoint = \"j\" # <-", "there is no joint `j`");
}

#[test]
fn colours_are_six_digits() {
    for wrong in ["blue", "158df2", "#158df", "#158df2ff", "#158dg2", "#+58df2", ""] {
        let said = format!("`bodies.ball.color` is \"{wrong}\"; give red, green and blue");
        refused_ball(&format!("color = \"{wrong}\" # <-"), &said);
    }
    refused_ball("color = 3 # <-", "`bodies.ball.color`");
}

#[test]
fn names_are_given_once() {
    refused_ball("[bodies.ball] # <-", "duplicate key");
    refused_ball("mass = 2 # <-", "duplicate key");
    refused_body(
        "[templates.t]\nmass = 1\nshape = { sphere = 1 }\n[bodies.p-2]\ntemplate = \"t\"\n\
         [patterns.p] # <-\nkind = \"row\"\ntemplate = \"t\"\ncount = 3\nspacing = [1, 0, 0]",
        "the pattern makes `bodies.p-2`, which is already defined",
    );
}

#[test]
fn numbers_are_numbers_and_finite() {
    refused_ball("position = [0, nan, 1] # <-", "`bodies.ball.position[1]` is NaN");
    refused_ball("velocity = [0, 0, inf] # <-", "`bodies.ball.velocity[2]` is inf");
    refused_ball("density = nan # <-", "`bodies.ball.density` is NaN");
    refused_ball("density = 1 # <-", "`bodies.ball.density` is given together with `mass`");
    refused(
        &format!("gravity = [0, 0, -inf] # <-\nrun = {{ step = 1, until = 2 }}\n{BALL}"),
        "`gravity[2]` is -inf",
    );
    refused_ball("velocity = [1e300, 0, 0] # <-", "`bodies.ball.velocity[0]` is 1e300; use units");
    refused_ball("position = \"here\" # <-", "is a string, not a list");
    refused_ball("position = [0, 1] # <-", "has 2 entries, not 3; give 3 numbers");
    refused_ball("position = [0, 1, \"2\"] # <-", "`bodies.ball.position[2]` is a string, not a number");
    refused_ball("rotation = [[1, 0, 0], [0, 1, 0]] # <-", "does not have three rows");
    refused_ball("rotation = [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]] # <-", "is not a rotation");
    refused_ball("quaternion = { w = 1, x = 1, y = 0, z = 0 } # <-", "has the norm");
    refused_ball("quaternion = { w = 1, x = 0, y = 0 } # <-", "`bodies.ball.quaternion.z` is missing");
    refused_ball("axis = [0, 0, 0] # <-\nangle = 1", "is the zero vector");
    refused_ball("axis = [0, 0, 1] # <-", "has no angle");
    refused_ball("angle = 1 # <-", "has no `axis`");
    refused_ball(
        "rotation_vector = [0, 0, 1]\nquaternion = { w = 1, x = 0, y = 0, z = 0 } # <-",
        "together with",
    );
}

#[test]
fn masses_and_steps_are_positive() {
    refused_body(
        "[bodies.p]\nkind = \"particle\"\nmass = 0 # <-",
        "`bodies.p.mass` is 0; give a positive number of kilograms",
    );
    refused_body("[bodies.p]\nshape = { sphere = 1 }\ndensity = -2 # <-", "`bodies.p.density` is -2");
    refused_body("[bodies.p] # <-\nshape = { sphere = 1 }", "`bodies.p` has no mass");
    refused_body("[bodies.p] # <-\nmass = 1", "neither inertia nor a shape");
    refused_body("[bodies.p]\nmass = 1\nmoments = [1, 1, 3] # <-", "triangle inequality");
    refused_body("[bodies.p]\nmass = 1\nmoments = [1, 1, 0] # <-", "principal moment of inertia is 0");
    refused_body("[bodies.p]\nmass = 1\ninertia = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]] # <-", "not symmetric");
    refused_body("[bodies.p]\nmass = 1\nshape = { sphere = -1 } # <-", "must be");
    refused(&format!("{BALL}[run]\nstep = 0 # <-\nuntil = 1"), "`run.step` is 0; give a positive step size");
    refused(&format!("{BALL}[run]\nstep = 1e-3\nuntil = -1 # <-"), "`run.until` is -1");
    refused(&format!("{BALL}[run] # <-\nuntil = 1"), "`run.step` is missing");
    refused(&format!("{BALL}[run]\nstep = 1e-50\nuntil = 1 # <-"), "needs 1e50 steps");
    refused(&format!("{BALL}[run]\nstep = 1\nuntil = 1\nevery = 0 # <-"), "whole number of at least 1");
    let newmark = |text: &str| format!("{BALL}[run]\nstep = 1\nuntil = 1\nnewmark = {text} # <-\n");
    refused(&newmark("{ gamma = 1.5 }"), "`run.newmark.gamma` is 1.5; give a number from 0 to 1");
    refused(&newmark("{ beta = 0.25, gama = 1 }"), "did you mean `gamma`?");
    if percussion_scene::schemes().contains(&"newmark-explicit") {
        let explicit = format!("{}scheme = \"newmark-explicit\"\n", newmark("{ beta = 0.25 }"));
        refused(&explicit, "the scheme is explicit");
    }
    refused_ball("[materials.m]\nrestitution = 1.5 # <-", "from 0 to 1");
}

#[test]
fn joints_make_sense() {
    let joint = |text: &str| format!("[joints.j]{text}");
    refused_pair(
        &joint("\nkind = \"fixed\"\nparent = \"a\"\nchild = \"a\" # <-"),
        "joint `j` connects `a` to itself; name two bodies",
    );
    refused_pair(
        &joint("\nkind = \"fixed\"\nparent = \"a\"\nchild = \"world\" # <-"),
        "the world can only be a parent",
    );
    refused_pair(
        &joint(" # <-\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]"),
        "`joints.j.axis` is missing",
    );
    refused_pair(
        &joint(" # <-\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\""),
        "`joints.j.at` is missing",
    );
    refused_pair(
        &joint(
            "\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1] # <-",
        ),
        "has no axis",
    );
    refused_pair(
        &joint(
            "\nkind = \"universal\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 1] # <-",
        ),
        "right angles",
    );
    refused_pair(
        &joint(
            "\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [1, -1] # <-",
        ),
        "swap them",
    );
    refused_pair(
        &joint(
            "\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nrates = [1, 2] # <-",
        ),
        "1 degrees of freedom",
    );
    refused_pair(
        &joint("\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\nangle = 1 # <-"),
        "is not a coordinate of",
    );
    refused_pair(
        &joint(" # <-\nkind = \"rod\"\nparent = \"a\"\nchild = \"b\"\nlength = 2"),
        "not placed as it demands",
    );
    refused_pair(
        &joint(
            " # <-\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nparent_frame = { position = [1, 0, 0] }\nchild_frame = { position = [0, 0, 0.1] }",
        ),
        "not placed as it demands",
    );
    refused_body(
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[joints.j] # <-\nkind = \"spherical\"\nparent = \"world\"\nchild = \"p\"\nat = [0, 0, 0]",
        "is a particle, which has no orientation",
    );
    refused_body(
        "[bodies.f]\nkind = \"fixed\"\n[bodies.m]\nmass = 1\nshape = { sphere = 1 }\n\
         [joints.j] # <-\nkind = \"fixed\"\nparent = \"m\"\nchild = \"f\"",
        "its child `f` is fixed; make it the parent",
    );
}

#[test]
fn circles_of_joints_are_marked_as_loops() {
    let circle = "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n\
                  [joints.k]\nkind = \"fixed\"\nparent = \"b\"\nchild = \"a\"\n";
    let marked = circle.replace("[joints.k]", "[joints.k] # <-");
    refused_pair(&marked, "mark one of them as a loop");
    let two = "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n\
               [joints.k] # <-\nkind = \"fixed\"\nparent = \"world\"\nchild = \"b\"\n";
    refused_pair(two, "`b` is the child of joints `j` and `k`; mark one of them as a loop");
    try_changed(&with_run(&format!("{PAIR}{two}loop = true\n")), &[]).unwrap();
    refused_pair(
        "[joints.j]\nkind = \"fixed\"\nparent = \"world\"\nchild = \"a\"\n\
         [joints.k]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"a\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nloop = true\nangle = 1 # <-",
        "closes a loop",
    );
}

#[test]
fn velocities_that_joints_do_not_allow_are_refused_or_projected() {
    let text = "[bodies.a]\nshape = { cube = 0.1 }\nmass = 1\nposition = [1, 0, 0]\nvelocity = [1, 2, 0] # <-\n\
                [joints.j]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"a\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
    refused_body(text, "`project_velocities = true` under [run]");
    let scene = try_changed(&with_run(text), &[("run.project_velocities", "true")]).unwrap();
    // Only the circling part is left: the momentum about the hinge is m r v = 2.
    assert!((scene.state.momenta[0] - 2.0).abs() < 1e-12);
    refused_body(
        &text.replace(" # <-", "").replace("axis =", "rate = 1 # <-\naxis ="),
        "together with a velocity",
    );
}

#[test]
fn what_a_body_cannot_have_is_refused() {
    refused_body("[bodies.p]\nkind = \"particle\"\nmass = 1\nangular_velocity = [0, 0, 1] # <-", "particle");
    refused_ball("[bodies.wall]\nkind = \"fixed\"\nvelocity = [0, 0, 1] # <-", "fixed body");
    refused_ball("center_of_mass = [0, 0, 1] # <-", "inertia about it is not");
    refused_ball("shapes = [{ sphere = 1 }] # <-", "together with `shape`");
    refused_body("[bodies.p]\nmass = 1\nshape = { sphere = 1, cube = 2 } # <-", "together with");
    refused_body(
        "[bodies.p] # <-\nshape = { half_space = { normal = [0, 0, 1] } }\ndensity = 1",
        "no shape of finite volume",
    );
    refused_body("[bodies.wall] # <-\nkind = \"fixed\"", "no body that moves");
}

#[test]
fn circles_of_names_are_refused() {
    refused_ball("[shapes.s]\nparts = [\"t\"]\n[shapes.t]\nparts = [\"s\"] # <-", "contains itself");
    refused_body(
        "[templates.t]\ntemplate = \"u\"\n[templates.u]\ntemplate = \"t\" # <-\n[bodies.b]\ntemplate = \"t\"\nmass = 1\nshape = { sphere = 1 }",
        "based on itself",
    );
}

#[test]
fn forces_make_sense() {
    let hinge = "[joints.j]\nkind = \"cylindrical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
    refused_pair(
        &format!("{hinge}[forces.f] # <-\nkind = \"torsion-spring\"\njoint = \"j\"\nstiffness = 1"),
        "give one of angle, travel",
    );
    refused_pair(
        &format!(
            "{hinge}[forces.f]\nkind = \"torsion-spring\"\njoint = \"j\"\nstiffness = 1\ncoordinate = \"anlge\" # <-"
        ),
        "did you mean `angle`?",
    );
    let ball = hinge.replace("cylindrical", "spherical").replace("axis = [0, 0, 1]\n", "");
    refused_pair(
        &format!("{ball}[forces.f] # <-\nkind = \"motor\"\njoint = \"j\"\nvalue = 1"),
        "spherical, free and rod joints keep none",
    );
    refused_pair(
        "[forces.f]\nkind = \"spring\"\na = \"a\"\nb = \"b\"\nstiffness = -1 # <-",
        "`forces.f.stiffness` is -1",
    );
    refused_pair("[forces.f] # <-\nkind = \"spring\"\na = \"a\"\nstiffness = 1", "`forces.f.b` is missing");
    refused_pair(
        "[forces.f]\nkind = \"motor\"\njoint = \"j\"\ntimes = [0, 0] # <-\nvalues = [1, 2]",
        "sort the instants",
    );
    refused_pair("[forces.f]\nkind = \"charges\"\ncharges = [{ body = \"a\" }] # <-", "charge` is missing");
    refused_pair("[forces.f] # <-\nkind = \"load\"\non = \"a\"", "give `force`, `torque` or both");
    refused_pair(
        "[forces.f] # <-\nkind = \"attraction\"\nparameter = 1",
        "name the bodies that are attracted",
    );
    refused_body(
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[forces.f] # <-\nkind = \"load\"\non = \"p\"\ntorque = [0, 0, 1]",
        "is a particle",
    );
    refused_body(
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[bodies.w]\nkind = \"fixed\"\n\
         [forces.f] # <-\nkind = \"mutual-gravity\"\nbodies = [\"p\", \"w\"]",
        "a fixed body has no mass",
    );
}

#[test]
fn patterns_make_sense() {
    let pattern =
        |text: &str| format!("[templates.t]\nmass = 1\nshape = {{ sphere = 0.1 }}\n[patterns.p]{text}");
    refused_body(
        &pattern(" # <-\nkind = \"row\"\ntemplate = \"t\"\ncount = 3"),
        "`patterns.p.spacing` is missing",
    );
    refused_body(
        &pattern("\nkind = \"row\"\ntemplate = \"t\"\nspacing = [1, 0, 0]\ncount = 0 # <-"),
        "at least 1",
    );
    refused_body(
        &pattern("\nkind = \"row\"\ntemplate = \"t\"\nspacing = [1, 0, 0]\ncount = 2\nradius = 1 # <-"),
        "unknown key `radius`",
    );
    refused_body(
        &pattern("\nkind = \"grid\"\ntemplate = \"t\"\nspacings = [1, 1, 1]\ncounts = [2, 2] # <-"),
        "give three numbers",
    );
    refused_body(
        &pattern(
            "\nkind = \"random\"\ntemplate = \"t\"\ncount = 9\nmin_distance = 1\nbox = [[0, 0, 0], [1, 1, 0]] # <-",
        ),
        "no free position was found for number",
    );
    refused_body(
        &pattern(
            "\nkind = \"chain\"\ntemplate = \"t\"\ncount = 2\nspacing = [1, 0, 0]\njoint = { kind = \"rod\", parent = \"world\" } # <-",
        ),
        "is set by the pattern",
    );
    refused_body(
        &pattern(" # <-\nkind = \"row\"\ncount = 1\nspacing = [1, 0, 0]"),
        "`patterns.p.template` is missing",
    );
}

#[test]
fn all_complaints_are_given_at_once_in_the_order_of_the_file() {
    let text = "gravity = [0, 0]\n[run]\nstep = -1\n[bodies.a]\nmas = 1\nshape = { sphere = 0 }\n[bodies.b]\nmass = 1\n\
                [joints.j]\nkind = \"fixd\"\nparent = \"world\"\nchild = \"a\"\n[forces.f]\nkind = \"spring\"\na = \"x\"\nb = \"a\"\n";
    let lines: Vec<usize> = complaints(text).iter().map(|complaint| complaint.line().unwrap()).collect();
    assert_eq!(lines, [1, 2, 3, 5, 6, 7, 10, 13, 15], "{:#?}", complaints(text));
}

#[test]
fn a_mistake_in_a_template_is_reported_once() {
    let text = "[templates.t]\nmass = \"heavy\" # <-\nshape = { sphere = 1 }\n[patterns.p]\nkind = \"row\"\ntemplate = \"t\"\n\
                count = 1000\nspacing = [3, 0, 0]\n";
    refused_body(text, "is a string, not a number");
}

#[test]
fn broken_toml_is_reported_with_its_line() {
    refused_ball("position = [0, 0 # <-", "");
    let found = complaints("a = \nb = = 1\n");
    assert!(found.len() >= 2 && found[0].line() == Some(1) && found[1].line() == Some(2), "{found:?}");
}
