//! Expressions: operators, calls, arrays, selects. Types come from the variables, otherwise from the context.

use quote::ToTokens;
use syn::{BinOp, UnOp};

use super::{Binding, Failed, Parsed, Parser, single, text};
use crate::extent::Extent;
use crate::ir::{
    Argument, Arithmetic, Block, Compare, ELEMENTARY, Expr, ExprKind, Index, Logic, Math, POWER, Place,
    Scalar, Type, VariableId,
};

/// Why macros are refused.
pub const MACRO: &str = "macros are not supported in a kernel: call a #[device] function";

impl Parser {
    /// An expression, of the expected type if there is one.
    pub(super) fn expression(&mut self, expr: &syn::Expr, want: Option<Type>) -> Parsed<Expr> {
        let parsed = self.by_kind(expr, want)?;
        let parsed = self.settle(parsed, want);
        match want {
            Some(want) if parsed.ty != want => {
                self.fail(expr, format!("expected {want}, found {}", parsed.ty))
            }
            _ => Ok(parsed),
        }
    }

    fn by_kind(&mut self, expr: &syn::Expr, want: Option<Type>) -> Parsed<Expr> {
        match expr {
            syn::Expr::Paren(paren) => self.by_kind(&paren.expr, want),
            syn::Expr::Group(group) => self.by_kind(&group.expr, want),
            syn::Expr::Lit(literal) => self.literal(expr, &literal.lit, false, want),
            syn::Expr::Index(indexed) if self.at_all_targets(&indexed.expr).is_some() => {
                self.at_target(expr, indexed)
            }
            syn::Expr::Path(_) | syn::Expr::Index(_) | syn::Expr::Field(_) => match self.place(expr)? {
                Some(place) => {
                    let ty = self.place_type(&place);
                    Ok(Expr { ty, extent: place.extent, kind: ExprKind::Variable(place) })
                }
                None => self.constant(expr, want),
            },
            syn::Expr::Unary(unary) => self.unary(expr, unary, want),
            syn::Expr::Binary(binary) => self.binary(expr, binary, want),
            syn::Expr::Call(call) => self.call(expr, call, want),
            syn::Expr::MethodCall(call) => self.method(expr, call),
            syn::Expr::Array(array) => self.array(expr, array, want),
            syn::Expr::Repeat(repeat) => self.repeat(expr, repeat, want),
            syn::Expr::If(branch) => self.if_value(branch, want),
            syn::Expr::Block(block) if block.label.is_none() => {
                let block = self.value_block(&block.block, want)?;
                Ok(block_value(block, Extent::of(expr)))
            }
            _ => self.unsupported(expr),
        }
    }

    /// `x[target]`: the values at one target of a map.
    fn at_target(&mut self, expr: &syn::Expr, indexed: &syn::ExprIndex) -> Parsed<Expr> {
        let variable = self.at_all_targets(&indexed.expr).expect("the caller has looked");
        let target = self.index(&indexed.index)?;
        let extent = Extent::of(expr);
        let (ty, dim) = (self.variables[variable.0].ty, self.variables[variable.0].dim());
        let component = |m| {
            let index = self.index_at_target(variable, target.clone(), Index::Literal(m));
            let kind = ExprKind::Variable(Place { variable, index: Some(index), extent });
            Expr { ty: Type::Scalar(ty.scalar()), kind, extent }
        };
        let kind = ExprKind::Array((0..dim).map(component).collect());
        Ok(Expr { ty: Type::Array(ty.scalar(), dim), kind, extent })
    }

    fn unary(&mut self, expr: &syn::Expr, unary: &syn::ExprUnary, want: Option<Type>) -> Parsed<Expr> {
        let extent = Extent::of(expr);
        match unary.op {
            UnOp::Neg(_) => {
                if let syn::Expr::Lit(literal) = &*unary.expr {
                    return self.literal(expr, &literal.lit, true, want);
                }
                let want = want.or_else(|| self.guess(&unary.expr)).unwrap_or(Type::REAL);
                let inner = self.expression(&unary.expr, Some(want))?;
                match inner.ty {
                    Type::REAL => {
                        Ok(Expr { ty: Type::REAL, kind: ExprKind::Negate(Box::new(inner)), extent })
                    }
                    Type::INT => self.fail(expr, "i32 has no unary minus here: write `0 - x`"),
                    ty => self.fail(expr, format!("unary minus needs an f64, found {ty}")),
                }
            }
            UnOp::Not(_) => {
                let inner = self.expression(&unary.expr, Some(Type::BOOL))?;
                Ok(Expr { ty: Type::BOOL, kind: ExprKind::Not(Box::new(inner)), extent })
            }
            _ => self.fail(expr, "`*` is not needed: parameters are used as plain values and arrays"),
        }
    }

