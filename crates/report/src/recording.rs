//! A recording of a run: appearances of the bodies, their poses at a number of instants, and the events.
//!
//! A recording is read from a run folder, of a finished run or of one in progress. Long runs are thinned: evenly spaced rows of the
//! trajectory are taken, with the first and the last.

use crate::appearance::Appearance;
use crate::connections::Connections;
use crate::extent::Extent;
use nalgebra::{Matrix3, Rotation3};
use percussion_geometry::{Pose, Vec3};
use percussion_scene::run::{EventRecord, RunError, TrajectoryReader, folder, read_events};
use percussion_scene::{Scene, SceneError};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The folder holds no run, or its trajectory cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The scene beside the trajectory cannot be read.
    #[error("the scene of the run cannot be read:\n{0}")]
    Scene(#[from] SceneError),
    /// A file cannot be read.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The trajectory belongs to another scene.
    #[error("{} and {} in {} do not belong together; run the scene again", folder::TRAJECTORY, folder::SCENE, .0.display())]
    SceneMismatch(PathBuf),
}

impl RecordingError {
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}

/// Instants of a run with the poses of all bodies.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Indices of their rows in the trajectory.
    pub rows: Vec<usize>,
    /// Times, s.
    pub times: Vec<f64>,
    /// Bodies per frame.
    pub bodies: usize,
    /// Poses of the body frames, frame after frame.
    pub poses: Vec<Pose>,
}

impl Frames {
    /// Number of frames.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The poses of a frame.
    pub fn at(&self, frame: usize) -> &[Pose] {
        &self.poses[frame * self.bodies..(frame + 1) * self.bodies]
    }

    /// The frame whose time is nearest.
    pub fn nearest(&self, time: f64) -> usize {
        let after = self.times.partition_point(|t| *t < time);
        let before = after.saturating_sub(1);
        let last = self.len().saturating_sub(1);
        if after > last || time - self.times[before] < self.times[after] - time { before } else { after }
    }
}

/// A recording of a run.
#[derive(Debug)]
pub struct Recording {
    /// The folder.
    pub folder: PathBuf,
    /// The scene of the run.
    pub scene: Scene,
    /// The text of `summary.json`; none while the run is in progress.
    pub summary: Option<Box<RawValue>>,
    /// Appearances of the bodies, in the order of the scene.
    pub appearances: Vec<Appearance>,
    /// Joints, springs and charges.
    pub connections: Connections,
    /// Poses at some instants.
    pub frames: Frames,
    /// A box around everything.
    pub extent: Extent,
    /// A box around most of the motion, without outlying positions.
    pub core: Extent,
    /// Contact events.
    pub events: Vec<EventRecord<'static>>,
    /// The trajectory; `frames` are some of its rows.
    pub trajectory: TrajectoryReader,
}

impl Recording {
    /// Reads the run in a folder, with a largest number of frames.
    pub fn load(path: &Path, most: usize) -> Result<Self, RecordingError> {
        Self::load_with(path, |_| most)
    }

    /// The same, with a largest number of frames that depends on the number of bodies.
    pub fn load_with(path: &Path, most: impl Fn(usize) -> usize) -> Result<Self, RecordingError> {
        let place = path.join(folder::SCENE);
        if !place.is_file() {
            return Err(RunError::NothingToShow { folder: path.to_owned() }.into());
        }
        let scene = Scene::load(&place, &[])?;
        let mut trajectory = TrajectoryReader::open(path, &scene.model)?;
        let archive = path.join(folder::TRAJECTORY);
        if trajectory.rows() == 0 {
            return Err(RunError::NothingToShow { folder: path.to_owned() }.into());
        }
        let rows = thinned(trajectory.rows(), most(scene.model.bodies.len()));
        let frames = read_frames(&mut trajectory, rows).map_err(RecordingError::at(&archive))?;
        let names: Vec<&str> = scene.model.bodies.iter().map(|body| body.name.as_str()).collect();
        if trajectory.names("bodies") != names {
            return Err(RecordingError::SceneMismatch(path.to_owned()));
        }
        let painted = scene.model.bodies.iter().zip(&scene.body_colors);
        let mut appearances: Vec<Appearance> =
            painted.map(|(body, colour)| Appearance { colour: *colour, ..Appearance::of(body) }).collect();
        let connections = Connections::of(&scene.model);
        let extent = extent(&appearances, &connections, &frames);
        let core = core(&appearances, &frames, &extent);
        for (k, appearance) in appearances.iter_mut().enumerate() {
            let (start, driven) = (frames.at(0)[k], appearance.driven);
            let middle = start.inverse_point(&extent.center());
            let gone = |frame: usize| (frames.at(frame)[k].point(&middle) - extent.center()).norm();
            let travel = (0..frames.len()).filter(|_| driven).map(gone).fold(0.0, f64::max);
            appearance.fit(&scene.model.bodies[k], &start, travel, &extent);
        }
        let events = events(&path.join(folder::EVENTS), trajectory.is_in_progress())?;
        let summary = match trajectory.is_in_progress() {
            true => None,
            false => read_summary(&path.join(folder::SUMMARY))?,
        };
        Ok(Self {
            folder: path.to_owned(),
            scene,
            summary,
            appearances,
            connections,
            frames,
            extent,
            core,
            events,
            trajectory,
        })
    }

