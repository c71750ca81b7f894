//! What selene cannot know: fields of percepts, queries for other agents, parameters that are read
//! once.

use super::words::members;
use full_moon::ast::{
    Ast, Call, Expression, FunctionCall, Index, Prefix, Stmt, Suffix, Var, VarExpression,
};
use full_moon::node::Node;
use full_moon::tokenizer::TokenReference;
use full_moon::visitors::Visitor;
use phalanx_game::Api;
use phalanx_lua::{Diagnostic, Module, similar};
use std::sync::Arc;

/// Names under which role functions get the agent.
const AGENTS: [&str; 2] = ["me", "sim"];

/// The findings in one file.
pub(super) fn findings(
    ast: &Ast,
    path: &str,
    source: &Arc<str>,
    api: &Api,
    modules: &[Module],
) -> Vec<Diagnostic> {
    let mut eye = Eye { path, source, api, modules, findings: Vec::new() };
    eye.visit_ast(ast);
    eye.parameters(ast);
    eye.findings
}

struct Eye<'a> {
    path: &'a str,
    source: &'a Arc<str>,
    api: &'a Api,
    modules: &'a [Module],
    findings: Vec<Diagnostic>,
}

impl Eye<'_> {
    /// `me.percept.NAME`, `team.percept(name).NAME` and `world.of(name).NAME`.
    fn chain<'b>(&mut self, prefix: &Prefix, suffixes: impl Iterator<Item = &'b Suffix>) {
        let Prefix::Name(root) = prefix else { return };
        let suffixes: Vec<_> = suffixes.take(3).collect();
        let root = text(root);
        match (root.as_str(), suffixes.as_slice()) {
            (agent, [first, field, ..]) if AGENTS.contains(&agent) && is(first, "percept") => {
                self.field(field);
            }
            ("team", [first, Suffix::Call(_), field]) if is(first, "percept") => self.field(field),
            ("world", [first, Suffix::Call(_), query]) if is(first, "of") => self.query(query),
            _other => {}
        }
    }

    fn field(&mut self, suffix: &Suffix) {
        let Some(token) = member(suffix) else { return };
        let name = text(token);
        if self.api.field(&name).is_some() {
            return;
        }
        let meant = similar(&name, self.api.percept.iter().map(|field| field.name));
        let meant = meant.map(|meant| format!("did you mean {meant}?"));
        self.tell(token, format!("percept has no {name}"), meant);
    }

    fn query(&mut self, suffix: &Suffix) {
        let Some(token) = member(suffix) else { return };
        let name = text(token);
        if self.api.query(&name).is_some() {
            return;
        }
        let meant = similar(&name, members("world", self.modules).filter(|known| *known != "of"));
        let meant = meant.map(|meant| format!("did you mean {meant}?"));
        self.tell(token, format!("world has no {name}"), meant);
    }

    fn tell(&mut self, node: impl Node, what: String, help: Option<String>) {
        let Some((from, to)) = node.range() else { return };
        let mut finding = Diagnostic::error(self.path, what);
        finding.help = help;
        self.findings.push(finding.at_bytes(from.bytes()..to.bytes(), self.source));
    }

    /// `local x = param(…)` beside all functions is read when the file is loaded, never again.
    fn parameters(&mut self, ast: &Ast) {
        for statement in ast.nodes().stmts() {
            let Stmt::LocalAssignment(local) = statement else { continue };
            for value in local.expressions() {
                let Expression::FunctionCall(call) = value else { continue };
                let Prefix::Name(name) = call.prefix() else { continue };
                if text(name) != "param" {
                    continue;
                }
                let what = "this keeps the value of the moment in which the file is loaded";
                let help = "declare it here without local, and call param in decide";
                self.tell(value, what.into(), Some(help.into()));
                if let Some(last) = self.findings.pop() {
                    self.findings.push(last.warning());
                }
            }
        }
    }
}

impl Visitor for Eye<'_> {
    fn visit_var(&mut self, var: &Var) {
        if let Var::Expression(expression) = var {
            let expression: &VarExpression = expression;
            self.chain(expression.prefix(), expression.suffixes());
        }
    }

    fn visit_function_call(&mut self, call: &FunctionCall) {
        self.chain(call.prefix(), call.suffixes());
    }
}

/// The name after a dot, or the method's name after a colon.
fn member(suffix: &Suffix) -> Option<&TokenReference> {
    match suffix {
        Suffix::Index(Index::Dot { name, .. }) => Some(name),
        Suffix::Call(Call::MethodCall(call)) => Some(call.name()),
        _other => None,
    }
}

fn is(suffix: &Suffix, name: &str) -> bool {
    member(suffix).is_some_and(|token| text(token) == name)
}

fn text(token: &TokenReference) -> String {
    token.token().to_string()
}
