//! Every mistake is named with its line and its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{all_refused, complaints, refused, try_changed, with_run};

const BALL: &str = "[bodies.ball]\nshape = { sphere = 0.1 }\nmass = 1.0\n";
/// Two bodies for joints.
const PAIR: &str = "[bodies.a]\nshape = { cube = 0.1 }\nmass = 1\n\
                    [bodies.b]\nshape = { cube = 0.1 }\nmass = 1\nposition = [1, 0, 0]\n";

fn refused_ball(texts: &[&str]) {
    all_refused(&with_run(BALL), texts);
}

fn refused_pair(texts: &[&str]) {
    all_refused(&with_run(PAIR), texts);
}

fn refused_body(texts: &[&str]) {
    all_refused(&with_run(""), texts);
}

/// A table `[run]` behind a ball.
fn refused_run(texts: &[&str]) {
    all_refused(&format!("{BALL}[run]"), texts);
}

#[test]
fn misspelt_keys_come_with_a_suggestion() {
    refused_ball(&[
        "positoin = [0, 0, 1] # <- unknown key `positoin` in `bodies.ball`; did you mean `position`?",
        "[body.x] # <- did you mean `bodies`?",
        "[materials.wood]\ndensty = 500 # <- did you mean `density`?",
        "[shapes.s]\nshpere = 1 # <- did you mean `sphere`?\nsphere = 1",
        "[templates.t]\nmas = 1 # <- did you mean `mass`?",
    ]);
    refused_pair(&[
        "[joints.j]\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\nlimit = [0, 1] # <- did you mean `limits`?",
        "[forces.f]\nkind = \"spring\"\na = \"a\"\nb = \"b\"\nstifness = 1 # <- did you mean `stiffness`?\nstiffness = 1",
    ]);
    refused_body(&["[bodies.p]\nmass = 1\nshape = { box = [1, 1, 1], scale = 2 } # <- known here:"]);
    refused_run(&["\nstep = 1\nuntil = 2\nevrey = 2 # <- did you mean `every`?"]);
}

#[test]
fn misspelt_words_come_with_a_suggestion() {
    refused_ball(&["kind = \"rigit\" # <- did you mean `rigid`?"]);
    refused_run(&["\nstep = 1\nuntil = 2\nscheme = \"variatonal\" # <- did you mean `variational`?"]);
    refused_pair(&[
        "[forces.f]\nkind = \"torsion_spring\" # <- did you mean `torsion-spring`?",
        "[joints.j]\nparent = \"a\"\nchild = \"b\"\nkind = \"revolut\" # <- did you mean `revolute`?",
    ]);
    refused_body(&["[patterns.p]\nkind = \"rwo\" # <- did you mean `row`?"]);
}

#[test]
fn names_that_are_not_there_come_with_a_suggestion() {
    refused_ball(&[
        "material = \"wod\" # <- there is no material `wod`; did you mean `wood`?\n[materials.wood]\ndensity = 500",
    ]);
    refused_body(&[
        "[bodies.a]\nmass = 1\nshape = \"bal\" # <- did you mean `ball`?\n[shapes.ball]\nsphere = 1",
        "[bodies.a]\ntemplate = \"x\" # <- define it under [templates.x]\nmass = 1\nshape = { sphere = 1 }",
    ]);
    refused_pair(&[
        "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"c\" # <- there is no body `c`; did you mean `a`?",
        "[forces.f]\nkind = \"spring\"\nstiffness = 1\na = \"bdoy\" # <- there is no body `bdoy`\nb = \"b\"",
        "[forces.f]\nkind = \"motor\"\nvalue = 1\njoint = \"j\" # <- there is no joint `j`",
    ]);
}

#[test]
fn colours_are_six_digits() {
    for wrong in ["blue", "158df2", "#158df", "#158df2ff", "#158dg2", "#+58df2", ""] {
        let said = format!("`bodies.ball.color` is \"{wrong}\"; give red, green and blue");
        refused_ball(&[&format!("color = \"{wrong}\" # <- {said}")]);
    }
    refused_ball(&["color = 3 # <- `bodies.ball.color`"]);
}

