//! How many lanes the processor has, and how many are used.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of elements that a kernel computes at once: one for which this processor has instructions and this build
/// has loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Width(Registers);

/// The loops that this build has (`build.rs`).
pub mod built {
    /// In two lanes.
    pub const TWO_LANES: bool = cfg!(two_lanes);
    /// In four lanes.
    pub const FOUR_LANES: bool = cfg!(four_lanes);
    /// In eight lanes.
    pub const EIGHT_LANES: bool = cfg!(eight_lanes);
    /// In eight lanes, with gathers.
    pub const GATHERED_LANES: bool = cfg!(gathered_lanes);
}

/// What holds the lanes, fewest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Registers {
    /// One element at a time.
    Scalar,
    /// Two: SSE2, NEON.
    Two,
    /// Four: AVX2.
    #[cfg(target_arch = "x86_64")]
    Four,
    /// Eight: AVX-512 F, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    Eight,
}

impl Registers {
    #[cfg(target_arch = "x86_64")]
    const ALL: [Registers; 4] = [Registers::Scalar, Registers::Two, Registers::Four, Registers::Eight];
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: [Registers; 2] = [Registers::Scalar, Registers::Two];

    /// Whether this build has loops for them: an optimised build has all, a development build one lane or also the
    /// widest (`build.rs`).
    fn are_built(self) -> bool {
        match self {
            Registers::Scalar => true,
            Registers::Two => built::TWO_LANES,
            #[cfg(target_arch = "x86_64")]
            Registers::Four => built::FOUR_LANES,
            #[cfg(target_arch = "x86_64")]
            Registers::Eight => built::EIGHT_LANES,
        }
    }

    /// The registers that this processor has, fewest lanes first.
    pub fn of_this_processor() -> impl Iterator<Item = Registers> {
        Registers::ALL.into_iter().filter(|registers| registers.are_there())
    }

    fn are_there(self) -> bool {
        match self {
            Registers::Scalar | Registers::Two => true,
            #[cfg(target_arch = "x86_64")]
            Registers::Four => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Registers::Eight => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
    }

    fn lanes(self) -> usize {
        match self {
            Registers::Scalar => 1,
            Registers::Two => 2,
            #[cfg(target_arch = "x86_64")]
            Registers::Four => 4,
            #[cfg(target_arch = "x86_64")]
            Registers::Eight => 8,
        }
    }
}

impl Width {
    /// One element at a time.
    pub const SCALAR: Width = Width(Registers::Scalar);

    /// This many lanes.
    ///
    /// # Errors
    /// The processor has no registers with that many, or the build no loops for them.
    pub fn new(lanes: usize) -> Result<Width, WidthError> {
        Width::available().find(|width| width.lanes() == lanes).ok_or_else(|| {
            let left_out = Registers::of_this_processor().any(|registers| registers.lanes() == lanes);
            let available = match left_out {
                true => Width::available().map(Width::lanes).collect(),
                false => Registers::of_this_processor().map(Registers::lanes).collect(),
            };
            WidthError { wanted: lanes, left_out, available }
        })
    }

    /// All widths that this processor and this build have, fewest lanes first.
    pub fn available() -> impl Iterator<Item = Width> {
        Registers::of_this_processor().filter(|registers| registers.are_built()).map(Width)
    }

    /// The width with the most lanes that this processor and this build have.
    pub fn widest() -> Width {
        Width::available().last().unwrap_or(Width::SCALAR)
    }

    /// Number of lanes.
    pub fn lanes(self) -> usize {
        self.0.lanes()
    }

    /// Makes the choices that are made once for a processor: how it takes roots, and how it loads numbers from several
    /// places.
    pub fn prepare(self) {
        #[cfg(target_arch = "x86_64")]
        if self.0 == Registers::Eight {
            super::x86::root::choose();
            super::x86::gather::choose();
        }
    }

    /// What holds the lanes.
    pub fn registers(self) -> Registers {
        self.0
    }
}

impl Default for Width {
    fn default() -> Width {
        Width::widest()
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.lanes())
    }
}

/// A number of lanes that the processor or the build does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{wanted} lanes: {} {}; the bits are the same with any of them", self.owner(), listed(.available))]
pub struct WidthError {
    /// The number asked for.
    pub wanted: usize,
    /// Whether the processor has that many, but this development build leaves them out.
    pub left_out: bool,
    /// What the build has; or, if the processor lacks what was asked for, what the processor has.
    pub available: Vec<usize>,
}

impl WidthError {
    /// What has the listed widths: the build or the processor.
    fn owner(&self) -> &'static str {
        match self.left_out {
            true => "this development build, made without the feature every-width, has",
            false => "this processor has",
        }
    }
}

/// `1, 2 and 4`.
fn listed(lanes: &[usize]) -> String {
    let texts: Vec<String> = lanes.iter().map(|lanes| lanes.to_string()).collect();
    match &texts[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => texts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_is_found_by_its_number_of_lanes() {
        assert_eq!(Width::new(1), Ok(Width::SCALAR));
        for width in Width::available() {
            assert_eq!(Width::new(width.lanes()), Ok(width));
            assert!(width <= Width::widest());
        }
    }

    #[test]
    fn a_width_the_processor_lacks_is_refused_with_what_it_has() {
        let error = Width::new(3).expect_err("no processor has registers of three");
        assert_eq!(error.available.first(), Some(&1));
        let error = WidthError { wanted: 8, left_out: false, available: vec![1, 2, 4] };
        let text = "8 lanes: this processor has 1, 2 and 4; the bits are the same with any of them";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_width_the_build_leaves_out_is_refused_with_what_it_has() {
        for registers in Registers::of_this_processor() {
            let width = Width::new(registers.lanes());
            assert_eq!(width.is_ok(), registers.are_built());
            if let Err(error) = width {
                assert!(error.left_out && error.available.len() <= 2, "{error:?}");
                assert!(error.to_string().contains("development build"), "{error}");
            }
        }
        let all = !cfg!(debug_assertions) || cfg!(feature = "every-width");
        let widest = Registers::of_this_processor().last();
        assert_eq!(Some(Width::widest().0) == widest, all || cfg!(feature = "widest"));
        if all {
            assert!(Registers::ALL.iter().all(|registers| registers.are_built()));
        }
    }
}
