//! Types and ranges of values.

use std::fmt;

use crate::Condition;

/// The largest integer TOML guarantees.
pub const LARGEST: u64 = i64::MAX as u64;

/// Type and range of a key's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A non-empty string.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of any of these words.
    Choices(&'static [&'static str]),
    /// A list of at least one non-empty string.
    Names,
    /// One of these words; one that ends in `:PATH` takes a path: `file:PATH`.
    ChoiceOrFile(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// An integer in a closed range.
    Integer(u64, u64),
    /// 0, or a power of two in a closed range.
    PowerOfTwo(u64, u64),
    /// `"auto"`, or one of these integers.
    AutoOr(&'static [u64]),
    /// This many integers, each at least the number at its position, and none above the last number.
    Integers(Count, &'static [u64], u64),
    /// A finite number in a range.
    Number(Bound, Bound),
    /// This many finite numbers, each in a range.
    Numbers(Count, Bound, Bound),
    /// A list of points: lists of two or three finite numbers.
    Points,
    /// A condition of one of these kinds for each named boundary or region of the mesh.
    Boundaries(&'static [Condition]),
}

/// How many items a list may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Count {
    /// One of these numbers of items.
    OneOf(&'static [usize]),
    /// Any number of items up to this one.
    UpTo(usize),
}

impl Count {
    /// True if a list may have this many items.
    pub fn allows(self, items: usize) -> bool {
        match self {
            Count::OneOf(counts) => counts.contains(&items),
            Count::UpTo(most) => items <= most,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::OneOf(counts) => {
                let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
                write!(f, "{}", counts.join(" or "))
            }
            Count::UpTo(most) => write!(f, "up to {most}"),
        }
    }
}

/// One end of a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No limit.
    Free,
    /// The limit itself is allowed.
    Closed(f64),
    /// The limit itself is not allowed.
    Open(f64),
}

impl Kind {
    /// True when a number lies in the range of a [`Kind::Number`] or [`Kind::Numbers`].
    pub fn allows(self, value: f64) -> bool {
        let (Kind::Number(low, high) | Kind::Numbers(_, low, high)) = self else { return false };
        let above = match low {
            Bound::Free => true,
            Bound::Closed(limit) => value >= limit,
            Bound::Open(limit) => value > limit,
        };
        let below = match high {
            Bound::Free => true,
            Bound::Closed(limit) => value <= limit,
            Bound::Open(limit) => value < limit,
        };
        value.is_finite() && above && below
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |words: &[&str]| {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            match &quoted[..] {
                [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
                _ => quoted.join(""),
            }
        };
        match *self {
            Kind::Text => write!(f, "a non-empty string"),
            Kind::Choice(words) => write!(f, "{}", quoted(words)),
            Kind::Choices(words) => write!(f, "a list of any of {}", quoted(words)),
            Kind::Names => write!(f, "a list of non-empty strings"),
            Kind::ChoiceOrFile(words) => write!(f, "{}", quoted(words)),
            Kind::Bool => write!(f, "true or false"),
            Kind::Points => write!(f, "a list of points, lists of two or three finite numbers"),
            Kind::Boundaries(_) => write!(f, "a table by name"),
            Kind::Integer(low, high) => write!(f, "an integer from {low} to {high}"),
            Kind::PowerOfTwo(low, high) => write!(f, "0, or a power of two from {low} to {high}"),
            Kind::AutoOr(numbers) => {
                let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
                write!(f, "\"auto\" or one of {}", words.join(", "))
            }
            Kind::Integers(count, lows, high) => {
                let lows: Vec<String> = lows.iter().map(u64::to_string).collect();
                let integers = if matches!(count, Count::OneOf([1])) { "integer" } else { "integers" };
                match &lows[..] {
                    [low, rest @ ..] if rest.iter().all(|other| other == low) => {
                        write!(f, "{count} {integers} from {low} to {high}")
                    }
                    _ => write!(f, "{count} {integers}, from {} on, up to {high}", lows.join(", ")),
                }
            }
            Kind::Number(low, high) | Kind::Numbers(_, low, high) => {
                match *self {
                    Kind::Numbers(count, ..) => write!(f, "{count} finite numbers")?,
                    _ => write!(f, "a finite number")?,
                }
                match low {
                    Bound::Free => {}
                    Bound::Closed(limit) => write!(f, " of at least {}", short(limit))?,
                    Bound::Open(limit) => write!(f, " greater than {}", short(limit))?,
                }
                match high {
                    Bound::Free => Ok(()),
                    Bound::Closed(limit) => write!(f, ", at most {}", short(limit)),
                    Bound::Open(limit) => write!(f, ", less than {}", short(limit)),
                }
            }
        }
    }
}

/// A number in the shorter of its two forms.
fn short(number: f64) -> String {
    let (plain, exponent) = (number.to_string(), format!("{number:e}"));
    if exponent.len() < plain.len() { exponent } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_bound_excludes_its_limit_and_a_closed_one_does_not() {
        let half_open = Kind::Number(Bound::Open(0.0), Bound::Closed(1.0));
        assert!(!half_open.allows(0.0) && half_open.allows(1.0) && half_open.allows(f64::MIN_POSITIVE));
        let other = Kind::Numbers(Count::UpTo(2), Bound::Closed(-1.0), Bound::Open(1.0));
        assert!(other.allows(-1.0) && !other.allows(1.0));
        assert!(!Kind::Number(Bound::Free, Bound::Free).allows(f64::INFINITY));
        assert!(!Kind::Bool.allows(0.5));
    }

    #[test]
    fn kinds_say_in_words_what_they_allow() {
        for (kind, words) in [
            (Kind::Choice(&["a", "b", "c"]), "\"a\", \"b\" or \"c\""),
            (Kind::ChoiceOrFile(&["a", "file:PATH"]), "\"a\" or \"file:PATH\""),
            (Kind::Integers(Count::OneOf(&[2]), &[2, 2], 9), "2 integers from 2 to 9"),
            (Kind::Integers(Count::OneOf(&[1]), &[1], 9), "1 integer from 1 to 9"),
            (
                Kind::Integers(Count::OneOf(&[2, 3]), &[2, 1, 1], 9),
                "2 or 3 integers, from 2, 1, 1 on, up to 9",
            ),
            (Kind::Number(Bound::Open(1.0), Bound::Closed(3.0)), "a finite number greater than 1, at most 3"),
        ] {
            assert_eq!(kind.to_string(), words);
        }
    }
}
