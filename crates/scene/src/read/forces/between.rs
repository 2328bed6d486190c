//! Forces between points of bodies: springs and dampers, charges, gravity.

use super::{ForceResult, Reader};
use crate::tree::Fields;
use percussion_mechanics::force::{COULOMB, Charges, ForceLaw, Gravitation, Source, Spring};

/// The constant of gravitation, m³/(kg s²) (CODATA 2022).
const GRAVITATION: f64 = 6.6743e-11;

impl Reader<'_> {
    pub(super) fn spring(&self) -> ForceResult {
        self.keys(&["a", "b", "stiffness", "rest_length", "damping"]);
        let stiffness = self.needed("stiffness", self.f.not_negative("stiffness", "stiffness in N/m"));
        let damping = self.f.not_negative("damping", "damping in N s/m");
        let rest = self.f.not_negative("rest_length", "length in metres");
        let Some((a, b)) = self.ends()? else { return Ok(Vec::new()) };
        let rest_length =
            rest?.unwrap_or_else(|| (self.initial_position(&a) - self.initial_position(&b)).norm());
        let (stiffness, damping) = (stiffness?, damping?.unwrap_or(0.0));
        Ok(self.points(ForceLaw::Spring(Spring { a, b, stiffness, rest_length, damping })))
    }

    pub(super) fn damper(&self) -> ForceResult {
        self.keys(&["a", "b", "damping"]);
        let damping = self.needed("damping", self.f.not_negative("damping", "damping in N s/m"));
        let Some((a, b)) = self.ends()? else { return Ok(Vec::new()) };
        let damping = damping?;
        Ok(self.points(ForceLaw::Spring(Spring { a, b, stiffness: 0.0, rest_length: 0.0, damping })))
    }

    pub(super) fn charges(&self) -> ForceResult {
        self.keys(&["constant", "softening", "charges"]);
        let constant = self.f.positive("constant", "Coulomb constant in N m²/C²");
        let softening = self.softening();
        let remedy = "list points with their charges, such as { body = \"a\", charge = 1e-6 }";
        let Some(list) = self.f.list("charges")? else { return Err(self.f.missing("charges", remedy)) };
        let mut charges = Vec::with_capacity(list.len());
        for (i, node) in list.iter().enumerate() {
            let path = format!("{}[{i}]", self.f.path("charges"));
            let f = Fields::of_some_kind(self.f.report, node, &path)?;
            let weight = f.number("charge")?.ok_or_else(|| f.missing("charge", "add it, in coulombs"))?;
            if let Some(anchor) = self.anchor_of(node, &path, &["charge"])? {
                charges.push(Source { anchor, weight });
            }
        }
        let (constant, softening) = (constant?.unwrap_or(COULOMB), softening?);
        Ok(self.points(ForceLaw::Charges(Charges { constant, softening, charges })))
    }

    pub(super) fn mutual_gravity(&self) -> ForceResult {
        self.keys(&["constant", "softening", "bodies"]);
        let constant = self.f.positive("constant", "constant of gravitation in m³/(kg s²)");
        let softening = self.softening();
        let bodies = match self.named_bodies()? {
            Some(named) => named.into_iter().map(|(_, body)| body).collect(),
            None => self.context.body_table.moving(),
        };
        let (constant, softening) = (constant?.unwrap_or(GRAVITATION), softening?);
        Ok(self
            .points(ForceLaw::Gravitation(Gravitation { softening, ..Gravitation::new(constant, &bodies) })))
    }
}
