//! Checks a file without running it: undefined names, functions that the API does not have, calls
//! with too few or too many arguments.
//!
//! selene does most of it, with a library generated from the declared API. What it says is put in
//! the words of this API, with suggestions. A comment `-- selene: allow(unused_variable)` silences
//! a lint for the statement below it.

#[expect(clippy::wildcard_enum_match_arm, reason = "full_moon's enums grow with its versions")]
mod shape;
mod words;

use crate::Candidate;
use full_moon::LuaVersion;
use phalanx_game::Api;
use phalanx_lua::{Bundle, Diagnostic, Module, SPEC_FOLDER, SPEC_NAMES, modules, selene_library};
use selene_lib::lints::Severity;
use selene_lib::standard_library::StandardLibrary;
use selene_lib::{Checker, CheckerConfig, LintVariation};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// The stack of the thread that lints: the parser follows the nesting of the source, which the
/// compiler bounds at a thousand levels. Memory is used only as far as it is needed.
const STACK_BYTES: usize = 512 << 20;

/// The lints that are on. All others of selene are matters of taste.
const LINTS: &[(&str, LintVariation)] = &[
    ("undefined_variable", LintVariation::Deny),
    ("incorrect_standard_library_use", LintVariation::Deny),
    ("mismatched_arg_count", LintVariation::Deny),
    ("almost_swapped", LintVariation::Warn),
    ("compare_nan", LintVariation::Warn),
    ("constant_table_comparison", LintVariation::Warn),
    ("duplicate_keys", LintVariation::Warn),
    ("if_same_then_else", LintVariation::Warn),
    ("ifs_same_cond", LintVariation::Warn),
    ("must_use", LintVariation::Warn),
    ("shadowing", LintVariation::Warn),
    ("suspicious_reverse_loop", LintVariation::Warn),
    ("type_check_inside_call", LintVariation::Warn),
    ("unbalanced_assignments", LintVariation::Warn),
    ("unscoped_variables", LintVariation::Warn),
    ("unused_variable", LintVariation::Warn),
];

/// Parameters that a call has whether or not it uses them.
const UNUSED: &str = "^_|^me$|^sim$|^result$|^team$|^job$|^old_version$|^memory$";

/// Number of lints that were given up but may still run; at this limit nothing more is linted.
const ABANDONED_MAX: usize = 4;

/// The flags of the lints that were given up: each lives as long as its thread.
static ABANDONED: Mutex<Vec<Weak<AtomicBool>>> = Mutex::new(Vec::new());

/// The libraries that were read, one a game: reading one costs more than linting a strategy.
static LIBRARIES: Mutex<Vec<Library>> = Mutex::new(Vec::new());

/// A game's name, its declaration, and the library that was made from it.
type Library = (&'static str, &'static Api, Arc<StandardLibrary>);

/// Lints all files that compile, until `due`.
pub(crate) fn check(
    bundle: &Arc<Bundle>,
    broken: &[&str],
    candidate: &Candidate,
    due: Instant,
) -> Vec<Diagnostic> {
    let files: Vec<(String, Arc<str>)> = bundle
        .scripts()
        .filter(|(path, _)| !broken.contains(path))
        .map(|(path, source)| (path.to_owned(), Arc::clone(source)))
        .collect();
    if abandoned().len() >= ABANDONED_MAX {
        return vec![unlinted("strategy", "earlier lints that took too long are still at work")];
    }
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let (game, api, halt) = (candidate.game, candidate.api, Arc::clone(&stop));
    let work = move || {
        let (linter, of_specs) = match Linter::both(game, api) {
            Ok(linters) => linters,
            Err(what) => return drop(sender.send(vec![unlinted("strategy", &what)])),
        };
        for (path, source) in files {
            let linter = if is_spec(&path) { &of_specs } else { &linter };
            let found = linter.file(&path, &source);
            if halt.load(Ordering::Relaxed) || sender.send(found).is_err() {
                return;
            }
        }
    };
    let named = std::thread::Builder::new().name("lint".into()).stack_size(STACK_BYTES);
    match named.spawn(work) {
        Ok(_runs_on_its_own) => gather(&receiver, &stop, due),
        Err(error) => vec![unlinted("strategy", &format!("there is no thread for it: {error}"))],
    }
}

/// The findings until `due`. The thread ends after the file that it is at.
fn gather(
    receiver: &Receiver<Vec<Diagnostic>>,
    stop: &Arc<AtomicBool>,
    due: Instant,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    loop {
        match receiver.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(found) => findings.extend(found),
            Err(RecvTimeoutError::Disconnected) => return findings,
            Err(RecvTimeoutError::Timeout) => {
                stop.store(true, Ordering::Relaxed);
                abandoned().push(Arc::downgrade(stop));
                findings.push(unlinted("strategy", "the trial's time was over"));
                return findings;
            }
        }
    }
}

