//! Statements and blocks.

use syn::{Expr, Pat, Stmt};

use super::{Binding, Failed, Parsed, Parser, text};
use crate::extent::Extent;
use crate::ir::{Arithmetic, AtTarget, Block, Index, LoopId, Place, Scalar, Statement, Type, VariableId};

impl Parser {
    /// A block used as a statement: the body of a kernel, a loop or a branch.
    pub(super) fn statement_block(&mut self, block: &syn::Block) -> Block {
        let (mark, first) = self.open();
        let statements = self.statements(&block.stmts);
        self.scope.truncate(mark);
        Block { first, statements, value: None }
    }

    /// A block that ends with its value.
    pub(super) fn value_block(&mut self, block: &syn::Block, want: Option<Type>) -> Parsed<Block> {
        let (mark, first) = self.open();
        let (before, value) = match block.stmts.split_last() {
            Some((Stmt::Expr(value, None), before)) => (before, value),
            _ => return self.fail(block, "this block must end with its value, an expression without `;`"),
        };
        let statements = self.statements(before);
        let value = self.expression(value, want).and_then(|parsed| self.known(value, parsed));
        self.scope.truncate(mark);
        Ok(Block { first, statements, value: Some(Box::new(value?)) })
    }

    fn open(&self) -> (usize, VariableId) {
        (self.scope.len(), VariableId(self.variables.len()))
    }

    fn statements(&mut self, statements: &[Stmt]) -> Vec<Statement> {
        // A statement that failed has been reported; the others may have errors of their own.
        let parsed = statements.iter().filter_map(|statement| match statement {
            Stmt::Local(local) => self.local(local).ok(),
            statement => self.statement(statement).ok().map(|statement| vec![statement]),
        });
        parsed.flatten().collect()
    }

    fn statement(&mut self, statement: &Stmt) -> Parsed<Statement> {
        match statement {
            Stmt::Local(_) => unreachable!("a `let` may be several statements"),
            Stmt::Item(item) => self.fail(item, "items cannot be declared in a kernel: put them beside it"),
            Stmt::Macro(call) => self.fail(call, super::expression::MACRO),
            Stmt::Expr(expr, _) => self.expression_statement(expr),
        }
    }

    fn expression_statement(&mut self, expr: &Expr) -> Parsed<Statement> {
        match expr {
            Expr::Assign(assign) => self.assignment(expr, &assign.left, None, &assign.right),
            Expr::Binary(binary) => {
                let op = match binary.op {
                    syn::BinOp::AddAssign(_) => Arithmetic::Add,
                    syn::BinOp::SubAssign(_) => Arithmetic::Sub,
                    syn::BinOp::MulAssign(_) => Arithmetic::Mul,
                    syn::BinOp::DivAssign(_) => Arithmetic::Div,
                    _ => return self.no_effect(expr),
                };
                self.assignment(expr, &binary.left, Some(op), &binary.right)
            }
            Expr::If(branch) => self.if_statement(branch),
            Expr::ForLoop(for_loop) => self.for_loop(for_loop),
            Expr::Block(block) if block.label.is_none() => {
                Ok(Statement::Block(self.statement_block(&block.block)))
            }
            Expr::Path(_)
            | Expr::Lit(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Unary(_)
            | Expr::Paren(_) => self.no_effect(expr),
            Expr::Call(_) | Expr::MethodCall(_) => self.no_effect(expr),
            _ => self.unsupported(expr),
        }
    }

    fn no_effect(&mut self, expr: &Expr) -> Parsed<Statement> {
        let message = format!("`{}` has no effect here: assign it or bind it with `let`", text(expr));
        self.fail(expr, message)
    }

    fn assignment(
        &mut self,
        whole: &Expr,
        left: &Expr,
        op: Option<Arithmetic>,
        right: &Expr,
    ) -> Parsed<Statement> {
        let Some(place) = self.place(left)? else {
            return match left {
                Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.lookup(name).is_none()) => {
                    self.unknown_variable(path)
                }
                _ => self.fail(left, "only variables, their components, and parameters are assigned"),
            };
        };
        let ty = match &place.index {
            None => self.assigned(whole, place.variable, right)?,
            Some(_) => self.place_type(&place),
        };
        if let (Some(op), Type::Array(_, n)) = (op, ty) {
            let message = format!(
                "`{}=` works on one component: write `for i in 0..{n} {{ ... }}` over the components",
                op.symbol()
            );
            return self.fail(whole, message);
        }
        if let Some(op) = op {
            self.check_arithmetic(whole, op, ty.scalar())?;
        }
        let value = self.expression(right, Some(ty))?;
        Ok(Statement::Assign { place, op, value, extent: Extent::of(whole) })
    }

