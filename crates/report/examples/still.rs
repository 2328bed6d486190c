//! Pictures of the run in a folder.
//!
//!     cargo run --release -p percussion-report --example still -- FOLDER OUT single TIME
//!     cargo run --release -p percussion-report --example still -- FOLDER OUT strip TIME TIME ...
//!     cargo run --release -p percussion-report --example still -- FOLDER OUT overlay TIME TIME ...
//!     cargo run --release -p percussion-report --example still -- FOLDER OUT animation
//!
//! Words `KEY=VALUE` among the times change the picture: whole, trim, width, height, samples, theme, view
//! (azimuth,elevation), impulses, speed.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use percussion_report::Recording;
use percussion_report::still::{self, Options, Theme};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [folder, out, kind, rest @ ..] = words else {
        return Err("what is asked for: FOLDER OUT single|strip|overlay TIME ...".into());
    };
    let (mut options, mut times) = (Options::default(), Vec::new());
    for word in rest {
        match word.split_once('=') {
            None => times.push(word.parse::<f64>()?),
            Some((key, value)) => set(&mut options, key, value)?,
        }
    }
    let recording = Recording::load(Path::new(folder), 20_000)?;
    if let ([n], true) = (times.as_slice(), kind != "single") {
        // One number: so many instants of the whole run.
        let (n, last) = (*n as usize, recording.frames.len().saturating_sub(1));
        times = (0..n).map(|k| recording.frames.times[k * last / (n - 1).max(1)]).collect();
    }
    let start = Instant::now();
    let bytes = match kind.as_str() {
        "single" => {
            let frame = recording.frames.nearest(times.first().copied().unwrap_or(0.0));
            still::single(&recording, frame, &options).png()
        }
        "strip" => still::strip(&recording, &times, &options).png(),
        "overlay" => still::overlay(&recording, &times, &options).png(),
        "animation" => still::animation(&recording, &options),
        _ => return Err(format!("{kind} is none of single, strip, overlay, animation").into()),
    };
    println!("{out}: {} bytes in {:.3} s", bytes.len(), start.elapsed().as_secs_f64());
    std::fs::write(out, bytes)?;
    Ok(())
}

fn set(options: &mut Options, key: &str, value: &str) -> Result<(), Box<dyn std::error::Error>> {
    match key {
        "whole" => options.whole = value.parse()?,
        "trim" => options.trim = value.parse()?,
        "width" => options.width = value.parse()?,
        "height" => options.height = value.parse()?,
        "samples" => options.samples = value.parse()?,
        "impulses" => options.impulses = Some(value.parse()?),
        "speed" => options.speed = Some(value.parse()?),
        "theme" => {
            options.theme = match value {
                "dark" => Theme::Dark,
                "transparent" => Theme::Transparent,
                _ => Theme::Light,
            }
        }
        "view" => {
            let (azimuth, elevation) = value.split_once(',').ok_or("view=AZIMUTH,ELEVATION")?;
            options.view = Some([azimuth.parse()?, elevation.parse()?]);
        }
        _ => return Err(format!("no such option: {key}").into()),
    }
    Ok(())
}
