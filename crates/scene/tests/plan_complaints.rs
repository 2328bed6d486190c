//! What a `[plan]` may not say: every mistake is named with its line and its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{all_refused, refused};

/// Two cubes, a wall and a ball that a control cannot turn, and a plan of ten intervals.
const CUBES: &str = "run = { step = 1e-3, until = 1, scheme = \"decomposition\" }\n[contact]\n\
    [bodies.blue]\nshape = { cube = 0.2 }\ndensity = 100\nposition = [0, 1, 0]\n\
    [bodies.green]\nshape = { cube = 0.2 }\ndensity = 100\nposition = [1, 1, 0]\n\
    [bodies.wall]\nkind = \"fixed\"\nshape = { half_space = { normal = [0, 1, 0] } }\n\
    [bodies.post]\nkind = \"fixed\"\nshape = { cube = 0.1 }\nposition = [0, 3, 0]\n\
    [bodies.ball]\nkind = \"particle\"\nmass = 1\nposition = [0, 5, 0]\n";

/// Texts after the cubes and the head of a plan of ten intervals.
fn ten(before: &str, texts: &[&str]) {
    all_refused(&format!("{CUBES}[plan]\nintervals = 10\nstep = 0.1\n{before}"), texts);
}

fn plan(texts: &[&str]) {
    ten("", texts);
}

fn end(texts: &[&str]) {
    ten("[plan.end.bodies.blue]\n", texts);
}

fn thrust(texts: &[&str]) {
    ten("[plan.controls.thrust]\nkind = \"force\"\n", texts);
}

/// Contacts at node 5.
fn contact(texts: &[&str]) {
    ten("[[plan.contacts]]\nnode = 5\n", texts);
}

/// Two arms on joints.
fn arm(texts: &[&str]) {
    let arm = "run = { step = 1e-3, until = 1 }\n\
        [bodies.upper]\nmass = 2\nmoments = [0.1, 0.2, 0.3]\nposition = [1, 0, 0]\n\
        [bodies.lower]\nmass = 1\nmoments = [0.1, 0.1, 0.1]\nposition = [3, 0, 0]\n\
        [joints.shoulder]\nkind = \"revolute\"\nparent = \"world\"\nchild = \"upper\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n\
        [joints.elbow]\nkind = \"revolute\"\nparent = \"upper\"\nchild = \"lower\"\nat = [2, 0, 0]\naxis = [0, 0, 1]\n";
    all_refused(&format!("{arm}[plan]\nintervals = 4\ntime = 2\n"), texts);
}

#[test]
fn names_and_words_that_are_not_there_come_with_a_suggestion() {
    plan(&[
        "intervalls = 3 # <- unknown key `intervalls` in `plan`; did you mean `intervals`?",
        "[plan.end.bodies.bleu] # <- there is no body `bleu`; did you mean `blue`?\nat_rest = true",
        "[plan.end.joints.elbow] # <- there is no joint `elbow`; define it under [joints.elbow]\nangle = 1",
        "[plan.controls.c]\nkind = \"forse\" # <- did you mean `force`?",
        "[plan.guess]\nkind = \"strait\" # <- did you mean `straight`?",
        "time = \"fre\" # <- `plan.time` is \"fre\"; did you mean `free`?",
        "[plan.start.bodies.blue]\nfree = [\"velocty\"] # <- did you mean `velocity`?",
        "[plan.search]\nseeds = 1 # <- did you mean `seed`?",
    ]);
    arm(&["[plan.end.joints.elbov] # <- there is no joint `elbov`; did you mean `elbow`?\nangle = 1"]);
    end(&[
        "positoin = [0, 2, 0] # <- did you mean `position`?",
        "relative_to = \"grean\" # <- there is no body `grean`; did you mean `green`?\nposition = [1, 0, 0]",
    ]);
    thrust(&[
        "body = \"gren\" # <- there is no body `gren`; did you mean `green`?",
        "body = \"blue\"\naxes = \"wrld\" # <- did you mean `world`?",
    ]);
    contact(&[
        "bodies = [\"blue\", \"wal\"] # <- there is no body `wal`; did you mean `wall`?",
        "bodies = [\"blue\", \"wall\"]\nfriction = \"sticks\" # <- did you mean `stick`?",
        "bodies = [\"blue\", \"wall\"]\njoint = \"sphericl\" # <- did you mean `spherical`?",
    ]);
}