    /// A variable or one of its components; `None` if the expression is neither.
    pub(super) fn place(&mut self, expr: &Expr) -> Parsed<Option<Place>> {
        let extent = Extent::of(expr);
        match expr {
            Expr::Paren(paren) => self.place(&paren.expr),
            Expr::Path(path) => match path.path.get_ident().map(|name| (name, self.lookup(name))) {
                Some((name, Some(Binding::Variable(variable)))) => match self.variables[variable.0].targets {
                    None => Ok(Some(Place { variable, index: None, extent })),
                    Some(targets) => {
                        let message = format!(
                            "`{name}` has the values at {targets} targets: select one, as in `{name}[0]`, and a \
                             component of it, as in `{name}[0][0]`"
                        );
                        self.fail(expr, message)
                    }
                },
                Some((_, Some(Binding::Unknown))) => Err(Failed),
                Some((name, Some(Binding::Loop(_)))) => {
                    let message = format!("the loop variable `{name}` can only be used to select components");
                    self.fail(expr, message)
                }
                Some((name, Some(Binding::Index(_)))) => {
                    let message =
                        format!("`{name}` is a component number and can only be used to select components");
                    self.fail(expr, message)
                }
                _ => Ok(None),
            },
            Expr::Index(indexed) if self.at_all_targets(&indexed.expr).is_some() => {
                let message = format!(
                    "`{}` has the values at a target: assign its components one by one, as in `{0}[0]`",
                    text(expr)
                );
                self.fail(expr, message)
            }
            Expr::Index(indexed) if let Some((variable, target)) = self.target(&indexed.expr) => {
                let (target, component) = (self.index(target), self.index(&indexed.index));
                let index = self.index_at_target(variable, target?, component?);
                Ok(Some(Place { variable, index: Some(index), extent }))
            }
            Expr::Index(indexed) => {
                let Some(base) = self.place(&indexed.expr)? else { return Ok(None) };
                let ty = match base.index {
                    None => self.indexed(base.variable),
                    Some(_) => self.place_type(&base),
                };
                if !matches!(ty, Type::Array(..) | Type::ReturnedArray) {
                    let name = &self.variables[base.variable.0].name;
                    let message = format!(
                        "`{name}` is {ty} and has no components; if it is an array, say so where it is declared: \
                         `let {name}: [f64; 4] = ...`"
                    );
                    if base.index.is_none() {
                        self.forget_variable(base.variable);
                    }
                    return self.fail(expr, message);
                }
                let index = self.index(&indexed.index)?;
                Ok(Some(Place { variable: base.variable, index: Some(index), extent }))
            }
            _ => Ok(None),
        }
    }

    /// The operand at all targets of a map, if an expression names one.
    pub(super) fn at_all_targets(&self, expr: &Expr) -> Option<VariableId> {
        match expr {
            Expr::Paren(paren) => self.at_all_targets(&paren.expr),
            Expr::Group(group) => self.at_all_targets(&group.expr),
            Expr::Path(path) => match self.lookup(path.path.get_ident()?)? {
                Binding::Variable(id) if self.variables[id.0].targets.is_some() => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    /// The operand and the target of `x[target]`.
    fn target<'e>(&self, expr: &'e Expr) -> Option<(VariableId, &'e Expr)> {
        match expr {
            Expr::Paren(paren) => self.target(&paren.expr),
            Expr::Group(group) => self.target(&group.expr),
            Expr::Index(indexed) => Some((self.at_all_targets(&indexed.expr)?, &indexed.index)),
            _ => None,
        }
    }

    /// `x[target][component]`
    pub(super) fn index_at_target(&self, variable: VariableId, target: Index, component: Index) -> Index {
        let operand = &self.variables[variable.0];
        let (targets, dim) = (operand.targets.expect("at all targets"), operand.dim());
        Index::AtTarget(Box::new(AtTarget { target, targets, component, dim }))
    }

    pub(super) fn place_type(&self, place: &Place) -> Type {
        let ty = self.variables[place.variable.0].ty;
        if place.index.is_some() { Type::Scalar(ty.scalar()) } else { ty }
    }

    fn if_statement(&mut self, branch: &syn::ExprIf) -> Parsed<Statement> {
        let condition = self.expression(&branch.cond, Some(Type::Scalar(Scalar::Bool)));
        let then = self.statement_block(&branch.then_branch);
        let otherwise = match branch.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            None => Block { first: VariableId(self.variables.len()), statements: Vec::new(), value: None },
            Some(Expr::Block(block)) => self.statement_block(&block.block),
            Some(Expr::If(next)) => {
                let (mark, first) = self.open();
                let next = self.if_statement(next);
                self.scope.truncate(mark);
                Block { first, statements: vec![next?], value: None }
            }
            Some(other) => return self.unsupported(other),
        };
        Ok(Statement::If { condition: condition?, then, otherwise })
    }

    fn for_loop(&mut self, for_loop: &syn::ExprForLoop) -> Parsed<Statement> {
        let (mark, iterations) = (self.scope.len(), self.iterations);
        let range = self.range(&for_loop.expr);
        let index = LoopId(self.loops.len());
        match &*for_loop.pat {
            Pat::Ident(ident)
                if ident.by_ref.is_none() && ident.subpat.is_none() && ident.mutability.is_none() =>
            {
                self.loops.push(ident.ident.clone());
                let binding = if range.is_ok() { Binding::Loop(index) } else { Binding::Unknown };
                self.scope.push((ident.ident.to_string(), binding));
            }
            Pat::Wild(wild) => self.loops.push(syn::Ident::new("_", wild.underscore_token.span)),
            pattern => return self.fail(pattern, "a loop variable is a plain name: `for i in 0..4`"),
        }
        let body = self.statement_block(&for_loop.body);
        self.scope.truncate(mark);
        self.iterations = iterations;
        if let Some(label) = &for_loop.label {
            return self.fail(label, "labels are not supported: a loop runs over all of its range");
        }
        Ok(Statement::For { index, range: range?, body })
    }

    fn range(&mut self, expr: &Expr) -> Parsed<std::ops::Range<usize>> {
        let Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = expr else {
            return self.fail(expr, "a loop runs over a constant range: `for i in 0..4`");
        };
        let start = self.bound(start, "the loop's lower bound");
        let end = self.bound(end, "the loop's upper bound");
        let (start, end) = (start?, end?);
        let range = match limits {
            syn::RangeLimits::HalfOpen(_) => start..end,
            syn::RangeLimits::Closed(_) => start..end + 1,
        };
        self.enter_loop(expr, range.len())?;
        Ok(range)
    }
}
