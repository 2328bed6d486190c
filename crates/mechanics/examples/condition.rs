//! Prints the table of condition numbers of the guide: three forms of one scheme, over the step.
//!
//! `cargo run --release -p percussion-mechanics --example condition > docs/src/tables/condition.md`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use percussion_mechanics::JointKind;
use percussion_mechanics::discrete::{Equations, condition_number, newton_matrix};

/// Links of the chain.
const LINKS: usize = 5;

fn main() {
    println!(
        "Condition number of Newton's matrix at the end of a step, for a pendulum of {LINKS} links on spherical and on revolute \
         joints: `|A| |A⁻¹|` in the spectral norm, nothing scaled."
    );
    for kind in [JointKind::Spherical, JointKind::Revolute] {
        let (model, state) = common::chain(kind, LINKS);
        let forms = [Equations::Reduced, Equations::Projected, Equations::Multipliers];
        let matrix = |equations, h| newton_matrix(equations, &model, &model.islands[0], &state, h).unwrap();
        println!("\n{} joints:\n", kind.word());
        let orders = forms.map(|equations| matrix(equations, 1e-3).nrows());
        println!(
            "| step, s | reduced ({} unknowns) | projected ({}) | with multipliers ({}) |\n|---:|---:|---:|---:|",
            orders[0], orders[1], orders[2]
        );
        let mut last: Option<[f64; 3]> = None;
        for k in 1..=5 {
            let h = 10f64.powi(-k);
            let numbers = forms.map(|equations| condition_number(&matrix(equations, h)));
            println!("| {h:.0e} | {:.2e} | {:.2e} | {:.2e} |", numbers[0], numbers[1], numbers[2]);
            if k == 5
                && let Some(last) = last
            {
                let power = |i: usize| {
                    let power = -(numbers[i] / last[i]).log10();
                    if power.abs() < 0.005 { 0.0 } else { power }
                };
                println!("| grows like | h^{:.2} | h^{:.2} | h^{:.2} |", power(0), power(1), power(2));
            }
            last = Some(numbers);
        }
    }
}
