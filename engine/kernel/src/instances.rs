//! One body for several kernels: dimensions and device functions are substituted for names in the body.
//!
//! ```text
//! #[kernel(flux_unlimited<unlimited>, flux_van_albada<van_albada>)]
//! pub fn flux<limiter: Device>(...) { ... limiter(a, b) ... }        two kernels
//!
//! #[device(dot2<2>, dot3<3>)]
//! pub fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64        two device functions
//!
//! #[kernel(EQUATIONS = 5)]
//! pub fn update(q: Rw<EQUATIONS>)                                    the value of a constant, which the compiler checks
//! ```
//!
//! Loops are unrolled and operations counted here, where the compiler's constants are unknown: hence their values are
//! given.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{GenericParam, ItemFn, Token};

use crate::extent::Extent;
use crate::parse::combine;
use crate::tangent::Active;

/// The arguments of `#[kernel(...)]` or `#[device(...)]`.
pub struct Arguments {
    /// Constants with their values.
    constants: Vec<(Ident, syn::LitInt)>,
    instances: Vec<Instance>,
    tangent: Option<Active>,
    scalar: Option<Ident>,
}

/// `name<value, ...>`
struct Instance {
    name: Ident,
    values: Vec<Value>,
}

enum Value {
    Dimension(syn::LitInt),
    Function(syn::Path),
}

enum Argument {
    Constant(Ident, syn::LitInt),
    Instance(Instance),
    Tangent(Active),
    Scalar(Ident),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Argument> {
        let name: Ident = input.parse()?;
        if name == "tangent" && !input.peek(Token![<]) && !input.peek(Token![=]) {
            if !input.peek(syn::token::Paren) {
                return Ok(Argument::Tangent(Active::All));
            }
            let names;
            syn::parenthesized!(names in input);
            let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
            return Ok(Argument::Tangent(Active::Named(names.into_iter().collect())));
        }
        if name == "scalar" && !input.peek(Token![<]) && !input.peek(Token![=]) {
            return Ok(Argument::Scalar(name));
        }
        if input.parse::<Option<Token![=]>>()?.is_some() {
            return Ok(Argument::Constant(name, input.parse()?));
        }
        let wrong = "expected an instance, `name<3>` or `name<function>`, or a constant's value, `DIM = 3`";
        input.parse::<Token![<]>().map_err(|error| syn::Error::new(error.span(), wrong))?;
        let mut values = Vec::new();
        while !input.peek(Token![>]) {
            values.push(match input.peek(syn::LitInt) {
                true => Value::Dimension(input.parse()?),
                false => Value::Function(input.parse()?),
            });
            if input.parse::<Option<Token![,]>>()?.is_none() {
                break;
            }
        }
        input.parse::<Token![>]>()?;
        Ok(Argument::Instance(Instance { name, values }))
    }
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Arguments> {
        let mut arguments =
            Arguments { constants: Vec::new(), instances: Vec::new(), tangent: None, scalar: None };
        for argument in Punctuated::<Argument, Token![,]>::parse_terminated(input)? {
            match argument {
                Argument::Constant(name, value) => arguments.constants.push((name, value)),
                Argument::Instance(instance) => arguments.instances.push(instance),
                Argument::Tangent(active) => arguments.tangent = Some(active),
                Argument::Scalar(word) => arguments.scalar = Some(word),
            }
        }
        Ok(arguments)
    }
}

impl Arguments {
    /// The functions to expand: the function itself, or its instances; all with the constants' values.
    pub fn functions(&self, item: ItemFn) -> syn::Result<Vec<ItemFn>> {
        let constants: Vec<Substitution> =
            self.constants.iter().map(|(name, value)| (name.clone(), value.to_token_stream())).collect();
        let parameters = parameters(&item)?;
        if parameters.is_empty() && self.instances.is_empty() {
            return Ok(vec![substituted(&item, item.sig.ident.clone(), &constants, None)?]);
        }
        if self.instances.is_empty() {
            let message = format!(
                "a function with generic parameters names its instances, each with a value for each parameter: \
                 `#[kernel({}_a<...>, {0}_b<...>)]`",
                item.sig.ident
            );
            return Err(Extent::of(&item.sig.generics.params).error(message));
        }
        let instance = |instance: &Instance| {
            let mut substitutions = constants.clone();
            substitutions.extend(instance.substitutions(&parameters)?);
            let line = instance.documentation(&item.sig.ident, &parameters);
            substituted(&item, instance.name.clone(), &substitutions, Some(line))
        };
        let (functions, errors): (Vec<_>, Vec<_>) =
            self.instances.iter().map(instance).partition(|function| function.is_ok());
        combine(errors.into_iter().filter_map(Result::err).collect())?;
        Ok(functions.into_iter().flatten().collect())
    }

    /// Which arguments have tangents, if the derivative is to be declared.
    pub fn tangent(&self) -> Option<&Active> {
        self.tangent.as_ref()
    }

    /// Where it says `scalar`: whether the kernel is compiled for one element at a time only.
    pub fn scalar(&self) -> Option<&Ident> {
        self.scalar.as_ref()
    }

