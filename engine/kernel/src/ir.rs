//! The typed intermediate representation of kernel and device functions.
//!
//! Parsing produces it, checking reads it, every emitter starts from it. Names are resolved, every expression has its
//! type, and nothing of the parser's syntax tree is left; paths of other functions and of named constants, which cannot
//! be resolved here, are kept as tokens. Expressions have no side effects: only statements assign.

use proc_macro2::{Ident, TokenStream};

use crate::extent::Extent;

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `f64` in the source, a lane-wise double in generated code.
    Real,
    /// `i32` in the source.
    Int,
    /// `bool` in the source, a mask in generated code.
    Bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// One component.
    Scalar(Scalar),
    /// A fixed number of components of one type.
    Array(Scalar, usize),
    /// What a device function returns, as long as nothing tells: only the compiler knows its signature.
    Returned,
    /// An array of f64 with as many components as a device function returns.
    ReturnedArray,
}

impl Type {
    /// `f64`.
    pub const REAL: Type = Type::Scalar(Scalar::Real);
    /// `i32`.
    pub const INT: Type = Type::Scalar(Scalar::Int);
    /// `bool`.
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);

    /// The type of each component.
    pub fn scalar(self) -> Scalar {
        match self {
            Type::Scalar(scalar) | Type::Array(scalar, _) => scalar,
            Type::Returned | Type::ReturnedArray => Scalar::Real,
        }
    }

    /// Number of components; 1 for a scalar. Where only the compiler knows it, no index is too large.
    pub fn components(self) -> usize {
        match self {
            Type::Scalar(_) | Type::Returned => 1,
            Type::Array(_, n) => n,
            Type::ReturnedArray => usize::MAX,
        }
    }

    /// Whether the compiler knows more than what is written here.
    pub fn is_returned(self) -> bool {
        matches!(self, Type::Returned | Type::ReturnedArray)
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Scalar::Real => "f64",
            Scalar::Int => "i32",
            Scalar::Bool => "bool",
        })
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Scalar(scalar) => write!(f, "{scalar}"),
            Type::Array(scalar, n) => write!(f, "[{scalar}; {n}]"),
            Type::Returned => f.write_str("what a function returns"),
            Type::ReturnedArray => f.write_str("an array of f64"),
        }
    }
}

/// How a kernel uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Read,
    Write,
    Rw,
    Inc,
    Sum,
    Min,
    Max,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A kernel's operand.
    Operand(Mode),
    /// A device function's argument, passed by value.
    Argument,
    /// A `let`.
    Local {
        /// Declared `let mut`.
        mutable: bool,
    },
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Ident,
    /// For an operand at all targets of a map, the components target after target.
    pub ty: Type,
    pub role: Role,
    /// Number of targets, for an operand at all targets of a map.
    pub targets: Option<usize>,
}

impl Variable {
    /// Components at one target; all components, if the variable is not an operand at all targets of a map.
    pub fn dim(&self) -> usize {
        self.ty.components() / self.targets.unwrap_or(1)
    }

    /// For an operand at all targets of a map, a component's target and its place there.
    pub fn at_target(&self, component: usize) -> Option<(usize, usize)> {
        self.targets.map(|_| (component / self.dim(), component % self.dim()))
    }
}

/// Position in [`Function::variables`]; variables are numbered in the order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableId(pub usize);

/// Position in [`Function::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopId(pub usize);

/// What a kernel (a body without a value) or a device function (with one) computes.
#[derive(Clone, Debug)]
pub struct Function {
    /// All variables, the parameters first.
    pub variables: Vec<Variable>,
    /// The name of the constants parameter.
    pub constants: Option<Ident>,
    /// The loop variables, by [`LoopId`].
    pub loops: Vec<Ident>,
    pub body: Block,
}

impl Function {
    /// The variable of an id.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }
}

/// Statements with a scope of their own; and a value, if the block stands where one is needed.
#[derive(Clone, Debug)]
pub struct Block {
    /// Variables from this one on were declared inside (or after) the block, earlier ones outside.
    pub first: VariableId,
    pub statements: Vec<Statement>,
    pub value: Option<Box<Expr>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `let variable = value;`
    Let { variable: VariableId, value: Expr },
    /// `place = value;`, or `place op= value;`
    Assign { place: Place, op: Option<Arithmetic>, value: Expr, extent: Extent },
    /// Both branches are evaluated; the condition selects what they assign.
    If { condition: Expr, then: Block, otherwise: Block },
    /// A loop over a constant range, unrolled wherever it is used.
    For { index: LoopId, range: std::ops::Range<usize>, body: Block },
    /// A block of its own.
    Block(Block),
}

/// A variable, or one component of it.
#[derive(Clone, Debug)]
pub struct Place {
    pub variable: VariableId,
    pub index: Option<Index>,
    pub extent: Extent,
}

