//! The trajectory of a plan, read from a run folder: as the initial guess of another plan, or to be simulated.

use super::error::RunError;
use super::reader::TrajectoryReader;
use super::summary::Summary;
use nalgebra::{Matrix3, Rotation3};
use percussion_control::{Guess, Plan};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Model, State};
use std::io;
use std::path::Path;

/// States at the nodes and control inputs of the intervals.
#[derive(Clone, Debug)]
pub struct PlannedTrajectory {
    /// States at the nodes, with their times.
    pub nodes: Vec<State>,
    /// Control inputs, interval by interval.
    pub inputs: Vec<f64>,
    /// Time scales, segment by segment; none for a run that was not planned.
    pub scales: Vec<f64>,
}

impl PlannedTrajectory {
    /// Reads the trajectory of a plan.
    pub fn read(folder: &Path, plan: &Plan) -> Result<Self, RunError> {
        let (planned, controls) = read(folder, plan)?;
        match controls {
            Some(_) => Ok(planned),
            None => Err(no_plan(folder, "it was simulated, not planned")),
        }
    }

    /// Reads an initial guess: the trajectory of a plan, or that of a simulation with zero control inputs.
    pub fn guess(folder: &Path, plan: &Plan) -> Result<Guess, RunError> {
        let (Self { nodes, inputs, scales }, _) = read(folder, plan)?;
        Ok(Guess::Given { nodes, inputs, time_scales: scales })
    }

    /// Times of the nodes, s.
    pub fn times(&self) -> Vec<f64> {
        self.nodes.iter().map(|node| node.time).collect()
    }
}

fn no_plan(folder: &Path, why: &str) -> RunError {
    RunError::NoPlanIn { folder: folder.to_owned(), why: why.to_owned() }
}

/// The trajectory in a folder, and the number of its control inputs, if it has any.
fn read(folder: &Path, plan: &Plan) -> Result<(PlannedTrajectory, Option<usize>), RunError> {
    let model = &*plan.model;
    let mut trajectory = TrajectoryReader::open(folder, model)?;
    let bodies: Vec<&str> = model.bodies.iter().map(|body| body.name.as_str()).collect();
    if trajectory.names("bodies") != bodies {
        return Err(no_plan(folder, "it has other bodies"));
    }
    let controls = trajectory.width("controls");
    if controls.is_some_and(|width| width != plan.components()) {
        return Err(no_plan(folder, "it has other controls"));
    }
    if trajectory.rows() < 2 {
        return Err(no_plan(folder, "it has no interval"));
    }
    let place = folder.join(super::folder::TRAJECTORY);
    let nodes = states(&mut trajectory, model, &plan.start.state).map_err(RunError::at(&place))?;
    let mut inputs = Vec::new();
    let intervals = nodes.len() - 1;
    match controls {
        // The last row repeats the one before it.
        Some(_) => trajectory
            .read("controls", 0..intervals, |_, row| inputs.extend_from_slice(row))
            .map_err(RunError::at(&place))?,
        None => inputs.resize(plan.components() * intervals, 0.0),
    }
    let scales = match controls {
        Some(_) => Summary::read(folder)?.plan.map(|plan| plan.sigma).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok((PlannedTrajectory { nodes, inputs, scales }, controls))
}

/// The states of all rows; momenta are zero where the trajectory has none.
fn states(trajectory: &mut TrajectoryReader, model: &Model, like: &State) -> io::Result<Vec<State>> {
    let rows = 0..trajectory.rows();
    let mut all = vec![like.clone(); trajectory.rows()];
    let mismatch = || io::Error::new(io::ErrorKind::InvalidData, "an array has another width than the scene");
    for (array, width) in [
        ("position", 3 * model.bodies.len()),
        ("rotation", 9 * model.bodies.len()),
        ("coordinate", model.coordinates),
    ] {
        if trajectory.width(array) != Some(width) {
            return Err(mismatch());
        }
    }
    trajectory.read("time", rows.clone(), |k, row| {
        all[k].time = row[0];
        all[k].steps = k as u64;
    })?;
    let mut positions = Vec::new();
    trajectory.read("position", rows.clone(), |_, row| positions.push(row.to_vec()))?;
    trajectory.read("rotation", rows.clone(), |k, row| {
        for (slot, link) in model.links.iter().enumerate() {
            let own = &positions[k][3 * link.body..3 * link.body + 3];
            let turn = Matrix3::from_row_slice(&row[9 * link.body..9 * link.body + 9]);
            let pose = Pose::new(Rotation3::from_matrix_unchecked(turn), Vec3::from_column_slice(own));
            let principal = model.bodies[link.body].principal_pose(&pose);
            all[k].positions[slot] = principal.position;
            all[k].rotations[slot] = *principal.rotation.matrix();
        }
    })?;
    trajectory.read("coordinate", rows.clone(), |k, row| all[k].coordinates.copy_from_slice(row))?;
    match trajectory.width("reduced_momentum") {
        Some(width) if width == model.dofs => {
            trajectory.read("reduced_momentum", rows, |k, row| all[k].momenta.copy_from_slice(row))?;
        }
        Some(_) => return Err(mismatch()),
        None => all.iter_mut().for_each(|state| state.momenta.fill(0.0)),
    }
    Ok(all)
}