#[test]
fn numbers_are_in_their_range() {
    all_refused(
        &format!("{CUBES}[plan]"),
        &[
            "\nintervals = 0 # <- `plan.intervals` is 0; give a whole number of at least 1\nstep = 1",
            "\nintervals = 100001 # <- `plan.intervals` is 100001; give at most 100000\nstep = 1",
            " # <- `plan.intervals` is missing; add the number of intervals\nstep = 1",
            " # <- `plan.step` is missing; add the length of an interval\nintervals = 5",
            "\nintervals = 5\nstep = -1 # <- `plan.step` is -1; give a positive length of an interval",
            "\nintervals = 5\nstep = nan # <- `plan.step` is NaN; give a finite number",
            "\nintervals = 5\ntime = 0 # <- `plan.time` is 0; give a positive time",
            "\nintervals = 5\ntime = { min = 2, max = 1 } # <- `plan.time.min` is 2, above the `max` of 1; swap them",
            "\nintervals = 5\nstep = 1\ntime = {} # <- `plan.time` has no bound; give `min`, `max` or both",
            "\nintervals = 5\nstep = 1\ntime = 50 # <- `plan.time` cannot be reached: 5 intervals of 1 s scaled from 0.2 to 5 take",
        ],
    );
    plan(&[
        "time_scales = { min = 0, max = 2 } # <- `plan.time_scales` has the lower bound 0; give a positive `min`",
        "[plan.search]\ntolerance = 0 # <- `plan.search.tolerance` is 0; give a positive violation",
        "[plan.search]\niterations = 0 # <- give a whole number of at least 1",
        "[plan.search]\nperturbation = -1 # <- `plan.search.perturbation` is -1",
        "[plan.search]\nseed = -1 # <- is not a seed",
        "[plan.objective]\ncontrol_effort = -1 # <- `plan.objective.control_effort` is -1; give a weight of zero or more",
        "[plan.avoid]\nmargin = -0.1 # <- `plan.avoid.margin` is -0.1; give a distance in metres of zero or more",
    ]);
    end(&[
        "position = { min = [0, 5, 0], max = [0, 2, 0] } # <- `plan.end.bodies.blue.position.min` is 5, above the `max` of 2",
        "position = [0, nan, 0] # <- `plan.end.bodies.blue.position[1]` is NaN",
        "align = [{ axis = [0, 0, 1], with = [0, 0, 1], cosine = 2 }] # <- is not a cosine; give bounds between -1 and 1",
    ]);
}

#[test]
fn controls_act_on_what_moves() {
    thrust(&[
        "body = \"wall\" # <- body `wall` is fixed: a control on it moves nothing; choose a body that moves",
        "body = \"ball\" # <- body `ball` is a particle, which has no orientation\naxes = \"body\"",
        "body = \"blue\"\nmask = [true, false] # <- `plan.controls.thrust.mask` has 2 entries for 3 components; give 3 of true and false",
        "body = \"blue\"\nmask = [true, 1, false] # <- has an integer in it",
        "body = \"blue\"\nbounds = -1 # <- `plan.controls.thrust.bounds` is -1",
        "body = \"blue\"\nbounds = [2, 1] # <- has the lower bound 2 above the upper bound 1; swap them",
        "body = \"blue\"\nbounds = [[0, 1], [0, 1]] # <- has 2 pairs for 3 components",
        "body = \"blue\"\njoint = \"x\" # <- is given to a force",
    ]);
    plan(&[
        "[plan.controls.t]\nkind = \"torque\"\nbody = \"ball\" # <- body `ball` is a particle",
        "[plan.controls.c] # <- `plan.controls.c.kind` is missing\nbody = \"blue\"",
        "[plan.controls.c] # <- `plan.controls.c.body` is missing\nkind = \"force\"",
    ]);
    arm(&[
        "[plan.controls.c]\nkind = \"joint\"\njoint = \"elbow\"\nmask = [true, true] # <- has 2 entries for 1 components",
    ]);
}

