//! The people's tool: each verb has a module of its own.

use clap::Parser;
use phalanx::cli::{EXIT_USAGE, MatchVerb, Phalanx, ScriptVerb, TeamVerb, Verb};
use phalanx::{arena, check, demo, remote, script};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match Phalanx::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            error.print().unwrap_or_default();
            return ExitCode::from(code);
        }
    };
    let done = match args.verb {
        Verb::Demo(args) => demo::run(&args),
        Verb::Arena { game } => arena::run(&game),
        Verb::Check(args) => return check::run(&args),
        Verb::Script { verb: ScriptVerb::Api { game } } => script::api(game.name()),
        Verb::Team { verb: TeamVerb::List(remote) } => remote::list(&remote),
        Verb::Team { verb: TeamVerb::Show { name, remote } } => remote::show(&name, &remote),
        Verb::Match { verb: MatchVerb::Watch { name, decisions, remote } } => {
            remote::watch(name.as_deref(), decisions, &remote)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(std::io::stderr(), "phalanx: {error:#}").unwrap_or_default();
            ExitCode::FAILURE
        }
    }
}
