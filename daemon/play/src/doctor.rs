//! `phalanx doctor`: checks in advance everything that can fail on match day: settings, strategies,
//! machine, control API, referees; and a load test that ends in a forecast.

mod control;
mod forecast;
mod load;
mod machine;
mod referee;
mod report;

pub use report::{Finding, Report, Verdict};

use crate::args::DoctorArgs;
use anyhow::Result;
use forecast::{CONFIDENCE, Forecast};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use load::{Load, Ring};
pub(crate) use machine::available as memory_available;
use machine::ms;
use phalanx_cli::failure::{EXIT_FAILED, EXIT_USAGE};
use phalanx_cli::paint::Paint;
use phalanx_lua::Severity;
use phalanx_settings::{Settings, TeamSettings};
use phalanxd::check::excerpt;
use phalanxd::check::{self, Findings};
use referee::{Logins, Met};
use report::Notes;
use serde_json::json;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

/// If the load test misses a larger share of steps, a match will not go better.
const SHARE_MAX: f64 = 0.01;
/// If the bound is looser than this, more steps are needed for a statement.
const BOUND_MAX: f64 = 0.05;
/// How to tighten the bound.
const LONGER: &str = "run a longer load test: --load-seconds 120";

/// Runs all checks and prints the report.
///
/// # Errors
/// When the runtime does not start, or standard output is closed.
pub fn run(args: &DoctorArgs) -> Result<ExitCode> {
    let mut findings = check::load(&args.config, &[]);
    findings.try_all();
    let mut report = Report::default();
    let code = match findings.settings() {
        Err(errors) => {
            let todo = "correct them; the other checks need valid settings";
            report.about("settings").fail("settings", errors.to_string(), todo);
            Some(EXIT_USAGE)
        }
        Ok(settings) => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(examine(&mut report, settings, &findings, args));
            // A script that does not end must not delay the exit.
            runtime.shutdown_background();
            None
        }
    };
    let json = json!({ "verdict": report.verdict(), "findings": report.findings });
    args.print.tell(&json, || report.text(Paint::stdout()))?;
    let failed = if report.verdict() == Verdict::Failing { EXIT_FAILED } else { 0 };
    Ok(ExitCode::from(code.unwrap_or(failed)))
}

async fn examine(report: &mut Report, settings: &Settings, findings: &Findings, args: &DoctorArgs) {
    let seats =
        settings.teams.iter().map(|team| phalanx_games::seats(team, &settings.limits).len()).sum();
    let agents: usize = settings.teams.iter().map(|team| team.agents.len()).sum();
    let all = [(settings.teams.len(), "team"), (agents, "agent"), (seats, "connection")];
    let found = all.map(|(count, what)| counted(count, what)).join(", ");
    report.about("settings").well("settings", found);
    report.extend(machine::examine(settings, seats));
    let playing = control::playing(settings);
    report.extend(control::examine(settings, playing.as_deref()));
    let logins = match (args.login, &playing) {
        (true, _) => Logins::All,
        (false, Some(_)) => Logins::OursPlay,
        (false, None) => Logins::Harmless,
    };
    let mut met = Vec::new();
    for team in &settings.teams {
        met.push(referee::examine(settings, team, logins).await);
    }
    let loads = try_load(settings, findings, args.load_seconds).await;
    for ((team, Met { report: met, round_trip }), load) in settings.teams.iter().zip(met).zip(loads)
    {
        strategy(&mut report.about(format!("team {}", team.name)), team, findings);
        report.extend(met);
        let mut notes = report.about(format!("team {}", team.name));
        match load {
            Some(Ok(load)) => note_load(&mut notes, &load, round_trip),
            Some(Err(error)) => {
                let todo = "correct the strategy, then try again";
                notes.fail("load", format!("it cannot play: {error:#}"), todo);
            }
            None => {}
        }
    }
}

/// A count with its noun: `3 agents`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Reports the findings of the trial of a team's strategy.
fn strategy(notes: &mut Notes<'_>, team: &TeamSettings, findings: &Findings) {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for one in findings.of_team(&team.name) {
        let text = excerpt(one).trim_end().to_owned();
        if one.severity == Severity::Error { errors.push(text) } else { warnings.push(text) }
    }
    let folder = team.strategy.display();
    if !errors.is_empty() {
        let todo = format!("correct it; `phalanx strategy check {folder}` shows the same");
        return notes.fail("strategy", errors.join("\n"), todo);
    }
    if !warnings.is_empty() {
        let todo = format!("`phalanx strategy check {folder}` shows the same");
        return notes.doubt("strategy", warnings.join("\n"), todo);
    }
    notes.well("strategy", format!("{folder} passes its trial"));
}

