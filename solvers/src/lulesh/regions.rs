//! Material regions: which elements belong to which, and how often their equation of state is evaluated.

/// Neighbouring elements that belong to one region.
const RUN: u64 = 32;

/// The regions of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    /// How many there are, from 1.
    pub count: u64,
    /// The extra cost of the costly ones.
    pub cost: u64,
}

impl Regions {
    /// The region of an element, from 0: that of its run of 32 by global id. Of n regions, region r has about (r + 1)
    /// of n (n + 1) / 2 parts of all elements. It depends on neither ranks nor other elements.
    pub fn of(self, element: u64) -> u64 {
        let parts = self.count * (self.count + 1) / 2;
        let mut part = mixed(element / RUN) % parts;
        let mut region = 0;
        while part > region {
            part -= region + 1;
            region += 1;
        }
        region
    }

    /// How often the equation of state of a region's elements is evaluated.
    pub fn evaluations(self, region: u64) -> u64 {
        if region < self.count / 2 {
            1
        } else if region < self.count - (self.count + 15) / 20 {
            1 + self.cost
        } else {
            10 * (1 + self.cost)
        }
    }
}

/// Bits that look random: the output function of SplitMix64.
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
