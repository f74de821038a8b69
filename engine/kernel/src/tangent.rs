//! The derivative of a device function in a direction: forward-mode differentiation of the intermediate representation.
//!
//! ```text
//! f(x, y) -> z      gives      f_tangent(x, y, x_tangent, y_tangent) -> z_tangent
//! ```
//!
//! Every variable that depends on an argument with a tangent gets one, assigned just before the variable itself by the
//! rules of differentiation. A branch's derivative is that of the values it selects. Operations and their order follow
//! from the source, so the bits are the same on every processor, as those of the function are.

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::format_ident;

use crate::extent::Extent;
use crate::ir::{
    Argument, Arithmetic, Block, Compare, Expr, ExprKind, Function, Math, Place, Scalar, Statement, Type,
    Variable, VariableId,
};
use crate::parse::{Parameter, Signature};

/// Which arguments have tangents.
pub enum Active {
    /// All that are real numbers.
    All,
    /// These.
    Named(Vec<Ident>),
}

/// The signature and body of the derivative of a checked function.
///
/// # Errors
/// A name that is not an argument of real numbers; a function whose result is not one.
pub fn tangent(
    signature: &Signature,
    function: &Function,
    active: &Active,
) -> syn::Result<(Signature, Function)> {
    let at = Extent::of(&signature.name);
    let result = signature.result.filter(|ty| ty.scalar() == Scalar::Real);
    let Some(result) = result else {
        return Err(at.error("only a result of real numbers has a derivative: `f64` or `[f64; N]`"));
    };
    let is_real = |parameter: &Parameter| parameter.ty.scalar() == Scalar::Real;
    if let Active::Named(names) = active {
        for name in names {
            if !signature.parameters.iter().any(|parameter| parameter.name == *name && is_real(parameter)) {
                let message = format!("there is no argument `{name}` of real numbers to differentiate by");
                return Err(Extent::of(name).error(message));
            }
        }
    }
    let has_tangent = |parameter: &Parameter| match active {
        Active::All => is_real(parameter),
        Active::Named(names) => names.contains(&parameter.name),
    };
    let own: Vec<bool> = signature.parameters.iter().map(has_tangent).collect();
    let mut renumbered = Renumbered::new(function, &own);
    let differentiated = Differentiated { numbers: &renumbered, unknown: RefCell::default() };
    let body = differentiated.body(&function.body, result);
    if let Some(extent) = differentiated.unknown.into_inner().first() {
        let message = "this has no tangent, and its type is not known here: write it, as in `let f: [f64; 4] = flux(q);`";
        return Err(extent.error(message));
    }
    let variables = std::mem::take(&mut renumbered.variables);
    let derivative =
        Function { variables, constants: function.constants.clone(), loops: function.loops.clone(), body };
    Ok((named(signature, &own), derivative))
}

/// The name of a derivative or of a tangent.
fn tangent_of(name: &Ident) -> Ident {
    format_ident!("{name}_tangent", span = name.span())
}

/// A call's path with the last name replaced by that of the derivative.
fn path_of_tangent(path: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = path.clone().into_iter().collect();
    if let Some(TokenTree::Ident(name)) =
        tokens.iter_mut().rev().find(|token| matches!(token, TokenTree::Ident(_)))
    {
        *name = tangent_of(name);
    }
    tokens.into_iter().collect()
}