#[test]
fn names_are_given_once() {
    refused_ball(&["[bodies.ball] # <- duplicate key", "mass = 2 # <- duplicate key"]);
    refused_body(&["[templates.t]\nmass = 1\nshape = { sphere = 1 }\n[bodies.p-2]\ntemplate = \"t\"\n\
         [patterns.p] # <- the pattern makes `bodies.p-2`, which is already defined\nkind = \"row\"\ntemplate = \"t\"\ncount = 3\nspacing = [1, 0, 0]"]);
}

#[test]
fn numbers_are_numbers_and_finite() {
    refused_ball(&[
        "position = [0, nan, 1] # <- `bodies.ball.position[1]` is NaN",
        "velocity = [0, 0, inf] # <- `bodies.ball.velocity[2]` is inf",
        "density = nan # <- `bodies.ball.density` is NaN",
        "density = 1 # <- `bodies.ball.density` is given together with `mass`",
        "velocity = [1e300, 0, 0] # <- `bodies.ball.velocity[0]` is 1e300; use units",
        "position = \"here\" # <- is a string, not a list",
        "position = [0, 1] # <- has 2 entries, not 3; give 3 numbers",
        "position = [0, 1, \"2\"] # <- `bodies.ball.position[2]` is a string, not a number",
        "rotation = [[1, 0, 0], [0, 1, 0]] # <- does not have three rows",
        "rotation = [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]] # <- is not a rotation",
        "quaternion = { w = 1, x = 1, y = 0, z = 0 } # <- has the norm",
        "quaternion = { w = 1, x = 0, y = 0 } # <- `bodies.ball.quaternion.z` is missing",
        "axis = [0, 0, 0] # <- is the zero vector\nangle = 1",
        "axis = [0, 0, 1] # <- has no angle",
        "angle = 1 # <- has no `axis`",
        "rotation_vector = [0, 0, 1]\nquaternion = { w = 1, x = 0, y = 0, z = 0 } # <- together with",
    ]);
    all_refused("", &[&format!("gravity = [0, 0, -inf] # <- `gravity[2]` is -inf\n{}", with_run(BALL))]);
}

#[test]
fn masses_and_steps_are_positive() {
    refused_body(&[
        "[bodies.p]\nkind = \"particle\"\nmass = 0 # <- `bodies.p.mass` is 0; give a positive number of kilograms",
        "[bodies.p]\nshape = { sphere = 1 }\ndensity = -2 # <- `bodies.p.density` is -2",
        "[bodies.p] # <- `bodies.p` has no mass\nshape = { sphere = 1 }",
        "[bodies.p] # <- neither inertia nor a shape\nmass = 1",
        "[bodies.p]\nmass = 1\nmoments = [1, 1, 3] # <- triangle inequality",
        "[bodies.p]\nmass = 1\nmoments = [1, 1, 0] # <- principal moment of inertia is 0",
        "[bodies.p]\nmass = 1\ninertia = [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]] # <- not symmetric",
        "[bodies.p]\nmass = 1\nshape = { sphere = -1 } # <- must be",
    ]);
    refused_run(&[
        "\nstep = 0 # <- `run.step` is 0; give a positive step size\nuntil = 1",
        "\nstep = 1e-3\nuntil = -1 # <- `run.until` is -1",
        " # <- `run.step` is missing\nuntil = 1",
        "\nstep = 1e-50\nuntil = 1 # <- needs 1e50 steps",
        "\nstep = 1\nuntil = 1\nevery = 0 # <- whole number of at least 1",
        "\nstep = 1\nuntil = 1\nnewmark = { gamma = 1.5 } # <- `run.newmark.gamma` is 1.5; give a number from 0 to 1",
        "\nstep = 1\nuntil = 1\nnewmark = { beta = 0.25, gama = 1 } # <- did you mean `gamma`?",
        "\nstep = 1\nuntil = 1\nscheme = \"newmark-explicit\"\nnewmark = { beta = 0.25 } # <- the scheme is explicit",
    ]);
    refused_ball(&["[materials.m]\nrestitution = 1.5 # <- from 0 to 1"]);
}

