//! Signatures: `fn flux(q: Read<4>, res: Inc<4>, c: &Constants)` and `fn pressure(q: [f64; 4], c: &Constants) -> f64`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{FnArg, GenericArgument, ItemFn, Pat, PathArguments, ReturnType};

use super::{combine, index, single, text, type_text};
use crate::extent::Extent;
use crate::ir::{Mode, Role, Scalar, Type};

/// The largest operand tuple the engine implements.
const MAX_OPERANDS: usize = 32;

const ACCESS_MODES: &str = "`Read<D>`, `Write<D>`, `Rw<D>` or `Inc<D>` (with `, i32` after D for integers; \
                            `[Read<D>; N]`, `[Inc<D>; N]`, `[Min<D>; N]` and `[Max<D>; N]` at all N targets of a map), `Sum<D>`, `Min<D>` or `Max<D>`, or the constants, `&Struct`";

/// The kind of function declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `#[kernel]`: operands with access modes, no result.
    Kernel,
    /// `#[device]`: arguments by value, a result.
    Device,
}

/// A parsed signature.
pub struct Signature {
    pub attributes: Vec<syn::Attribute>,
    pub visibility: syn::Visibility,
    pub name: Ident,
    pub parameters: Vec<Parameter>,
    pub constants: Option<Constants>,
    pub result: Option<Type>,
}

/// A parameter other than the constants.
pub struct Parameter {
    pub name: Ident,
    pub ty: Type,
    pub role: Role,
    /// Number of targets, for an operand at all targets of a map.
    pub targets: Option<usize>,
    /// The type, as written.
    pub tokens: TokenStream,
}

/// The constants parameter.
#[derive(Clone)]
pub struct Constants {
    pub name: Ident,
    /// The struct, without `&`.
    pub ty: TokenStream,
}

impl Signature {
    /// Parses the signature of a function item.
    pub fn parse(item: &ItemFn, kind: Kind) -> syn::Result<Signature> {
        let mut errors = Vec::new();
        refuse_qualifiers(item, &mut errors);
        let mut parameters = Vec::new();
        let mut constants: Option<Constants> = None;
        for input in &item.sig.inputs {
            let at = Extent::of(input);
            if constants.is_some() {
                errors.push(at.error("the constants are the last parameter, and there is one of them"));
                continue;
            }
            match parameter(input, kind) {
                Ok(Parsed::Constants(found)) => constants = Some(found),
                Ok(Parsed::Value(parameter)) => parameters.push(parameter),
                Err(error) => errors.push(error),
            }
        }
        let name = item.sig.ident.clone();
        let result = match kind {
            Kind::Device => device_result(item).map_err(|error| errors.push(error)).ok(),
            Kind::Kernel => {
                refuse_result(item, &mut errors);
                let operands = item.sig.inputs.len() - usize::from(constants.is_some());
                if operands == 0 || operands > MAX_OPERANDS {
                    let message = format!("a kernel has 1 to {MAX_OPERANDS} operands, this one {operands}");
                    errors.push(Extent::of(&name).error(message));
                }
                None
            }
        };
        combine(errors)?;
        let attributes = item.attrs.clone();
        Ok(Signature { attributes, visibility: item.vis.clone(), name, parameters, constants, result })
    }
}

fn refuse_qualifiers(item: &ItemFn, errors: &mut Vec<syn::Error>) {
    let signature = &item.sig;
    for attribute in &item.attrs {
        if !(attribute.path().is_ident("doc") || attribute.path().is_ident("allow")) {
            let message = "only doc comments and `allow` may stand here";
            errors.push(Extent::of(attribute).error(message));
        }
    }
    let qualifiers: [Option<TokenStream>; 5] = [
        signature.constness.map(|token| token.to_token_stream()),
        signature.asyncness.map(|token| token.to_token_stream()),
        signature.unsafety.map(|token| token.to_token_stream()),
        signature.abi.as_ref().map(|token| token.to_token_stream()),
        signature.variadic.as_ref().map(|token| token.to_token_stream()),
    ];
    for qualifier in qualifiers.iter().flatten() {
        let message = format!("`{}` is not supported: write a plain `fn`", text(qualifier));
        errors.push(Extent::of(qualifier).error(message));
    }
    if let Some(clause) = &signature.generics.where_clause {
        let message =
            "a `where` clause is not supported: a generic parameter is a dimension or a #[device] function";
        errors.push(Extent::of(clause).error(message));
    }
}

