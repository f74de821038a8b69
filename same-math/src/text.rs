//! One source for Rust and C++.
//!
//! A function's body is written in what the two languages have in common: bindings, calls, operators, `if` with
//! parentheses and braces, `return`. [`text!`] turns it into a Rust function, generic over [`Number`](crate::Number),
//! and keeps its tokens as a constant, which is C++ once `prelude.hpp` precedes it.
//!
//! ```text
//! const NAME: f64 = ...;                    a constant
//! record Name name { field: type, ... }     a type, and the function that makes one of it
//! lanes fn name(...) -> type { ... }        a function that is inlined and works in lanes
//! scalar fn name(...) -> type { ... }       a function of one lane, for rare cases
//! public fn name(x) = common, rare;         what users call: `common` where it says that it is right, `rare` elsewhere
//! ```

/// Turns a text into Rust functions and a constant with its tokens.
macro_rules! text {
    (@ $text:ident [$($kept:tt)*]) => {
        /// The functions of this file as C++.
        pub(crate) const $text: &str = concat!($($kept)*);
    };

    (@ $text:ident [$($kept:tt)*] $(#[$meta:meta])* const $name:ident: f64 = $value:expr; $($rest:tt)*) => {
        $(#[$meta])*
        #[allow(clippy::approx_constant, clippy::excessive_precision)]
        pub(crate) const $name: f64 = $value;
        text!(@ $text [
            $($kept)* "static constexpr f64 ", stringify!($name), " = ", stringify!($value), ";\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* record $Record:ident $record:ident { $($field:ident: $type:ty),* } $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Record<N: Number> { $(pub(crate) $field: $type),* }

        #[inline(always)]
        pub(crate) fn $record<N: Number>($($field: $type),*) -> $Record<N> {
            $Record { $($field),* }
        }

        text!(@ $text [
            $($kept)*
            "template <class N> struct ", stringify!($Record), " { ",
            $(stringify!($type), " ", stringify!($field), "; ",)* "};\n",
            "SAME_MATH_FN ", stringify!($Record), "<N> ", stringify!($record), "(",
            text!(@arguments $($field: $type),*), ") { return {", text!(@names $($field),*), "}; }\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* lanes fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty { $($body:tt)* }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[inline(always)]
        #[allow(unused_parens, unused_assignments)]
        #[allow(clippy::needless_return, clippy::let_and_return, clippy::assign_op_pattern)]
        #[allow(clippy::erasing_op, clippy::collapsible_if, clippy::eq_op, clippy::too_many_arguments)]
        pub(crate) fn $name<N: Number>($($argument: $type),*) -> $result { $($body)* }

        text!(@ $text [
            $($kept)*
            "SAME_MATH_FN ", stringify!($result), " ", stringify!($name), "(", text!(@arguments $($argument: $type),*),
            ") { ", stringify!($($body)*), " }\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* scalar fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty { $($body:tt)* }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[allow(unused_parens, unused_assignments)]
        #[allow(clippy::needless_return, clippy::let_and_return, clippy::assign_op_pattern)]
        #[allow(clippy::erasing_op, clippy::collapsible_if, clippy::eq_op, clippy::too_many_arguments)]
        pub(crate) fn $name($($argument: $type),*) -> $result { $($body)* }

        text!(@ $text [
            $($kept)*
            "SAME_MATH_RARE ", stringify!($result), " ", stringify!($name), "(",
            text!(@arguments $($argument: $type),*),
            ") { ", stringify!($($body)*), " }\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* public fn $name:ident(x) = $common:ident, $rare:ident, $one:ident, $c:ident; $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[inline(always)]
        pub fn $name<N: Number>(x: N) -> N {
            let result = $common(V(x));
            if all(result.sure) { result.value.0 } else { x.each($one) }
        }

        #[cold]
        #[inline(never)]
        fn $one(x: f64) -> f64 {
            let result = $common(V(x));
            if all(result.sure) { result.value.0 } else { $rare(V(x)).0 }
        }

        text!(@ $text [
            $($kept)*
            "SAME_MATH_FN f64 ", stringify!($c), "(f64 x) { let result = ", stringify!($common), "(V<N>(x)); ",
            "if (result.sure) { return result.value.v; } return ", stringify!($rare), "(V<N>(x)).v; }\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* public fn $name:ident($x:ident, $y:ident) = $common:ident, $rare:ident, $one:ident, $c:ident;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[inline(always)]
        pub fn $name<N: Number>($x: N, $y: N) -> N {
            let result = $common(V($x), V($y));
            if all(result.sure) { result.value.0 } else { $x.each_pair($y, $one) }
        }

        #[cold]
        #[inline(never)]
        fn $one(x: f64, y: f64) -> f64 {
            let result = $common(V(x), V(y));
            if all(result.sure) { result.value.0 } else { $rare(V(x), V(y)).0 }
        }

        text!(@ $text [
            $($kept)*
            "SAME_MATH_FN f64 ", stringify!($c), "(f64 x, f64 y) { let result = ", stringify!($common),
            "(V<N>(x), V<N>(y)); if (result.sure) { return result.value.v; } return ", stringify!($rare),
            "(V<N>(x), V<N>(y)).v; }\n",
        ] $($rest)*);
    };

    (
        @ $text:ident [$($kept:tt)*]
        $(#[$meta:meta])* public fn $name:ident(x, n: i32) = $common:ident, $rare:ident, $one:ident, $c:ident;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[inline(always)]
        pub fn $name<N: Number>(x: N, n: i32) -> N {
            let result = $common(V(x), n);
            if all(result.sure) { result.value.0 } else { x.each(|x| $one(x, n)) }
        }

        #[cold]
        #[inline(never)]
        fn $one(x: f64, n: i32) -> f64 {
            let result = $common(V(x), n);
            if all(result.sure) { result.value.0 } else { $rare(V(x), n).0 }
        }

        text!(@ $text [
            $($kept)*
            "SAME_MATH_FN f64 ", stringify!($c), "(f64 x, i32 n) { let result = ", stringify!($common),
            "(V<N>(x), n); if (result.sure) { return result.value.v; } return ", stringify!($rare),
            "(V<N>(x), n).v; }\n",
        ] $($rest)*);
    };

    (@arguments $name:ident: $type:ty $(, $names:ident: $types:ty)*) => {
        concat!(stringify!($type), " ", stringify!($name), $(", ", stringify!($types), " ", stringify!($names)),*)
    };
    (@names $name:ident $(, $names:ident)*) => { concat!(stringify!($name), $(", ", stringify!($names)),*) };

    ($text:ident; $($rest:tt)*) => { text!(@ $text [] $($rest)*); };
}
pub(crate) use text;

/// The concatenation of texts.
pub(crate) const fn joined<const LENGTH: usize>(texts: &[&str]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let (mut i, mut at) = (0, 0);
    while i < texts.len() {
        let text = texts[i].as_bytes();
        let mut j = 0;
        while j < text.len() {
            bytes[at] = text[j];
            (j, at) = (j + 1, at + 1);
        }
        i += 1;
    }
    bytes
}

/// The total length of texts.
pub(crate) const fn length(texts: &[&str]) -> usize {
    let (mut i, mut length) = (0, 0);
    while i < texts.len() {
        length += texts[i].len();
        i += 1;
    }
    length
}
