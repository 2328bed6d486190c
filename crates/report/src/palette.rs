//! Colours of bodies: ten that most people can tell apart, those of Okabe and Ito first. Fixed bodies are grey.

/// The colour of a fixed body.
pub const FIXED: [u8; 3] = [158, 160, 163];

const MOVING: [[u8; 3]; 10] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [213, 94, 0],
    [86, 180, 233],
    [204, 121, 167],
    [240, 228, 66],
    [140, 86, 75],
    [92, 84, 164],
    [153, 153, 51],
];

/// The colour of a moving body: `k` is its place among those that move.
pub fn colour(k: usize) -> [u8; 3] {
    MOVING[k % MOVING.len()]
}