/// The derivative's signature: the function's arguments, then their tangents.
fn named(signature: &Signature, own: &[bool]) -> Signature {
    let copy = |parameter: &Parameter, name: Ident| Parameter {
        name,
        ty: parameter.ty,
        role: parameter.role,
        targets: None,
        tokens: parameter.tokens.clone(),
    };
    let mut parameters: Vec<Parameter> =
        signature.parameters.iter().map(|parameter| copy(parameter, parameter.name.clone())).collect();
    let active = signature.parameters.iter().zip(own).filter(|(_, own)| **own);
    parameters.extend(active.map(|(parameter, _)| copy(parameter, tangent_of(&parameter.name))));
    let documented = signature.attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let line = format!(" The derivative of [`{}`] in the direction of the tangents.", signature.name);
    let mut attributes: Vec<syn::Attribute> =
        signature.attributes.iter().filter(|attribute| !attribute.path().is_ident("doc")).cloned().collect();
    if documented {
        attributes.push(syn::parse_quote!(#[doc = #line]));
    }
    // The function's own statements stay, whether the derivative needs them or not; and it may have many arguments.
    attributes.push(syn::parse_quote!(#[allow(unused_variables, unused_mut, clippy::too_many_arguments)]));
    Signature {
        attributes,
        visibility: signature.visibility.clone(),
        name: tangent_of(&signature.name),
        parameters,
        constants: signature.constants.clone(),
        result: signature.result,
    }
}

/// Variables of the derivative: those of the function, each followed by its tangent; but arguments first.
struct Renumbered {
    variables: Vec<Variable>,
    /// By the function's ids.
    own: Vec<VariableId>,
    tangent: Vec<Option<VariableId>>,
}

impl Renumbered {
    fn new(function: &Function, arguments: &[bool]) -> Renumbered {
        let active = active(function, arguments);
        let count = function.variables.len();
        let mut new =
            Renumbered { variables: Vec::new(), own: vec![VariableId(0); count], tangent: vec![None; count] };
        let mut push = |variable: &Variable, name: Ident| {
            new.variables.push(Variable { name, ..variable.clone() });
            VariableId(new.variables.len() - 1)
        };
        let arguments = arguments.len();
        for (id, variable) in function.variables.iter().enumerate().take(arguments) {
            new.own[id] = push(variable, variable.name.clone());
        }
        for (id, variable) in function.variables.iter().enumerate() {
            if id >= arguments {
                new.own[id] = push(variable, variable.name.clone());
            }
            if active[id] {
                new.tangent[id] = Some(push(variable, tangent_of(&variable.name)));
            }
        }
        new
    }

    /// The first id of a block's own variables.
    fn first(&self, first: VariableId) -> VariableId {
        self.own.get(first.0).copied().unwrap_or(VariableId(self.variables.len()))
    }
}

/// Which variables depend on an argument with a tangent.
fn active(function: &Function, arguments: &[bool]) -> Vec<bool> {
    let mut active: Vec<bool> = vec![false; function.variables.len()];
    active[..arguments.len()].copy_from_slice(arguments);
    loop {
        let before = active.iter().filter(|active| **active).count();
        spread(&function.body, &function.variables, &mut active);
        if active.iter().filter(|active| **active).count() == before {
            return active;
        }
    }
}

/// Marks variables that are assigned something that depends on a marked one.
fn spread(block: &Block, variables: &[Variable], active: &mut [bool]) {
    let mark = |id: VariableId, active: &mut [bool]| {
        active[id.0] |= variables[id.0].ty.scalar() == Scalar::Real;
    };
    for statement in &block.statements {
        match statement {
            Statement::Let { variable, value } => {
                spread_within(value, variables, active);
                if depends(value, active) {
                    mark(*variable, active);
                }
            }
            Statement::Assign { place, value, .. } => {
                spread_within(value, variables, active);
                if depends(value, active) {
                    mark(place.variable, active);
                }
            }
            Statement::If { then, otherwise, .. } => {
                spread(then, variables, active);
                spread(otherwise, variables, active);
            }
            Statement::For { body, .. } => spread(body, variables, active),
            Statement::Block(block) => spread(block, variables, active),
        }
    }
    if let Some(value) = &block.value {
        spread_within(value, variables, active);
    }
}

/// The same for the blocks in an expression.
fn spread_within(expr: &Expr, variables: &[Variable], active: &mut [bool]) {
    match &expr.kind {
        ExprKind::Negate(inner) | ExprKind::Not(inner) | ExprKind::Repeat(inner) => {
            spread_within(inner, variables, active);
        }
        ExprKind::Arithmetic(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logic(_, a, b) => {
            spread_within(a, variables, active);
            spread_within(b, variables, active);
        }
        ExprKind::Math(_, parts) | ExprKind::Array(parts) => {
            parts.iter().for_each(|part| spread_within(part, variables, active));
        }
        ExprKind::Call { arguments, .. } => {
            for argument in arguments {
                if let Argument::Value(value) = argument {
                    spread_within(value, variables, active);
                }
            }
        }
        ExprKind::If { then, otherwise, .. } => {
            spread(then, variables, active);
            spread(otherwise, variables, active);
        }
        ExprKind::Block(block) => spread(block, variables, active),
        ExprKind::Real(_)
        | ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Constant { .. }
        | ExprKind::Variable(_) => {}
    }
}

/// Whether an expression has a tangent.
fn depends(expr: &Expr, active: &[bool]) -> bool {
    if expr.ty.scalar() != Scalar::Real {
        return false;
    }
    let of_block = |block: &Block| block.value.as_ref().is_some_and(|value| depends(value, active));
    match &expr.kind {
        ExprKind::Variable(place) => active[place.variable.0],
        ExprKind::Negate(inner) | ExprKind::Repeat(inner) => depends(inner, active),
        ExprKind::Arithmetic(_, a, b) => depends(a, active) || depends(b, active),
        ExprKind::Math(_, parts) | ExprKind::Array(parts) => parts.iter().any(|part| depends(part, active)),
        ExprKind::Call { arguments, .. } => arguments.iter().any(|argument| match argument {
            Argument::Value(value) => depends(value, active),
            Argument::Constants => false,
        }),
        ExprKind::If { then, otherwise, .. } => of_block(then) || of_block(otherwise),
        ExprKind::Block(block) => of_block(block),
        _ => false,
    }
}

/// Builds the derivative's statements and expressions.
struct Differentiated<'a> {
    numbers: &'a Renumbered,
    /// Zeros whose type only the compiler knows.
    unknown: RefCell<Vec<Extent>>,
}

impl Differentiated<'_> {
    fn body(&self, block: &Block, result: Type) -> Block {
        let value = block.value.as_ref().expect("a device function has a value");
        let derivative = self.derivative(value).unwrap_or_else(|| self.zero(result, value.extent));
        self.block_of(block, Some(derivative))
    }

    /// A block's statements, with another value.
    fn block_of(&self, block: &Block, value: Option<Expr>) -> Block {
        let statements = block.statements.iter().flat_map(|statement| self.statements(statement)).collect();
        Block { first: self.numbers.first(block.first), statements, value: value.map(Box::new) }
    }

    fn block(&self, block: &Block) -> Block {
        self.block_of(block, block.value.as_ref().map(|value| self.value(value)))
    }

    /// A statement, after what it does to tangents.
    fn statements(&self, statement: &Statement) -> Vec<Statement> {
        match statement {
            Statement::Let { variable, value } => {
                let own = Statement::Let { variable: self.numbers.own[variable.0], value: self.value(value) };
                let tangent = self.numbers.tangent[variable.0].map(|tangent| {
                    let derivative =
                        self.derivative(value).unwrap_or_else(|| self.zero(value.ty, value.extent));
                    Statement::Let { variable: tangent, value: derivative }
                });
                tangent.into_iter().chain([own]).collect()
            }
            Statement::Assign { place, op, value, extent } => {
                let own = Statement::Assign {
                    place: self.place(place),
                    op: *op,
                    value: self.value(value),
                    extent: *extent,
                };
                let tangent = self.tangent_place(place).map(|to| {
                    let value = match op {
                        None => self.derivative(value),
                        Some(op) => {
                            let ty = value.ty;
                            let before =
                                Expr { ty, kind: ExprKind::Variable(place.clone()), extent: *extent };
                            let kind = ExprKind::Arithmetic(*op, Box::new(before), Box::new(value.clone()));
                            self.derivative(&Expr { ty, kind, extent: *extent })
                        }
                    };
                    let ty = match (&place.index, self.numbers.variables[to.variable.0].ty) {
                        (Some(_), ty) => Type::Scalar(ty.scalar()),
                        (None, ty) => ty,
                    };
                    let value = value.unwrap_or_else(|| self.zero(ty, *extent));
                    Statement::Assign { place: to, op: None, value, extent: *extent }
                });
                tangent.into_iter().chain([own]).collect()
            }
            Statement::If { condition, then, otherwise } => vec![Statement::If {
                condition: self.value(condition),
                then: self.block(then),
                otherwise: self.block(otherwise),
            }],
            Statement::For { index, range, body } => {
                vec![Statement::For { index: *index, range: range.clone(), body: self.block(body) }]
            }
            Statement::Block(block) => vec![Statement::Block(self.block(block))],
        }
    }

    fn place(&self, place: &Place) -> Place {
        Place { variable: self.numbers.own[place.variable.0], ..place.clone() }
    }

    fn tangent_place(&self, place: &Place) -> Option<Place> {
        let variable = self.numbers.tangent[place.variable.0]?;
        Some(Place { variable, ..place.clone() })
    }

    /// An expression of the function, with the derivative's ids.
    fn value(&self, expr: &Expr) -> Expr {
        let boxed = |inner: &Expr| Box::new(self.value(inner));
        let all = |parts: &[Expr]| parts.iter().map(|part| self.value(part)).collect();
        let kind = match &expr.kind {
            ExprKind::Variable(place) => ExprKind::Variable(self.place(place)),
            ExprKind::Negate(inner) => ExprKind::Negate(boxed(inner)),
            ExprKind::Not(inner) => ExprKind::Not(boxed(inner)),
            ExprKind::Arithmetic(op, a, b) => ExprKind::Arithmetic(*op, boxed(a), boxed(b)),
            ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, boxed(a), boxed(b)),
            ExprKind::Logic(op, a, b) => ExprKind::Logic(*op, boxed(a), boxed(b)),
            ExprKind::Math(math, parts) => ExprKind::Math(*math, all(parts)),
            ExprKind::Call { path, arguments } => {
                let argument = |argument: &Argument| match argument {
                    Argument::Value(value) => Argument::Value(self.value(value)),
                    Argument::Constants => Argument::Constants,
                };
                ExprKind::Call { path: path.clone(), arguments: arguments.iter().map(argument).collect() }
            }
            ExprKind::Array(parts) => ExprKind::Array(all(parts)),
            ExprKind::Repeat(inner) => ExprKind::Repeat(boxed(inner)),
            ExprKind::If { condition, then, otherwise } => ExprKind::If {
                condition: boxed(condition),
                then: self.block(then),
                otherwise: self.block(otherwise),
            },
            ExprKind::Block(block) => ExprKind::Block(self.block(block)),
            other => other.clone(),
        };
        Expr { ty: expr.ty, kind, extent: expr.extent }
    }

    /// The derivative of an expression; `None` if it is zero.
    fn derivative(&self, expr: &Expr) -> Option<Expr> {
        if expr.ty.scalar() != Scalar::Real {
            return None;
        }
        let (ty, extent) = (expr.ty, expr.extent);
        let of = |kind: ExprKind| Expr { ty, kind, extent };
        let or_zero =
            |derivative: Option<Expr>, ty: Type| derivative.unwrap_or_else(|| self.zero(ty, extent));
        match &expr.kind {
            ExprKind::Variable(place) => Some(of(ExprKind::Variable(self.tangent_place(place)?))),
            ExprKind::Negate(inner) => Some(of(ExprKind::Negate(Box::new(self.derivative(inner)?)))),
            ExprKind::Repeat(inner) => Some(of(ExprKind::Repeat(Box::new(self.derivative(inner)?)))),
            ExprKind::Arithmetic(op, a, b) => self.of_arithmetic(*op, a, b),
            ExprKind::Math(math, parts) => self.of_math(*math, parts),
            ExprKind::Array(parts) => {
                let derivatives: Vec<Option<Expr>> = parts.iter().map(|part| self.derivative(part)).collect();
                derivatives.iter().any(Option::is_some).then(|| {
                    of(ExprKind::Array(
                        derivatives.into_iter().map(|part| or_zero(part, Type::REAL)).collect(),
                    ))
                })
            }
            ExprKind::Call { path, arguments } => {
                let values = arguments.iter().filter_map(|argument| match argument {
                    Argument::Value(value) => Some(value),
                    Argument::Constants => None,
                });
                let real = values.clone().filter(|value| value.ty.scalar() == Scalar::Real);
                let tangents: Vec<(Type, Option<Expr>)> =
                    real.map(|value| (value.ty, self.derivative(value))).collect();
                if tangents.iter().all(|(_, tangent)| tangent.is_none()) {
                    return None;
                }
                let mut all: Vec<Argument> = values.map(|value| Argument::Value(self.value(value))).collect();
                all.extend(tangents.into_iter().map(|(ty, tangent)| Argument::Value(or_zero(tangent, ty))));
                all.extend(
                    arguments.iter().filter(|argument| matches!(argument, Argument::Constants)).cloned(),
                );
                Some(of(ExprKind::Call { path: path_of_tangent(path), arguments: all }))
            }
            ExprKind::If { condition, then, otherwise } => {
                let value = |block: &Block| block.value.as_ref().and_then(|value| self.derivative(value));
                let (of_then, of_otherwise) = (value(then), value(otherwise));
                if of_then.is_none() && of_otherwise.is_none() {
                    return None;
                }
                Some(of(ExprKind::If {
                    condition: Box::new(self.value(condition)),
                    then: self.block_of(then, Some(or_zero(of_then, ty))),
                    otherwise: self.block_of(otherwise, Some(or_zero(of_otherwise, ty))),
                }))
            }
            ExprKind::Block(block) => {
                let derivative = block.value.as_ref().and_then(|value| self.derivative(value))?;
                Some(of(ExprKind::Block(self.block_of(block, Some(derivative)))))
            }
            _ => None,
        }
    }

    fn of_arithmetic(&self, op: Arithmetic, a: &Expr, b: &Expr) -> Option<Expr> {
        let (da, db) = (self.derivative(a), self.derivative(b));
        let at = a.extent;
        match (op, da, db) {
            (_, None, None) => None,
            (Arithmetic::Add | Arithmetic::Sub, Some(da), None) => Some(da),
            (Arithmetic::Add, None, Some(db)) => Some(db),
            (Arithmetic::Sub, None, Some(db)) => Some(real(ExprKind::Negate(Box::new(db)), at)),
            (Arithmetic::Add, Some(da), Some(db)) => Some(binary(Arithmetic::Add, da, db)),
            (Arithmetic::Sub, Some(da), Some(db)) => Some(binary(Arithmetic::Sub, da, db)),
            (Arithmetic::Mul, da, db) => {
                let left = da.map(|da| binary(Arithmetic::Mul, da, self.value(b)));
                let right = db.map(|db| binary(Arithmetic::Mul, self.value(a), db));
                sum(left, right)
            }
            // (da - (a / b) db) / b
            (Arithmetic::Div, da, db) => {
                let (a, b) = (self.value(a), self.value(b));
                let numerator = match (da, db) {
                    (da, None) => da,
                    (da, Some(db)) => {
                        let change = binary(Arithmetic::Mul, binary(Arithmetic::Div, a, b.clone()), db);
                        Some(match da {
                            Some(da) => binary(Arithmetic::Sub, da, change),
                            None => real(ExprKind::Negate(Box::new(change)), at),
                        })
                    }
                };
                numerator.map(|numerator| binary(Arithmetic::Div, numerator, b))
            }
        }
    }

    /// Zero of a type.
    fn zero(&self, ty: Type, extent: Extent) -> Expr {
        if ty.is_returned() {
            self.unknown.borrow_mut().push(extent);
        }
        zero(ty, extent)
    }

    fn of_math(&self, math: Math, parts: &[Expr]) -> Option<Expr> {
        let at = parts[0].extent;
        let number = |value: f64| real(ExprKind::Real(value), at);
        let values: Vec<Expr> = parts.iter().map(|part| self.value(part)).collect();
        let derivatives: Vec<Option<Expr>> = parts.iter().map(|part| self.derivative(part)).collect();
        if derivatives.iter().all(Option::is_none) {
            return None;
        }
        let x = || values[0].clone();
        let own = || real(ExprKind::Math(math, values.clone()), at);
        let call = |name: &str, x: Expr| {
            let math = Math::of_name(name).expect("a function of the language");
            real(ExprKind::Math(math, vec![x]), at)
        };
        let square = |x: Expr| binary(Arithmetic::Mul, x.clone(), x);
        if let Math::Min | Math::Max = math {
            // min is a if a < b, else b; max is a if b < a, else b.
            let (a, b) = (values[0].clone(), values[1].clone());
            let (less, more) = if math == Math::Min { (a, b) } else { (b, a) };
            return Some(select(less, more, derivatives, at));
        }
        if let Math::Elementary(function) = math {
            match function.name {
                "atan2" => {
                    // (x dy - y dx) / (x^2 + y^2)
                    let (y, x) = (values[0].clone(), values[1].clone());
                    let left = derivatives[0].clone().map(|dy| binary(Arithmetic::Mul, x.clone(), dy));
                    let right = derivatives[1].clone().map(|dx| {
                        let product = binary(Arithmetic::Mul, y.clone(), dx);
                        real(ExprKind::Negate(Box::new(product)), at)
                    });
                    let radius = binary(Arithmetic::Add, square(x), square(y));
                    return sum(left, right).map(|top| binary(Arithmetic::Div, top, radius));
                }
                "powf" => {
                    // y x^(y - 1) dx + x^y ln(x) dy
                    let (x, y) = (values[0].clone(), values[1].clone());
                    let left = derivatives[0].clone().map(|dx| {
                        let lower = binary(Arithmetic::Sub, y.clone(), number(1.0));
                        let power = real(ExprKind::Math(math, vec![x.clone(), lower]), at);
                        binary(Arithmetic::Mul, binary(Arithmetic::Mul, y.clone(), power), dx)
                    });
                    let right = derivatives[1].clone().map(|dy| {
                        let factor = binary(Arithmetic::Mul, own(), call("ln", x.clone()));
                        binary(Arithmetic::Mul, factor, dy)
                    });
                    return sum(left, right);
                }
                _ => {}
            }
        }
        let dx = derivatives.into_iter().next().flatten()?;
        let times = |factor: Expr| binary(Arithmetic::Mul, factor, dx.clone());
        let over = |divisor: Expr| binary(Arithmetic::Div, dx.clone(), divisor);
        let one_plus = |x: Expr| binary(Arithmetic::Add, number(1.0), x);
        let one_minus = |x: Expr| binary(Arithmetic::Sub, number(1.0), x);
        let minus = |x: Expr| real(ExprKind::Negate(Box::new(x)), at);
        Some(match math {
            Math::Sqrt => over(binary(Arithmetic::Mul, number(2.0), own())),
            Math::Abs => {
                let negative = minus(dx.clone());
                select(x(), number(0.0), vec![Some(negative), Some(dx)], at)
            }
            Math::Power(0) => return None,
            Math::Power(1) => dx,
            Math::Power(exponent) => {
                let power = real(ExprKind::Math(Math::Power(exponent - 1), vec![x()]), at);
                times(binary(Arithmetic::Mul, number(f64::from(exponent)), power))
            }
            Math::Elementary(function) => match function.name {
                "exp" => times(own()),
                "exp2" => times(binary(Arithmetic::Mul, number(std::f64::consts::LN_2), own())),
                "exp_m1" => times(call("exp", x())),
                "ln" => over(x()),
                "log2" => over(binary(Arithmetic::Mul, number(std::f64::consts::LN_2), x())),
                "ln_1p" => over(one_plus(x())),
                "cbrt" => over(binary(Arithmetic::Mul, number(3.0), square(own()))),
                "sin" => times(call("cos", x())),
                "cos" => minus(times(call("sin", x()))),
                "tan" => times(one_plus(square(own()))),
                "asin" => over(call("sqrt", one_minus(square(x())))),
                "acos" => minus(over(call("sqrt", one_minus(square(x()))))),
                "atan" => over(one_plus(square(x()))),
                "sinh" => times(call("cosh", x())),
                "cosh" => times(call("sinh", x())),
                "tanh" => times(one_minus(square(own()))),
                other => unreachable!("`{other}` has its derivative here"),
            },
            Math::Min | Math::Max => unreachable!("they are above"),
        })
    }
}

fn real(kind: ExprKind, extent: Extent) -> Expr {
    Expr { ty: Type::REAL, kind, extent }
}

/// Zero of a type that is known.
fn zero(ty: Type, extent: Extent) -> Expr {
    let number = real(ExprKind::Real(0.0), extent);
    match ty {
        Type::Array(..) => Expr { ty, kind: ExprKind::Repeat(Box::new(number)), extent },
        _ => number,
    }
}

fn binary(op: Arithmetic, a: Expr, b: Expr) -> Expr {
    let extent = a.extent;
    real(ExprKind::Arithmetic(op, Box::new(a), Box::new(b)), extent)
}

fn sum(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(binary(Arithmetic::Add, a, b)),
        (a, b) => a.or(b),
    }
}

/// The first of two numbers if `less < more`, else the second.
fn select(less: Expr, more: Expr, of: Vec<Option<Expr>>, extent: Extent) -> Expr {
    let condition = Expr {
        ty: Type::BOOL,
        kind: ExprKind::Compare(Compare::Less, Box::new(less), Box::new(more)),
        extent,
    };
    let mut blocks = of.into_iter().map(|value| Block {
        // A block without variables.
        first: VariableId(usize::MAX),
        statements: Vec::new(),
        value: Some(Box::new(value.unwrap_or_else(|| zero(Type::REAL, extent)))),
    });
    let (then, otherwise) = (blocks.next().expect("two values"), blocks.next().expect("two values"));
    real(ExprKind::If { condition: Box::new(condition), then, otherwise }, extent)
}
