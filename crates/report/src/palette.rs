//! Colours of bodies: told apart on light and dark paper, and by readers who confuse red and green.

/// Colours by the place of a body among those that move.
const COLOURS: [[u8; 3]; 10] = [
    [76, 134, 198],
    [232, 150, 62],
    [72, 168, 140],
    [205, 98, 90],
    [150, 120, 196],
    [222, 196, 84],
    [96, 184, 214],
    [206, 128, 170],
    [140, 152, 92],
    [166, 126, 102],
];

/// The colour of what never moves.
pub const FIXED: [u8; 3] = [158, 163, 171];

/// The colour of the k-th body that moves; after ten they come again.
pub fn colour(k: usize) -> [u8; 3] {
    COLOURS[k % COLOURS.len()]
}

/// Colours of all bodies, given which of them move.
pub fn colours(moves: impl Iterator<Item = bool>) -> Vec<[u8; 3]> {
    let mut k = 0;
    moves
        .map(|moves| {
            let own = if moves { colour(k) } else { FIXED };
            k += usize::from(moves);
            own
        })
        .collect()
}
