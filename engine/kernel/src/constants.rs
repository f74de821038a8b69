//! `#[derive(Constants)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields};

use crate::extent::Extent;
use crate::ir::{Scalar, Type};
use crate::parse::{combine, value_type};

/// Implements the engine's `Constants` for a struct of numbers.
pub fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Extent::of(&input.ident).error("constants are a struct with named fields"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Extent::of(&input.ident).error("constants are a struct with named fields"));
    };
    if !input.generics.params.is_empty() {
        return Err(Extent::of(&input.generics.params).error("constants have no generic parameters"));
    }
    let unsupported = fields.named.iter().filter(|field| {
        !matches!(value_type(&field.ty), Ok(Type::REAL | Type::INT | Type::Array(Scalar::Real, _)))
    });
    let message = "a constant is `f64`, `[f64; N]` with a literal N, or `i32`";
    combine(unsupported.map(|field| Extent::of(&field.ty).error(message)).collect())?;
    let name = &input.ident;
    Ok(quote!(impl ::cfd_engine::kernel::Constants for #name {}))
}