#[test]
fn ends_do_not_contradict_themselves() {
    end(&[
        "position = [0, 2, 0]\nposition = [0, 3, 0] # <- duplicate key",
        "velocity = [0, 0, 0] # <- is given together with `at_rest`; keep one of the two\nat_rest = true",
        "relative_to = \"blue\" # <- is the body itself\nposition = [0, 0, 0]",
        "free = true # <- remove it: what is not given is free here",
    ]);
    plan(&[
        "[plan.end]\nas_in_scene = [\"blue\"] # <- `plan.end.as_in_scene` names `blue`, but so does `plan.end.bodies.blue`\nbodies.blue = { at_rest = true }",
        "[plan.end]\nas_in_scene = [\"wall\"] # <- names the fixed body `wall`; remove it",
        "[plan.end.bodies.wall] # <- is about a fixed body\nposition = [0, 0, 0]",
        "[plan.end.bodies.ball]\nrotation_vector = [0, 0, 1] # <- is given for a particle, which has no orientation",
        "[plan.start.bodies.blue]\nposition = [0, 2, 0]\nfree = [\"position\"] # <- names the position, which is given",
    ]);
    let firm = "position = [0, 2, 0]\nrotation_vector = [0, 0, 0]\n";
    end(&[&format!(
        "{firm}align = [{{ axis = [0, 0, 1], with = [0, 0, 1], cosine = 0.5 }}] # <- the alignment of `blue` is given, but follows from the other targets of the end"
    )]);
    plan(&[
        &format!(
            "[plan.end.bodies.blue]\n{firm}[[plan.conditions]]\nwhen = \"end\"\nbodies.blue = {{ position = [0, 4, 0] }} # <- the position of `blue` is out of its bounds by 2.000e0 at the end, which is fixed"
        ),
        "[plan.end.bodies.blue]\nposition = [0, 2, 0]\n[[plan.conditions]]\nwhen = 10\nbodies.blue = { position = [0, 4, 0] } # <- the position of `blue` contradicts another condition",
        "[plan.end.bodies.blue]\nat_rest = true\n[[plan.conditions]]\nwhen = \"end\"\nbodies.blue = { velocity = [1, 0, 0] } # <- it is given there",
        "[[plan.conditions]]\nbodies.blue = { velocity = { min = [1, 0, 0] } } # <- the velocity of `blue` is out of its bounds by 1.000e0 at the start, where it is given",
        "[[plan.conditions]]\nbodies.blue = { position = { min = [0, 2, 0] } } # <- out of its bounds by 1.000e0 at the start",
        "[[plan.conditions]] # <- specifies nothing\nwhen = 3",
        "[[plan.conditions]]\nwhen = 11 # <- `plan.conditions[0].when` is 11; give a node from 0 to 10\nbodies.blue = { position = [0, 2, 0] }",
        "[[plan.conditions]]\nwhen = 5\nbodies.blue = { align = [{ axis = [0, 0, 1], with = [1, 0, 0], cosine = { min = 1 } }] } # <- where its gradient vanishes",
        "[plan.end.bodies.blue]\nat_rest = true\n[[plan.objective.goals]]\nbodies.blue = { velocity = [0, 0, 0] } # <- is a goal, but it is given in [plan.end]",
        "[[plan.objective.goals]]\nbodies.blue = { position = { min = [0, 0, 0] } } # <- is a range, but a goal needs numbers",
    ]);
}

#[test]
fn bodies_do_not_overlap_at_the_ends() {
    plan(&[
        "end = { bodies.blue = { rotation_vector = [0, 0, 0], position = [0, 0.08, 0] } } # <- `blue` and `wall` penetrate each other by 2.000e-2 m at the end; change the end",
        "end = { bodies.blue = { rotation_vector = [0, 0, 0], position = [0, 2.9, 0] } } # <- `blue` and `post` penetrate each other by",
        "end = { as_in_scene = [\"green\"], bodies.blue = { rotation_vector = [0, 0, 0], position = [0.9, 1, 0] } } # <- `blue` and `green` penetrate each other by 1.000e-1 m at the end",
        "end = { bodies.blue = { rotation_vector = [0, 0, 0], position = [0, 0.15, 0] } } # <- `blue` and `wall` are 5.000e-2 m apart, nearer than the margin of 0.1 m at the end\navoid = { margin = 0.1 }",
    ]);
    // At the start the whole plan is named, as it has no key for the poses there.
    all_refused(
        CUBES,
        &[
            "[plan] # <- `blue` and `green` are 8.000e-1 m apart, nearer than the margin of 0.85 m at the start\nintervals = 10\nstep = 0.1\navoid.margin = 0.85",
        ],
    );
}

