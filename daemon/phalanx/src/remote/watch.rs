//! The verb that follows a match.

use super::{Interrupted, channel, events, json_wanted, refused, run, team_name};
use crate::cli::Remote;
use crate::paint::Paint;
use anyhow::{Context, Result, bail};
use phalanx_control::client::explain;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{MatchEvent, WatchMatchRequest};
use std::io::Write;

/// `phalanx match watch`.
///
/// # Errors
/// When no daemon answers, there is no such team, or the stream breaks.
pub fn watch(name: Option<&str>, decisions: bool, remote: &Remote) -> Result<()> {
    let followed = run(async {
        let channel = channel(remote).await?;
        let team = team_name(&channel, name).await?;
        let json = json_wanted(remote);
        let mut client = MatchesClient::new(channel);
        let mut cursor = String::new();
        loop {
            let request =
                WatchMatchRequest { team: team.clone(), cursor: cursor.clone(), decisions };
            let answer = client.watch_match(request).await;
            let mut stream = answer.map_err(refused)?.into_inner();
            loop {
                match stream.message().await {
                    Ok(Some(answer)) => {
                        let Some(event) = answer.event else { continue };
                        cursor.clone_from(&event.cursor);
                        if !print_event(&event, json)? {
                            return Ok(());
                        }
                    }
                    Ok(None) => return Ok(()),
                    // We were too slow: go on where the daemon can still serve us.
                    Err(status) if status.code() == tonic::Code::ResourceExhausted => break,
                    Err(status) => bail!(explain(&status)),
                }
            }
        }
    });
    match followed {
        // Ctrl-c is how people leave.
        Err(error) if error.is::<Interrupted>() => Ok(()),
        followed => followed,
    }
}

/// Prints an event; false when nobody reads any more.
fn print_event(event: &MatchEvent, json: bool) -> Result<bool> {
    let line =
        if json { events::json(event).to_string() } else { events::text(event, Paint::stdout()) };
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot print"),
    }
}