    /// Assertions that the constants have the values given.
    pub fn assertions(&self) -> TokenStream {
        let assertion = |(name, value): &(Ident, syn::LitInt)| {
            let message = format!("`{name}` is not {value}, which is said where it is used in a kernel");
            quote!(
                const _: () = ::core::assert!(#name == #value, #message);
            )
        };
        self.constants.iter().map(assertion).collect()
    }
}

impl Instance {
    fn substitutions(&self, parameters: &[Parameter]) -> syn::Result<Vec<Substitution>> {
        if parameters.len() != self.values.len() {
            let message = format!(
                "`{}` gives {} value(s), the function has {} generic parameter(s)",
                self.name,
                self.values.len(),
                parameters.len()
            );
            return Err(Extent::of(&self.name).error(message));
        }
        let substitution = |(parameter, value): (&Parameter, &Value)| match (parameter.is_device, value) {
            (false, Value::Dimension(value)) => Ok((parameter.name.clone(), value.to_token_stream())),
            (true, Value::Function(path)) => Ok((parameter.name.clone(), path.to_token_stream())),
            (false, Value::Function(path)) => {
                let message = format!("`{}` is a dimension: a literal integer", parameter.name);
                Err(Extent::of(path).error(message))
            }
            (true, Value::Dimension(value)) => {
                let message = format!("`{}` is a #[device] function", parameter.name);
                Err(Extent::of(value).error(message))
            }
        };
        parameters.iter().zip(&self.values).map(substitution).collect()
    }

    fn documentation(&self, of: &Ident, parameters: &[Parameter]) -> String {
        let value = |(parameter, value): (&Parameter, &Value)| {
            let value = match value {
                Value::Dimension(value) => value.to_string(),
                Value::Function(path) => path.to_token_stream().to_string().replace(' ', ""),
            };
            format!("`{}` = `{value}`", parameter.name)
        };
        let values: Vec<String> = parameters.iter().zip(&self.values).map(value).collect();
        format!("`{of}` with {}.", values.join(", "))
    }
}

/// A name and its replacement.
type Substitution = (Ident, TokenStream);

/// A generic parameter: a dimension or a device function.
struct Parameter {
    name: Ident,
    is_device: bool,
}

fn parameters(item: &ItemFn) -> syn::Result<Vec<Parameter>> {
    let parameter = |parameter: &GenericParam| {
        match parameter {
        GenericParam::Const(constant) if constant.ty.to_token_stream().to_string() == "usize" => {
            Ok(Parameter { name: constant.ident.clone(), is_device: false })
        }
        GenericParam::Type(ty) if ty.bounds.to_token_stream().to_string() == "Device" => {
            Ok(Parameter { name: ty.ident.clone(), is_device: true })
        }
        other => Err(Extent::of(other).error(
            "a generic parameter is a dimension, `const N: usize`, or a #[device] function, `f: Device`; the lane type \
             is added by the macro",
        )),
    }
    };
    item.sig.generics.params.iter().map(parameter).collect()
}

/// The function under another name, with some names replaced, and another line of documentation.
fn substituted(
    item: &ItemFn,
    name: Ident,
    substitutions: &[Substitution],
    line: Option<String>,
) -> syn::Result<ItemFn> {
    let mut item = item.clone();
    item.sig.ident = name;
    item.sig.generics.params.clear();
    if !substitutions.is_empty() {
        let (inputs, output, block) = (&item.sig.inputs, &item.sig.output, &item.block);
        let put_in = |tokens: TokenStream| put_in(tokens, substitutions);
        let (inputs, output, block) =
            (put_in(quote!(#inputs)), put_in(quote!(#output)), put_in(quote!(#block)));
        let parser = Punctuated::parse_terminated;
        item.sig.inputs = syn::parse::Parser::parse2(parser, inputs)?;
        item.sig.output = syn::parse2(output)?;
        item.block = syn::parse2(block)?;
    }
    if let Some(line) = line.filter(|_| item.attrs.iter().any(|attribute| attribute.path().is_ident("doc"))) {
        item.attrs.push(syn::parse_quote!(#[doc = ""]));
        item.attrs.push(syn::parse_quote!(#[doc = #line]));
    }
    Ok(item)
}

/// The tokens with some names replaced, except those of fields and methods.
fn put_in(tokens: TokenStream, substitutions: &[Substitution]) -> TokenStream {
    let mut points = 0;
    tokens
        .into_iter()
        .flat_map(|token| {
            // A field or a method follows one dot, the end of a range two.
            let is_member = points == 1;
            points = if matches!(&token, TokenTree::Punct(p) if p.as_char() == '.') { points + 1 } else { 0 };
            match token {
                TokenTree::Ident(name) if !is_member => {
                    match substitutions.iter().find(|(known, _)| *known == name) {
                        Some((_, with)) => placed(with.clone(), name.span()),
                        None => TokenTree::Ident(name).into(),
                    }
                }
                TokenTree::Group(group) => {
                    let mut changed = Group::new(group.delimiter(), put_in(group.stream(), substitutions));
                    changed.set_span(group.span());
                    TokenTree::Group(changed).into()
                }
                token => token.into(),
            }
        })
        .collect()
}

/// Literals take the place of the name, so that messages point there; a path keeps the place where it can be resolved.
fn placed(tokens: TokenStream, at: proc_macro2::Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        if let TokenTree::Literal(_) = &token {
            token.set_span(at);
        }
        token
    };
    tokens.into_iter().map(place).collect()
}
