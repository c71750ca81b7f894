//! The command line tool: each verb has a module of its own. A link to it called `phalanxd` is the
//! daemon, so that packages contain one program.

use anyhow::Result;
use phalanx::cli::{ArenaVerb, LeagueVerb, Phalanx, StrategyVerb, Verb};
use phalanx::{complete, manual};
use phalanx_analysis::{extracts, files, pictures, redecide, viewer};
use phalanx_cli::args::MatchVerb;
use phalanx_cli::args::strategy::ParamVerb;
use phalanx_cli::failure::EXIT_USAGE;
use phalanx_cli::{failure, paint, remote, top};
use phalanx_play::args::{ScriptVerb, TlsVerb};
use phalanx_play::{
    arena, bridge, chaos, check, demo, doctor, game, init, ladder, league, script, strategy, tls,
    tune, worker,
};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The name under which this program is the daemon.
const DAEMON: &str = "phalanxd";

fn main() -> ExitCode {
    let name = std::env::args_os().next().unwrap_or_default();
    if Path::new(&name).file_name().is_some_and(|name| name == DAEMON) {
        return phalanxd::daemon::main();
    }
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "bridge") {
        bridge::hush();
    }
    let words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|verb| verb == complete::VERB) {
        let words = words.iter().skip(2).map(|word| word.to_string_lossy().into_owned());
        complete::print(&words.collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    let args = match Phalanx::read(&words) {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            error.print().unwrap_or_default();
            return ExitCode::from(code);
        }
    };
    paint::choose(args.color);
    match run(args.verb) {
        Ok(code) => code,
        Err(error) => {
            let mut text = format!("phalanx: {error:#}\n");
            if let Some(advice) = failure::advice(&error) {
                text.push_str(&format!("  {advice}\n"));
            }
            std::io::stderr().write_all(text.as_bytes()).unwrap_or_default();
            ExitCode::from(failure::exit_code(&error))
        }
    }
}

fn run(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Demo(args) => demo::run(&args)?,
        Verb::Arena { verb: ArenaVerb::Here(game) } => arena::run(&game)?,
        Verb::Arena { verb: ArenaVerb::There(verb) } => remote::arena(&verb)?,
        Verb::League { verb: LeagueVerb::Run(args) } => league::run(&args)?,
        Verb::League { verb: LeagueVerb::There(verb) } => remote::league(&verb)?,
        Verb::Tune { verb } => tune::tune(&verb)?,
        Verb::Ladder { verb } => ladder::ladder(&verb)?,
        Verb::Worker(args) => worker::run(&args)?,
        Verb::Mcp(args) => phalanx_mcp::run(&args)?,
        Verb::Player(args) => worker::player(&args)?,
        Verb::Chaos { verb } => chaos::chaos(&verb)?,
        Verb::Game { verb } => game::game(&verb)?,
        Verb::Recording { verb } => return files::run(&verb),
        Verb::Bridge(args) => return Ok(bridge::run(&args)),
        Verb::Init(args) => return init::run(&args),
        Verb::Check(args) => return Ok(check::run(&args)),
        Verb::Doctor(args) => return doctor::run(&args),
        Verb::Strategy { verb } => return about_strategy(verb),
        Verb::Param { verb: ParamVerb::List(args) } => remote::list_params(&args)?,
        Verb::Param { verb: ParamVerb::Set(args) } => remote::set_param(&args)?,
        Verb::Param { verb: ParamVerb::Reset(args) } => remote::reset_param(&args)?,
        Verb::Board { verb } => remote::board(&verb)?,
        Verb::World { verb } => remote::world(&verb)?,
        Verb::Agent { verb } => return remote::agent(verb),
        Verb::Script { verb: ScriptVerb::Api { game, format } } => {
            script::api(game, format)?;
        }
        Verb::Script { verb: ScriptVerb::Types { game, out } } => {
            script::types(game, &out)?;
        }
        Verb::Script { verb: ScriptVerb::Specs } => script::specs()?,
        Verb::Team { verb } => remote::team(verb)?,
        Verb::Token { verb } => remote::token(verb)?,
        Verb::Tls { verb: TlsVerb::Create(args) } => tls::create(&args)?,
        Verb::Daemon { verb } => remote::daemon(verb)?,
        Verb::Match { verb: MatchVerb::Watch(args) } => remote::watch(&args)?,
        Verb::Map(args) => pictures::run(&args)?,
        Verb::Top(args) => top::run(&args)?,
        Verb::Why(args) => match &args.file {
            Some(file) => extracts::why(file, &args)?,
            None => remote::why(&args)?,
        },
        Verb::Replay(args) if args.decide => return redecide::run(&args),
        Verb::Replay(args) => viewer::run(&args)?,
        Verb::Context { verb } => remote::context(verb)?,
        Verb::Completions { shell, program } => manual::completions(shell, program)?,
        Verb::Man { dir } => manual::pages(&dir)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn about_strategy(verb: StrategyVerb) -> Result<ExitCode> {
    match verb {
        StrategyVerb::New(args) => strategy::new(&args)?,
        StrategyVerb::Check(args) => return strategy::check(&args),
        StrategyVerb::Test(args) => return strategy::test(&args),
        StrategyVerb::Params(args) => strategy::params(&args)?,
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
