//! Options of contact with their defaults.

/// Impact law of several contacts of a group that close at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ImpactLaw {
    /// One multiplier for the sum of all gradients [Leyendecker 3.2, Johnson 3.5.4].
    Sum,
    /// One pair of bodies after the other, the fastest first, until none closes: as if each impact came an instant after the last.
    #[default]
    Sequential,
    /// All at once: the complementarity problem of Moreau's law over all touching contacts.
    Moreau,
}

impl ImpactLaw {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 3] =
        [("sum", Self::Sum), ("sequential", Self::Sequential), ("moreau", Self::Moreau)];
}

/// Which energy an impact of the exact scheme keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnergyJumpCondition {
    /// The projected Hamiltonian [Johnson 3.74]: the reflection, in closed form.
    #[default]
    Projected,
    /// The discrete energy of the two intervals [Johnson 3.76b]: one scalar equation.
    Discrete,
}

impl EnergyJumpCondition {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] =
        [("projected", Self::Projected), ("discrete", Self::Discrete)];
}

/// How the decomposition scheme treats contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ContactResponse {
    /// Persistent contact is part of the equations of the step; impacts have their response at its end and keep energy through the
    /// projection.
    #[default]
    Persistent,
    /// As published: every contact is an impact at the end of the step [Johnson 3.5].
    Published,
}

impl ContactResponse {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] =
        [("persistent", Self::Persistent), ("published", Self::Published)];
}

/// Bound of friction on the tangential impulse of the decomposition scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FrictionLaw {
    /// Coulomb's law in contact space: `|λ_t| ≤ μ λ_n`.
    #[default]
    Coulomb,
    /// As printed in [Johnson 3.118]: squared norms are compared with `μ`, and the ratio ignores restitution.
    Ratio,
}

impl FrictionLaw {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 2] = [("coulomb", Self::Coulomb), ("dcr-ratio", Self::Ratio)];
}

/// Pekarek's collision models: the contact force `f_con` at the impact node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CollisionModel {
    /// None: elastic, whatever the restitution of the surfaces.
    Elastic,
    /// `-β n`: the normal impulse falls short of the elastic one by `β`, as the restitution of the surfaces has it.
    Frictionless,
    /// `-β n + f_tan`: and Coulomb's friction acts along the surface.
    #[default]
    Frictional,
    /// As the last, scaled so that the point of contact stops.
    Plastic,
}

impl CollisionModel {
    /// All, by their words.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("elastic", Self::Elastic),
        ("frictionless", Self::Frictionless),
        ("frictional", Self::Frictional),
        ("plastic", Self::Plastic),
    ];
}

/// Options of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Simultaneous contacts.
    pub law: ImpactLaw,
    /// Which energy impacts keep (exact and dissipative schemes).
    pub energy: EnergyJumpCondition,
    /// Impacts of one island in one step after which impacts that dissipate energy have no restitution; after as many elastic ones, or twice
    /// as many, the rest of the step falls back to the decomposition scheme.
    pub max_impacts: usize,
    /// Friction of the decomposition scheme.
    pub friction: FrictionLaw,
    /// How the decomposition scheme treats contacts.
    pub response: ContactResponse,
    /// Whether the decomposition response keeps kinetic plus potential energy through its projection; by default unless it is as
    /// published.
    pub consistent: Option<bool>,
    /// Whether the objective of its projection includes the change of potential energy [Johnson 3.83].
    pub potential_in_projection: bool,
    /// The collision model of the dissipative scheme.
    pub loss: CollisionModel,
}

impl ContactOptions {
    /// Whether the decomposition response keeps kinetic plus potential energy through its projection.
    pub fn is_energy_consistent(&self) -> bool {
        self.consistent.unwrap_or(self.response != ContactResponse::Published)
    }
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self {
            law: ImpactLaw::default(),
            energy: EnergyJumpCondition::default(),
            max_impacts: 64,
            friction: FrictionLaw::default(),
            response: ContactResponse::default(),
            consistent: None,
            potential_in_projection: false,
            loss: CollisionModel::default(),
        }
    }
}