#[test]
fn joints_make_sense() {
    all_refused(
        &with_run(&format!("{PAIR}[joints.j]")),
        &[
            "\nkind = \"fixed\"\nparent = \"a\"\nchild = \"a\" # <- joint `j` connects `a` to itself; name two bodies",
            "\nkind = \"fixed\"\nparent = \"a\"\nchild = \"world\" # <- the world can only be a parent",
            " # <- `joints.j.axis` is missing\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]",
            " # <- `joints.j.at` is missing\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"",
            "\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1] # <- has no axis",
            "\nkind = \"universal\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 1] # <- right angles",
            "\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimits = [1, -1] # <- swap them",
            "\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nrates = [1, 2] # <- 1 degrees of freedom",
            "\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\nangle = 1 # <- is not a coordinate of",
            " # <- not placed as it demands\nkind = \"rod\"\nparent = \"a\"\nchild = \"b\"\nlength = 2",
            " # <- not placed as it demands\nkind = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nparent_frame = { position = [1, 0, 0] }\nchild_frame = { position = [0, 0, 0.1] }",
        ],
    );
    refused_body(&[
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[joints.j] # <- is a particle, which has no orientation\nkind = \"spherical\"\nparent = \"world\"\nchild = \"p\"\nat = [0, 0, 0]",
        "[bodies.f]\nkind = \"fixed\"\n[bodies.m]\nmass = 1\nshape = { sphere = 1 }\n\
         [joints.j] # <- its child `f` is fixed; make it the parent\nkind = \"fixed\"\nparent = \"m\"\nchild = \"f\"",
    ]);
}