/// A component number, known once the surrounding loops are unrolled.
#[derive(Clone, Debug)]
pub enum Index {
    Literal(usize),
    Loop(LoopId),
    Binary(IndexOp, Box<Index>, Box<Index>),
    /// A component of an operand at all targets of a map, `x[target][component]`.
    AtTarget(Box<AtTarget>),
}

/// A component at one target of a map.
#[derive(Clone, Debug)]
pub struct AtTarget {
    pub target: Index,
    pub targets: usize,
    pub component: Index,
    pub dim: usize,
}

/// Arithmetic of component numbers.
#[derive(Clone, Copy, Debug)]
pub enum IndexOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Type,
    pub kind: ExprKind,
    pub extent: Extent,
}

/// What an expression does.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Real(f64),
    Int(i32),
    Bool(bool),
    /// A value that is the same for all elements: a scalar, one component, or a whole array, according to the
    /// expression's type.
    Constant {
        source: Source,
        index: Option<Index>,
    },
    Variable(Place),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    Logic(Logic, Box<Expr>, Box<Expr>),
    Math(Math, Vec<Expr>),
    /// A call of a device function.
    Call {
        path: TokenStream,
        arguments: Vec<Argument>,
    },
    Array(Vec<Expr>),
    /// `[value; n]`, n being the type's.
    Repeat(Box<Expr>),
    If {
        condition: Box<Expr>,
        then: Block,
        otherwise: Block,
    },
    Block(Block),
}

/// Where a constant comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A field of the constants parameter.
    Field(Ident),
    /// A `const` item.
    Path(TokenStream),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expr),
    /// The constants parameter, passed on.
    Constants,
}

/// `+ - * /`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// `&&` and `||`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    And,
    Or,
}

/// The functions that every processor rounds alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math {
    Sqrt,
    Abs,
    Min,
    Max,
    /// A function of `same-math`.
    Elementary(&'static Elementary),
    /// x^n, from `same-math`.
    Power(i32),
}

/// A function of `same-math`.
#[derive(Debug, PartialEq, Eq)]
pub struct Elementary {
    /// The name, as in `x.exp()`.
    pub name: &'static str,
    /// The name in C.
    pub c: &'static str,
    /// Number of operands.
    pub operands: usize,
}

/// All but `powi`, whose exponent is not an operand but part of the source.
pub const ELEMENTARY: [Elementary; 18] = [
    Elementary { name: "exp", c: "sm_exp", operands: 1 },
    Elementary { name: "exp2", c: "sm_exp2", operands: 1 },
    Elementary { name: "exp_m1", c: "sm_expm1", operands: 1 },
    Elementary { name: "ln", c: "sm_log", operands: 1 },
    Elementary { name: "log2", c: "sm_log2", operands: 1 },
    Elementary { name: "ln_1p", c: "sm_log1p", operands: 1 },
    Elementary { name: "cbrt", c: "sm_cbrt", operands: 1 },
    Elementary { name: "sin", c: "sm_sin", operands: 1 },
    Elementary { name: "cos", c: "sm_cos", operands: 1 },
    Elementary { name: "tan", c: "sm_tan", operands: 1 },
    Elementary { name: "asin", c: "sm_asin", operands: 1 },
    Elementary { name: "acos", c: "sm_acos", operands: 1 },
    Elementary { name: "atan", c: "sm_atan", operands: 1 },
    Elementary { name: "atan2", c: "sm_atan2", operands: 2 },
    Elementary { name: "sinh", c: "sm_sinh", operands: 1 },
    Elementary { name: "cosh", c: "sm_cosh", operands: 1 },
    Elementary { name: "tanh", c: "sm_tanh", operands: 1 },
    Elementary { name: "powf", c: "sm_pow", operands: 2 },
];

/// The name of [`Math::Power`].
pub const POWER: &str = "powi";

impl Math {
    /// The function with a name, as in `x.sqrt()`; not `powi`.
    pub fn of_name(name: &str) -> Option<Math> {
        let own = [Math::Sqrt, Math::Abs, Math::Min, Math::Max];
        own.into_iter().chain(ELEMENTARY.iter().map(Math::Elementary)).find(|math| math.name() == name)
    }

    /// The name, as in `x.sqrt()`.
    pub fn name(self) -> &'static str {
        match self {
            Math::Sqrt => "sqrt",
            Math::Abs => "abs",
            Math::Min => "min",
            Math::Max => "max",
            Math::Elementary(function) => function.name,
            Math::Power(_) => POWER,
        }
    }

    /// Number of operands.
    pub fn operands(self) -> usize {
        match self {
            Math::Sqrt | Math::Abs | Math::Power(_) => 1,
            Math::Min | Math::Max => 2,
            Math::Elementary(function) => function.operands,
        }
    }
}

impl Arithmetic {
    /// The operator's symbol.
    pub fn symbol(self) -> char {
        match self {
            Arithmetic::Add => '+',
            Arithmetic::Sub => '-',
            Arithmetic::Mul => '*',
            Arithmetic::Div => '/',
        }
    }
}
