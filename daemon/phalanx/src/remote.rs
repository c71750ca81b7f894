//! The verbs that ask a running daemon; here is what they share.

mod diff;
mod eval;
mod events;
mod fold;
mod params;
mod profile;
mod repl;
mod report;
mod strategy;
mod table;
mod teams;
mod tokens;
mod values;
mod watch;

pub use eval::eval;
pub use params::{list as list_params, reset as reset_param, set as set_param};
pub use profile::profile;
pub use repl::repl;
pub use strategy::{activate, check, diff, history, pin, roll_back, show as show_strategy};
pub(crate) use table::Table;
pub use teams::{list, show};
pub use tokens::token;
pub use watch::watch;

use crate::cli::{OutputFormat, Remote};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_control::client::Link;
use phalanx_control::client::{
    Address, Credentials, connect_as, connect_first, explain, strategies,
};
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{ListTeamsRequest, SeatState, Team};
use phalanx_settings::{Environment, socket_candidates};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use tonic::Status;

/// Where the packaged daemon listens, tried last.
const SYSTEM_SOCKET: &str = "/run/phalanx/control.sock";

/// The environment variable that holds a token.
const TOKEN_VARIABLE: &str = "PHALANX_TOKEN";

/// Ctrl-c came before the answer.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted; what was asked for may still happen")]
pub struct Interrupted;

/// Runs a verb until it is done; ctrl-c is an error.
fn run<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(uncut(verb))
}

/// What is done until it is done; ctrl-c is an error.
async fn uncut<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        done = verb => done,
        _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
    }
}

async fn channel(remote: &Remote) -> Result<Link> {
    if let Some(text) = &remote.control {
        let address: Address = text.parse()?;
        return Ok(connect_as(&address, credentials(remote)?).await?);
    }
    let environment: Environment = std::env::vars_os().collect();
    let mut places = socket_candidates(&environment);
    places.push(PathBuf::from(SYSTEM_SOCKET));
    let (_, channel) = connect_first(&places)
        .await
        .context("start phalanxd, or say where it is with --control or PHALANX_CONTROL")?;
    Ok(channel)
}

/// What we show over the network.
fn credentials(remote: &Remote) -> Result<Credentials> {
    let read = |path: &PathBuf| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut credentials = Credentials::default();
    let token = match &remote.token_file {
        Some(path) => Some(String::from_utf8_lossy(&read(path)?).into_owned()),
        None => std::env::var(TOKEN_VARIABLE).ok(),
    };
    if let Some(token) = token.filter(|token| !token.trim().is_empty()) {
        credentials = credentials.with_token(&token.into())?;
    }
    if let Some(path) = &remote.ca {
        credentials = credentials.with_authority(read(path)?);
    }
    if let Some(path) = &remote.certificate {
        let pem = read(path)?;
        credentials = credentials.with_identity(pem.clone(), pem);
    }
    Ok(credentials)
}

async fn all_teams(channel: Link) -> Result<Vec<Team>> {
    let mut client = TeamsClient::new(channel);
    let (mut teams, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListTeamsRequest { page_size: 0, page_token };
        let answer = client.list_teams(request).await;
        let page = answer.map_err(refused)?.into_inner();
        teams.extend(page.teams);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(teams);
        }
    }
}

/// The resource name of the team of that name, or of the only one.
async fn team_name(channel: &Link, name: Option<&str>) -> Result<String> {
    match name {
        Some(name) => Ok(resource(name)),
        None => only_team(&all_teams(channel.clone()).await?),
    }
}

/// The same for a verb whose words may begin with the team. Where the first word is a team's name
/// although there is one word too few for that, it is told what is missing instead of what the
/// misread words lead to.
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
        // The last word of the usage is what was forgotten.
        let missing = usage.split(' ').next_back().unwrap_or_default();
        bail!("{missing} is missing after the team {team}; usage: {usage}");
    }
    only_team(&teams).map_err(|error| anyhow!("{error}; usage: {usage}"))
}

/// A refusal of the daemon, for people.
fn refused(status: Status) -> anyhow::Error {
    anyhow!(explain(&status))
}

/// The team's name in front of `rest` further words, if it was given.
fn split_team(words: &[String], rest: usize) -> (Option<&str>, &[String]) {
    match words.split_first() {
        Some((team, others)) if others.len() == rest => (Some(team), others),
        Some(_) | None => (None, words),
    }
}

/// A team's name and generations: numbers are generations.
fn split_numbers(words: &[String]) -> Result<(Option<&str>, Vec<u32>)> {
    let number = |word: &String| word.parse::<u32>().ok().filter(|number| *number > 0);
    let (team, rest) = match words.split_first() {
        Some((first, rest)) if number(first).is_none() => (Some(first.as_str()), rest),
        Some(_) | None => (None, words),
    };
    let numbers = rest.iter().map(|word| {
        number(word).ok_or_else(|| anyhow!("{word:?} is no generation; they count from 1"))
    });
    Ok((team, numbers.collect::<Result<_>>()?))
}

fn only_team(teams: &[Team]) -> Result<String> {
    match teams {
        [team] => Ok(team.name.clone()),
        [] => bail!("the daemon has no team"),
        [_, ..] => {
            let names: Vec<_> = teams.iter().map(|team| short(&team.name)).collect();
            bail!("which team? There are {}", names.join(", "))
        }
    }
}

fn json_wanted(remote: &Remote) -> bool {
    wants_json(remote.output)
}

/// Whether a program reads, or asked for it.
pub(crate) fn wants_json(format: OutputFormat) -> bool {
    match format {
        OutputFormat::Json => true,
        OutputFormat::Table => false,
        OutputFormat::Auto => !std::io::stdout().is_terminal(),
    }
}

pub(crate) fn print(text: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{}", text.trim_end()) {
        // `| head` has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot print"),
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn resource(name: &str) -> String {
    format!("teams/{}", short(name))
}

fn short(name: &str) -> &str {
    name.strip_prefix("teams/").unwrap_or(name)
}

/// `TEAM_STATE_PLAYING` → `playing`.
fn word(name: &'static str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

fn seat_word(state: SeatState) -> String {
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
        assert_eq!(split_numbers(&words("A 3 5")).unwrap(), (Some("A"), vec![3, 5]));
        assert_eq!(split_numbers(&words("3")).unwrap(), (None, vec![3]));
        assert_eq!(split_numbers(&words("teams/3")).unwrap(), (Some("teams/3"), vec![]));
        assert!(split_numbers(&words("A x")).unwrap_err().to_string().contains("\"x\""));
    }
}