fn refuse_result(item: &ItemFn, errors: &mut Vec<syn::Error>) {
    if let ReturnType::Type(_, ty) = &item.sig.output {
        let message = "a kernel returns nothing: results go to Write, Rw, Inc, Sum, Min or Max parameters";
        errors.push(Extent::of(ty).error(message));
    }
}

fn device_result(item: &ItemFn) -> syn::Result<Type> {
    match &item.sig.output {
        ReturnType::Type(_, ty) => value_type(ty),
        ReturnType::Default => {
            let message = "a device function returns a value: `-> f64`, `-> i32`, `-> bool` or `-> [f64; N]`";
            Err(Extent::of(&item.sig.ident).error(message))
        }
    }
}

enum Parsed {
    Constants(Constants),
    Value(Parameter),
}

fn parameter(input: &FnArg, kind: Kind) -> syn::Result<Parsed> {
    let FnArg::Typed(typed) = input else {
        return Err(Extent::of(input).error("`self` is not supported: a kernel is a free function"));
    };
    if let Some(attribute) = typed.attrs.first() {
        return Err(Extent::of(attribute).error("attributes of parameters are not supported"));
    }
    let name = match &*typed.pat {
        Pat::Ident(ident)
            if ident.by_ref.is_none() && ident.subpat.is_none() && ident.mutability.is_none() =>
        {
            ident.ident.clone()
        }
        pattern => {
            let message = "a parameter is a plain name; to change a value, copy it with `let mut`";
            return Err(Extent::of(pattern).error(message));
        }
    };
    if let syn::Type::Reference(reference) = &*typed.ty {
        if reference.mutability.is_some() || reference.lifetime.is_some() {
            return Err(Extent::of(reference).error("the constants are a plain shared reference, `&Struct`"));
        }
        if !matches!(&*reference.elem, syn::Type::Path(_)) || value_type(&reference.elem).is_ok() {
            let message = format!(
                "`{}`: values are passed without `&`; the only reference is that to the constants, `&Struct`",
                type_text(&typed.ty)
            );
            return Err(Extent::of(reference).error(message));
        }
        return Ok(Parsed::Constants(Constants { name, ty: reference.elem.to_token_stream() }));
    }
    let tokens = typed.ty.to_token_stream();
    Ok(Parsed::Value(match kind {
        Kind::Kernel => {
            let (mode, ty, targets) = operand_type(&typed.ty)?;
            Parameter { name, ty, role: Role::Operand(mode), targets, tokens }
        }
        Kind::Device => {
            Parameter { name, ty: value_type(&typed.ty)?, role: Role::Argument, targets: None, tokens }
        }
    }))
}

/// `Read<4>`, `Write<1, i32>`, `Sum<2>`, ... and `[Read<4>; 3]`, `[Inc<4>; 3]`, `[Min<4>; 3]` or `[Max<4>; 3]` at all
/// targets of a map.
fn operand_type(ty: &syn::Type) -> syn::Result<(Mode, Type, Option<usize>)> {
    let syn::Type::Array(array) = ty else {
        let (mode, ty) = access_type(ty)?;
        return Ok((mode, ty, None));
    };
    let (mode, of_one) = access_type(&array.elem)?;
    if !matches!(mode, Mode::Read | Mode::Inc | Mode::Min | Mode::Max) {
        let message = format!(
            "at all targets of a map values are read, added to or compared, `[Read<D>; N]`, `[Inc<D>; N]`, \
             `[Min<D>; N]` or `[Max<D>; N]`: two targets may be one row, for which {mode:?} has no meaning"
        );
        return Err(Extent::of(&array.elem).error(message));
    }
    let targets = index::literal_length(&array.len).filter(|&targets| targets > 0);
    let Some(targets) = targets else {
        let message = "the number of targets is a literal integer, at least 1, as in `[Read<2>; 3]`";
        return Err(Extent::of(&array.len).error(message));
    };
    Ok((mode, Type::Array(of_one.scalar(), targets * of_one.components()), Some(targets)))
}

