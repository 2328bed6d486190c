//! Motions that are prescribed: where a driven body is, whatever touches it.
//!
//! A driven body is a fixed one whose placement is a function of time alone: a shaken box, a drum, a conveyor. Its motion is a
//! rigid displacement in the world, on top of where its author has placed it: a turn about an axis through a point `c`
//! of the world, then a shift.
//!
//! ```text
//! x(t) = c + R(t) (x - c) + s(t)          R(t) = exp(θ(t) n)
//!
//! shake    s = a e(τ) (sin(2πf τ + φ) - sin φ)          rock    θ = α e(τ) (sin(2πf τ + φ) - sin φ)
//! turn     θ = ω ∫₀^τ e                                  path    s = straight lines between the rows of a table
//! ```
//!
//! `τ` is the time since the start, held at zero before it and at the end after it; `e` grows from 0 to 1 over a ramp at the
//! start, falls back over a ramp before the end, and is 1 without ramps. Every path is continuous. Velocities are so
//! only with ramps, or where a wave starts and ends at rest (`φ = ±π/2`, whole periods): a wave of phase zero
//! starts with its greatest velocity at once, and a table changes its velocity at every row.

use crate::table::Table;
use crate::tolerances::OUT_OF_PLANE;
use nalgebra::{Rotation3, Unit};
use percussion_geometry::{Pose, Vec3};
use std::f64::consts::TAU;
use thiserror::Error;

/// A sine wave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Periods per second, Hz.
    pub frequency: f64,
    /// Angle at the start, rad; `-π/2` starts at rest.
    pub phase: f64,
}

/// When something moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// When it starts, s.
    pub start: f64,
    /// How long it goes on, s; `None` is for ever.
    pub duration: Option<f64>,
    /// How long it takes to get going, and before the end to come to rest, s.
    pub ramp: f64,
}

/// A rigid displacement in the world as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    path: Path,
    window: Window,
}

#[derive(Clone, Debug, PartialEq)]
enum Path {
    Shake { amplitude: Vec3, wave: Wave },
    Turn { axis: Axis, rate: f64 },
    Rock { axis: Axis, angle: f64, wave: Wave },
    Table(Table<3>),
}

/// A line in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    direction: Unit<Vec3>,
    point: Vec3,
}

/// Velocities of a rigid body in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// A point.
    pub point: Vec3,
    /// Velocity there, m/s.
    pub linear: Vec3,
    /// Angular velocity, rad/s.
    pub angular: Vec3,
}

impl Twist {
    /// Velocity of the point of the body that is at `x`.
    pub fn velocity(&self, x: &Vec3) -> Vec3 {
        self.linear + self.angular.cross(&(x - self.point))
    }
}

/// Why a motion is refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MotionError {
    /// NaN or infinity.
    #[error("{0} of the motion is not finite")]
    NotFinite(&'static str),
    /// A wave that does not swing.
    #[error("the frequency of the motion is {0}; give a positive number of hertz")]
    Frequency(f64),
    /// An axis without direction.
    #[error("the axis of the motion is the zero vector; give a direction such as [0, 0, 1]")]
    NoAxis,
    /// A motion that takes no time.
    #[error("the motion lasts {0} s; give a positive time, or none for a motion without end")]
    Duration(f64),
    /// A ramp that takes negative time or does not fit in twice.
    #[error("the ramp of the motion takes {ramp} s; give at least 0 and at most half of what it lasts")]
    Ramp {
        /// How long it takes, s.
        ramp: f64,
    },
}

impl Wave {
    fn check(&self) -> Result<(), MotionError> {
        finite("the phase", self.phase)?;
        match self.frequency > 0.0 && self.frequency.is_finite() {
            true => Ok(()),
            false => Err(MotionError::Frequency(self.frequency)),
        }
    }

    /// How far it is from where it started, in amplitudes, and how fast that changes.
    fn at(&self, elapsed: f64) -> (f64, f64) {
        let pace = TAU * self.frequency;
        let (sin, cos) = (pace * elapsed + self.phase).sin_cos();
        (sin - self.phase.sin(), pace * cos)
    }
}

