//! Options of pictures.

use super::theme::Theme;

/// Options of pictures.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pixels per row.
    pub width: usize,
    /// Rows; a strip may have fewer, and so may other pictures when they are trimmed.
    pub height: usize,
    /// Whether empty rows are cropped.
    pub trim: bool,
    /// Samples per pixel along each side, from 1 to 8.
    pub samples: usize,
    /// The background.
    pub theme: Theme,
    /// Azimuth and elevation of the viewer, degrees; chosen for the scene when absent.
    pub view: Option<[f64; 2]>,
    /// Whether all poses of the run are in view, not only those at the instants shown.
    pub whole: bool,
    /// Whether floors have a grid.
    pub grid: bool,
    /// Whether bodies throw shadows on floors.
    pub shadows: bool,
    /// Whether a scale bar is drawn.
    pub scale: bool,
    /// Whether the coordinate axes are drawn.
    pub axes: bool,
    /// Whether the time is written.
    pub captions: bool,
    /// Whether an overlay has the paths of the centres of mass.
    pub paths: bool,
    /// Whether joints and springs are marked.
    pub connections: bool,
    /// Impulses of contacts at most this long before or after an instant are drawn, s.
    pub impulses: Option<f64>,
    /// Seconds of the run in a second of an animation; when absent, such that it lasts some seconds.
    pub speed: Option<f64>,
    /// Frames of an animation, at most.
    pub most_frames: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 960,
            height: 720,
            trim: true,
            samples: 3,
            theme: Theme::Light,
            view: None,
            whole: false,
            grid: true,
            shadows: true,
            scale: true,
            axes: true,
            captions: true,
            paths: true,
            connections: true,
            impulses: None,
            speed: None,
            most_frames: 200,
        }
    }
}
