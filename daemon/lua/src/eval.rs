//! Pieces of script that operators run.

use crate::LuaBrain;
use crate::brain::{error, scene};
use crate::dialect;
use crate::dice::CallPhase;
use crate::failure::{EVAL_NAME, cut};
use crate::pretty::ValuePrinter;
use crate::program::compiler;
use crate::vm::{CallNumbers, Vm, chunk};
use mlua::{MultiValue, Value as LuaValue};
use phalanx_engine::{Ask, BrainError, BrainErrorKind, Outcome, Ran};
use std::sync::Arc;
use std::time::Instant;

/// Largest piece of script, in bytes.
const CODE_BYTES_MAX: usize = 64 << 10;
/// Longest text of all results together, in characters.
const RESULT_CHARS_MAX: usize = 64 << 10;

impl LuaBrain {
    /// Runs a piece of script as the asked agent.
    pub(crate) fn eval(&mut self, ask: &Ask<'_>, code: &str) -> Outcome<Ran> {
        let began = Instant::now();
        let role = self.now.host.link.shared.borrow().role(ask.agent).to_owned();
        let result = compiled(code, &role).and_then(|bytes| {
            self.write_as(ask.agent, &role, false);
            *self.now.host.captured.borrow_mut() = Some(Vec::new());
            let scene = scene(ask, None);
            let ran = self.call(CallPhase::Run, ask, &role, |vm| vm.eval(&bytes, &role, &scene));
            let lines = self.now.host.captured.take().unwrap_or_default();
            self.tend(ran.is_err());
            Ok(Ran { text: ran?, lines })
        });
        let reason = self.now.host.reason.take();
        Outcome { reason, ..Outcome::new(result, began.elapsed()) }
    }
}

impl Vm {
    /// Runs bytecode of a piece of script and tells its results.
    fn eval(
        &self,
        code: &[u8],
        role: &str,
        scene: &CallNumbers,
    ) -> mlua::Result<Result<String, LuaValue>> {
        let env = self.eval_env()?;
        let chunk = chunk(&self.lua, &env, EVAL_NAME, code, None)?;
        let CallNumbers { index, step, round, tick, .. } = *scene;
        let mut results: MultiValue =
            self.calls.eval.call((chunk, env, index, role, step, round, tick))?;
        let succeeded = matches!(results.pop_front(), Some(LuaValue::Boolean(true)));
        if !succeeded {
            return Ok(Err(results.pop_front().unwrap_or(LuaValue::Nil)));
        }
        let mut printer = ValuePrinter::new(&self.calls.fill);
        let lines: Vec<_> =
            results.iter().map(|value| printer.value(value)).collect::<mlua::Result<_>>()?;
        Ok(Ok(cut(&lines.join("\n"), RESULT_CHARS_MAX)))
    }
}

/// An expression, or else statements, as bytecode.
fn compiled(code: &str, role: &str) -> Result<Vec<u8>, BrainError> {
    let refuse = |line: Option<u32>, what: String| {
        let place = line.map(|line| (EVAL_NAME.to_owned(), line));
        error(BrainErrorKind::Script, place, role, what)
    };
    if code.len() > CODE_BYTES_MAX {
        let what = format!("a piece of script has at most {CODE_BYTES_MAX} bytes");
        return Err(refuse(None, what));
    }
    let compiler = compiler();
    // Same line, so that line numbers match the author's text.
    if let Ok(bytes) = compiler.compile(format!("return {code}")) {
        return Ok(bytes);
    }
    compiler.compile(code).map_err(|error| {
        let found = dialect::explain(EVAL_NAME, &Arc::from(code), &error).into_iter().next();
        let line = found.as_ref().and_then(|found| found.line);
        let what = found.map_or_else(
            || error.to_string(),
            |found| match found.help {
                Some(help) => format!("{} ({help})", found.message),
                None => found.message,
            },
        );
        refuse(line, what)
    })
}
