//! A run as an animated GIF that loops forever.
//!
//! All frames share one palette, made from some of them. A frame holds the rectangle that has changed, and in it only
//! the pixels that have.

use super::context::{DrawingContext, Snapshot, VisibleRegion};
use super::quantise::{Census, Palette};
use super::{Annotations, Options, Picture, Room, Theme, blank, caption, digits, framed, trimmed};
use crate::Recording;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;

/// The shortest time between frames that programs respect, hundredths of a second.
const SHORTEST: f64 = 4.0;
/// The last frame stays for so long, hundredths of a second.
const REST: u16 = 120;
/// Default length of an animation, s.
const LENGTH: f64 = 8.0;
/// Frames from which the palette is made.
const TASTED: usize = 16;
/// Colours besides the one that means no change.
const COLOURS: usize = 255;
/// Largest rounding of printed times, relative to the time between frames.
const ROUNDED: f64 = 0.5;

/// An animation of the whole run, the bytes of a GIF file. Time runs at the given speed; if that needs more frames than
/// allowed, the frame rate is lower. A transparent background becomes white: the format has no half-transparent pixels.
pub fn animation(recording: &Recording, options: &Options) -> Vec<u8> {
    let options = &Options {
        theme: if options.theme == Theme::Transparent { Theme::Light } else { options.theme },
        ..options.clone()
    };
    let (frames, delay) = schedule(&recording.frames.times, options);
    let mut bytes = Vec::new();
    // Writing into memory does not fail, and sizes agree.
    match frames.is_empty() {
        true => encode(&mut bytes, &[0], 0, |_| blank(options)),
        false => {
            let context = DrawingContext::new(recording, options);
            let scope = context.scope(&frames, false);
            let reel = FrameRenderer::new(&context, &scope, &frames, options);
            encode(&mut bytes, &frames, delay, |frame| reel.picture(frame))
        }
    }
    .unwrap_or_default();
    bytes
}

/// The frames nearest to evenly spaced times, and the time between them in hundredths of a second.
fn schedule(times: &[f64], options: &Options) -> (Vec<usize>, u16) {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return (Vec::new(), 0) };
    let duration = last - first;
    let speed = options.speed.filter(|v| *v > 0.0 && v.is_finite()).unwrap_or_else(|| usual_speed(duration));
    let long = 100.0 * duration / speed;
    let most = options.most_frames.max(2) as f64 - 1.0;
    let delay = (long / most).ceil().clamp(SHORTEST, f64::from(u16::MAX));
    let n = ((long / delay).round().min(most)).max(0.0) as usize;
    let frames = crate::Frames { times: times.to_vec(), ..crate::Frames::default() };
    let at = |k: usize| if k == n { last } else { first + k as f64 * delay * speed / 100.0 };
    ((0..=n).map(|k| frames.nearest(at(k))).collect(), delay as u16)
}

/// Real time for runs of some seconds; otherwise faster or slower by a round factor.
fn usual_speed(duration: f64) -> f64 {
    match duration / LENGTH {
        ratio if (0.2..2.0).contains(&ratio) || !(ratio > 0.0) => 1.0,
        ratio => super::marks::round_length(ratio),
    }
}

/// Frames of one camera.
struct FrameRenderer<'a> {
    context: &'a DrawingContext<'a>,
    scope: &'a VisibleRegion,
    camera: super::Camera,
    marks: Annotations,
    digits: usize,
}

impl<'a> FrameRenderer<'a> {
    fn new(
        context: &'a DrawingContext<'a>,
        scope: &'a VisibleRegion,
        frames: &[usize],
        options: &Options,
    ) -> Self {
        let room = Room::of(options, options.width, options.height, 1.0);
        let (camera, marks) = framed(context, scope, &trimmed(context, scope, room));
        Self { context, scope, camera, marks, digits: digits(context.recording, frames, ROUNDED) }
    }

    fn picture(&self, frame: usize) -> Picture {
        let written = || caption(self.context.recording, &[frame], self.digits);
        let marks =
            Annotations { caption: self.context.options.captions.then(written), ..self.marks.clone() };
        self.context.paint(&self.camera, self.scope, &[Snapshot { frame, opacity: 1.0 }], &marks).picture()
    }
}

