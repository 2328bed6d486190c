//! Gravity that is not uniform: towards a point of space, and between bodies.
//!
//! It acts at the centre of mass, as on a point with the mass of the body: exact for balls of uniform shells, and
//! without the small torque that a gradient of gravity exerts on the others. The model's builder fills in masses and
//! centres of mass.

use super::inverse_square::{Pair, Pairs, Source};
use super::parameter::{ParameterError, finite, not_negative, positive};
use super::{Anchor, Bodies, ForceAccumulator, ForceError, Stiffness};
use crate::body::Body;
use percussion_geometry::Vec3;

/// The attraction of one body by a point mass fixed in space: `V = -mu m / r` with `mu = G M`.
#[derive(Clone, Debug)]
pub struct Attraction {
    /// Position of the point mass, world axes, m.
    pub centre: Vec3,
    /// `mu`: constant of gravitation times the mass of the point, m³/s².
    pub parameter: f64,
    /// Softening length, m; zero for none.
    pub softening: f64,
    /// The body that is attracted.
    pub body: Source,
}

/// The attraction of every pair of a list of bodies: `V = -Σ G m_i m_j / r_ij`.
#[derive(Clone, Debug)]
pub struct Gravitation {
    /// `G`, m³/(kg s²).
    pub constant: f64,
    /// Softening length, m; zero for none.
    pub softening: f64,
    /// The bodies.
    pub bodies: Vec<Source>,
}

/// A body by its index in the list; mass and centre of mass are filled in when the model is built.
fn unweighed(body: usize) -> Source {
    Source { anchor: Anchor { body: Some(body), arm: Vec3::zeros() }, weight: 0.0 }
}

/// Fills in mass and centre of mass of a body that moves.
fn weigh(source: &mut Source, bodies: &[Body]) -> Result<(), ParameterError> {
    let Some(body) = source.anchor.body.map(|body| &bodies[body]) else { return Ok(()) };
    if !body.moves() {
        let remedy = "a fixed body has no mass: let a point attract the others (an attraction with mu = G M)";
        return Err(ParameterError { parameter: "the mass of a body", value: body.mass, remedy });
    }
    source.weight = body.mass;
    source.anchor.arm = body.principal.position;
    Ok(())
}

impl Attraction {
    /// Of a body, by its index in the list of all bodies, towards a point.
    pub fn new(body: usize, centre: Vec3, parameter: f64) -> Self {
        Self { centre, parameter, softening: 0.0, body: unweighed(body) }
    }

    fn pair(&self, name: &str, bodies: &Bodies) -> Result<(Pair, Anchor), ForceError> {
        let strength = -self.parameter * self.body.weight;
        let centre = Anchor { body: None, arm: self.centre };
        let pair = Pair::new(name, strength, self.softening, &self.body.anchor, &centre, bodies)?;
        Ok((pair, centre))
    }

    pub(super) fn add_forces(
        &self,
        name: &str,
        bodies: &Bodies,
        accumulators: &mut [ForceAccumulator],
    ) -> Result<(), ForceError> {
        let (pair, _) = self.pair(name, bodies)?;
        self.body.anchor.apply_force(bodies, &pair.force(), accumulators);
        Ok(())
    }

    pub(super) fn stiffness(
        &self,
        name: &str,
        bodies: &Bodies,
        list: &mut Vec<Stiffness>,
    ) -> Result<(), ForceError> {
        let (pair, centre) = self.pair(name, bodies)?;
        list.push(Stiffness::between(&self.body.anchor, &centre, pair.gradient()));
        Ok(())
    }

    pub(super) fn potential(&self, name: &str, bodies: &Bodies) -> Result<f64, ForceError> {
        Ok(self.pair(name, bodies)?.0.potential())
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        finite("a coordinate of the centre", &self.centre)?;
        positive("the gravitational parameter mu", self.parameter)?;
        not_negative("softening", self.softening)
    }

    pub(super) fn resolve_bodies(&mut self, bodies: &[Body]) -> Result<(), ParameterError> {
        weigh(&mut self.body, bodies)
    }
}

impl Gravitation {
    /// Between bodies, by their indices in the list of all bodies.
    pub fn new(constant: f64, bodies: &[usize]) -> Self {
        Self { constant, softening: 0.0, bodies: bodies.iter().map(|&body| unweighed(body)).collect() }
    }

    pub(super) fn pairs(&self) -> Pairs<'_> {
        Pairs { strength: -self.constant, softening: self.softening, sources: &self.bodies }
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        positive("the constant of gravitation", self.constant)?;
        self.pairs().check()
    }

    pub(super) fn resolve_bodies(&mut self, bodies: &[Body]) -> Result<(), ParameterError> {
        self.bodies.iter_mut().try_for_each(|source| weigh(source, bodies))
    }
}
