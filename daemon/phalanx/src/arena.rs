//! `phalanx arena GAME`: the referee alone.

use crate::cli::{ArenaArgs, ArenaGame};
use crate::wire::{self, ArenaPlan, Start};
use anyhow::{Context, Result, bail};
use phalanx_game::Verdict;
use phalanx_net::{ArenaEnd, ArenaHandle, Cast, HostOptions, Listener, origin, serve_arena};
use phalanx_settings::{LogFormat, LogSettings};
use std::io::Write;
use std::time::Duration;

/// Serves until all that was to be played has been played, or until ctrl-c.
///
/// # Errors
/// When the configuration does not load or the address is taken.
pub fn run(game: &ArenaGame) -> Result<()> {
    let (name, args) = match game {
        ArenaGame::Assemble(args) => ("assemble", args),
        ArenaGame::Bomberland(args) => ("bomberland", args),
        ArenaGame::Colosseum(args) => ("colosseum", args),
        ArenaGame::Mars(args) => ("mars", args),
        ArenaGame::Asimulator(args) => ("asimulator", args),
    };
    // Who broke which rule is for people, beside the results.
    let log = LogSettings {
        filter: "warn".to_owned(),
        format: LogFormat::Pretty,
        ..LogSettings::default()
    };
    let _log = crate::logs::start(&log, None)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(name, args))
}

async fn serve(game: &str, args: &ArenaArgs) -> Result<()> {
    let plan = ArenaPlan {
        config: &args.config,
        read: &|path| std::fs::read(path),
        origin: origin(),
        start: args.start,
        pace: args.pace,
    };
    let (arena, port) = wire::arena(game, &plan)?;
    let cast = wire::cast(game, &plan)?;
    let starts = |cast: &Cast| cast.players.iter().all(|player| player.program.is_some());
    let listener = if cast.as_ref().is_some_and(starts) {
        say(&format!("arena {game} starts its agents itself"));
        Listener::Closed
    } else {
        listen(game, args, port).await?
    };
    let artifacts = args.output.clone().unwrap_or_else(|| ".".into());
    say(&format!("replays and results go below {}", artifacts.display()));
    let options = HostOptions { cast, artifacts: Some(artifacts), ..HostOptions::default() };
    let handle = serve_arena(arena, listener, options);
    tokio::spawn(follow(handle.clone()));
    if args.start == Start::File && wire::starts_at_key(game) {
        say("where `launch` in the file is `key`, press ENTER to begin");
        start_on_enter(handle.clone());
    }
    tokio::select! {
        report = handle.ended() => {
            if let ArenaEnd::Panicked { reason } = report.end {
                bail!("the arena failed: {reason}");
            }
            match report.summary.trim_end() {
                "" => say(&scores("over", &report.verdict)),
                summary => say(summary),
            }
        }
        _ = tokio::signal::ctrl_c() => handle.stop(),
    }
    Ok(())
}

async fn listen(game: &str, args: &ArenaArgs, port: u16) -> Result<Listener> {
    let address = args.listen.clone().unwrap_or_else(|| format!("127.0.0.1:{port}"));
    let listener = wire::listen(game, &address)
        .await
        .with_context(|| format!("cannot listen on {address}; choose another with --listen"))?;
    let bound = listener.address().map_or(address, |bound| bound.to_string());
    say(&format!("arena {game} listens on {bound}"));
    Ok(listener)
}

/// How long a referee may take from the last step to the result.
const RESULT_MAX: Duration = Duration::from_secs(2);

/// Begins at ENTER, as the original does where `launch` is `key`.
fn start_on_enter(arena: ArenaHandle) {
    // A blocking read cannot be cancelled, so the thread is left behind when the process ends.
    std::thread::spawn(move || {
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            arena.start();
        } else if arena.verdict().round == 0 {
            say("no key can come from here; where `launch` is `key`, use --start now or complete");
        }
    });
}

/// Tells when a simulation begins, and when it is through and the match is not.
async fn follow(arena: ArenaHandle) {
    let mut verdicts = arena.verdicts();
    drop(arena);
    let (mut round, mut through) = (0, 0);
    while verdicts.changed().await.is_ok() {
        let verdict = verdicts.borrow_and_update().clone();
        if verdict.round != round {
            round = verdict.round;
            say(&scores(&format!("simulation {round}, {} steps", verdict.steps), &verdict));
        }
        if verdict.step == verdict.steps && round != through && !verdict.over {
            through = round;
            // The result may come a moment after the last step.
            tokio::time::timeout(RESULT_MAX, verdicts.changed()).await.ok();
            let verdict = verdicts.borrow().clone();
            say(&scores(
                &format!("simulation {round} is over after {} steps", verdict.step),
                &verdict,
            ));
        }
    }
}

fn scores(what: &str, verdict: &Verdict) -> String {
    let teams: Vec<_> =
        verdict.teams.iter().map(|team| format!("{} {:?}", team.team, team.rounds)).collect();
    format!("{what}: {}", teams.join(", "))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A closed standard output only means that nobody reads it.
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap_or_default();
}
