//! Statements and expressions.
//!
//! Loops are unrolled, as in Rust. An `if` remains an `if`: expressions have no side effects, so it yields the same as
//! the selects of the Rust form. A block or an `if` used as a value is written out before its statement, with a
//! variable for its value. Operations keep the order and grouping of the source, which fixes the bits.

use quote::quote;

use super::parts::Parts;
use super::type_name;
use crate::calls::Calls;
use crate::extent::Extent;
use crate::ir::{
    Argument, Arithmetic, Block, Compare, Expr, ExprKind, Function, Index, Logic, Math, Place, Role, Scalar,
    Source, Statement, Type, VariableId,
};
use crate::unroll::Loops;

/// The constants parameter.
pub(super) const CONSTANTS: &str = "constants";

/// A variable's name: numbered, because C++ does not scope names as Rust does, and some are keywords.
pub(super) fn variable_name(function: &Function, id: usize) -> String {
    let name = function.variables[id].name.to_string();
    format!("{}_{id}", name.trim_start_matches("r#"))
}

/// The name of an operand at one target of a map; each target is a parameter of its own.
pub(super) fn target_name(function: &Function, id: usize, target: usize) -> String {
    format!("{}_{target}", variable_name(function, id))
}

/// The body of a checked function, without braces.
pub(super) fn emit(function: &Function, calls: &Calls) -> Parts {
    let mut emitter =
        Emitter { function, calls, loops: Loops::of(function), out: Parts::default(), temporaries: 0 };
    emitter.statements(&function.body);
    if let Some(value) = &function.body.value {
        let result = emitter.expression(value);
        emitter.line(value.extent);
        emitter.finish("return ", result);
    }
    emitter.out
}

struct Emitter<'f> {
    function: &'f Function,
    calls: &'f Calls,
    loops: Loops,
    /// The statements so far.
    out: Parts,
    temporaries: usize,
}