/// `Read<4>`, `Write<1, i32>`, `Sum<2>`, ...
fn access_type(ty: &syn::Type) -> syn::Result<(Mode, Type)> {
    let unknown = || {
        let message =
            format!("`{}` is not an access mode: a kernel's parameter is {ACCESS_MODES}", type_text(ty));
        Extent::of(ty).error(message)
    };
    let syn::Type::Path(path) = ty else { return Err(unknown()) };
    let last = path.path.segments.last().ok_or_else(unknown)?;
    let mode = match last.ident.to_string().as_str() {
        "Read" => Mode::Read,
        "Write" => Mode::Write,
        "Rw" => Mode::Rw,
        "Inc" => Mode::Inc,
        "Sum" => Mode::Sum,
        "Min" => Mode::Min,
        "Max" => Mode::Max,
        _ => return Err(unknown()),
    };
    let arguments: Vec<&GenericArgument> = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    };
    let Some(dimension) = arguments.first() else {
        let message = format!("`{0}` needs its number of components: `{0}<4>`", last.ident);
        return Err(Extent::of(ty).error(message));
    };
    let Some(components) = literal_dimension(dimension) else {
        let name = text(dimension);
        let message = format!(
            "the number of components is a literal integer, as in `Read<4>`, because loops are unrolled and operations \
             counted from it; the value of a constant is said in `#[kernel({name} = 4)]`"
        );
        return Err(Extent::of(dimension).error(message));
    };
    if components == 0 {
        return Err(Extent::of(dimension).error("an operand has at least one component"));
    }
    let only_real = matches!(mode, Mode::Sum | Mode::Min | Mode::Max);
    let scalar = match (arguments.get(1), only_real) {
        (None, _) => Scalar::Real,
        (Some(GenericArgument::Type(ty)), false) => match scalar_type(ty) {
            Some(scalar @ (Scalar::Real | Scalar::Int)) => scalar,
            _ => return Err(Extent::of(ty).error("the components of an operand are `f64` or `i32`")),
        },
        (Some(argument), _) => {
            return Err(Extent::of(argument)
                .error("sums, minima and maxima have f64 components: `Sum<D>`, `Min<D>`, `Max<D>`"));
        }
    };
    Ok((mode, Type::Array(scalar, components)))
}

/// `4`, or `{ 3 * 5 }`
fn literal_dimension(argument: &GenericArgument) -> Option<usize> {
    match argument {
        GenericArgument::Const(syn::Expr::Block(block)) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(value, None)] => index::literal_length(value),
            _ => None,
        },
        GenericArgument::Const(value) => index::literal_length(value),
        _ => None,
    }
}

fn scalar_type(ty: &syn::Type) -> Option<Scalar> {
    let syn::Type::Path(path) = ty else { return None };
    match single(&path.path)?.to_string().as_str() {
        "f64" => Some(Scalar::Real),
        "i32" => Some(Scalar::Int),
        "bool" => Some(Scalar::Bool),
        _ => None,
    }
}

/// The type of a `let`, an argument or a result.
pub fn value_type(ty: &syn::Type) -> syn::Result<Type> {
    if let Some(scalar) = scalar_type(ty) {
        return Ok(Type::Scalar(scalar));
    }
    if let syn::Type::Array(array) = ty
        && let Some(scalar) = scalar_type(&array.elem)
    {
        let Some(components) = index::literal_length(&array.len) else {
            return Err(Extent::of(&array.len).error("the length of an array is a literal integer"));
        };
        return Ok(Type::Array(scalar, components));
    }
    let message = format!("`{}` is not a kernel type: use `f64`, `i32`, `bool` or `[f64; N]`", type_text(ty));
    Err(Extent::of(ty).error(message))
}