#[test]
fn contacts_can_happen() {
    contact(&[
        "bodies = [\"wall\", \"post\"] # <- names `post` and `wall`, which cannot collide: both are fixed",
        "bodies = [\"ball\", \"wall\"] # <- which cannot collide: `ball` has no shape; give it one",
        "bodies = [\"blue\", \"blue\"] # <- names one body twice",
        "bodies = [\"blue\"] # <- has 1 entries; name two bodies",
    ]);
    let off = "[contact.pairs.p]\nbetween = [\"blue\", \"green\"]\ncollide = false\n";
    contact(&[
        &format!("bodies = [\"blue\", \"green\"] # <- contact between them is switched off\n{off}"),
        "bodies = [\"blue\", \"wall\"]\n[[plan.contacts]] # <- `plan.contacts[1]` is at node 4, before the previous contact at node 5\nnode = 4\nbodies = [\"blue\", \"wall\"]",
        "bodies = [\"blue\", \"wall\"]\n[[plan.contacts]] # <- is the second contact of its bodies at node 5\nnode = 5\nbodies = [\"blue\", \"wall\"]",
        "bodies = [\"blue\", \"wall\"]\njoint = \"spherical\"\nflat = true # <- is given to a contact that makes a spherical joint, at one point; remove it, or make the joint \"fixed\"",
        "bodies = [\"blue\", \"wall\"]\nfriction = 0.3\nflat = true # <- `plan.contacts[0].flat` is given to surfaces with the friction 0.3, but contacts of faces need sticking or frictionless surfaces; give `friction` 0 or \"stick\", or remove `flat`",
        "bodies = [\"blue\", \"wall\"]\nrestitution = 1.5 # <- is 1.5; give a number from 0 to 1",
        "bodies = [\"blue\", \"wall\"]\nfriction = -1 # <- `plan.contacts[0].friction` is -1",
        "bodies = [\"blue\", \"wall\"]\nrelease = 7 # <- there is no joint to release",
        "bodies = [\"blue\", \"wall\"]\njoint = \"fixed\"\nrelease = 5 # <- is 5, but the joint is made at node 5 of 10",
        "bodies = [\"blue\", \"wall\"]\njoint = \"fixed\"\nrestitution = 1 # <- is given to a contact that makes a joint",
        "bodies = [\"blue\", \"wall\"]\njoint = \"fixed\"\nfriction = 0.5 # <- is given to a contact that makes a fixed joint, which has no friction law; remove it, or make the joint \"spherical\"",
        "bodies = [\"blue\", \"wall\"]\njoint = \"spherical\"\nfriction = 0 # <- is 0, but a foothold needs friction; give a coefficient above 0, or remove it",
    ]);
    ten(
        "[[plan.contacts]]\nbodies = [\"blue\", \"wall\"]\n",
        &[
            "node = 0 # <- `plan.contacts[0].node` is the start; give a node from 1 to 9",
            "node = 10 # <- is the end",
            "node = 12 # <- is 12, but there are 10 intervals; give a node from 1 to 9, or raise `intervals`",
        ],
    );
    all_refused(
        CUBES,
        &[
            "[plan]\nintervals = 1\nstep = 0.1\n[[plan.contacts]]\nnode = 1 # <- raise `intervals`: no node lies between start and end\nbodies = [\"blue\", \"wall\"]",
        ],
    );
    let round = CUBES.replacen("shape = { cube = 0.2 }", "shape = { sphere = 0.1 }", 1);
    all_refused(
        &round,
        &[
            "[plan]\nintervals = 10\nstep = 0.1\n[[plan.contacts]]\nnode = 5\nbodies = [\"blue\", \"wall\"] # <- whose shapes in contact are curved",
        ],
    );
    arm(&[
        "[[plan.contacts]]\nnode = 2\nbodies = [\"upper\", \"lower\"] # <- the scene has no contact; add [contact]",
        "avoid = true # <- is given, but the scene has no contact; add [contact]",
    ]);
    plan(&[
        "[plan.avoid]\npairs = [[\"blue\", \"ball\"]] # <- names `blue` and `ball`, which cannot collide",
    ]);
}