impl Window {
    fn check(&self) -> Result<(), MotionError> {
        finite("the start", self.start)?;
        if let Some(duration) = self.duration
            && !(duration > 0.0 && duration.is_finite())
        {
            return Err(MotionError::Duration(duration));
        }
        let longest = self.duration.map_or(f64::MAX, |duration| 0.5 * duration);
        match (0.0..=longest).contains(&self.ramp) {
            true => Ok(()),
            false => Err(MotionError::Ramp { ramp: self.ramp }),
        }
    }

    /// Time since the start, held at both ends.
    fn elapsed(&self, t: f64) -> f64 {
        (t - self.start).max(0.0).min(self.duration.unwrap_or(f64::INFINITY))
    }

    /// Whether it moves from `t` on.
    fn goes_on(&self, t: f64) -> bool {
        t >= self.start && self.duration.is_none_or(|duration| t - self.start < duration)
    }

    /// `e` and its derivative.
    fn envelope(&self, elapsed: f64) -> (f64, f64) {
        if elapsed < self.ramp {
            let u = elapsed / self.ramp;
            return (u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / self.ramp);
        }
        match self.duration.map(|duration| duration - elapsed) {
            Some(left) if left < self.ramp => {
                let u = left / self.ramp;
                (u * u * (3.0 - 2.0 * u), -6.0 * u * (1.0 - u) / self.ramp)
            }
            _ => (1.0, 0.0),
        }
    }

    /// `∫ e` since the start.
    fn travelled(&self, elapsed: f64) -> f64 {
        let ramped = |time: f64| {
            let u = time / self.ramp;
            self.ramp * u * u * u * (1.0 - 0.5 * u)
        };
        if elapsed < self.ramp {
            return ramped(elapsed);
        }
        match self.duration {
            Some(duration) if duration - elapsed < self.ramp => {
                duration - self.ramp - ramped(duration - elapsed)
            }
            _ => elapsed - 0.5 * self.ramp,
        }
    }

    /// What a wave does under the envelope: how far it is, in amplitudes, and how fast.
    fn waves(&self, wave: &Wave, t: f64) -> (f64, f64) {
        let elapsed = self.elapsed(t);
        let ((far, fast), (e, slope)) = (wave.at(elapsed), self.envelope(elapsed));
        (e * far, if self.goes_on(t) { e * fast + slope * far } else { 0.0 })
    }
}

impl Axis {
    fn new(direction: Vec3, point: Vec3) -> Result<Self, MotionError> {
        direction.iter().try_for_each(|v| finite("the axis", *v))?;
        point.iter().try_for_each(|v| finite("the point on the axis", *v))?;
        // Scaled first, so that neither tiny nor huge components leave the range of the numbers when squared.
        let scale = direction.amax();
        match scale > 0.0 {
            true => Ok(Self { direction: Unit::new_normalize(direction / scale), point }),
            false => Err(MotionError::NoAxis),
        }
    }
}

fn finite(what: &'static str, value: f64) -> Result<(), MotionError> {
    if value.is_finite() { Ok(()) } else { Err(MotionError::NotFinite(what)) }
}

impl Motion {
    /// To and fro along a vector, m.
    pub fn shake(amplitude: Vec3, wave: Wave, window: Window) -> Result<Self, MotionError> {
        amplitude.iter().try_for_each(|v| finite("the amplitude", *v))?;
        wave.check()?;
        window.check()?;
        Ok(Self { path: Path::Shake { amplitude, wave }, window })
    }

    /// Round and round about the axis of a direction through a point of the world, at a rate in rad/s.
    pub fn turn(direction: Vec3, about: Vec3, rate: f64, window: Window) -> Result<Self, MotionError> {
        finite("the rate", rate)?;
        window.check()?;
        Ok(Self { path: Path::Turn { axis: Axis::new(direction, about)?, rate }, window })
    }

    /// To and fro about the axis of a direction through a point of the world, by an angle in rad.
    pub fn rock(
        direction: Vec3,
        about: Vec3,
        angle: f64,
        wave: Wave,
        window: Window,
    ) -> Result<Self, MotionError> {
        finite("the angle", angle)?;
        wave.check()?;
        window.check()?;
        Ok(Self { path: Path::Rock { axis: Axis::new(direction, about)?, angle, wave }, window })
    }

