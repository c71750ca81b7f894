//! The verbs that ask a running daemon, with what they share.

mod agents;
mod arenas;
mod board;
mod context;
mod create;
mod daemon;
mod diff;
mod eval;
pub mod events;
mod fold;
mod leagues;
mod life;
pub(crate) mod link;
mod orders;
mod params;
mod pilot;
mod print;
mod profile;
mod progress;
mod recordings;
mod repl;
mod report;
mod running;
mod screen;
mod secrets;
mod seen;
mod steered;
mod strategy;
mod suggest;
mod table;
mod teams;
mod tokens;
mod troubles;
mod tuned;
pub mod values;
mod watch;
mod why;
mod world;

pub use agents::{AgentVerb, agent};
pub use arenas::arena;
pub use board::board;
pub use context::context;
pub use daemon::daemon;
pub use leagues::league;
pub use life::{TeamVerb, team};
pub use params::{list as list_params, reset as reset_param, set as set_param};
pub use profile::profile;
pub use recordings::{
    bytes, delete_recording, dump_recording, fetch, list_recordings, recording_info, time,
};
pub use running::{SeatsAway, seats_away};
pub use seen::seen;
pub(crate) use steered::steering_text;
pub use strategy::{activate, check, diff, history, pin, roll_back, show as show_strategy};
pub use suggest::{Subject, Suggestion, suggestions};
pub use table::Table;
pub(crate) use teams::{score, team_row, turn};
pub use tokens::token;
pub(crate) use troubles::alert_groups;
pub use tuned::{tuned_origin, tuned_value, tuned_value_json};
pub(crate) use watch::oldest;
pub use watch::watch;
pub use why::{explain, explanation_text, why};
pub(crate) use world::map;
pub use world::world;

use crate::args::{Look, Remote};
use crate::failure::{Interrupted, misused, refused};
use crate::terminal::ending;
use anyhow::{Result, anyhow};
use phalanx_control::client::{Link, strategies};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{ListTeamsRequest, SeatState, Team};
pub use print::{ResultSink, print, say};
use screen::Screen;
use std::pin::{Pin, pin};

/// Runs a verb until it is done; ctrl-c is an error.
fn run<T>(remote: &Remote, verb: impl AsyncFnOnce(Link) -> Result<T>) -> Result<T> {
    block_on(async {
        let link = link::open(remote).await?;
        verb(link).await
    })
}

/// A verb's output.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The output as JSON.
    pub(crate) json: serde_json::Value,
    /// The output as text.
    pub(crate) text: String,
}

/// Runs a verb that shows something, once or repeatedly until ctrl-c.
fn look(look: &Look, mut verb: impl AsyncFnMut(Link) -> Result<Shown>) -> Result<()> {
    let print = &look.remote.print;
    let Some(every) = look.watch else {
        return run(&look.remote, async |link| {
            let shown = verb(link).await?;
            print.tell(&shown.json, || shown.text)
        });
    };
    until_left(&look.remote, async |link| {
        let mut screen = Screen::new(print);
        let mut clock = tokio::time::interval(every);
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            clock.tick().await;
            if !screen.show(verb(link.clone()).await)? {
                return Ok(());
            }
        }
    })
}

/// Runs a verb that follows something until ctrl-c or until the terminal closes.
fn until_left(remote: &Remote, verb: impl AsyncFnOnce(Link) -> Result<()>) -> Result<()> {
    ending::listen(&std::io::stdout())?;
    match run(remote, verb) {
        Err(error) if error.is::<Interrupted>() => Ok(()),
        followed => followed,
    }
}

fn block_on<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    let verb: Pin<&mut dyn Future<Output = Result<T>>> = pin!(verb);
    block_on_all(uncut(verb))
}

/// [`run`] for a verb that handles ctrl-c itself.
fn block_on_all<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    // Behind a pointer: the loop of the runtime is compiled once for each result, not for each verb.
    let verb: Pin<&mut dyn Future<Output = Result<T>>> = pin!(verb);
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(verb)
}

/// Waits until it is done; ctrl-c or a closed terminal is an error.
async fn uncut<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        done = verb => done,
        () = ending::left() => Err(Interrupted.into()),
    }
}

pub(crate) async fn all_teams(channel: Link) -> Result<Vec<Team>> {
    let mut client = TeamsClient::new(channel);
    let (mut teams, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListTeamsRequest { page_size: 0, page_token };
        let answer = client.list_teams(request).await;
        let page = answer.map_err(|status| refused(&status))?.into_inner();
        teams.extend(page.teams);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(teams);
        }
    }
}

