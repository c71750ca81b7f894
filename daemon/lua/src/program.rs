//! A bundle, compiled: bytecode is made once and loaded into each VM and each role.

use crate::{Bundle, Diagnostic, dialect};
use mlua::chunk::Compiler;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All files of a bundle as bytecode of our own compiler; foreign bytecode is never loaded.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) bundle: Arc<Bundle>,
    code: BTreeMap<String, Vec<u8>>,
}

impl Program {
    /// Compiles; the program holds only the files that compile.
    pub(crate) fn compile(bundle: Arc<Bundle>) -> (Self, Vec<Diagnostic>) {
        // Lines stay true at level 1. `tostring` has to be ours, not the VM's fast one.
        let compiler = Compiler::new()
            .set_optimization_level(1)
            .set_debug_level(1)
            .set_disabled_builtins(["tostring"]);
        let mut code = BTreeMap::new();
        let mut findings = Vec::new();
        for (path, source) in bundle.files() {
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

    pub(crate) fn code(&self, path: &str) -> Option<&[u8]> {
        self.code.get(path).map(Vec::as_slice)
    }

    pub(crate) fn source(&self, path: &str) -> Option<Arc<str>> {
        self.bundle.source(path).map(Arc::clone)
    }
}
