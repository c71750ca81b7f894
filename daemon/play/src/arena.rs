//! `phalanx arena GAME`: a referee without teams.

use crate::args::{ArenaArgs, ArenaGame};
use crate::files::make_folder;
use anyhow::{Context, Result, anyhow, bail};
use phalanx_chaos::disturb;
use phalanx_cli::remote::counted;
use phalanx_game::{Score, Verdict};
use phalanx_games::{ArenaPlan, Start};
use phalanx_net::{
    ArenaEnd, ArenaHandle, HostOptions, Listener, PlayerProcesses, origin, serve_arena,
};
use phalanx_settings::{LogFormat, LogSettings};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Seed of faults by chance, unless their file has one.
const FAULTS_SEED: u64 = 1;
/// Scores of more rounds than this are shortened to the last ones and their sum.
const ROUNDS_SHOWN: usize = 3;

/// Serves until every match has been played, or until ctrl-c.
///
/// # Errors
/// When the configuration does not load, the address is taken, or results cannot be written.
pub fn run(game: &ArenaGame) -> Result<()> {
    // Violations of the rules go to people on standard error, apart from the results.
    let log = LogSettings {
        filter: "warn".to_owned(),
        format: LogFormat::Pretty,
        ..LogSettings::default()
    };
    let _log = phalanxd::logs::start(&log, None)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(game.game, &game.arena))
}

async fn serve(game: &str, args: &ArenaArgs) -> Result<()> {
    let faults =
        args.faults.as_deref().map(|given| crate::faults::plan(given, game)).transpose()?;
    let origin = origin();
    let plan = ArenaPlan {
        config: &args.config,
        read: &|path| std::fs::read(path),
        origin,
        start: args.start,
        pace: args.pace,
    };
    let (mut arena, port) = phalanx_games::arena(game, &plan)?;
    let mut log = None;
    if let Some(faults) = &faults {
        let (disturbed, faults) = disturb(arena, game, faults, (FAULTS_SEED, origin));
        (arena, log) = (disturbed, Some(faults));
    }
    let cast = phalanx_games::player_processes(game, &plan)?;
    let artifacts = args.output.clone().unwrap_or_else(|| ".".into());
    try_to_write(&artifacts)?;
    let starts =
        |cast: &PlayerProcesses| cast.players.iter().all(|player| player.program.is_some());
    let listener = if cast.as_ref().is_some_and(starts) {
        say(&format!("arena {game} starts its agents itself"));
        Listener::Closed
    } else {
        listen(game, args, port).await?
    };
    say(&format!("replays and results go below {}", artifacts.display()));
    let options = HostOptions {
        player_processes: cast,
        artifacts: Some(artifacts),
        ..HostOptions::default()
    };
    let handle = serve_arena(arena, listener, options);
    tokio::spawn(follow(handle.clone()));
    if let (Start::File, Some(key)) = (args.start, phalanx_games::launch_key(game)) {
        say(&format!(
            "ENTER begins the match at once, if it waits for a key (`{key}` in the file)"
        ));
        start_on_enter(handle.clone(), key);
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
        _ = tokio::signal::ctrl_c() => {
            let verdict = handle.verdict();
            handle.stop();
            let what = match verdict.round {
                0 => "stopped before the match began".to_owned(),
                round => format!("stopped in step {} of simulation {round}", verdict.step),
            };
            say(&scores(&what, &verdict));
        }
    }
    if let Some(log) = log {
        say(&log.report().text());
    }
    Ok(())
}

/// Creates the folder, and a file in it that has no name: a match without its results is lost.
fn try_to_write(folder: &Path) -> Result<()> {
    let tried = make_folder(folder).and_then(|()| Ok(tempfile::tempfile_in(folder)?));
    tried.map(drop).map_err(|error| {
        let (folder, why) = (folder.display(), error.root_cause());
        anyhow!("cannot write to {folder}: {why}; choose another folder with --output")
    })
}

async fn listen(game: &str, args: &ArenaArgs, port: u16) -> Result<Listener> {
    let address = args.listen.clone().unwrap_or_else(|| format!("127.0.0.1:{port}"));
    let listener = phalanx_games::listen(game, &address)
        .await
        .with_context(|| format!("cannot listen on {address}; choose another with --listen"))?;
    let bound = listener.address().map_or(address, |bound| bound.to_string());
    say(&format!("arena {game} listens on {bound}"));
    Ok(listener)
}

/// Longest time that a referee takes from the last step to the result.
const RESULT_MAX: Duration = Duration::from_secs(2);