    fn binary(&mut self, expr: &syn::Expr, binary: &syn::ExprBinary, want: Option<Type>) -> Parsed<Expr> {
        let extent = Extent::of(expr);
        if let Some(op) = arithmetic(&binary.op) {
            let ty = self.operand_type(expr, binary, want)?;
            self.check_arithmetic(expr, op, ty)?;
            let (left, right) = self.operands(binary, Type::Scalar(ty))?;
            return Ok(Expr { ty: Type::Scalar(ty), kind: ExprKind::Arithmetic(op, left, right), extent });
        }
        if let Some(op) = comparison(&binary.op) {
            let ty = self.operand_type(expr, binary, None)?;
            if ty == Scalar::Bool {
                return self.fail(expr, "bools are not compared: combine them with && || !");
            }
            let (left, right) = self.operands(binary, Type::Scalar(ty))?;
            return Ok(Expr { ty: Type::BOOL, kind: ExprKind::Compare(op, left, right), extent });
        }
        let op = match binary.op {
            BinOp::And(_) => Logic::And,
            BinOp::Or(_) => Logic::Or,
            BinOp::Rem(_) => {
                return self
                    .fail(expr, "`%` is only supported between literals and loop variables in an index");
            }
            BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_) => {
                return self.fail(expr, "an assignment is a statement of its own");
            }
            _ => {
                let message = format!(
                    "`{}` is not supported in a kernel: the operators are + - * / < <= > >= == != && || !",
                    text(&binary.op)
                );
                return self.fail(expr, message);
            }
        };
        let (left, right) = self.operands(binary, Type::BOOL)?;
        Ok(Expr { ty: Type::BOOL, kind: ExprKind::Logic(op, left, right), extent })
    }

    fn operands(&mut self, binary: &syn::ExprBinary, ty: Type) -> Parsed<(Box<Expr>, Box<Expr>)> {
        let left = self.expression(&binary.left, Some(ty));
        let right = self.expression(&binary.right, Some(ty));
        Ok((Box::new(left?), Box::new(right?)))
    }

    /// The type that both operands have: what is known of them, otherwise the result's expected type, otherwise f64.
    fn operand_type(
        &mut self,
        expr: &syn::Expr,
        binary: &syn::ExprBinary,
        want: Option<Type>,
    ) -> Parsed<Scalar> {
        let op = text(&binary.op);
        let known = match (self.guess(&binary.left), self.guess(&binary.right)) {
            (Some(left), Some(right)) if left != right => {
                let hint = match (left, right) {
                    (Type::REAL, Type::INT) | (Type::INT, Type::REAL) => {
                        " (an f64 literal has a point: `2.0`)"
                    }
                    _ => "",
                };
                return self
                    .fail(expr, format!("`{op}` between {left} and {right}: the types must agree{hint}"));
            }
            (left, right) => left.or(right),
        };
        match known.or(want).unwrap_or(Type::REAL) {
            Type::Scalar(scalar) => Ok(scalar),
            Type::Array(_, n) => {
                let message =
                    format!("`{op}` works on one component: write `for i in 0..{n} {{ ... }}` over them");
                self.fail(expr, message)
            }
            Type::Returned | Type::ReturnedArray => {
                self.fail(expr, format!("`{op}` works on one component, and this is an array"))
            }
        }
    }

    /// Refuses arithmetic that the type's lanes do not provide.
    pub(super) fn check_arithmetic(&mut self, at: &syn::Expr, op: Arithmetic, ty: Scalar) -> Parsed<()> {
        match (ty, op) {
            (Scalar::Bool, _) => self.fail(at, format!("`{}` needs numbers, found bool", op.symbol())),
            (Scalar::Int, Arithmetic::Div) => self.fail(at, "i32 has + - * only; divide in f64"),
            _ => Ok(()),
        }
    }

    /// What the type of an expression must be, regardless of its context; none where the context decides.
    pub(super) fn guess(&self, expr: &syn::Expr) -> Option<Type> {
        match expr {
            syn::Expr::Paren(paren) => self.guess(&paren.expr),
            syn::Expr::Group(group) => self.guess(&group.expr),
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Int(int) if int.suffix() != "f64" => Some(Type::INT),
                syn::Lit::Bool(_) => Some(Type::BOOL),
                _ => Some(Type::REAL),
            },
            syn::Expr::Path(path) => match self.lookup(single(&path.path)?)? {
                Binding::Variable(VariableId(id)) => {
                    Some(self.variables[id].ty).filter(|ty| *ty != Type::Returned)
                }
                _ => None,
            },
            syn::Expr::Index(indexed) => match self.at_all_targets(&indexed.expr) {
                Some(VariableId(id)) => {
                    let variable = &self.variables[id];
                    Some(Type::Array(variable.ty.scalar(), variable.dim()))
                }
                None if self.is_returned(&indexed.expr) => Some(Type::REAL),
                None => Some(Type::Scalar(self.guess(&indexed.expr)?.scalar())),
            },
            syn::Expr::Unary(unary) => match unary.op {
                UnOp::Not(_) => Some(Type::BOOL),
                _ => self.guess(&unary.expr),
            },
            syn::Expr::Binary(binary) if arithmetic(&binary.op).is_some() => {
                self.guess(&binary.left).or_else(|| self.guess(&binary.right))
            }
            syn::Expr::Binary(_) => Some(Type::BOOL),
            syn::Expr::MethodCall(_) => Some(Type::REAL),
            syn::Expr::Call(call) if is_of_real(call, POWER) => Some(Type::REAL),
            syn::Expr::Call(call) => called_math(call).map(|_| Type::REAL),
            _ => None,
        }
    }

    /// Whether an expression is a variable with what a device function returns.
    fn is_returned(&self, expr: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = expr else { return false };
        let binding = single(&path.path).and_then(|name| self.lookup(name));
        matches!(binding, Some(Binding::Variable(VariableId(id))) if self.variables[id].ty.is_returned())
    }

    fn call(&mut self, expr: &syn::Expr, call: &syn::ExprCall, want: Option<Type>) -> Parsed<Expr> {
        if is_of_real(call, POWER) {
            return self.power(expr, call.args.iter().collect());
        }
        if let Some(math) = called_math(call) {
            return self.math(expr, math, call.args.iter().collect());
        }
        let syn::Expr::Path(function) = &*call.func else {
            return self.fail(&call.func, "only #[device] functions are called, by their name");
        };
        if let Some(argument) = function.path.segments.iter().find(|segment| !segment.arguments.is_none()) {
            return self
                .fail(argument, "the lane type is added by the macro: call the function without `::<>`");
        }
        if let Some(name) = single(&function.path)
            && let Some(binding) = self.lookup(name)
        {
            return match binding {
                Binding::Unknown => Err(Failed),
                _ => self.fail(function, format!("`{name}` is a value here, not a function")),
            };
        }
        let arguments: Vec<Parsed<Argument>> =
            call.args.iter().map(|argument| self.argument(argument)).collect();
        let arguments = arguments.into_iter().collect::<Parsed<Vec<Argument>>>()?;
        // The function's own signature is unknown here; the compiler checks the generated call against this type.
        let ty = want.unwrap_or(Type::REAL);
        let path = function.to_token_stream();
        Ok(Expr { ty, kind: ExprKind::Call { path, arguments }, extent: Extent::of(expr) })
    }

    fn argument(&mut self, argument: &syn::Expr) -> Parsed<Argument> {
        if let syn::Expr::Path(path) = argument
            && let Some(name) = single(&path.path)
            && let Some(Binding::Constants) = self.lookup(name)
        {
            return Ok(Argument::Constants);
        }
        Ok(Argument::Value(self.expression(argument, None)?))
    }

    fn method(&mut self, expr: &syn::Expr, call: &syn::ExprMethodCall) -> Parsed<Expr> {
        let name = call.method.to_string();
        let operands = || std::iter::once(&*call.receiver).chain(&call.args).collect();
        if name == POWER {
            return self.power(expr, operands());
        }
        let Some(math) = Math::of_name(&name) else {
            let known: Vec<&str> = ELEMENTARY.iter().map(|function| function.name).collect();
            let message = format!(
                "`{name}` is not available in a kernel: the methods are sqrt, abs, min, max, {POWER}, {}, which have the same \
                 bits on every processor",
                known.join(", ")
            );
            return self.fail(&call.method, message);
        };
        self.math(expr, math, operands())
    }

    /// `x.powi(3)`
    fn power(&mut self, expr: &syn::Expr, operands: Vec<&syn::Expr>) -> Parsed<Expr> {
        let [base, exponent] = operands[..] else {
            return self.fail(expr, format!("`{POWER}` takes 2 operand(s), found {}", operands.len()));
        };
        match literal_exponent(exponent) {
            Some(n) => self.math(expr, Math::Power(n), vec![base]),
            None => {
                let message = format!(
                    "the exponent of `{POWER}` is not constant: write an integer like `3`, or `powf` for an exponent that varies"
                );
                self.fail(exponent, message)
            }
        }
    }

    fn math(&mut self, expr: &syn::Expr, math: Math, operands: Vec<&syn::Expr>) -> Parsed<Expr> {
        if operands.len() != math.operands() {
            let (name, n) = (math.name(), math.operands());
            return self.fail(expr, format!("`{name}` takes {n} operand(s), found {}", operands.len()));
        }
        let operands: Vec<Parsed<Expr>> =
            operands.into_iter().map(|operand| self.expression(operand, Some(Type::REAL))).collect();
        let operands = operands.into_iter().collect::<Parsed<Vec<Expr>>>()?;
        Ok(Expr { ty: Type::REAL, kind: ExprKind::Math(math, operands), extent: Extent::of(expr) })
    }

    fn array(&mut self, expr: &syn::Expr, array: &syn::ExprArray, want: Option<Type>) -> Parsed<Expr> {
        let scalar = match want {
            Some(want) => want.scalar(),
            None => array.elems.iter().find_map(|element| self.guess(element)).unwrap_or(Type::REAL).scalar(),
        };
        let elements: Vec<Parsed<Expr>> =
            array.elems.iter().map(|element| self.expression(element, Some(Type::Scalar(scalar)))).collect();
        let elements = elements.into_iter().collect::<Parsed<Vec<Expr>>>()?;
        let ty = Type::Array(scalar, elements.len());
        Ok(Expr { ty, kind: ExprKind::Array(elements), extent: Extent::of(expr) })
    }

    fn repeat(&mut self, expr: &syn::Expr, repeat: &syn::ExprRepeat, want: Option<Type>) -> Parsed<Expr> {
        let element =
            want.map(Type::scalar).or(self.guess(&repeat.expr).map(Type::scalar)).unwrap_or(Scalar::Real);
        let value = self.expression(&repeat.expr, Some(Type::Scalar(element)));
        let length = self.bound(&repeat.len, "the length of the array");
        let (value, length) = (value?, length?);
        let kind = ExprKind::Repeat(Box::new(value));
        Ok(Expr { ty: Type::Array(element, length), kind, extent: Extent::of(expr) })
    }

    fn if_value(&mut self, branch: &syn::ExprIf, want: Option<Type>) -> Parsed<Expr> {
        let condition = self.expression(&branch.cond, Some(Type::BOOL));
        let then = self.value_block(&branch.then_branch, want)?;
        let ty = block_type(&then);
        let otherwise = match branch.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            None => return self.fail(branch, "an `if` that gives a value needs an `else`"),
            Some(syn::Expr::Block(block)) => self.value_block(&block.block, Some(ty))?,
            Some(next) => {
                let first = VariableId(self.variables.len());
                let value = Some(Box::new(self.expression(next, Some(ty))?));
                Block { first, statements: Vec::new(), value }
            }
        };
        let kind = ExprKind::If { condition: Box::new(condition?), then, otherwise };
        Ok(Expr { ty, kind, extent: Extent::of(branch) })
    }

    /// Refuses an expression outside the subset, saying what to write instead.
    pub(super) fn unsupported<T>(&mut self, expr: &syn::Expr) -> Parsed<T> {
        let (what, instead) = match expr {
            syn::Expr::While(_) => ("`while`", "use `for i in 0..4` with constant bounds"),
            syn::Expr::Loop(_) => ("`loop`", "use `for i in 0..4` with constant bounds"),
            syn::Expr::ForLoop(_) => ("a loop as a value", "assign a `let mut` variable in the loop"),
            syn::Expr::Closure(_) => ("a closure", "write a #[device] function"),
            syn::Expr::Match(_) => ("`match`", "use `if ... else if ... else`"),
            syn::Expr::Let(_) => ("`if let`", "use a comparison"),
            syn::Expr::Macro(_) => return self.fail(expr, MACRO),
            syn::Expr::Reference(_) => ("a reference", "pass values and the constants as they are"),
            syn::Expr::Cast(_) => ("a cast", "keep f64 and i32 apart; write f64 literals with a point"),
            syn::Expr::Return(_) => ("`return`", "select the value with `if ... else`"),
            syn::Expr::Break(_) | syn::Expr::Continue(_) => {
                ("leaving a loop", "a loop runs over all of its range; select values with `if ... else`")
            }
            syn::Expr::Assign(_) => ("an assignment as a value", "make it a statement of its own"),
            syn::Expr::Tuple(_) => ("a tuple", "use an array"),
            syn::Expr::Struct(_) => ("a struct", "use an array"),
            syn::Expr::Range(_) => ("a range outside `for`", "select components one by one"),
            _ => (
                "this expression",
                "a kernel is made of let, assignment, arithmetic, comparison, if/else, for over constant bounds, \
                 arrays, calls of #[device] functions, sqrt, abs, min and max",
            ),
        };
        self.fail(expr, format!("{what} is not supported in a kernel: {instead}"))
    }
}

