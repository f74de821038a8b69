//! Ingredients of the results.

use cfd_engine::prelude::*;

/// The energy of the selected elements.
#[kernel]
pub fn energy_of(e: Read<1>, total: Sum<1>) {
    total[0] += e[0];
}

/// The lowest relative volume; NaN if there is any.
#[kernel]
pub fn find_lowest_volume(v: Read<1>, lowest: Min<1>) {
    lowest[0] = v[0];
}

/// The highest energy by magnitude; NaN if there is any.
#[kernel]
pub fn find_highest_energy(e: Read<1>, highest: Max<1>) {
    highest[0] = e[0].abs();
}

/// The middle of an element.
#[kernel]
pub fn middle(x: [Read<3>; 8], place: Write<3>) {
    for m in 0..3 {
        place[m] = 0.125 * (x[0][m] + x[1][m] + x[2][m] + x[3][m] + x[4][m] + x[5][m] + x[6][m] + x[7][m]);
    }
}