impl Emitter<'_> {
    /// Records where what follows was written. Emitted for every statement: an unrolled loop has many on one line.
    fn line(&mut self, extent: Extent) {
        self.out.push_line(extent.line());
    }

    /// `before value;`
    fn finish(&mut self, before: &str, value: Parts) {
        self.out.push(before);
        self.out.append(value);
        self.out.push(";");
    }

    fn statements(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { variable, value } => {
                let declared = self.function.variable(*variable);
                let mutable = if declared.role == (Role::Local { mutable: true }) { "" } else { "const " };
                let head = format!("{mutable}{} {} = ", type_name(declared.ty), self.name(*variable));
                let value_parts = self.expression(value);
                self.line(value.extent);
                self.finish(&head, value_parts);
            }
            Statement::Assign { place, op, value, extent } => {
                let target = self.place(place);
                let value = self.expression(value);
                self.line(*extent);
                let scalar = self.function.variable(place.variable).ty.scalar();
                let value = match op {
                    None => value,
                    Some(op) => arithmetic(*op, scalar, Parts::of(target.clone()), value),
                };
                self.finish(&format!("{target} = "), value);
            }
            Statement::If { condition, then, otherwise } => {
                let extent = condition.extent;
                let condition = self.expression(condition);
                self.line(extent);
                self.branch(condition);
                self.statements(then);
                self.out.push("\n} else {");
                self.statements(otherwise);
                self.out.push("\n}");
            }
            Statement::For { index, range, body } => {
                for value in range.clone() {
                    self.loops.set(*index, value);
                    self.out.push("\n{");
                    self.statements(body);
                    self.out.push("\n}");
                }
            }
            Statement::Block(block) => {
                self.out.push("\n{");
                self.statements(block);
                self.out.push("\n}");
            }
        }
    }

    fn branch(&mut self, condition: Parts) {
        self.out.push("if (");
        self.out.append(condition);
        self.out.push(") {");
    }

    fn name(&self, id: VariableId) -> String {
        variable_name(self.function, id.0)
    }

    fn place(&self, place: &Place) -> String {
        match &place.index {
            None => self.name(place.variable),
            Some(index) => {
                let (variable, component) = (self.function.variable(place.variable), self.index(index));
                match variable.at_target(component) {
                    None => format!("{}[{component}]", self.name(place.variable)),
                    Some((target, component)) => {
                        format!("{}[{component}]", target_name(self.function, place.variable.0, target))
                    }
                }
            }
        }
    }

    fn index(&self, index: &Index) -> usize {
        self.loops.checked_value(index)
    }

    fn expression(&mut self, expr: &Expr) -> Parts {
        match &expr.kind {
            ExprKind::Real(value) => real(quote!(#value)),
            ExprKind::Int(value) => int(quote!(#value)),
            ExprKind::Bool(value) => Parts::of(value.to_string()),
            ExprKind::Constant { source, index } => self.constant(expr.ty, source, index.as_ref()),
            ExprKind::Variable(place) => Parts::of(self.place(place)),
            ExprKind::Negate(inner) => match expr.ty.scalar() {
                Scalar::Int => {
                    let inner = self.expression(inner);
                    arithmetic(Arithmetic::Sub, Scalar::Int, Parts::of("0"), inner)
                }
                Scalar::Real | Scalar::Bool => wrapped("(-", self.expression(inner), ")"),
            },
            ExprKind::Not(inner) => wrapped("(!", self.expression(inner), ")"),
            ExprKind::Arithmetic(op, left, right) => {
                let (left, right) = (self.expression(left), self.expression(right));
                arithmetic(*op, expr.ty.scalar(), left, right)
            }
            ExprKind::Compare(compare, left, right) => {
                let symbol = match compare {
                    Compare::Less => " < ",
                    Compare::LessEqual => " <= ",
                    Compare::Greater => " > ",
                    Compare::GreaterEqual => " >= ",
                    Compare::Equal => " == ",
                    Compare::NotEqual => " != ",
                };
                let (left, right) = (self.expression(left), self.expression(right));
                wrapped("(", Parts::joined([left, right], symbol), ")")
            }
            ExprKind::Logic(op, left, right) => {
                let symbol = match op {
                    Logic::And => " && ",
                    Logic::Or => " || ",
                };
                let (left, right) = (self.expression(left), self.expression(right));
                wrapped("(", Parts::joined([left, right], symbol), ")")
            }
            ExprKind::Math(math, operands) => {
                let library =
                    |name: &str| Parts::piece(quote!(::cfd_engine::source::SourcePiece::SameMath(#name)));
                let mut call = match math {
                    Math::Sqrt => Parts::of("cfd_sqrt"),
                    Math::Abs => Parts::of("cfd_abs"),
                    Math::Min => Parts::of("cfd_min"),
                    Math::Max => Parts::of("cfd_max"),
                    Math::Elementary(function) => library(function.c),
                    Math::Power(_) => library("sm_powi"),
                };
                let mut operands: Vec<Parts> =
                    operands.iter().map(|operand| self.expression(operand)).collect();
                if let Math::Power(exponent) = math {
                    operands.push(int(quote!(#exponent)));
                }
                call.append(wrapped("(", Parts::joined(operands, ", "), ")"));
                call
            }
            ExprKind::Call { path, arguments } => {
                let arguments: Vec<Parts> =
                    arguments.iter().map(|argument| self.argument(argument)).collect();
                let ty = self.calls.type_of(path);
                let mut call = Parts::piece(quote!(::cfd_engine::source::SourcePiece::Call(&#ty::SOURCE)));
                call.append(wrapped("(", Parts::joined(arguments, ", "), ")"));
                call
            }
            ExprKind::Array(elements) => {
                let elements: Vec<Parts> = elements.iter().map(|element| self.expression(element)).collect();
                array(expr.ty, elements)
            }
            ExprKind::Repeat(value) => {
                let component = Type::Scalar(expr.ty.scalar());
                let parts = self.expression(value);
                let name = self.temporary();
                self.line(value.extent);
                self.finish(&format!("const {} {name} = ", type_name(component)), parts);
                array(expr.ty, vec![Parts::of(name); expr.ty.components()])
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition);
                let name = self.temporary();
                self.line(expr.extent);
                self.out.push(&format!("{} {name}; ", type_name(expr.ty)));
                self.branch(condition);
                self.value_block(then, &name);
                self.out.push("\n} else {");
                self.value_block(otherwise, &name);
                self.out.push("\n}");
                Parts::of(name)
            }
            ExprKind::Block(block) => {
                let name = self.temporary();
                self.line(expr.extent);
                self.out.push(&format!("{} {name}; {{", type_name(expr.ty)));
                self.value_block(block, &name);
                self.out.push("\n}");
                Parts::of(name)
            }
        }
    }

    /// The statements of a block, and its value in `name`.
    fn value_block(&mut self, block: &Block, name: &str) {
        self.statements(block);
        let value = block.value.as_ref().expect("a block that stands as a value has one");
        let parts = self.expression(value);
        self.line(value.extent);
        self.finish(&format!("{name} = "), parts);
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("value{}", self.temporaries)
    }

    fn argument(&mut self, argument: &Argument) -> Parts {
        match argument {
            Argument::Value(value) => self.expression(value),
            Argument::Constants => Parts::of(CONSTANTS),
        }
    }

    fn constant(&mut self, ty: Type, source: &Source, index: Option<&Index>) -> Parts {
        let component = |index: Option<usize>| match source {
            Source::Field(field) => {
                let place = index.map_or(String::new(), |index| format!("[{index}]"));
                // The constants' fields are 8-byte numbers.
                let cast = if ty.scalar() == Scalar::Int { "(int)" } else { "" };
                Parts::of(format!("{cast}{CONSTANTS}.{field}_{place}"))
            }
            Source::Path(path) => {
                let value = match index {
                    Some(index) => quote!(#path[#index]),
                    None => quote!(#path),
                };
                match ty.scalar() {
                    Scalar::Real => real(value),
                    Scalar::Int => int(value),
                    Scalar::Bool => {
                        Parts::piece(quote!(::cfd_engine::source::SourcePiece::Int(#value as i32)))
                    }
                }
            }
        };
        match (index, ty) {
            (Some(index), _) => component(Some(self.index(index))),
            (None, Type::Scalar(_)) => component(None),
            (None, Type::Array(_, n)) => array(ty, (0..n).map(|i| component(Some(i))).collect()),
            (None, Type::Returned | Type::ReturnedArray) => unreachable!("a constant is not returned"),
        }
    }
}

fn real(value: proc_macro2::TokenStream) -> Parts {
    Parts::piece(quote!(::cfd_engine::source::SourcePiece::Real(#value)))
}

fn int(value: proc_macro2::TokenStream) -> Parts {
    Parts::piece(quote!(::cfd_engine::source::SourcePiece::Int(#value)))
}

fn wrapped(before: &str, inner: Parts, after: &str) -> Parts {
    let mut parts = Parts::of(before);
    parts.append(inner);
    parts.push(after);
    parts
}

fn array(ty: Type, elements: Vec<Parts>) -> Parts {
    wrapped(&format!("{}{{{{", type_name(ty)), Parts::joined(elements, ", "), "}}")
}

/// Integers wrap, as in Rust without debug checks; in C++ an overflow would be undefined.
fn arithmetic(op: Arithmetic, scalar: Scalar, left: Parts, right: Parts) -> Parts {
    let symbol = format!(" {} ", op.symbol());
    match scalar {
        Scalar::Int => {
            let operands = [left, right].map(|operand| wrapped("(unsigned)", operand, ""));
            wrapped("(int)(", Parts::joined(operands, &symbol), ")")
        }
        Scalar::Real | Scalar::Bool => wrapped("(", Parts::joined([left, right], &symbol), ")"),
    }
}
