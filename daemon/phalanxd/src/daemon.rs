//! `phalanxd`: settings → `App::build` → `App::spawn` → run and drain → exit code.

use crate::app::{App, Inheritance, tried};
use crate::args::Phalanxd;
use crate::check::{self, Findings};
use crate::manager::{Inherited, Manager};
use crate::running::WRITE_GRACE;
use crate::{listeners, state};
use anyhow::{Context, Result, anyhow};
use clap::Parser;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tracing::{error, info, warn};

/// Exit code for a wrong command line, settings or strategy (EX_USAGE of sysexits).
pub const EXIT_USAGE: u8 = 64;
/// Exit code when something could not be started, or a team was given up.
const EXIT_START: u8 = 1;

/// Reads the command line and runs the daemon.
#[must_use]
pub fn main() -> ExitCode {
    match Phalanxd::try_parse() {
        Ok(args) => run(&args),
        Err(error) => {
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            error.print().unwrap_or_default();
            ExitCode::from(code)
        }
    }
}

/// Runs the daemon until a signal ends it or all matches are over.
fn run(args: &Phalanxd) -> ExitCode {
    if args.check {
        return check_only(args);
    }
    // Before any thread starts, since it removes its variables from the environment.
    let inherited = Inherited::take();
    let manager = Manager::of_environment();
    let code = live(args, inherited, &manager).unwrap_or_else(|error| {
        error!("could not start: {error:#}");
        manager.failed(&error);
        ExitCode::from(EXIT_START)
    });
    manager.last_words();
    code
}

fn check_only(args: &Phalanxd) -> ExitCode {
    let mut findings = check::load(&args.config, &args.overrides());
    findings.try_all();
    findings.print();
    let fine = findings.playable().is_some();
    if fine { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) }
}

fn live(args: &Phalanxd, inherited: Result<Inherited>, manager: &Manager) -> Result<ExitCode> {
    let mut findings = check::load(&args.config, &args.overrides());
    let Some(settings) = findings.playable().cloned() else {
        return Ok(usage(&findings, manager));
    };
    // Dropped last: the last spans are sent after everything else is done.
    let (log, _traces) = crate::logs::start(&settings.log, settings.otel_endpoint.as_deref())?;
    raise_file_limit();
    let mut inherited = inherited?;
    // Claimed before anything in it is read, and until the process ends.
    let claim = |folder: &PathBuf| state::claim(folder, &args.config);
    let _folder = settings.state_dir.as_ref().map(claim).transpose()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("no runtime")?;
    let door = {
        let _inside = runtime.enter();
        listeners::door(&settings, &mut inherited, manager)?
    };
    let beginnings = tried(&settings, &mut findings, !args.no_watch, manager)?;
    if findings.playable().is_none() {
        return Ok(usage(&findings, manager));
    }
    findings.warn();
    let inheritance = Inheritance { inherited, door };
    let code = runtime.block_on(async {
        let app = App::build(args, Arc::new(settings), beginnings, &log, inheritance, manager);
        Ok(app.await?.spawn().run().await)
    });
    // A trial that is running must not delay the exit.
    runtime.shutdown_timeout(WRITE_GRACE);
    code
}

/// Lets the process open as many files as its hard limit allows: shells and service managers set a
/// low soft limit for programs that cannot handle many.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        Ok(()) => {
            info!(from = limit.current, to = limit.maximum, "raised the limit of open files")
        }
        Err(error) => {
            warn!(limit = limit.current, %error, "cannot raise the limit of open files");
        }
    }
}

fn usage(findings: &Findings, manager: &Manager) -> ExitCode {
    findings.print();
    manager.failed(&anyhow!("the settings or a strategy have mistakes: see `phalanxd --check`"));
    ExitCode::from(EXIT_USAGE)
}
