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
    let (mut described, mut words, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields.named {
        let ident = field.ident.as_ref().expect("the fields are named");
        let text = ident.to_string();
        let ty = value_type(&field.ty)?;
        let components = ty.components();
        let integer = ty.scalar() == Scalar::Int;
        described.push(quote! {
            ::cfd_engine::kernel::ConstantField { name: #text, components: #components, integer: #integer }
        });
        read.push(match ty {
            Type::INT => quote!(#ident: words(1)[0] as u32 as i32),
            Type::Scalar(_) => quote!(#ident: f64::from_bits(words(1)[0])),
            _ => quote!(#ident: {
                let words = words(#components);
                ::core::array::from_fn(|m| f64::from_bits(words[m]))
            }),
        });
        words.push(match ty {
            Type::INT => quote!(words.push(i64::from(self.#ident) as u64);),
            Type::Scalar(_) => quote!(words.push(self.#ident.to_bits());),
            _ => quote!(words.extend(self.#ident.iter().map(|value| value.to_bits()));),
        });
    }
    Ok(quote! {
        impl ::cfd_engine::kernel::Constants for #name {
            const FIELDS: &'static [::cfd_engine::kernel::ConstantField] = &[#(#described),*];
            fn push_words(&self, words: &mut ::std::vec::Vec<u64>) {
                #(#words)*
            }
            fn from_words(mut all: &[u64]) -> Self {
                let mut words = |components: usize| {
                    let (here, rest) = all.split_at(components);
                    all = rest;
                    here
                };
                Self { #(#read),* }
            }
        }
    })
}