#[test]
fn circles_of_joints_are_marked_as_loops() {
    let circle = "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n\
                  [joints.k]\nkind = \"fixed\"\nparent = \"b\"\nchild = \"a\"\n";
    refused_pair(&[&circle.replace("[joints.k]", "[joints.k] # <- mark one of them as a loop")]);
    let two = "[joints.j]\nkind = \"fixed\"\nparent = \"a\"\nchild = \"b\"\n\
               [joints.k] # <- `b` is the child of joints `j` and `k`; mark one of them as a loop\nkind = \"fixed\"\nparent = \"world\"\nchild = \"b\"\n";
    refused_pair(&[two]);
    try_changed(&with_run(&format!("{PAIR}{two}loop = true\n")), &[]).unwrap();
    refused_pair(&["[joints.j]\nkind = \"fixed\"\nparent = \"world\"\nchild = \"a\"\n\
         [joints.k]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"a\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nloop = true\nangle = 1 # <- closes a loop"]);
}

#[test]
fn velocities_that_joints_do_not_allow_are_refused_or_projected() {
    let text = "[bodies.a]\nshape = { cube = 0.1 }\nmass = 1\nposition = [1, 0, 0]\nvelocity = [1, 2, 0] # <-\n\
                [joints.j]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"a\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
    refused(&with_run(text), "`project_velocities = true` under [run]");
    let scene = try_changed(&with_run(text), &[("run.project_velocities", "true")]).unwrap();
    // Only the circling part is left: the momentum about the hinge is m r v = 2.
    assert!((scene.state.momenta[0] - 2.0).abs() < 1e-12);
    let rate = "rate = 1 # <- together with a velocity\naxis =";
    refused_body(&[&text.replace(" # <-", "").replace("axis =", rate)]);
}

#[test]
fn what_a_body_cannot_have_is_refused() {
    refused_body(&[
        "[bodies.p]\nkind = \"particle\"\nmass = 1\nangular_velocity = [0, 0, 1] # <- particle",
        "[bodies.p]\nmass = 1\nshape = { sphere = 1, cube = 2 } # <- together with",
        "[bodies.p] # <- no shape of finite volume\nshape = { half_space = { normal = [0, 0, 1] } }\ndensity = 1",
        "[bodies.wall] # <- no body that moves\nkind = \"fixed\"",
    ]);
    refused_ball(&[
        "[bodies.wall]\nkind = \"fixed\"\nvelocity = [0, 0, 1] # <- fixed body",
        "center_of_mass = [0, 0, 1] # <- inertia about it is not",
        "shapes = [{ sphere = 1 }] # <- together with `shape`",
    ]);
}

#[test]
fn circles_of_names_are_refused() {
    refused_ball(&["[shapes.s]\nparts = [\"t\"]\n[shapes.t]\nparts = [\"s\"] # <- contains itself"]);
    refused_body(&[
        "[templates.t]\ntemplate = \"u\"\n[templates.u]\ntemplate = \"t\" # <- based on itself\n[bodies.b]\ntemplate = \"t\"\nmass = 1\nshape = { sphere = 1 }",
    ]);
}

#[test]
fn forces_make_sense() {
    let hinge = "[joints.j]\nkind = \"cylindrical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
    refused_pair(&[
        &format!(
            "{hinge}[forces.f] # <- give one of angle, travel\nkind = \"torsion-spring\"\njoint = \"j\"\nstiffness = 1"
        ),
        &format!(
            "{hinge}[forces.f]\nkind = \"torsion-spring\"\njoint = \"j\"\nstiffness = 1\ncoordinate = \"anlge\" # <- did you mean `angle`?"
        ),
    ]);
    let ball = hinge.replace("cylindrical", "spherical").replace("axis = [0, 0, 1]\n", "");
    refused_pair(&[
        &format!(
            "{ball}[forces.f] # <- spherical, free and rod joints keep none\nkind = \"motor\"\njoint = \"j\"\nvalue = 1"
        ),
        "[forces.f]\nkind = \"spring\"\na = \"a\"\nb = \"b\"\nstiffness = -1 # <- `forces.f.stiffness` is -1",
        "[forces.f] # <- `forces.f.b` is missing\nkind = \"spring\"\na = \"a\"\nstiffness = 1",
        "[forces.f]\nkind = \"motor\"\njoint = \"j\"\ntimes = [0, 0] # <- sort the instants\nvalues = [1, 2]",
        "[forces.f]\nkind = \"charges\"\ncharges = [{ body = \"a\" }] # <- charge` is missing",
        "[forces.f] # <- give `force`, `torque` or both\nkind = \"load\"\non = \"a\"",
        "[forces.f] # <- name the bodies that are attracted\nkind = \"attraction\"\nparameter = 1",
    ]);
    refused_body(&[
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[forces.f] # <- is a particle\nkind = \"load\"\non = \"p\"\ntorque = [0, 0, 1]",
        "[bodies.p]\nkind = \"particle\"\nmass = 1\n[bodies.w]\nkind = \"fixed\"\n\
         [forces.f] # <- a fixed body has no mass\nkind = \"mutual-gravity\"\nbodies = [\"p\", \"w\"]",
    ]);
}

#[test]
fn patterns_make_sense() {
    let pattern = "[templates.t]\nmass = 1\nshape = { sphere = 0.1 }\n[patterns.p]";
    all_refused(
        &with_run(pattern),
        &[
            " # <- `patterns.p.spacing` is missing\nkind = \"row\"\ntemplate = \"t\"\ncount = 3",
            "\nkind = \"row\"\ntemplate = \"t\"\nspacing = [1, 0, 0]\ncount = 0 # <- at least 1",
            "\nkind = \"row\"\ntemplate = \"t\"\nspacing = [1, 0, 0]\ncount = 2\nradius = 1 # <- unknown key `radius`",
            "\nkind = \"grid\"\ntemplate = \"t\"\nspacings = [1, 1, 1]\ncounts = [2, 2] # <- give three numbers",
            "\nkind = \"random\"\ntemplate = \"t\"\ncount = 9\nmin_distance = 1\nbox = [[0, 0, 0], [1, 1, 0]] # <- no free position was found for number",
            "\nkind = \"chain\"\ntemplate = \"t\"\ncount = 2\nspacing = [1, 0, 0]\njoint = { kind = \"rod\", parent = \"world\" } # <- is set by the pattern",
            " # <- `patterns.p.template` is missing\nkind = \"row\"\ncount = 1\nspacing = [1, 0, 0]",
        ],
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
    let text = "[templates.t]\nmass = \"heavy\" # <- is a string, not a number\nshape = { sphere = 1 }\n\
                [patterns.p]\nkind = \"row\"\ntemplate = \"t\"\ncount = 1000\nspacing = [3, 0, 0]\n";
    refused_body(&[text]);
}

#[test]
fn broken_toml_is_reported_with_its_line() {
    refused_ball(&["position = [0, 0 # <- "]);
    let found = complaints("a = \nb = = 1\n");
    assert!(found.len() >= 2 && found[0].line() == Some(1) && found[1].line() == Some(2), "{found:?}");
}