/// Begins at ENTER, as the original referee does when its file says so with `key`.
fn start_on_enter(arena: ArenaHandle, key: &'static str) {
    // A blocking read cannot be cancelled, so the thread is left behind when the process ends.
    std::thread::spawn(move || {
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            arena.start();
        } else if arena.verdict().round == 0 {
            say(&format!(
                "standard input is closed; if `{key}` is `key`, use --start now or complete"
            ));
        }
    });
}

/// How often the state of a running match is printed.
const STATE_EVERY: Duration = Duration::from_secs(10);

/// Prints the begin and the end of each simulation, and the state between.
async fn follow(arena: ArenaHandle) {
    let mut verdicts = arena.verdicts();
    let mut progress = Progress::default();
    let mut ticks = tokio::time::interval(STATE_EVERY);
    ticks.tick().await;
    loop {
        let lines = tokio::select! {
            changed = verdicts.changed() => match changed {
                Ok(()) => progress.changed(&verdicts.borrow_and_update()),
                Err(_) => break,
            },
            () = tokio::time::sleep(RESULT_MAX), if progress.is_through() => progress.result(),
            _ = ticks.tick() => progress.state(arena.clients()).into_iter().collect(),
        };
        lines.iter().for_each(|line| say(line));
    }
}

/// Progress of a match, as printed. Only the newest verdict is available, so some may be missed.
#[derive(Debug, Default)]
struct Progress {
    last: Verdict,
    /// The end of the running simulation was printed.
    reported: bool,
    /// Round, step and clients of the last state that was printed.
    state: (u32, u32, usize),
}

impl Progress {
    /// The last step is finished; the result may come a moment later.
    fn is_through(&self) -> bool {
        self.last.round > 0 && is_complete(&self.last) && !self.last.over && !self.reported
    }

    /// Takes a new verdict and returns the lines to print.
    fn changed(&mut self, verdict: &Verdict) -> Vec<String> {
        let before = std::mem::replace(&mut self.last, verdict.clone());
        let begins = verdict.round != before.round;
        let mut lines = Vec::new();
        if !self.reported && before.round > 0 && (begins || is_complete(&before)) {
            // After the last step comes either its result or already the next simulation.
            lines.push(ended(&before, verdict));
            self.reported = true;
        }
        if begins {
            self.reported = false;
            let Verdict { round, steps, .. } = verdict;
            // 0: the number of steps is unknown.
            let length = if *steps > 0 { format!(", {steps} steps") } else { String::new() };
            lines.push(scores(&format!("simulation {round}{length}"), verdict));
        }
        lines
    }

    /// The line for the state of the match while `clients` are connected; `None` if it was printed
    /// already.
    fn state(&mut self, clients: usize) -> Option<String> {
        let Verdict { over, round, step, steps, .. } = self.last;
        let state = (round, step, clients);
        if over || self.reported || std::mem::replace(&mut self.state, state) == state {
            return None;
        }
        let clients = format!("{} connected", counted(clients, "client"));
        Some(match (round, steps) {
            (0, _) => format!("the match has not begun; {clients}"),
            (_, 0) => scores(&format!("step {step}, {clients}"), &self.last),
            _ => scores(&format!("step {step} of {steps}, {clients}"), &self.last),
        })
    }

    /// No result came after the last step.
    fn result(&mut self) -> Vec<String> {
        self.reported = true;
        vec![ended(&self.last, &self.last)]
    }
}

/// All steps of the simulation are finished.
fn is_complete(verdict: &Verdict) -> bool {
    verdict.steps > 0 && verdict.step >= verdict.steps
}

/// The line for the end of a simulation: `before` is its last verdict that was seen, `verdict` the
/// newest one.
fn ended(before: &Verdict, verdict: &Verdict) -> String {
    let round = before.round;
    let mut verdict = verdict.clone();
    for team in &mut verdict.teams {
        // The simulation that runs now is not over.
        team.rounds.truncate(usize::try_from(round).unwrap_or(usize::MAX));
    }
    let complete = is_complete(before);
    let after = if complete { format!(" after {} steps", before.step) } else { String::new() };
    scores(&format!("simulation {round} is over{after}"), &verdict)
}

fn scores(what: &str, verdict: &Verdict) -> String {
    let team = |team: &Score| format!("{} {}", team.team, rounds(&team.rounds));
    let teams: Vec<_> = verdict.teams.iter().map(team).collect();
    format!("{what}: {}", teams.join(", "))
}

