//! The people's tool: each verb has a module of its own.

use anyhow::Result;
use clap::Parser;
use phalanx::cli::strategy::{AgentVerb, ParamVerb, ScriptVerb, StrategyVerb};
use phalanx::cli::{EXIT_INTERRUPTED, EXIT_USAGE, MatchVerb, Phalanx, TeamVerb, Verb};
use phalanx::{arena, bridge, check, demo, remote, script, strategy};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "bridge") {
        bridge::hush();
    }
    let args = match Phalanx::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            error.print().unwrap_or_default();
            return ExitCode::from(code);
        }
    };
    match run(args.verb) {
        Ok(code) => code,
        Err(error) => {
            writeln!(std::io::stderr(), "phalanx: {error:#}").unwrap_or_default();
            let interrupted = error.is::<remote::Interrupted>() || error.is::<demo::Interrupted>();
            if interrupted { ExitCode::from(EXIT_INTERRUPTED) } else { ExitCode::FAILURE }
        }
    }
}

fn run(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Demo(args) => demo::run(&args)?,
        Verb::Arena { game } => arena::run(&game)?,
        Verb::Bridge(args) => return Ok(bridge::run(&args)),
        Verb::Check(args) => return Ok(check::run(&args)),
        Verb::Strategy { verb } => return about_strategy(verb),
        Verb::Param { verb: ParamVerb::List(args) } => remote::list_params(&args)?,
        Verb::Param { verb: ParamVerb::Set(args) } => remote::set_param(&args)?,
        Verb::Param { verb: ParamVerb::Reset(args) } => remote::reset_param(&args)?,
        Verb::Agent { verb: AgentVerb::Eval(args) } => return remote::eval(&args),
        Verb::Agent { verb: AgentVerb::Repl(args) } => remote::repl(&args)?,
        Verb::Script { verb: ScriptVerb::Api { game, format } } => {
            script::api(game, format)?;
        }
        Verb::Script { verb: ScriptVerb::Types { game, out } } => {
            script::types(game, &out)?;
        }
        Verb::Script { verb: ScriptVerb::Specs } => script::specs()?,
        Verb::Team { verb: TeamVerb::List(remote) } => remote::list(&remote)?,
        Verb::Team { verb: TeamVerb::Show { name, remote } } => remote::show(&name, &remote)?,
        Verb::Token { verb } => remote::token(verb)?,
        Verb::Match { verb: MatchVerb::Watch(args) } => remote::watch(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn about_strategy(verb: StrategyVerb) -> Result<ExitCode> {
    match verb {
        StrategyVerb::New(args) => strategy::new(&args)?,
        StrategyVerb::Check(args) => return strategy::check(&args),
        StrategyVerb::Test(args) => return strategy::test(&args),
        StrategyVerb::Show(args) => remote::show_strategy(&args)?,
        StrategyVerb::History(args) => remote::history(&args)?,
        StrategyVerb::Diff(args) => remote::diff(&args)?,
        StrategyVerb::Rollback(args) => remote::roll_back(&args)?,
        StrategyVerb::Activate(args) => remote::activate(&args)?,
        StrategyVerb::Pin(args) => remote::pin(&args, true)?,
        StrategyVerb::Unpin(args) => remote::pin(&args, false)?,
        StrategyVerb::Profile(args) => remote::profile(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}