fn encode(
    bytes: &mut Vec<u8>,
    frames: &[usize],
    delay: u16,
    draw: impl Fn(usize) -> Picture,
) -> Result<(), EncodingError> {
    let mut census = Census::new();
    let tasted = crate::thinned(frames.len(), TASTED);
    let mut size = (1, 1);
    for &k in &tasted {
        let picture = draw(frames[k]);
        size = (picture.width, picture.height);
        census.add(&picture.pixels);
    }
    let palette = census.palette(COLOURS);
    let unchanged = palette.colours.len() as u8;
    let mut table = palette.colours.concat();
    table.extend([0; 3]);
    let side = |v: usize| u16::try_from(v).map_err(|_| gif::EncodingFormatError::TooManyColors);
    let mut encoder = Encoder::new(bytes, side(size.0)?, side(size.1)?, &table)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut before: Option<Vec<u8>> = None;
    for (k, &frame) in frames.iter().enumerate() {
        let now = indexed(&draw(frame), &palette);
        let [left, top, width, height] = changed(before.as_deref(), &now, size.0);
        let row = |y: usize| (top + y) * size.0 + left..(top + y) * size.0 + left + width;
        let buffer: Vec<u8> = (0..height)
            .flat_map(row)
            .map(|i| if before.as_ref().is_some_and(|b| b[i] == now[i]) { unchanged } else { now[i] })
            .collect();
        encoder.write_frame(&Frame {
            delay: if k + 1 == frames.len() { REST.max(delay) } else { delay },
            dispose: DisposalMethod::Keep,
            transparent: Some(unchanged),
            left: side(left)?,
            top: side(top)?,
            width: side(width)?,
            height: side(height)?,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })?;
        before = Some(now);
    }
    Ok(())
}

fn indexed(picture: &Picture, palette: &Palette) -> Vec<u8> {
    picture.pixels.as_chunks::<4>().0.iter().map(|p| palette.of([p[0], p[1], p[2]])).collect()
}

/// Left, top, width and height of the rectangle in which pixels differ; one pixel where none does.
fn changed(before: Option<&[u8]>, now: &[u8], columns: usize) -> [usize; 4] {
    let Some(before) = before else { return [0, 0, columns, now.len() / columns] };
    let mut ends = [usize::MAX, usize::MAX, 0, 0];
    for (i, _) in before.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
        let (x, y) = (i % columns, i / columns);
        ends = [ends[0].min(x), ends[1].min(y), ends[2].max(x), ends[3].max(y)];
    }
    match ends[0] == usize::MAX {
        true => [0, 0, 1, 1],
        false => [ends[0], ends[1], ends[2] - ends[0] + 1, ends[3] - ends[1] + 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_at_the_given_speed() {
        let times: Vec<f64> = (0..=1000).map(|k| f64::from(k) * 0.01).collect();
        let scheduled = |speed: Option<f64>| schedule(&times, &Options { speed, ..Options::default() });
        // Ten seconds in real time: with steps of 5 hundredths there would be 201 frames.
        let (frames, delay) = scheduled(Some(1.0));
        assert_eq!((frames.len(), delay), (168, 6));
        for (k, pair) in frames.windows(2).enumerate().take(100) {
            assert!((times[pair[0]] - 0.06 * k as f64).abs() < 0.006);
        }
        for (speed, seconds) in [(2.0, 5.0), (0.5, 20.0), (0.01, 1000.0)] {
            let (frames, delay) = scheduled(Some(speed));
            assert!(frames.len() <= 200 && *frames.last().unwrap() == 1000);
            let long = (frames.len() - 1) as f64 * f64::from(delay) / 100.0;
            assert!((long - seconds).abs() <= f64::from(delay) / 100.0, "{speed}: {long}");
        }
        assert_eq!(scheduled(None).1, scheduled(Some(1.0)).1);
        assert_eq!(scheduled(Some(f64::NAN)), scheduled(None));
        assert!(schedule(&[], &Options::default()).0.is_empty());
        assert_eq!(schedule(&[3.0], &Options::default()).0, [0]);
    }

    #[test]
    fn the_rectangle_of_what_has_changed() {
        let before = [0; 12];
        let mut now = before;
        assert_eq!(changed(Some(&before), &now, 4), [0, 0, 1, 1]);
        (now[5], now[10]) = (1, 1);
        assert_eq!(changed(Some(&before), &now, 4), [1, 1, 2, 2]);
        assert_eq!(changed(None, &now, 4), [0, 0, 4, 3]);
    }
}