/// The lints that were given up and are still at work.
fn abandoned() -> MutexGuard<'static, Vec<Weak<AtomicBool>>> {
    let mut list = ABANDONED.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|stop| stop.strong_count() > 0);
    list
}

/// The game's library for the lint.
fn library(game: &'static str, api: &'static Api) -> Result<Arc<StandardLibrary>, String> {
    let mut known = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |(name, declared, _): &&Library| *name == game && std::ptr::eq(*declared, api);
    if let Some((_, _, library)) = known.iter().find(same) {
        return Ok(Arc::clone(library));
    }
    let library: StandardLibrary = serde_json::from_value(selene_library(game, api))
        .map_err(|error| format!("the library does not read: {error}"))?;
    let library = Arc::new(library);
    known.push((game, api, Arc::clone(&library)));
    Ok(library)
}

/// The lint's findings with what the compiler's side said about the same lines: where both speak,
/// the error stays and gets the other's help.
pub(crate) fn with_dialect(
    mut linted: Vec<Diagnostic>,
    mut said: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    said.retain(|one| {
        let name = one.message.split(' ').next().unwrap_or_default();
        let root = name.split('.').next().unwrap_or_default();
        let is_same = |known: &&mut Diagnostic| {
            known.file == one.file && known.line == one.line && known.message.contains(root)
        };
        match linted.iter_mut().find(is_same) {
            Some(known) => {
                known.help.clone_from(&one.help);
                false
            }
            None => true,
        }
    });
    linted.append(&mut said);
    linted
}

/// A file that is not linted is played all the same.
fn unlinted(file: &str, why: &str) -> Diagnostic {
    Diagnostic::error(file, format!("not linted: {why}")).warning()
}

fn is_spec(path: &str) -> bool {
    path.strip_prefix(SPEC_FOLDER).is_some_and(|rest| rest.starts_with('/'))
}

struct Linter {
    checker: Checker<serde_json::Value>,
    version: LuaVersion,
    modules: Vec<Module>,
    api: &'static Api,
}

impl Linter {
    /// For the strategy's files and for its specs, which find more names.
    fn both(game: &'static str, api: &'static Api) -> Result<(Self, Self), String> {
        let of_specs = StandardLibrary::clone(&*library(game, api)?);
        let mut plain = of_specs.clone();
        plain.globals.retain(|name, _| !SPEC_NAMES.contains(&name.as_str()));
        Ok((Self::new(plain, api)?, Self::new(of_specs, api)?))
    }

    fn new(library: StandardLibrary, api: &'static Api) -> Result<Self, String> {
        let (version, _) = library.lua_version();
        let lints = LINTS.iter().map(|(name, severity)| ((*name).to_owned(), *severity));
        let unused = serde_json::json!({ "ignore_pattern": UNUSED });
        let config = CheckerConfig {
            config: [("unused_variable".to_owned(), unused)].into(),
            lints: lints.collect(),
            ..CheckerConfig::default()
        };
        let checker = Checker::new(config, library).map_err(|error| error.to_string())?;
        Ok(Self { checker, version, modules: modules(api), api })
    }

    fn file(&self, path: &str, source: &Arc<str>) -> Vec<Diagnostic> {
        let looked = catch_unwind(AssertUnwindSafe(|| self.look(path, source)));
        looked.unwrap_or_else(|_| vec![unlinted(path, "the lint itself failed on it")])
    }

    fn look(&self, path: &str, source: &Arc<str>) -> Vec<Diagnostic> {
        let parsed = full_moon::parse_fallible(source, self.version);
        if let Some(error) = parsed.errors().first() {
            return vec![unlinted(path, &format!("its parser knows less than the VM: {error}"))];
        }
        let ast = parsed.ast();
        let known = |found: &selene_lib::CheckerDiagnostic| {
            LINTS.iter().any(|(name, _)| *name == found.diagnostic.code)
        };
        let findings = self.checker.test_on(ast).into_iter().filter(known);
        let findings = findings.filter(|found| found.severity != Severity::Allow);
        let mut findings: Vec<_> =
            findings.map(|found| words::finding(&found, path, source, &self.modules)).collect();
        findings.extend(shape::findings(ast, path, source, self.api, &self.modules));
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static API: Api = Api { actions: &[], percept: &[], queries: &[] };

    #[test]
    fn a_library_is_read_once_a_game() {
        let first = library("assemble", &API).unwrap();
        assert!(Arc::ptr_eq(&first, &library("assemble", &API).unwrap()));
        assert!(!Arc::ptr_eq(&first, &library("other", &API).unwrap()));
    }

    #[test]
    fn lints_that_were_given_up_and_never_end_are_bounded() {
        let flags = [(); ABANDONED_MAX].map(|()| Arc::new(AtomicBool::new(true)));
        abandoned().extend(flags.iter().map(Arc::downgrade));
        assert_eq!(abandoned().len(), ABANDONED_MAX);
        drop(flags);
        assert_eq!(abandoned().len(), 0, "those that ended are forgotten");
    }
}
