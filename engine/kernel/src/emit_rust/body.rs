//! Statements and expressions.
//!
//! Loops are unrolled, so that arrays dissolve into registers; an `if` statement evaluates both branches on copies of
//! what they assign, then selects. Operations keep the order and grouping of the source, which fixes the bits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::lane_type;
use crate::hygiene::temporary;
use crate::ir::{
    Argument, Arithmetic, Block, Compare, Expr, ExprKind, Function, Index, Logic, Math, Place, Role, Scalar,
    Source, Statement, Type, Variable, VariableId,
};
use crate::unroll::{Assigned, Loops, assigned};

/// The body of a checked function, without braces.
pub fn emit(function: &Function) -> TokenStream {
    Emitter { function, loops: Loops::of(function) }.block(&function.body)
}

struct Emitter<'f> {
    function: &'f Function,
    loops: Loops,
}

impl Emitter<'_> {
    /// Statements and value, without braces.
    fn block(&mut self, block: &Block) -> TokenStream {
        let mut tokens: TokenStream =
            block.statements.iter().map(|statement| self.statement(statement)).collect();
        if let Some(value) = &block.value {
            tokens.extend(self.expression(value));
        }
        tokens
    }

    fn statement(&mut self, statement: &Statement) -> TokenStream {
        match statement {
            Statement::Let { variable, value } => {
                let variable = self.function.variable(*variable);
                let (name, ty) = (&variable.name, lane_type(variable.ty));
                let mutable = (variable.role == Role::Local { mutable: true }).then(|| quote!(mut));
                let value = self.expression(value);
                quote!(let #mutable #name: #ty = #value;)
            }
            Statement::Assign { place, op, value, extent } => {
                let place = self.place(place);
                let value = self.expression(value);
                let span = extent.span();
                match op {
                    None => quote_spanned!(span=> #place = #value;),
                    Some(op) => {
                        let op = operator(*op);
                        quote_spanned!(span=> #place = #place #op #value;)
                    }
                }
            }
            Statement::If { condition, then, otherwise } => self.if_statement(condition, then, otherwise),
            Statement::For { index, range, body } => range
                .clone()
                .map(|value| {
                    self.loops.set(*index, value);
                    let body = self.block(body);
                    quote!({ #body })
                })
                .collect(),
            Statement::Block(block) => {
                let body = self.block(block);
                quote!({ #body })
            }
        }
    }

    /// `{ let mask = ...; let then = {...}; let otherwise = {...}; x = select(mask, then.0, otherwise.0); ... }`
    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> TokenStream {
        let condition = self.expression(condition);
        let then_assigned = assigned(then, self.function, &mut self.loops);
        let otherwise_assigned = assigned(otherwise, self.function, &mut self.loops);
        let mut all = then_assigned.clone();
        for (variable, components) in &otherwise_assigned {
            all.entry(*variable).or_default().extend(components);
        }
        let then_values = self.branch(then, &then_assigned, &all);
        let otherwise_values = self.branch(otherwise, &otherwise_assigned, &all);
        let (mask, left, right) = (temporary("mask"), temporary("then"), temporary("otherwise"));
        let mut selects = TokenStream::new();
        for (position, (variable, components)) in all.iter().enumerate() {
            let Variable { name, ty, .. } = self.function.variable(*variable);
            let position = syn::Index::from(position);
            for component in components {
                let index = match ty {
                    Type::Scalar(_) | Type::Returned => quote!(),
                    Type::Array(..) | Type::ReturnedArray => self.component(*variable, *component),
                };
                let selected = select(
                    ty.scalar(),
                    &mask,
                    &quote!(#left.#position #index),
                    &quote!(#right.#position #index),
                );
                selects.extend(quote!(#name #index = #selected;));
            }
        }
        quote! {{
            let #mask = #condition;
            let #left = #then_values;
            let #right = #otherwise_values;
            #selects
        }}
    }

    /// A branch, on copies of what it assigns; its value is a tuple of all variables that the `if` assigns.
    fn branch(&mut self, block: &Block, copied: &Assigned, all: &Assigned) -> TokenStream {
        let copies: TokenStream = copied
            .keys()
            .map(|variable| {
                let name = &self.function.variable(*variable).name;
                let whole = self.whole(*variable);
                match self.function.variable(*variable).role {
                    Role::Operand(_) => quote!(let #name = &mut { #whole };),
                    Role::Argument | Role::Local { .. } => quote!(let mut #name = #whole;),
                }
            })
            .collect();
        let body = self.block(block);
        let values: Vec<TokenStream> = all.keys().map(|variable| self.whole(*variable)).collect();
        quote!({ #copies #body (#(#values,)*) })
    }

    /// A whole variable, by value: operands are behind a reference.
    fn whole(&self, variable: VariableId) -> TokenStream {
        let variable = self.function.variable(variable);
        let name = &variable.name;
        match variable.role {
            Role::Operand(_) => quote!(*#name),
            Role::Argument | Role::Local { .. } => name.to_token_stream(),
        }
    }

    fn place(&self, place: &Place) -> TokenStream {
        match &place.index {
            None => self.whole(place.variable),
            Some(index) => {
                let name = &self.function.variable(place.variable).name;
                let component = self.component(place.variable, self.loops.checked_value(index));
                quote!(#name #component)
            }
        }
    }

    /// `[component]`, or `[target][component]`.
    fn component(&self, variable: VariableId, component: usize) -> TokenStream {
        match self.function.variable(variable).at_target(component) {
            None => quote!([#component]),
            Some((target, component)) => quote!([#target][#component]),
        }
    }

    fn expression(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.extent.span();
        match &expr.kind {
            ExprKind::Real(value) => splat(Scalar::Real, real(*value)),
            ExprKind::Int(value) => splat(Scalar::Int, quote!(#value)),
            ExprKind::Bool(value) => {
                let comparison = if *value { quote!(le) } else { quote!(lt) };
                let zero = splat(Scalar::Real, quote!(0.0));
                quote!(R::#comparison(#zero, #zero))
            }
            ExprKind::Constant { source, index } => self.constant(expr.ty, source, index.as_ref()),
            ExprKind::Variable(place) => self.place(place),
            ExprKind::Negate(inner) => {
                let inner = self.expression(inner);
                quote_spanned!(span=> (-#inner))
            }
            ExprKind::Not(inner) => {
                let inner = self.expression(inner);
                quote_spanned!(span=> (!#inner))
            }
            ExprKind::Arithmetic(op, left, right) => {
                let op = operator(*op);
                let (left, right) = (self.expression(left), self.expression(right));
                quote_spanned!(span=> (#left #op #right))
            }
            ExprKind::Compare(compare, left, right) => {
                let scalar = left.ty.scalar();
                let (left, right) = (self.expression(left), self.expression(right));
                comparison(*compare, scalar, &left, &right)
            }
            ExprKind::Logic(op, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                match op {
                    Logic::And => quote_spanned!(span=> (#left & #right)),
                    Logic::Or => quote_spanned!(span=> (#left | #right)),
                }
            }
            ExprKind::Math(math, operands) => {
                let operands: Vec<TokenStream> =
                    operands.iter().map(|operand| self.expression(operand)).collect();
                math_call(*math, &operands)
            }
            ExprKind::Call { path, arguments } => {
                let arguments: Vec<TokenStream> =
                    arguments.iter().map(|argument| self.argument(argument)).collect();
                quote_spanned!(span=> #path::<R>(#(#arguments),*))
            }
            ExprKind::Array(elements) => {
                let elements: Vec<TokenStream> =
                    elements.iter().map(|element| self.expression(element)).collect();
                quote!([#(#elements),*])
            }
            ExprKind::Repeat(value) => {
                let (value, length) = (self.expression(value), expr.ty.components());
                quote!([#value; #length])
            }
            ExprKind::If { condition, then, otherwise } => self.if_value(expr.ty, condition, then, otherwise),
            ExprKind::Block(block) => {
                let body = self.block(block);
                quote!({ #body })
            }
        }
    }

    fn argument(&mut self, argument: &Argument) -> TokenStream {
        match argument {
            Argument::Value(value) => self.expression(value),
            Argument::Constants => self.constants_name().to_token_stream(),
        }
    }

    fn constants_name(&self) -> &Ident {
        self.function.constants.as_ref().expect("constants are used only where they are a parameter")
    }

    fn constant(&mut self, ty: Type, source: &Source, index: Option<&Index>) -> TokenStream {
        let source = match source {
            Source::Field(field) => {
                let constants = self.constants_name();
                quote!(#constants.#field)
            }
            Source::Path(path) => path.clone(),
        };
        if let Some(index) = index {
            let index = self.loops.checked_value(index);
            return splat(ty.scalar(), quote!(#source[#index]));
        }
        match ty {
            Type::Scalar(scalar) => splat(scalar, source),
            Type::Array(scalar, n) => {
                let row = temporary("row");
                let elements = (0..n).map(|component| splat(scalar, quote!(#row[#component])));
                let element_type = Ident::new(&scalar.to_string(), Span::call_site());
                quote!({ let #row: [#element_type; #n] = #source; [#(#elements),*] })
            }
            Type::Returned | Type::ReturnedArray => unreachable!("a constant is not returned"),
        }
    }

    fn if_value(&mut self, ty: Type, condition: &Expr, then: &Block, otherwise: &Block) -> TokenStream {
        let condition = self.expression(condition);
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        let (mask, left, right) = (temporary("mask"), temporary("then"), temporary("otherwise"));
        let selected = match ty {
            Type::Scalar(scalar) => select(scalar, &mask, &left.to_token_stream(), &right.to_token_stream()),
            Type::Array(scalar, n) => {
                let components =
                    (0..n).map(|i| select(scalar, &mask, &quote!(#left[#i]), &quote!(#right[#i])));
                quote!([#(#components),*])
            }
            Type::Returned | Type::ReturnedArray => unreachable!("a value that is selected has a type"),
        };
        quote! {{
            let #mask = #condition;
            let #left = { #then };
            let #right = { #otherwise };
            #selected
        }}
    }
}

/// The trait of a number's lane type, for calls of its functions.
fn lane_trait(scalar: Scalar) -> TokenStream {
    match scalar {
        Scalar::Int => quote!(<R::Int as ::cfd_engine::lane::Int>),
        Scalar::Real | Scalar::Bool => quote!(<R as ::cfd_engine::lane::Real>),
    }
}

/// An f64, in digits that read back to the same bits.
fn real(value: f64) -> TokenStream {
    // A literal token has no sign.
    let digits = proc_macro2::Literal::f64_suffixed(value.abs());
    if value.is_sign_negative() { quote!(-#digits) } else { quote!(#digits) }
}

fn splat(scalar: Scalar, value: TokenStream) -> TokenStream {
    let lane = lane_trait(scalar);
    quote!(#lane::splat(#value))
}

fn operator(op: Arithmetic) -> TokenStream {
    match op {
        Arithmetic::Add => quote!(+),
        Arithmetic::Sub => quote!(-),
        Arithmetic::Mul => quote!(*),
        Arithmetic::Div => quote!(/),
    }
}

/// `a > b` is `b < a`, `a != b` is `!(a == b)`: as in IEEE 754, NaN included.
fn comparison(compare: Compare, scalar: Scalar, left: &TokenStream, right: &TokenStream) -> TokenStream {
    let lane = lane_trait(scalar);
    match compare {
        Compare::Less => quote!(#lane::lt(#left, #right)),
        Compare::LessEqual => quote!(#lane::le(#left, #right)),
        Compare::Greater => quote!(#lane::lt(#right, #left)),
        Compare::GreaterEqual => quote!(#lane::le(#right, #left)),
        Compare::Equal => quote!(#lane::eq(#left, #right)),
        Compare::NotEqual => quote!((!#lane::eq(#left, #right))),
    }
}

fn math_call(math: Math, operands: &[TokenStream]) -> TokenStream {
    let (lane, name) = (lane_trait(Scalar::Real), Ident::new(math.name(), Span::call_site()));
    match math {
        Math::Power(exponent) => quote!(#lane::#name(#(#operands),*, #exponent)),
        _ => quote!(#lane::#name(#(#operands),*)),
    }
}

fn select(scalar: Scalar, mask: &Ident, then: &TokenStream, otherwise: &TokenStream) -> TokenStream {
    match scalar {
        Scalar::Bool => quote!(((#mask & #then) | (!#mask & #otherwise))),
        Scalar::Real | Scalar::Int => {
            let lane = lane_trait(scalar);
            quote!(#lane::select(#mask, #then, #otherwise))
        }
    }
}