    /// Normal of the plane of a planar scene, towards the camera: the xy plane is seen from above, others from the front, with x to the
    /// right.
    pub fn plane(&self) -> Option<Vec3> {
        let moving = || (0..self.appearances.len()).filter(|&k| self.appearances[k].moves);
        let first = moving().next()?;
        let normal = |k: usize| self.frames.at(0)[k].direction(&Vec3::z());
        let common = normal(first);
        moving().all(|k| self.appearances[k].planar && normal(k).dot(&common).abs() > 1.0 - 1e-9).then(|| {
            let above = common.z.abs() > 0.9;
            if above && common.z < 0.0 || !above && common.y > 1e-9 { -common } else { common }
        })
    }
}

/// At most `most` of `n` rows, evenly spaced, with the first and the last.
pub fn thinned(n: usize, most: usize) -> Vec<usize> {
    let wanted = n.min(most.max(1));
    (0..wanted).map(|k| if wanted == 1 { n - 1 } else { k * (n - 1) / (wanted - 1) }).collect()
}

fn read_frames(trajectory: &mut TrajectoryReader, rows: Vec<usize>) -> io::Result<Frames> {
    let bodies = trajectory.width("position").unwrap_or(0) / 3;
    let mut frames = Frames { times: Vec::with_capacity(rows.len()), bodies, ..Frames::default() };
    trajectory.read("time", rows.iter().copied(), |_, row| frames.times.push(row[0]))?;
    frames.poses.reserve(rows.len() * bodies);
    trajectory.read("position", rows.iter().copied(), |_, row| {
        frames.poses.extend(row.as_chunks::<3>().0.iter().map(|p| Pose::at(Vec3::from(*p))));
    })?;
    let mut next = frames.poses.iter_mut();
    trajectory.read("rotation", rows.iter().copied(), |_, row| {
        for (r, pose) in row.as_chunks::<9>().0.iter().zip(&mut next) {
            pose.rotation = Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(r));
        }
    })?;
    frames.rows = rows;
    Ok(frames)
}

fn extent(appearances: &[Appearance], connections: &Connections, frames: &Frames) -> Extent {
    let radii: Vec<f64> = appearances.iter().map(|appearance| appearance.mesh.radius()).collect();
    let bounded = move |k: usize| appearances[k].moves || !appearances[k].mesh.is_empty();
    let bodies = (0..frames.len())
        .flat_map(|frame| frames.at(frame).iter().enumerate().map(|(k, pose)| (k, pose.position)));
    let pivots = connections.joints.iter().filter(|j| j.parent.body.is_none()).map(|j| (j.parent.point, 0.0));
    Extent::around(bodies.filter(|(k, _)| bounded(*k)).map(|(k, p)| (p, radii[k])).chain(pivots))
}

/// Largest number of frames from which the core is computed.
const CORE_FRAMES: usize = 400;
/// Fraction of positions that is left out on each side.
const OUTLYING: f64 = 0.04;
/// Largest ratio of the radius of the core to that of the whole extent.
const CORE_RATIO: f64 = 0.7;

/// A box around most of the motion.
fn core(appearances: &[Appearance], frames: &Frames, extent: &Extent) -> Extent {
    let moving: Vec<usize> = (0..appearances.len()).filter(|&k| appearances[k].moves).collect();
    let radius = moving.iter().map(|&k| appearances[k].mesh.radius()).fold(0.0, f64::max);
    let frames_used = thinned(frames.len(), CORE_FRAMES);
    let (mut low, mut high) = (extent.low, extent.high);
    for axis in 0..3 {
        let places =
            frames_used.iter().flat_map(|&f| moving.iter().map(move |&k| frames.at(f)[k].position[axis]));
        let mut places: Vec<f64> = places.filter(|v| v.is_finite()).collect();
        places.sort_by(f64::total_cmp);
        let Some(last) = places.len().checked_sub(1) else { return *extent };
        let outside = (OUTLYING * last as f64) as usize;
        low[axis] = (places[outside] - radius).max(low[axis]);
        high[axis] = (places[last - outside] + radius).min(high[axis]);
    }
    let core = Extent { low, high };
    if core.radius() < CORE_RATIO * extent.radius() { core } else { *extent }
}

fn read_summary(path: &Path) -> Result<Option<Box<RawValue>>, RecordingError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RecordingError::at(path)(error)),
        Ok(text) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| RecordingError::at(path)(io::Error::new(io::ErrorKind::InvalidData, error))),
    }
}

/// All events; of a run in progress those with complete lines.
fn events(path: &Path, in_progress: bool) -> Result<Vec<EventRecord<'static>>, RecordingError> {
    let mut all = Vec::new();
    let read = read_events(path, |_, event| all.push(owned(event)));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound || in_progress => Ok(all),
        Err(error) => Err(RecordingError::at(path)(error)),
        Ok(()) => Ok(all),
    }
}

fn owned(event: &EventRecord<'_>) -> EventRecord<'static> {
    let text = |word: &Cow<'_, str>| Cow::Owned(word.clone().into_owned());
    EventRecord {
        bodies: [text(&event.bodies[0]), text(&event.bodies[1])],
        kind: text(&event.kind),
        ..*event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends() {
        assert_eq!(thinned(5, 10), [0, 1, 2, 3, 4]);
        assert_eq!(thinned(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!(thinned(3, 1), [2]);
        assert!(thinned(0, 7).is_empty());
    }

    #[test]
    fn the_nearest_frame() {
        let frames = Frames { times: vec![0.0, 1.0, 3.0], ..Frames::default() };
        let found = [-1.0, 0.4, 0.6, 1.9, 2.1, 9.0].map(|t| frames.nearest(t));
        assert_eq!(found, [0, 0, 1, 1, 2, 2]);
    }
}