/// Plays every team whose strategy is valid for `seconds`, all at once; `None` for the other teams.
async fn try_load(
    settings: &Settings,
    findings: &Findings,
    seconds: u32,
) -> Vec<Option<Result<Load>>> {
    let time = Duration::from_secs(seconds.into());
    let plays = |team: &TeamSettings| {
        let fine = |one: &phalanx_lua::Diagnostic| one.severity != Severity::Error;
        seconds > 0 && findings.of_team(&team.name).all(fine)
    };
    let tries = settings.teams.iter().map(|team| async {
        if !plays(team) {
            return None;
        }
        Some(match Ring::open(settings, team).await {
            Ok(ring) => Ok(ring.play(time).await),
            Err(error) => Err(error),
        })
    });
    let progress = tokio::spawn(progress(seconds));
    let loads = futures_util::future::join_all(tries).await;
    progress.abort();
    loads
}

/// On a terminal, a bar that fills with the seconds of the load test.
async fn progress(seconds: u32) {
    if seconds == 0 || !std::io::stderr().is_terminal() {
        return;
    }
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(seconds.into()), target);
    let style = ProgressStyle::with_template("load test {pos:>3}/{len} s {bar:30}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let cleared = Cleared(bar);
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        cleared.0.inc(1);
    }
}

/// Removes the bar when its task is over.
struct Cleared(ProgressBar);

impl Drop for Cleared {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Reports the result of the load test and the forecast.
fn note_load(notes: &mut Notes<'_>, load: &Load, round_trip: Option<Duration>) {
    let Load { agents, tried, counters, timings, reasons } = load;
    if tried.steps == 0 {
        let todo = "try it with `phalanx demo --strategy DIR`";
        return notes.fail("load", format!("{agents} agents: no turn came"), todo);
    }
    notes.well(
        "load",
        format!(
            "{agents} agents, {} steps, {} answers: half within {}, 99 of 100 within {}, the slowest \
             {}; 99 of 100 had {} to spare, all had {}",
            tried.steps,
            timings.answers,
            ms(timings.p50),
            ms(timings.p99),
            ms(timings.max),
            ms(timings.margin_p1),
            ms(timings.margin_min),
        ),
    );
    let Forecast { share, at_most } = Forecast::of(*tried);
    let basis = format!(
        "{:.2} % of steps missed; at most {:.2} % with {CONFIDENCE} confidence, from {} of {} steps \
         ({} fallbacks, {} late answers)",
        share * 100.0,
        at_most * 100.0,
        tried.missed,
        tried.steps,
        counters.fallback,
        counters.late,
    );
    if tried.missed == 0 {
        let spare = timings.margin_min;
        return match round_trip.filter(|trip| *trip > spare) {
            Some(trip) => notes.doubt(
                "forecast",
                format!("{basis}; but a round trip takes {}, more than was left", ms(trip)),
                "make the strategy faster, or play from a machine nearer to the referee",
            ),
            None if at_most > BOUND_MAX => notes.doubt("forecast", basis, LONGER),
            None => notes.well("forecast", basis),
        };
    }
    let found = format!("{basis}\n{}", reasons.join("\n"));
    if share > SHARE_MAX {
        notes.fail("forecast", found, "fix what is named; if it is time, lower limits.decide_max");
    } else {
        notes.doubt("forecast", found, LONGER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forecast::Tried;
    use phalanx_engine::Counters;
    use phalanx_net::Timings;

    fn verdict(steps: u64, missed: u64, spare_ms: u64, trip_ms: u64) -> Verdict {
        let spare = Duration::from_millis(spare_ms);
        let load = Load {
            agents: 2,
            tried: Tried { steps, missed },
            counters: Counters::default(),
            timings: Timings { margin_min: spare, margin_p1: spare, ..Timings::default() },
            reasons: vec!["too slow".to_owned()],
        };
        let mut report = Report::default();
        note_load(&mut report.about("team A"), &load, Some(Duration::from_millis(trip_ms)));
        report.verdict()
    }

    #[test]
    fn a_forecast_is_as_sure_as_its_basis() {
        assert_eq!(verdict(1_000, 0, 100, 1), Verdict::Well);
        assert_eq!(verdict(9, 0, 100, 1), Verdict::Doubtful, "nine steps prove little");
        assert_eq!(verdict(1_000, 0, 100, 101), Verdict::Doubtful, "the network is not in the try");
        assert_eq!(verdict(1_000, 1, 0, 1), Verdict::Doubtful);
        assert_eq!(verdict(1_000, 50, 0, 1), Verdict::Failing);
        assert_eq!(verdict(0, 0, 0, 1), Verdict::Failing, "it never began");
    }
}
