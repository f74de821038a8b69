//! Operation counts: what one call computes, loops unrolled, both branches of every `if` included.
//!
//! Arithmetic of f64 is counted, that of i32 is not. Comparisons of both count, and so does each selected component.
//! What a device function computes is added through its own `OPS`; a function of `same-math` counts what it takes on
//! its common range.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::calls::Calls;
use crate::ir::{Argument, Arithmetic, Block, Expr, ExprKind, Function, Math, Scalar, Statement, Type};
use crate::unroll::{Loops, assigned};

/// The `OpCount` of one call, as a constant expression.
pub fn count(function: &Function) -> TokenStream {
    let mut counter = Counter {
        function,
        loops: Loops::of(function),
        own: Own::default(),
        calls: Vec::new(),
        elementary: BTreeMap::new(),
    };
    counter.block(&function.body);
    let Own { add, mul, div, sqrt, compare } = counter.own;
    let elementary = counter
        .elementary
        .values()
        .map(|(count, times)| quote!(.plus_times(::cfd_engine::kernel::elementary::#count, #times)));
    let called = calls(function);
    let calls = counter.calls.iter().map(|Called { path, times }| {
        let ty = called.type_of(path);
        quote!(.plus_times(#ty::OPS, #times))
    });
    let check = called.check();
    called.scope(quote! {
        #check
        ::cfd_engine::kernel::OpCount { add: #add, mul: #mul, div: #div, sqrt: #sqrt, compare: #compare } #(#elementary)* #(#calls)*
    })
}

/// The device functions that a function calls.
pub fn calls(function: &Function) -> Calls {
    let mut counter = Counter {
        function,
        loops: Loops::of(function),
        own: Own::default(),
        calls: Vec::new(),
        elementary: BTreeMap::new(),
    };
    counter.block(&function.body);
    let mut calls = Calls::default();
    counter.calls.iter().for_each(|called| calls.add(&called.path));
    calls
}

#[derive(Default)]
struct Own {
    add: u32,
    mul: u32,
    div: u32,
    sqrt: u32,
    compare: u32,
}

struct Called {
    path: TokenStream,
    times: u32,
}

struct Counter<'f> {
    function: &'f Function,
    loops: Loops,
    own: Own,
    /// In the order of first calls.
    calls: Vec<Called>,
    /// Functions of `same-math` by their text: their counts, and how often each is called.
    elementary: BTreeMap<String, (TokenStream, u32)>,
}

impl Counter<'_> {
    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
        if let Some(value) = &block.value {
            self.expression(value);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { value, .. } => self.expression(value),
            Statement::Assign { place, op, value, .. } => {
                self.expression(value);
                if let Some(op) = op {
                    self.arithmetic(*op, self.function.variable(place.variable).ty);
                }
            }
            Statement::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                self.block(otherwise);
                let mut selected = assigned(then, self.function, &mut self.loops);
                for (variable, components) in assigned(otherwise, self.function, &mut self.loops) {
                    selected.entry(variable).or_default().extend(components);
                }
                for (variable, components) in selected {
                    self.select(self.function.variable(variable).ty, components.len());
                }
            }
            Statement::For { index, range, body } => {
                for value in range.clone() {
                    self.loops.set(*index, value);
                    self.block(body);
                }
            }
            Statement::Block(block) => self.block(block),
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Real(_)
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Constant { .. }
            | ExprKind::Variable(_) => {}
            ExprKind::Negate(inner) => {
                self.expression(inner);
                self.own.add += 1;
            }
            ExprKind::Not(inner) | ExprKind::Repeat(inner) => self.expression(inner),
            ExprKind::Arithmetic(op, left, right) => {
                self.expression(left);
                self.expression(right);
                self.arithmetic(*op, expr.ty);
            }
            ExprKind::Compare(_, left, right) => {
                self.expression(left);
                self.expression(right);
                self.own.compare += 1;
            }
            ExprKind::Logic(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Math(math, operands) => {
                operands.iter().for_each(|operand| self.expression(operand));
                match math {
                    Math::Sqrt => self.own.sqrt += 1,
                    Math::Abs | Math::Min | Math::Max => self.own.compare += 1,
                    Math::Elementary(function) => {
                        let name = format_ident!("{}", function.name.to_uppercase());
                        self.elementary(quote!(#name));
                    }
                    Math::Power(exponent) => self.elementary(quote!(powi(#exponent))),
                }
            }
            ExprKind::Array(elements) => elements.iter().for_each(|element| self.expression(element)),
            ExprKind::Call { path, arguments } => self.call(path, arguments),
            ExprKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.block(then);
                self.block(otherwise);
                self.select(expr.ty, expr.ty.components());
            }
            ExprKind::Block(block) => self.block(block),
        }
    }

    fn arithmetic(&mut self, op: Arithmetic, ty: Type) {
        if ty.scalar() != Scalar::Real {
            return;
        }
        match op {
            Arithmetic::Add | Arithmetic::Sub => self.own.add += 1,
            Arithmetic::Mul => self.own.mul += 1,
            Arithmetic::Div => self.own.div += 1,
        }
    }

    fn elementary(&mut self, count: TokenStream) {
        self.elementary.entry(count.to_string()).or_insert((count, 0)).1 += 1;
    }

    fn select(&mut self, ty: Type, components: usize) {
        if ty.scalar() != Scalar::Bool {
            self.own.compare += u32::try_from(components).expect("array lengths are limited");
        }
    }

    fn call(&mut self, path: &TokenStream, arguments: &[Argument]) {
        for argument in arguments {
            if let Argument::Value(value) = argument {
                self.expression(value);
            }
        }
        let name = path.to_string();
        match self.calls.iter_mut().find(|called| called.path.to_string() == name) {
            Some(called) => called.times += 1,
            None => self.calls.push(Called { path: path.clone(), times: 1 }),
        }
    }
}
