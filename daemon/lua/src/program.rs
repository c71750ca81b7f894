//! A bundle, compiled: bytecode is made once and loaded into each VM and each role.

use crate::{Bundle, Diagnostic, LoadError, Severity, dialect};
use mlua::chunk::Compiler;
use phalanx_engine::{BrainError, BrainErrorKind, Generation, Staged};
use phalanx_game::sorted::SortedMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// All files of a bundle as bytecode of our own compiler; foreign bytecode is never loaded. It may
/// be made on one thread and loaded into VMs of others.
pub struct Program {
    bundle: Arc<Bundle>,
    code: SortedMap<String, Vec<u8>>,
}

impl Program {
    /// Compiles. The program holds only the files that compile; the findings say what is wrong
    /// with the others, and what is odd about those.
    #[must_use]
    pub fn compile(bundle: Arc<Bundle>) -> (Self, Vec<Diagnostic>) {
        Self::compile_with(bundle, false)
    }

    /// Compiles so that the VM counts how often each line runs, when `counted`.
    pub(crate) fn compile_with(bundle: Arc<Bundle>, counted: bool) -> (Self, Vec<Diagnostic>) {
        let compiler = compiler().set_coverage_level(u8::from(counted));
        let mut code = SortedMap::new();
        let mut findings = Vec::new();
        for (path, source) in bundle.scripts() {
            match compiler.compile(source.as_bytes()) {
                Ok(bytes) => {
                    code.insert(path.to_owned(), bytes);
                    findings.extend(dialect::warnings(path, source));
                }
                Err(error) => findings.extend(dialect::explain(path, source, &error)),
            }
        }
        (Self { bundle, code }, findings)
    }

    /// The files it was made of.
    #[must_use]
    pub fn bundle(&self) -> &Arc<Bundle> {
        &self.bundle
    }

    /// The program as the code of a generation. `cost` is the load time measured in the trial, zero
    /// without a trial.
    #[must_use]
    pub fn staged(self: Arc<Self>, generation: Arc<Generation>, cost: Duration) -> Staged {
        Staged { generation, code: self, cost, ..Staged::default() }
    }

    /// The program in a staged generation.
    pub(crate) fn of(staged: &Staged) -> Result<Arc<Self>, BrainError> {
        Arc::clone(&staged.code).downcast().map_err(|_| {
            let what = "the generation holds no Lua program; compile its bundle with stage()";
            BrainError::without_place(BrainErrorKind::Script, what)
        })
    }

    pub(crate) fn code(&self, path: &str) -> Option<&[u8]> {
        self.code.get(path).map(Vec::as_slice)
    }

    pub(crate) fn source(&self, path: &str) -> Option<Arc<str>> {
        self.bundle.source(path).map(Arc::clone)
    }
}

/// Lines stay true at level 1. `tostring` has to be ours, not the VM's fast one.
pub(crate) fn compiler() -> Compiler {
    Compiler::new().set_optimization_level(1).set_debug_level(1).set_disabled_builtins(["tostring"])
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("hash", &self.bundle.hash()).finish_non_exhaustive()
    }
}

/// Compiles a bundle as the code of a generation, without a trial.
///
/// # Errors
/// All files that do not compile.
pub fn stage(bundle: Arc<Bundle>, generation: Arc<Generation>) -> Result<Staged, LoadError> {
    let (program, findings) = Program::compile(bundle);
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(LoadError::new(findings));
    }
    Ok(Arc::new(program).staged(generation, Duration::ZERO))
}
