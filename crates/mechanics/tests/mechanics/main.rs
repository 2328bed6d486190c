//! Tests of the crate, in one program with one set of shared names and scenes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod boundary;
mod builder;
mod contact_overlap;
mod contact_potential;
mod crossings;
mod decomposition;
mod decomposition_conservation;
mod decomposition_crossing;
mod decomposition_friction;
mod decomposition_persistent;
mod decomposition_projection;
mod decomposition_rest;
mod derivatives;
mod dissipative;
mod dissipative_rest;
mod entering;
mod event_reference;
mod exact;
mod exact_rest;
mod exact_safety;
mod forces;
mod forces_at_work;
mod forces_built;
mod forms;
mod free_top;
mod impact_laws;
mod joint_drives;
mod joint_limits;
mod joints;
mod kinematics;
mod lcp_crossing;
mod lcp_driven;
mod lcp_energy;
mod lcp_friction;
mod lcp_jams;
mod lcp_joints;
mod lcp_projection;
mod lcp_rest;
mod lcp_restitution;
mod lcp_statics;
mod lcp_unsolved;
mod ledger;
mod loops;
mod motion;
mod multipliers;
mod newmark;
mod persistent_contact;
mod persistent_contact_discs;
mod persistent_contact_scenes;
mod rough_contact;
mod scheme_capabilities;
mod threads;