/// The resource name of the named team, or of the only one.
async fn team_name(channel: &Link, name: Option<&str>) -> Result<String> {
    match name {
        Some(name) => Ok(resource(name)),
        None => only_team(&all_teams(channel.clone()).await?),
    }
}

/// [`team_name`] for a verb whose first word may be the team. If the first word is a team's name
/// but a word is missing, the error names the missing word.
async fn team_of_words(
    channel: &Link,
    name: Option<&str>,
    words: &[String],
    usage: &str,
) -> Result<String> {
    if let Some(name) = name {
        return Ok(resource(name));
    }
    let teams = all_teams(channel.clone()).await?;
    let first = words.first().map(|word| resource(word));
    if teams.iter().any(|team| Some(&team.name) == first.as_ref()) {
        let team = short(first.as_deref().unwrap_or_default());
        // The last word of the usage is the missing one.
        let missing = usage.split(' ').next_back().unwrap_or_default();
        return Err(misused(format!("{missing} is missing after the team {team}; usage: {usage}")));
    }
    only_team(&teams).map_err(|error| misused(format!("{error}; usage: {usage}")))
}

/// The team's name in front of `rest` further words, if it was given.
fn split_team(words: &[String], rest: usize) -> (Option<&str>, &[String]) {
    match words.split_first() {
        Some((team, others)) if others.len() == rest => (Some(team), others),
        Some(_) | None => (None, words),
    }
}

/// `TEAM/AGENT` in front as two words.
fn split_agent(words: &[String]) -> Vec<String> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let split = agents::shown::split(first);
    let name = split.map_or(vec![first.as_str()], |(team, agent)| vec![team, agent]);
    name.into_iter().map(str::to_owned).chain(rest.iter().cloned()).collect()
}

/// A team's name and generations; numbers are generations.
fn split_numbers(words: &[String]) -> Result<(Option<&str>, Vec<u32>)> {
    let number = |word: &String| word.parse::<u32>().ok().filter(|number| *number > 0);
    let (team, rest) = match words.split_first() {
        Some((first, rest)) if number(first).is_none() => (Some(first.as_str()), rest),
        Some(_) | None => (None, words),
    };
    let numbers = rest.iter().map(|word| {
        number(word).ok_or_else(|| misused(format!("{word:?} is not a generation number")))
    });
    Ok((team, numbers.collect::<Result<_>>()?))
}

fn only_team(teams: &[Team]) -> Result<String> {
    match teams {
        [team] => Ok(team.name.clone()),
        [] => Err(anyhow!("the daemon has no team; `phalanx team create` makes one")),
        [_, ..] => {
            let names: Vec<_> = teams.iter().map(|team| short(&team.name)).collect();
            Err(misused(format!("which team? There are {}", names.join(", "))))
        }
    }
}

/// `1 error`, `2 errors`.
#[must_use]
pub fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn resource(name: &str) -> String {
    format!("teams/{}", short(name))
}

pub(crate) fn short(name: &str) -> &str {
    name.strip_prefix("teams/").unwrap_or(name)
}

/// `TEAM_STATE_PLAYING` → `playing`.
fn word(name: &'static str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

pub(crate) fn seat_word(state: SeatState) -> String {
    word(state.as_str_name(), "SEAT_STATE_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_team_may_be_left_out() {
        let all = words("A greed 0.5");
        assert_eq!(split_team(&all, 2), (Some("A"), &all[1..]));
        assert_eq!(split_team(&all[1..], 2), (None, &all[1..]));
        for named in ["A/a1 x/y", "teams/A/agents/a1 x/y", "A a1 x/y", "teams/A a1 x/y"] {
            let split = split_agent(&words(named));
            assert_eq!(short(&split[0]), "A", "{named}");
            assert_eq!(split[1..], words("a1 x/y"), "{named}");
        }
        assert_eq!(split_agent(&words("a1 x/y")), words("a1 x/y"));
        assert_eq!(split_numbers(&words("A 3 5")).unwrap(), (Some("A"), vec![3, 5]));
        assert_eq!(split_numbers(&words("3")).unwrap(), (None, vec![3]));
        assert_eq!(split_numbers(&words("teams/3")).unwrap(), (Some("teams/3"), vec![]));
        assert!(split_numbers(&words("A x")).unwrap_err().to_string().contains("\"x\""));
    }
}