#[test]
fn mechanisms_have_enough_conditions_and_not_too_many() {
    arm(&[
        "[plan.end]\njoints.elbow = { angle = 1, rate = 2 } # <- the rates of joint `elbow` at the end are given, but not the whole state",
        "[plan.end]\nbodies.lower = { position = [1, 1, 0], rotation_vector = [0, 0, 1], at_rest = true } # <- are 6 equations, but there are 2 degrees of freedom",
        "[plan.end.joints]\nshoulder = 0.5\nelbow = 0.5\n[plan.end.bodies]\nlower = { position = [1, 1, 0] } # <- the position of `lower` is given, but follows from the other targets",
        "[plan.start]\nbodies.lower = { position = [1, 1, 0] } # <- set `free = true` for the joints",
        "[plan.end.bodies]\nupper = { position = [1, 0, 1], rotation_vector = [0, 0, 0] } # <- joint `shoulder`\nlower = { position = [3, 0, 1], rotation_vector = [0, 0, 0] }",
        "[plan.end.joints.elbow]\ntravel = 1 # <- is not a coordinate of a revolute joint; give coordinates = [angle]",
        "[plan.end.joints.elbow]\ncoordinates = [1, 2] # <- has 2 entries, but a revolute joint has 1",
        "[plan.end.joints.elbow]\nrates = [1, 2] # <- gives 2 for the 1 degrees of freedom",
        "[plan.end.joints.elbow]\nrotation_vector = [0, 0, 1] # <- it is for spherical joints",
        "[[plan.conditions]]\njoints.elbow = { rate = 1 } # <- is given in a path condition",
        "[plan.guess]\nwaypoints = [{ at = 0.5, bodies.lower = { position = [0, 0, 0] } }] # <- gives the pose of a body on a joint; give the coordinates of the joint",
        "[plan.guess]\nwaypoints = [{ at = 0.5, joints.elbow = { angle = { min = 1 } } }] # <- is a range; give numbers",
        "[plan.guess]\nwaypoints = [{ at = 1.5, joints.elbow = 1 }] # <- is 1.5; give a fraction of the total time, from 0 to 1",
        "[plan.guess]\nkind = \"rest\"\nrun = \"x\" # <- cannot be combined with kind = \"rest\"",
        "[plan.guess] # <- `plan.guess.run` is missing; name a run folder\nkind = \"run\"",
    ]);
}

#[test]
fn scenes_that_plans_do_not_support_are_refused() {
    let two = "run = { step = 1e-3, until = 1 }\n[bodies.a]\nmass = 1\nmoments = [1, 1, 1]\n\
        [bodies.b]\nmass = 1\nmoments = [1, 1, 1]\nposition = [0, 0, 1]\n[plan]\nintervals = 5\nstep = 0.1\n";
    all_refused(
        two,
        &[
            "[joints.r] # <- joint `r` is a rod: plans do not support loops and rods\nkind = \"rod\"\nparent = \"a\"\nchild = \"b\"",
            "[joints.a]\nkind = \"free\"\nparent = \"world\"\nchild = \"a\"\n\
         [joints.l] # <- joint `l` closes a loop: plans do not support loops and rods\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 1]\nloop = true",
            "[bodies.tray] # <- `tray` has a prescribed motion, which plans do not support\nkind = \"fixed\"\nmotion = { shake = [0, 0, 1], frequency = 1 }",
        ],
    );
    let push = "[forces.push]\nkind = \"load\"\non = \"a\"\nforce = { times = [0, 1], values = [[0, 0, 0], [1, 0, 0]] }\n";
    refused(
        &format!("{}{push}", two.replace("step = 0.1\n", "step = 0.1\ntime = \"free\" # <-\n")),
        "force `push` is given by a table in time, but the times of the nodes are unknowns",
    );
    // With a fixed time it is fine.
    common::scene(&format!("{two}{push}"));
    let lcp = format!(
        "{}[joints.j]\nkind = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nat = [0, 0, 1]\n",
        two.replace("until = 1 }", "until = 1, scheme = \"lcp\" }").replace("[plan]", "[plan] # <-")
    );
    refused(&lcp, "plans need joints with coordinates, but the scheme \"lcp\" treats them as constraints");
}
