//! A manoeuvre read back from a run folder: to begin another search from, or to be simulated.

use super::error::RunError;
use super::reader::TrajectoryReader;
use super::summary::Summary;
use nalgebra::{Matrix3, Rotation3};
use percussion_control::{Guess, Plan};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Model, State};
use std::io;
use std::path::Path;

/// States at nodes with the efforts between them.
#[derive(Clone, Debug)]
pub struct PlannedTrajectory {
    /// At the nodes, with their times.
    pub nodes: Vec<State>,
    /// Interval by interval.
    pub efforts: Vec<f64>,
    /// Time scales, segment by segment; none of a run that was not planned.
    pub scales: Vec<f64>,
}

impl PlannedTrajectory {
    /// The manoeuvre in a folder, with efforts for the controls of a plan.
    pub fn read(folder: &Path, plan: &Plan) -> Result<Self, RunError> {
        let (planned, controls) = read(folder, plan)?;
        match controls {
            Some(_) => Ok(planned),
            None => Err(unfit(folder, "it was simulated, not planned")),
        }
    }

    /// What a search begins from: a manoeuvre, or a simulation as one without efforts.
    pub fn guess(folder: &Path, plan: &Plan) -> Result<Guess, RunError> {
        let (Self { nodes, efforts, scales }, _) = read(folder, plan)?;
        Ok(Guess::Given { nodes, efforts, scales })
    }

    /// Times of the nodes, s.
    pub fn times(&self) -> Vec<f64> {
        self.nodes.iter().map(|node| node.time).collect()
    }
}

fn unfit(folder: &Path, why: &str) -> RunError {
    RunError::NoManoeuvre { folder: folder.to_owned(), why: why.to_owned() }
}

/// What is in a folder, and how many components its controls have, if it has any.
fn read(folder: &Path, plan: &Plan) -> Result<(PlannedTrajectory, Option<usize>), RunError> {
    let model = &*plan.model;
    let mut kept = TrajectoryReader::open(folder, model)?;
    let bodies: Vec<&str> = model.bodies.iter().map(|body| body.name.as_str()).collect();
    if kept.names("bodies") != bodies {
        return Err(unfit(folder, "it has other bodies"));
    }
    let controls = kept.width("controls");
    if controls.is_some_and(|width| width != plan.components()) {
        return Err(unfit(folder, "it has other controls"));
    }
    if kept.rows() < 2 {
        return Err(unfit(folder, "it has no interval"));
    }
    let place = folder.join(super::folder::TRAJECTORY);
    let nodes = states(&mut kept, model, &plan.start.state).map_err(RunError::at(&place))?;
    let mut efforts = Vec::new();
    let intervals = nodes.len() - 1;
    match controls {
        // The last row repeats the one before it.
        Some(_) => kept
            .read("controls", 0..intervals, |_, row| efforts.extend_from_slice(row))
            .map_err(RunError::at(&place))?,
        None => efforts.resize(plan.components() * intervals, 0.0),
    }
    let scales = match controls {
        Some(_) => Summary::read(folder)?.plan.map(|plan| plan.sigma).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok((PlannedTrajectory { nodes, efforts, scales }, controls))
}

/// The states of all rows; without momenta where the run has not kept any.
fn states(kept: &mut TrajectoryReader, model: &Model, like: &State) -> io::Result<Vec<State>> {
    let rows = 0..kept.rows();
    let mut all = vec![like.clone(); kept.rows()];
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "an array has another width than the scene");
    for (array, width) in [
        ("position", 3 * model.bodies.len()),
        ("rotation", 9 * model.bodies.len()),
        ("coordinate", model.coordinates),
    ] {
        if kept.width(array) != Some(width) {
            return Err(damaged());
        }
    }
    kept.read("time", rows.clone(), |k, row| {
        all[k].time = row[0];
        all[k].steps = k as u64;
    })?;
    let mut positions = Vec::new();
    kept.read("position", rows.clone(), |_, row| positions.push(row.to_vec()))?;
    kept.read("rotation", rows.clone(), |k, row| {
        for (slot, link) in model.links.iter().enumerate() {
            let own = &positions[k][3 * link.body..3 * link.body + 3];
            let turn = Matrix3::from_row_slice(&row[9 * link.body..9 * link.body + 9]);
            let pose = Pose::new(Rotation3::from_matrix_unchecked(turn), Vec3::from_column_slice(own));
            let principal = model.bodies[link.body].principal_pose(&pose);
            all[k].positions[slot] = principal.position;
            all[k].rotations[slot] = *principal.rotation.matrix();
        }
    })?;
    kept.read("coordinate", rows.clone(), |k, row| all[k].coordinates.copy_from_slice(row))?;
    match kept.width("reduced_momentum") {
        Some(width) if width == model.dofs => {
            kept.read("reduced_momentum", rows, |k, row| all[k].momenta.copy_from_slice(row))?;
        }
        Some(_) => return Err(damaged()),
        None => all.iter_mut().for_each(|state| state.momenta.fill(0.0)),
    }
    Ok(all)
}
