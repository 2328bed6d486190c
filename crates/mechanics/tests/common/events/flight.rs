//! One body above the floor `z = 0`.
//!
//! Height of corner `i`: `h = z + (R v_i)_z`, with `|h''| <= g + (w² + w') |v_i|`, `w` and `w'` the greatest angular speed
//! and acceleration of the flight.

use super::{APART, CLOSE, Glide, MOST, Motion, STRIDE, Solid, StepError, TOUCH, Vec3, polished, safe_step};

/// A body, gravity, and how the floor throws back.
#[derive(Debug, Clone)]
pub struct Flight {
    pub solid: Solid,
    /// Downward acceleration, m/s².
    pub gravity: f64,
    /// Normal speed after an impact over that before.
    pub restitution: f64,
    /// Length of the integrator's patches, see [`STRIDE`].
    pub stride: f64,
}

/// A corner struck the floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    pub time: f64,
    pub vertex: usize,
    /// Along z, N s.
    pub impulse: f64,
    pub before: Motion,
    pub after: Motion,
}

/// What happened from time 0 on.
#[derive(Debug, Clone)]
pub struct History {
    pub impacts: Vec<Impact>,
    pub until: f64,
    glides: Vec<Glide>,
}

impl Flight {
    /// Elastic or not, with patches of the usual length.
    pub fn new(solid: Solid, gravity: f64, restitution: f64) -> Self {
        Self { solid, gravity, restitution, stride: STRIDE }
    }

    /// Everything that happens up to a time.
    pub fn run(&self, start: &Motion, until: f64) -> Result<History, StepError> {
        start.check()?;
        let lowest = self.heights(start).into_iter().fold(f64::INFINITY, f64::min);
        if lowest < -TOUCH {
            return Err(StepError::Overlap { depth: -lowest });
        }
        let (mut time, mut motion) = (0.0, *start);
        let mut history = History { impacts: Vec::new(), until, glides: Vec::new() };
        loop {
            let fall = Vec3::new(0.0, 0.0, -self.gravity);
            let mut glide = Glide::new(time, &self.solid, &motion, fall, self.stride);
            let hit = self.first_contact(&mut glide, until - time)?;
            glide.reach(hit.map_or(until - time, |(s, _)| s));
            if let Some((s, vertex)) = hit {
                time += s;
                let impact = self.impact(time, vertex, &glide.at(s));
                motion = impact.after;
                history.impacts.push(impact);
            }
            history.glides.push(glide);
            if hit.is_none() {
                return Ok(history);
            }
            if history.impacts.len() > MOST {
                return Err(StepError::Endless { time });
            }
        }
    }

    /// Height of every corner.
    pub fn heights(&self, motion: &Motion) -> Vec<f64> {
        self.solid.vertices.iter().map(|v| motion.point(v).z).collect()
    }

    /// Kinetic energy and that of gravity, J.
    pub fn energy(&self, motion: &Motion) -> f64 {
        self.solid.kinetic(motion) + self.solid.mass * self.gravity * motion.position.z
    }

    /// Seconds until a corner reaches the floor, and which.
    fn first_contact(&self, glide: &mut Glide, limit: f64) -> Result<Option<(f64, usize)>, StepError> {
        let vertices = &self.solid.vertices;
        let (w, dw) = self.solid.fastest(&glide.at(0.0));
        let height =
            |motion: &Motion, i: usize| (motion.point(&vertices[i]).z, self.solid.velocity_of(i, motion).z);
        let mut s = 0.0;
        loop {
            glide.reach(s);
            let motion = glide.at(s);
            let (mut step, mut vertex) = (f64::INFINITY, 0);
            for (i, v) in vertices.iter().enumerate() {
                let (value, rate) = height(&motion, i);
                let safe = safe_step(value, rate, self.gravity.abs() + (w * w + dw) * v.norm());
                if safe < step {
                    (step, vertex) = (safe, i);
                }
            }
            if !(s + step < limit) {
                return Ok(None);
            }
            // A corner that leaves slowly has short steps too, but is no contact.
            let leaves = step > 0.0 && height(&motion, vertex).1 > 0.0;
            if step > CLOSE || leaves {
                s += step;
                continue;
            }
            glide.reach(s + 100.0 * CLOSE);
            let root = polished(s, glide.start, |s| height(&glide.at(s), vertex))?;
            let heights = self.heights(&glide.at(root));
            let low: Vec<usize> = (0..heights.len()).filter(|&i| heights[i] < APART).collect();
            if low != [vertex] {
                let which = format!("corners {low:?}");
                return Err(StepError::Simultaneous { time: glide.start + root, which });
            }
            return Ok((root < limit).then_some((root, vertex)));
        }
    }

    fn impact(&self, time: f64, vertex: usize, before: &Motion) -> Impact {
        let arm = before.rotation * self.solid.vertices[vertex];
        let speed = self.solid.velocity_of(vertex, before).z;
        let impulse = -(1.0 + self.restitution) * speed / self.solid.compliance(before, &arm, &Vec3::z());
        let after = self.solid.struck(before, &arm, &(Vec3::z() * impulse));
        Impact { time, vertex, impulse, before: *before, after }
    }
}

impl History {
    /// The motion at a time within the run; at an impact, the one after it.
    pub fn state_at(&self, time: f64) -> Motion {
        assert!((0.0..=self.until).contains(&time), "{time} s is outside the run of {} s", self.until);
        let glide = &self.glides[self.glides.partition_point(|g| g.start <= time) - 1];
        glide.at(time - glide.start)
    }

    /// Impact times.
    pub fn times(&self) -> Vec<f64> {
        self.impacts.iter().map(|i| i.time).collect()
    }
}
