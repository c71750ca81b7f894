//! Checks the referee of a team: its name, its address, the agents' accounts, its clock.

use super::machine::ms;
use super::report::{Notes, Report};
use futures_util::{StreamExt, stream};
use phalanx_cli::remote::{SeatsAway, seats_away};
use phalanx_games::{ProbeRequest, WireError};
use phalanx_net::{Endpoint, Lobby, LoginProbe, ProbeOptions, now, origin};
use phalanx_settings::{Settings, TeamSettings};
use phalanxd::plans;
use std::net::IpAddr;
use std::time::Duration;

/// Connections that are opened to measure the round trip.
const TRIPS: usize = 3;
/// Logins that are tried concurrently.
const LOGINS_AT_ONCE: usize = 8;
/// How long to wait after a login for a message with the referee's time.
const LISTEN: Duration = Duration::from_secs(1);
/// A slower lookup causes a warning.
const LOOKUP_SLOW: Duration = Duration::from_millis(500);
/// A larger offset between the clocks causes a warning, since it makes logs hard to compare.
const OFFSET_MAX_MS: u64 = 2_000;
/// Refusals that are listed one by one.
const TROUBLES_SHOWN_MAX: usize = 3;

/// Result of the checks of the referee.
pub(super) struct Met {
    pub(super) report: Report,
    /// The fastest round trip, if measured.
    pub(super) round_trip: Option<Duration>,
}

/// Which logins are tried.
#[derive(Clone, Copy, Debug)]
pub(super) enum Logins {
    /// All of them.
    All,
    /// Those that have no side effect.
    Harmless,
    /// None: a daemon plays with these accounts.
    OursPlay,
}

/// Checks the referee of one team.
pub(super) async fn examine(settings: &Settings, team: &TeamSettings, logins: Logins) -> Met {
    let mut met = Met { report: Report::default(), round_trip: None };
    let mut notes = met.report.about(format!("team {}", team.name));
    if team.is_awaited() {
        notes.well("referee", "it starts the agents itself: `phalanx bridge` connects them to us");
        return met;
    }
    let Some(endpoint) = plans::endpoint(team, &Lobby::default()) else {
        notes.fail("referee", format!("{}: no port", team.server), "write host:port");
        return met;
    };
    if name(&mut notes, &endpoint, settings.limits.connect_timeout).await {
        met.round_trip = door(&mut notes, settings, team, &endpoint).await;
    }
    let away = match logins {
        Logins::OursPlay => away(&mut notes, settings, &team.name).await,
        Logins::All | Logins::Harmless => false,
    };
    if met.round_trip.is_some() && !away {
        accounts(&mut notes, settings, team, &endpoint, logins).await;
    }
    met
}

/// Looks up the name of the referee's machine; false when the name does not exist.
async fn name(notes: &mut Notes<'_>, endpoint: &Endpoint, limit: Duration) -> bool {
    let (Endpoint::Tcp { host, port, .. } | Endpoint::WebSocket { host, port, .. }) = endpoint
    else {
        return true;
    };
    if host.parse::<IpAddr>().is_ok() {
        return true;
    }
    let begun = now();
    let found = tokio::time::timeout(limit, tokio::net::lookup_host((host.as_str(), *port))).await;
    let time = now() - begun;
    let todo = "check teams[].server, and this machine's name service; a numeric address \
                needs none";
    match found {
        Err(_) => notes.fail("name", format!("{host}: no answer within {limit:?}"), todo),
        Ok(Err(error)) => notes.fail("name", format!("{host}: {error}"), todo),
        Ok(Ok(addresses)) => {
            let all: Vec<_> = addresses.map(|address| address.ip().to_string()).collect();
            let found = format!("{host} is {} (looked up in {})", all.join(", "), ms(time));
            if time > LOOKUP_SLOW {
                notes.doubt(
                    "name",
                    found,
                    "use a numeric address: each reconnect looks the name up",
                );
            } else {
                notes.well("name", found);
            }
            return true;
        }
    }
    false
}

/// Opens a few connections; the fastest one is about a round trip.
async fn door(
    notes: &mut Notes<'_>,
    settings: &Settings,
    team: &TeamSettings,
    endpoint: &Endpoint,
) -> Option<Duration> {
    // If each connection starts something at the referee, one is enough.
    let trips = if phalanx_games::login_costs(&team.game).is_some() { 1 } else { TRIPS };
    let mut quickest: Option<Duration> = None;
    for _ in 0..trips {
        let begun = now();
        if let Err(error) = endpoint.connect(settings.limits.connect_timeout).await {
            let todo = "does the referee run, and is teams[].server its address? Is there a firewall \
                        between?";
            notes.fail("reach", error.to_string(), todo);
            return None;
        }
        let time = now() - begun;
        quickest = Some(quickest.map_or(time, |quickest| quickest.min(time)));
    }
    let trip = quickest?;
    let found = format!("{endpoint}: a connection takes {}, about one round trip", ms(trip));
    if trip > settings.limits.margin_max {
        let todo = "raise limits.margin_max: answers are sent at most that early";
        notes.doubt("reach", found, todo);
    } else {
        notes.well("reach", found);
    }
    Some(trip)
}

