//! Descriptions that are also types: a table of keys with the struct it fills, and a choice of words with its enum.

use serde::de::DeserializeOwned;

use crate::Table;

/// A type that is filled from the values of a table's keys; made by [`table!`](crate::table).
pub trait Keys: DeserializeOwned {
    /// The description.
    const TABLE: &'static Table;
    /// Further tables whose values it holds, each under a name beside those of its keys.
    const BESIDE: &'static [(&'static str, &'static Table)];
}

/// The typed form of a table's checked values.
///
/// # Panics
/// If a type does not hold what its key allows, which is a mistake in the description.
pub fn typed<K: Keys>(values: &serde_json::Value) -> K {
    serde_json::from_value(values.clone())
        .unwrap_or_else(|error| panic!("[{}] does not hold what its keys allow: {error}", K::TABLE.name))
}

/// The typed form of a table's defaults.
///
/// # Panics
/// As [`typed`].
#[doc(hidden)]
pub fn defaults<K: DeserializeOwned>(table: &Table) -> K {
    let values =
        table.keys.iter().filter_map(|key| Some((key.name.to_string(), key.default_value()?.to_json())));
    let values = serde_json::Value::Object(values.collect());
    serde_json::from_value(values)
        .unwrap_or_else(|error| panic!("[{}] does not hold its defaults: {error}", table.name))
}

/// Describes a table of keys and the struct it fills.
///
/// ```text
/// /// what the table is for
/// #[derive(Copy)]                          more than Clone, Debug, PartialEq, Deserialize and Default, where wanted
/// pub struct NAME = "table" {              or = "table", partial { without Default, where some value is neither given nor default
///     /// what the key means
///     field: Type, Kind [, default = TOML] [, unit = "..."] [, required = true];
/// } [beside { field: Type, ... }]          values of further tables, each a type of this kind
/// ```
///
/// A key without a default is unset unless given; its field is an `Option`, or it is `required`. Kinds, bounds and counts
/// ([`Kind`](crate::Kind), [`Bound`](crate::Bound), [`Count`](crate::Count)) are named without their types. The crate needs
/// `serde`.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derive:ident),+)])?
        $vis:vis struct $name:ident = $table:literal $(, $partial:ident)? {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident: $type:ty, $kind:expr
                    $(, default = $default:expr)? $(, unit = $unit:literal)? $(, required = $required:literal)?;
            )*
        } $(beside {
            $($(#[doc = $of_beside:literal])+ $beside:ident: $beside_type:ty),+ $(,)?
        })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, ::serde::Deserialize $($(, $derive)+)?)]
        $vis struct $name {
            $($(#[doc = $meaning])+ pub $field: $type,)*
            $($($(#[doc = $of_beside])+ #[serde(default)] pub $beside: $beside_type,)+)?
        }

        impl $crate::Keys for $name {
            const TABLE: &'static $crate::Table = {
                #[allow(unused_imports, reason = "no description uses all of them")]
                use $crate::{Bound::*, Count::*, Kind::*, LARGEST};
                &$crate::Table {
                    name: $table,
                    about: concat!($($about),+).trim_ascii(),
                    keys: &[$($crate::Key {
                        name: stringify!($field),
                        kind: $kind,
                        default: $crate::table!(@default $($default)?),
                        required: $crate::table!(@or false $($required)?),
                        unit: $crate::table!(@or "" $($unit)?),
                        meaning: concat!($($meaning),+).trim_ascii(),
                    }),*],
                }
            };
            const BESIDE: &'static [(&'static str, &'static $crate::Table)] =
                &[$($((stringify!($beside), <$beside_type as $crate::Keys>::TABLE)),+)?];
        }

        $crate::table!(@defaults $name $($partial)?);
    };
    (@defaults $name:ident) => {
        impl ::core::default::Default for $name {
            fn default() -> $name {
                $crate::defaults(<$name as $crate::Keys>::TABLE)
            }
        }
    };
    (@defaults $name:ident partial) => {};
    (@default) => { None };
    (@default $default:expr) => { Some(stringify!($default)) };
    (@or $otherwise:literal) => { $otherwise };
    (@or $otherwise:literal $given:literal) => { $given };
}

/// Describes a choice of words and the enum it fills, with `WORDS` for [`Kind::Choice`](crate::Kind::Choice). The crate needs
/// `serde`.
#[macro_export]
macro_rules! choice {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $($(#[$meaning:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        $vis enum $name {
            $($(#[$meaning])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words, in the order in which they are listed.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word in configurations.
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}
