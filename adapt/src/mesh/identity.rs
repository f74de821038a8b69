//! Names of vertices for which no rank has to ask another, and priorities derived from them.
//!
//! A vertex of the initial mesh is named by its number in canonical order, or by its row in the input
//! ([`super::Numbering`]). One that splits an edge is named by a hash of the edge's ends and of the pass:
//!
//! ```text
//! identity = first 16 bytes of BLAKE3(smaller end, larger end, pass), little-endian words of 16, 16 and 8 bytes,
//!            read as a little-endian number, with its highest bit set
//! ```
//!
//! Thus an edge that vanished and came back gives a new vertex, and no counter is shared.

/// The name of a vertex, the same on every rank.
pub type Identity = u128;

/// Set in the names of vertices that split an edge.
const MADE: Identity = 1 << 127;

/// The name of a vertex of the initial mesh.
pub fn of_number(number: u64) -> Identity {
    Identity::from(number)
}

/// Bits of the hash in the name of a vertex that splits an edge.
pub const BITS: u32 = 127;

/// The name of the vertex that splits an edge in a refine pass, with the ends in either order, from the lowest `bits`
/// bits of the hash: [`BITS`], or fewer to test what happens if two hashes are equal.
pub fn of_edge(one: Identity, other: Identity, pass: u64, bits: u32) -> Identity {
    let mut bytes = [0; 40];
    bytes[..16].copy_from_slice(&one.min(other).to_le_bytes());
    bytes[16..32].copy_from_slice(&one.max(other).to_le_bytes());
    bytes[32..].copy_from_slice(&pass.to_le_bytes());
    let hash = blake3::hash(&bytes);
    let first: [u8; 16] = hash.as_bytes()[..16].try_into().expect("sixteen of thirty-two");
    Identity::from_le_bytes(first) & ((1 << bits) - 1) | MADE
}

/// A well-mixed word of an identity and a salt: the finalizer of SplitMix64, applied to both halves in turn.
#[inline]
pub fn mixed(identity: Identity, salt: u64) -> u64 {
    let low = finalize(identity as u64 ^ finalize(salt));
    finalize(low ^ (identity >> 64) as u64)
}

#[inline]
fn finalize(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_has_one_name_a_pass() {
        let of = |one, other, pass| of_edge(one, other, pass, BITS);
        assert_eq!(of(3, 8, 1), of(8, 3, 1));
        assert_ne!(of(3, 8, 1), of(3, 8, 2));
        assert_ne!(of(3, 8, 1), of(3, 9, 1));
        assert!(of(3, 8, 1) > of_number(u64::MAX));
    }

    #[test]
    fn salts_give_other_orders() {
        let order = |salt| {
            let mut names: Vec<Identity> = (0..100).collect();
            names.sort_by_key(|&name| mixed(name, salt));
            names
        };
        assert_ne!(order(1), order(2));
        assert_ne!(mixed(1, 1), mixed(1 << 64, 1));
    }
}