/// An integer literal, possibly negative.
fn literal_exponent(expr: &syn::Expr) -> Option<i32> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. })
            if matches!(literal.suffix(), "" | "i32") =>
        {
            literal.base10_parse().ok()
        }
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
            literal_exponent(expr).map(|n| -n)
        }
        syn::Expr::Paren(paren) => literal_exponent(&paren.expr),
        syn::Expr::Group(group) => literal_exponent(&group.expr),
        _ => None,
    }
}

/// Whether a call gives the function by the path of its type.
fn is_of_real(call: &syn::ExprCall, name: &str) -> bool {
    let syn::Expr::Path(function) = &*call.func else { return false };
    let segments: Vec<String> =
        function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(&segments[..], [of, last] if ["f64", "Real"].contains(&of.as_str()) && last == name)
}

/// `sqrt(x)`, `f64::min(x, y)`, `Real::max(x, y)`, `f64::exp(x)`; `exp(x)` is one of the user's own functions.
fn called_math(call: &syn::ExprCall) -> Option<Math> {
    let syn::Expr::Path(function) = &*call.func else { return None };
    let segments: Vec<String> =
        function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["f64" | "Real", name] => Math::of_name(name),
        [name] => Math::of_name(name).filter(|math| !matches!(math, Math::Elementary(_))),
        _ => None,
    }
}

fn block_type(block: &Block) -> Type {
    block.value.as_ref().expect("a value block has a value").ty
}

fn block_value(block: Block, extent: Extent) -> Expr {
    Expr { ty: block_type(&block), kind: ExprKind::Block(block), extent }
}

fn arithmetic(op: &BinOp) -> Option<Arithmetic> {
    Some(match op {
        BinOp::Add(_) => Arithmetic::Add,
        BinOp::Sub(_) => Arithmetic::Sub,
        BinOp::Mul(_) => Arithmetic::Mul,
        BinOp::Div(_) => Arithmetic::Div,
        _ => return None,
    })
}

fn comparison(op: &BinOp) -> Option<Compare> {
    Some(match op {
        BinOp::Lt(_) => Compare::Less,
        BinOp::Le(_) => Compare::LessEqual,
        BinOp::Gt(_) => Compare::Greater,
        BinOp::Ge(_) => Compare::GreaterEqual,
        BinOp::Eq(_) => Compare::Equal,
        BinOp::Ne(_) => Compare::NotEqual,
        _ => return None,
    })
}