/// Reports the seats that the running daemon cannot connect; false when it names none.
async fn away(notes: &mut Notes<'_>, settings: &Settings, team: &str) -> bool {
    let Some(socket) = &settings.control.socket else { return false };
    // A daemon that does not answer, or that does not play this team, says nothing about its seats.
    let SeatsAway { lines, refused } = seats_away(socket, team).await.unwrap_or_default();
    if lines.is_empty() {
        return false;
    }
    let todo = if refused {
        "compare users and passwords in teams[].agents with the organisers' list, correct them, \
         then `phalanx daemon reload`; another user needs a restart"
            .to_owned()
    } else {
        format!("`phalanx team show {team}` shows whether they connect later")
    };
    notes.fail("login", format!("the daemon that runs says: {}", lines.join("\n")), todo);
    true
}

async fn accounts(
    notes: &mut Notes<'_>,
    settings: &Settings,
    team: &TeamSettings,
    endpoint: &Endpoint,
    logins: Logins,
) {
    let costs = match logins {
        Logins::All => None,
        Logins::Harmless => phalanx_games::login_costs(&team.game),
        Logins::OursPlay => Some("a daemon plays with these accounts: a login takes its place"),
    };
    if let Some(costs) = costs {
        let todo = "try them with --login when no match is running";
        return notes.doubt("login", format!("not tried: {costs}"), todo);
    }
    let seats = phalanx_games::seats(team, &settings.limits);
    let names: Vec<String> = seats.iter().map(|seat| seat.user.clone()).collect();
    let requests = seats.into_iter().map(|seat| ProbeRequest {
        options: phalanx_games::options(team),
        seat,
        endpoint: endpoint.clone(),
        limits: ProbeOptions {
            connect_timeout: settings.limits.connect_timeout,
            login_timeout: settings.limits.login_timeout,
            listen: LISTEN,
        },
    });
    let tries = requests
        .map(|request| async move { phalanx_games::probe_login(&team.game, &request).await });
    let all: Vec<_> = stream::iter(tries).buffered(LOGINS_AT_ONCE).collect().await;
    login(notes, &names, &all);
    clock(notes, &all);
}

fn login(notes: &mut Notes<'_>, names: &[String], all: &[Result<LoginProbe, WireError>]) {
    let trouble = |(name, tried): (&String, &Result<LoginProbe, WireError>)| match tried {
        Ok(LoginProbe { refused: None, .. }) => None,
        Ok(LoginProbe { refused: Some(reason), .. }) => Some(format!("{name}: {reason}")),
        Err(error) => Some(format!("{name}: {error}")),
    };
    let troubles: Vec<String> = names.iter().zip(all).filter_map(trouble).collect();
    let count = all.len();
    if troubles.is_empty() {
        let slowest = all.iter().flatten().map(|probe| probe.answered).max().unwrap_or_default();
        let found = format!("{count} of {count} accepted, each answered within {}", ms(slowest));
        return notes.well("login", found);
    }
    let mut found = format!("{} of {count} not accepted:", troubles.len());
    for trouble in troubles.iter().take(TROUBLES_SHOWN_MAX) {
        found.push('\n');
        found.push_str(trouble);
    }
    if troubles.len() > TROUBLES_SHOWN_MAX {
        found.push_str(&format!("\n… and {} more", troubles.len() - TROUBLES_SHOWN_MAX));
    }
    let todo = "compare users and passwords in teams[].agents with the organisers' list";
    notes.fail("login", found, todo);
}

/// The offset of the referee's clock, if it sent its time.
fn clock(notes: &mut Notes<'_>, all: &[Result<LoginProbe, WireError>]) {
    let mut accepted = all.iter().flatten().filter(|probe| probe.refused.is_none()).peekable();
    if accepted.peek().is_none() {
        return;
    }
    let Some(clock) = accepted.find_map(|probe| probe.clock) else {
        return notes
            .well("clock", "the referee has not sent its time; deadlines do not depend on it");
    };
    let ours = origin().unix_ms(now()).saturating_sub(elapsed_ms(clock.instant));
    let (off, word) = (clock.unix_ms.abs_diff(ours), direction(clock.unix_ms, ours));
    let shown = humantime::format_duration(Duration::from_millis(off));
    let found = format!(
        "the referee's is {shown} {word} ours; deadlines do not depend on it, since they count \
         from the arrival of each request"
    );
    if off > OFFSET_MAX_MS {
        notes.doubt("clock", found, "consider it when you compare logs with the organisers'");
    } else {
        notes.well("clock", found);
    }
}

fn elapsed_ms(since: std::time::Instant) -> u64 {
    u64::try_from(now().saturating_duration_since(since).as_millis()).unwrap_or(u64::MAX)
}

fn direction(theirs: u64, ours: u64) -> &'static str {
    if theirs >= ours { "ahead of" } else { "behind" }
}
