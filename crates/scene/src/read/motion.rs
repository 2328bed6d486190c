//! Prescribed motion of fixed bodies: harmonic translation, rotation at constant rate, harmonic rotation, or a table of shifts.

use crate::placement::angle_of;
use crate::report::{Read, Reported};
use crate::tree::Fields;
use percussion_geometry::Vec3;
use percussion_mechanics::Motion;
use percussion_mechanics::prescribed_motion::{Wave, Window};
use percussion_mechanics::table::Table;

/// The keys of a motion; the allowed combinations depend on which of `shake`, `turn` and `times` is given.
const KEYS: [&str; 15] = [
    "shake",
    "turn",
    "times",
    "shifts",
    "about",
    "rate",
    "angle",
    "angle_degrees",
    "frequency",
    "phase",
    "phase_degrees",
    "start",
    "stop",
    "periods",
    "ramp",
];

/// The keys that select the kind of motion.
const LEADING: [&str; 3] = ["shake", "turn", "times"];
const WAVE: [&str; 4] = ["frequency", "phase", "phase_degrees", "periods"];
const WINDOW: [&str; 4] = ["start", "stop", "periods", "ramp"];
const TURN: [&str; 4] = ["about", "rate", "angle", "angle_degrees"];

const SECONDS: &str = "number of seconds";

/// The motion under a key of a body with its origin at `origin`, the default center of rotation.
pub(super) fn motion(body: &Fields<'_>, key: &str, origin: &Vec3) -> Read<Option<Motion>> {
    let Some(node) = body.node(key) else { return Ok(None) };
    let f = Fields::of(body.report, node, &body.path(key), &KEYS)?;
    let Some(leading) = f.first_of(&LEADING) else {
        let remedy = "give `shake` (a vector), `turn` (an axis), or `times` with `shifts`";
        return Err(f.report.complain(f.place, format!("`{}` has no kind of motion", f.name), remedy));
    };
    let alone = |keys: &[&[&str]]| {
        let why = format!("cannot be combined with `{leading}`");
        f.refuse(&keys.concat(), &why, "remove it")
    };
    match leading {
        "shake" => {
            alone(&[&LEADING[1..], &["shifts"], &TURN])?;
            shake(&f)
        }
        "turn" => {
            alone(&[&LEADING[2..], &["shifts"]])?;
            turn(&f, origin)
        }
        _ => {
            alone(&[&WAVE, &WINDOW, &TURN])?;
            path(&f)
        }
    }
    .map(Some)
}

fn shake(f: &Fields<'_>) -> Read<Motion> {
    let (amplitude, wave) = (f.vector("shake"), wave(f));
    let (amplitude, wave) = (amplitude?.unwrap_or_else(Vec3::zeros), wave?);
    made(f, Motion::shake(amplitude, wave, window(f, Some(wave.frequency))?))
}

fn turn(f: &Fields<'_>, origin: &Vec3) -> Read<Motion> {
    let (axis, about) = (f.direction("turn"), f.vector("about"));
    let (rate, swing) = (f.number("rate"), angle_of(f, ["angle", "angle_degrees"]));
    let (axis, about) = (axis?.unwrap_or_else(Vec3::z), about?.unwrap_or(*origin));
    match (rate?, swing?) {
        (Some(_), Some(_)) => {
            let key = f.first_of(&["angle", "angle_degrees"]).unwrap_or("angle");
            Err(f.wrong(key, "is given together with `rate`", "keep one of the two"))
        }
        (None, None) => {
            Err(f.missing("rate", "give `rate` (rad/s), or `angle` and `frequency` for an oscillation"))
        }
        (Some(rate), None) => {
            f.refuse(
                &WAVE,
                "cannot be combined with `rate`",
                "remove it, or give `angle` instead of `rate`",
            )?;
            made(f, Motion::turn(axis, about, rate, window(f, None)?))
        }
        (None, Some(angle)) => {
            let wave = wave(f)?;
            made(f, Motion::rock(axis, about, angle, wave, window(f, Some(wave.frequency))?))
        }
    }
}

fn path(f: &Fields<'_>) -> Read<Motion> {
    let (times, shifts) = (f.number_list("times"), f.rows::<3>("shifts"));
    let times = times?.unwrap_or_default();
    let shifts = shifts?.ok_or_else(|| f.missing("shifts", "list a vector in metres for each time"))?;
    Table::new(times, shifts)
        .map(Motion::path)
        .map_err(|error| f.report.complain_with(f.place_of("times"), &format!("`{}`: {error}", f.name)))
}

fn wave(f: &Fields<'_>) -> Read<Wave> {
    let (frequency, phase) =
        (f.positive("frequency", "number of hertz"), angle_of(f, ["phase", "phase_degrees"]));
    let phase = phase?.unwrap_or(0.0);
    let frequency = frequency?.ok_or_else(|| f.missing("frequency", "give it in hertz"))?;
    Ok(Wave { frequency, phase })
}

/// The time window of the motion; `periods` refer to a frequency.
fn window(f: &Fields<'_>, frequency: Option<f64>) -> Read<Window> {
    let (start, ramp) = (f.number("start"), f.not_negative("ramp", SECONDS));
    let (stop, periods) = (f.number("stop"), f.positive("periods", "number of periods"));
    let (start, ramp) = (start?.unwrap_or(0.0), ramp?.unwrap_or(0.0));
    let duration = match (stop?, periods?) {
        (Some(_), Some(_)) => {
            return Err(f.wrong("periods", "is given together with `stop`", "keep one of the two"));
        }
        (Some(stop), None) if !(stop > start) => {
            let message = format!("is {stop}, but the motion starts at {start}");
            return Err(f.wrong("stop", &message, "give a later time"));
        }
        (Some(stop), None) => Some(stop - start),
        (None, periods) => periods.zip(frequency).map(|(periods, frequency)| periods / frequency),
    };
    if let Some(duration) = duration
        && !(2.0 * ramp <= duration)
    {
        let message = format!("is {ramp}, but the motion lasts {duration} s and has a ramp at both ends");
        return Err(f.wrong("ramp", &message, "give at most half of that"));
    }
    Ok(Window { start, duration, ramp })
}

/// Numbers are checked when they are read: errors here are overflows.
fn made<E: std::fmt::Display>(f: &Fields<'_>, motion: Result<Motion, E>) -> Read<Motion> {
    motion.map_err(|error| -> Reported { f.report.complain_with(f.place, &format!("`{}`: {error}", f.name)) })
}
