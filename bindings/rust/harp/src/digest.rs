//! 128-bit hashes of structures, by which programs are looked up. They are computed by folded multiplications, and are not secure against
//! adversaries.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Digest(u64, u64);

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

impl Digest {
    /// The digest with which the digests of one kind of object begin.
    pub(crate) const fn of_kind(kind: u64) -> Self {
        Digest(kind ^ 0x9e37_79b9_7f4a_7c15, kind.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ 0xa076_1d64_78bd_642f)
    }

    #[must_use]
    pub(crate) fn with(self, word: u64) -> Self {
        Digest(
            fold(self.0 ^ word, 0xe703_7ed1_a0b4_28db ^ self.1),
            fold(self.1.wrapping_add(word), 0x8ebc_6af0_9c88_c6e3 ^ self.0.rotate_left(23)),
        )
    }

    #[must_use]
    pub(crate) fn and(self, other: Digest) -> Self {
        let first = fold(self.0 ^ other.0, (self.1 ^ 0xe703_7ed1_a0b4_28db).rotate_left(32).wrapping_add(other.1));
        let second = fold(self.1 ^ other.1 ^ 0x8ebc_6af0_9c88_c6e3, (self.0 ^ 0x5897_89e2_a1cb_6a2d).rotate_left(17).wrapping_add(other.0));
        Digest(first, second)
    }

    /// Adds the name of an operation by its address, which is a constant of the program. If one name has two addresses, a look-up may fail,
    /// but nothing else goes wrong.
    #[must_use]
    pub(crate) fn with_name(self, name: &'static str) -> Self {
        self.with((name.as_ptr() as u64) ^ ((name.len() as u64) << 56))
    }

    #[must_use]
    pub(crate) fn with_hash<T: Hash + ?Sized>(self, value: &T) -> Self {
        let mut state = State(self);
        value.hash(&mut state);
        state.0
    }
}

/// Passes what `#[derive(Hash)]` produces to a digest.
struct State(Digest);

impl Hasher for State {
    fn finish(&self) -> u64 {
        self.0 .0
    }
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.0 = self.0.with(u64::from_le_bytes(word));
        }
        self.0 = self.0.with(bytes.len() as u64);
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = self.0.with(word);
    }
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// The hasher of maps whose keys are digests, which need no further hashing.
#[derive(Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("digests are two u64");
    }
    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

pub(crate) type DigestMap<T> = HashMap<Digest, T, BuildHasherDefault<AsItIs>>;
