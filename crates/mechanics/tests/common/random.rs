//! Placements and joints at random, the same everywhere.

use super::*;

/// A placement at random.
pub fn random_pose(random: &mut Random) -> Pose {
    Pose::new(random.rotation(), random.vector())
}

/// A joint that stands somewhere: on a parent (or the world), with a child where the joint puts it.
pub struct Standing {
    pub joint: Joint,
    pub parent: Option<(Vec3, Mat3)>,
    pub coordinates: Vec<f64>,
    pub child: (Vec3, Mat3),
    pub stand: JointFrame,
}

impl Standing {
    /// Random frames, placements and coordinates.
    pub fn new(kind: JointKind, particle: bool, on_world: bool, random: &mut Random) -> Self {
        let joint = Joint {
            name: kind.word().to_owned(),
            kind,
            parent_frame: Frame::of(&random_pose(random)),
            child_frame: Frame::of(&random_pose(random)),
            length: 0.7,
            particle,
            limits: [None; 3],
        };
        let pose = random_pose(random);
        let parent = (!on_world).then(|| (pose.position, *pose.rotation.matrix()));
        let coordinates: Vec<f64> = (0..joint.coordinates()).map(|_| 3.0 * random.signed()).collect();
        let frame = match &parent {
            Some((position, rotation)) => joint.parent_frame.on(position, rotation),
            None => joint.parent_frame,
        };
        let (shift, turned) = (random.vector().normalize() * joint.length, *random.rotation().matrix());
        let anywhere = JointFrame { parent: frame, shift, rotation: turned, first: 0.0 };
        let child = joint.child_pose(&anywhere, &frame, &JointIncrement::zero(), &coordinates);
        let stand = joint.frame(borrowed(&parent), (&child.0, &child.1), &coordinates);
        Self { joint, parent, coordinates, child, stand }
    }

    /// Every kind, with a body and the world as parent, several times.
    pub fn all(seed: u64) -> Vec<Self> {
        let mut random = Random::new(seed);
        let mut all = Vec::new();
        for kind in percussion_mechanics::joint::ALL_KINDS {
            for particle in [false, true] {
                if particle && !kind.suits_particle() {
                    continue;
                }
                for repeat in 0..8 {
                    all.push(Self::new(kind, particle, repeat % 4 == 3, &mut random));
                }
            }
        }
        all
    }

    /// For messages.
    pub fn name(&self) -> String {
        let child = if self.joint.particle { "particle" } else { "rigid body" };
        let parent = if self.parent.is_some() { "a body" } else { "the world" };
        format!("{} joint of a {child} on {parent}", self.joint.name)
    }
}

/// The placement of a parent, borrowed.
pub fn borrowed(parent: &Option<(Vec3, Mat3)>) -> Option<(&Vec3, &Mat3)> {
    parent.as_ref().map(|(position, rotation)| (position, rotation))
}
