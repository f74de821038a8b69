//! The smallest color that no neighbour has.

/// The color of a vertex that has none yet.
pub(super) const UNCOLORED: u32 = u32::MAX;

/// The smallest number that is not among the neighbours' colors.
///
/// The search uses windows of 64 colors, one bit each, so it needs no memory; most vertices need one window. `colors`
/// may return other colors each time it is called, as it does when other threads change them.
pub(super) fn first_free<I: Iterator<Item = u32>>(colors: impl Fn() -> I) -> u32 {
    let mut base = 0;
    loop {
        let mut taken = 0u64;
        for color in colors() {
            let place = color.wrapping_sub(base);
            if place < u64::BITS {
                taken |= 1 << place;
            }
        }
        let free = taken.trailing_ones();
        if free < u64::BITS {
            return base + free;
        }
        base += u64::BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::{UNCOLORED, first_free};

    fn free(colors: &[u32]) -> u32 {
        first_free(|| colors.iter().copied())
    }

    #[test]
    fn the_smallest_color_is_found_in_any_window() {
        assert_eq!(free(&[]), 0);
        assert_eq!(free(&[1, 2, 1, UNCOLORED]), 0);
        assert_eq!(free(&[2, 0, 1, 4]), 3);
        for count in [63, 64, 65, 128, 200] {
            let colors: Vec<u32> = (0..count).rev().collect();
            assert_eq!(free(&colors), count);
        }
    }
}