/// The scores of a team's rounds; of many, the last ones and the sum of all.
fn rounds(scores: &[i64]) -> String {
    let Some(before @ 1..) = scores.len().checked_sub(ROUNDS_SHOWN) else {
        return format!("{scores:?}");
    };
    let last: Vec<_> = scores.iter().skip(before).map(i64::to_string).collect();
    let sum = scores.iter().fold(0_i64, |sum, score| sum.saturating_add(*score));
    format!("[…, {}] sum {sum}", last.join(", "))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // An error only means that standard output is closed.
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(round: u32, step: u32, rounds: &[i64]) -> Verdict {
        let teams = vec![Score { rounds: rounds.to_vec(), ..Score::of("A") }];
        Verdict { over: false, round, step, steps: 9, teams }
    }

    #[test]
    fn the_end_of_a_simulation_is_told_with_its_own_steps_whatever_was_missed() {
        let begins = |round: u32, rounds: &str| format!("simulation {round}, 9 steps: A {rounds}");
        let over = "simulation 1 is over after 9 steps: A [7]";
        let cases: [(&str, &[Verdict], Vec<String>); 4] = [
            (
                "the result comes after the last step",
                &[verdict(1, 0, &[0]), verdict(1, 9, &[5]), verdict(1, 9, &[7])],
                vec![begins(1, "[0]"), over.to_owned()],
            ),
            (
                "the next simulation begins before anybody looks again",
                &[verdict(1, 0, &[0]), verdict(1, 9, &[5]), verdict(2, 0, &[7, 0])],
                vec![begins(1, "[0]"), over.to_owned(), begins(2, "[7, 0]")],
            ),
            (
                "the last step is not seen",
                &[verdict(1, 0, &[0]), verdict(1, 8, &[5]), verdict(2, 0, &[7, 0])],
                vec![
                    begins(1, "[0]"),
                    "simulation 1 is over: A [7]".to_owned(),
                    begins(2, "[7, 0]"),
                ],
            ),
            ("nothing has begun", &[verdict(0, 0, &[])], vec![]),
        ];
        for (case, verdicts, expected) in cases {
            let mut progress = Progress::default();
            let lines: Vec<_> =
                verdicts.iter().flat_map(|verdict| progress.changed(verdict)).collect();
            assert_eq!(lines, expected, "{case}");
        }
    }

    #[test]
    fn the_state_is_printed_when_it_has_changed() {
        let mut progress = Progress::default();
        assert_eq!(progress.state(0), None);
        assert_eq!(progress.state(1).unwrap(), "the match has not begun; 1 client connected");
        assert_eq!(progress.state(1), None);
        progress.changed(&verdict(1, 4, &[5]));
        assert_eq!(progress.state(2).unwrap(), "step 4 of 9, 2 clients connected: A [5]");
        assert_eq!(progress.state(2), None);
        progress.changed(&Verdict { steps: 0, ..verdict(1, 5, &[5]) });
        assert_eq!(progress.state(0).unwrap(), "step 5, 0 clients connected: A [5]");
        progress.changed(&Verdict { over: true, ..verdict(1, 9, &[5]) });
        assert_eq!(progress.state(0), None);
    }

    #[test]
    fn a_simulation_without_a_result_is_over_all_the_same() {
        let mut progress = Progress::default();
        progress.changed(&verdict(1, 9, &[5]));
        assert!(progress.is_through());
        assert_eq!(progress.result(), ["simulation 1 is over after 9 steps: A [5]"]);
        assert!(!progress.is_through());
        let next = progress.changed(&verdict(2, 0, &[5, 0]));
        assert_eq!(next, ["simulation 2, 9 steps: A [5, 0]"]);
    }

    #[test]
    fn of_many_rounds_the_last_scores_and_the_sum_are_printed() {
        let begins = |scores: &[i64], steps: u32| {
            let round = u32::try_from(scores.len()).unwrap();
            let mut progress = Progress::default();
            progress.changed(&Verdict { steps, ..verdict(round, 0, scores) }).concat()
        };
        assert_eq!(begins(&[7, 0], 9), "simulation 2, 9 steps: A [7, 0]");
        assert_eq!(begins(&[7, 5, 0], 0), "simulation 3: A [7, 5, 0]", "of unknown length");
        let many = begins(&[100, 7, 5, 3, 0], 0);
        assert_eq!(many, "simulation 5: A […, 5, 3, 0] sum 115");
    }

    #[test]
    fn a_simulation_of_unknown_length_is_not_over_at_its_begin() {
        let mut progress = Progress::default();
        progress.changed(&Verdict { steps: 0, ..verdict(1, 0, &[0]) });
        assert!(!progress.is_through());
        assert_eq!(progress.changed(&Verdict { steps: 0, ..verdict(1, 1, &[0]) }), [""; 0]);
    }
}