    /// Along shifts given at instants, m, with straight lines between them.
    pub fn path(shifts: Table<3>) -> Self {
        Self { path: Path::Table(shifts), window: Window::default() }
    }

    /// `s(t)`, m.
    pub fn shift(&self, t: f64) -> Vec3 {
        match &self.path {
            Path::Shake { amplitude, wave } => amplitude * self.window.waves(wave, t).0,
            Path::Table(table) => Vec3::from(table.at(t)),
            Path::Turn { .. } | Path::Rock { .. } => Vec3::zeros(),
        }
    }

    /// `θ(t)`, rad; whole turns count.
    pub fn angle(&self, t: f64) -> f64 {
        match &self.path {
            Path::Turn { rate, .. } => rate * self.window.travelled(self.window.elapsed(t)),
            Path::Rock { angle, wave, .. } => angle * self.window.waves(wave, t).0,
            Path::Shake { .. } | Path::Table(_) => 0.0,
        }
    }

    fn axis(&self) -> Option<&Axis> {
        match &self.path {
            Path::Turn { axis, .. } | Path::Rock { axis, .. } => Some(axis),
            Path::Shake { .. } | Path::Table(_) => None,
        }
    }

    /// The displacement at an instant: a point of the world that the body has at `x` where its author placed it is at
    /// `pose(t).point(&x)`; the identity where nothing has moved.
    pub fn pose(&self, t: f64) -> Pose {
        let shift = self.shift(t);
        let Some(axis) = self.axis() else { return Pose::at(shift) };
        let rotation = Rotation3::from_axis_angle(&axis.direction, self.angle(t));
        Pose::new(rotation, axis.point - rotation * axis.point + shift)
    }

    /// Velocities at an instant; where they jump, those from there on.
    pub fn twist(&self, t: f64) -> Twist {
        let window = &self.window;
        let (linear, spin) = match &self.path {
            Path::Shake { amplitude, wave } => (amplitude * window.waves(wave, t).1, 0.0),
            Path::Table(table) => (Vec3::from(table.slope(t)), 0.0),
            Path::Turn { rate, .. } if window.goes_on(t) => {
                (Vec3::zeros(), rate * window.envelope(window.elapsed(t)).0)
            }
            Path::Turn { .. } => (Vec3::zeros(), 0.0),
            Path::Rock { angle, wave, .. } => (Vec3::zeros(), angle * window.waves(wave, t).1),
        };
        self.with(t, linear, spin)
    }

    /// Mean velocities over a step from `t` to `t + h`: with them the displacement at the end is reached from the one
    /// at the beginning,
    ///
    /// ```text
    /// point₁ = point + h linear        R₁ = exp(h angular) R₀
    /// ```
    ///
    /// where [`Twist::point`] is on the axis (any point, if nothing turns). Turns beyond half a one are counted in
    /// full. Steps may be negative, not zero.
    pub fn step(&self, t: f64, h: f64) -> Twist {
        let linear = (self.shift(t + h) - self.shift(t)) / h;
        self.with(t, linear, (self.angle(t + h) - self.angle(t)) / h)
    }

    fn with(&self, t: f64, linear: Vec3, spin: f64) -> Twist {
        let (point, angular) = self.axis().map_or_else(
            || (Vec3::zeros(), Vec3::zeros()),
            |axis| (axis.point, axis.direction.into_inner() * spin),
        );
        Twist { point: point + self.shift(t), linear, angular }
    }

    /// Whether it keeps points of a plane with a unit normal in that plane.
    pub fn keeps_plane(&self, normal: &Vec3) -> bool {
        let along = |shift: &Vec3| shift.dot(normal).abs() <= OUT_OF_PLANE * shift.norm();
        match &self.path {
            Path::Shake { amplitude, .. } => along(amplitude),
            Path::Table(table) => table.values().all(|row| along(&Vec3::from(*row))),
            Path::Turn { axis, .. } | Path::Rock { axis, .. } => {
                axis.direction.cross(normal).norm() <= OUT_OF_PLANE
            }
        }
    }
}
