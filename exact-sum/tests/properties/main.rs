//! Sums and dot products against big integers.

/// Words, bytes, shorter messages, and the limits of terms and ranks.
mod messages;
/// A million sums, and as many dot products.
mod millions;
/// Roots, differences, traits, complex numbers.
mod more;
/// Big integers, and the numbers nearest to them.
mod oracle;
/// Orders, groupings, special values.
mod sums;
