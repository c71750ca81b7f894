//! The verb that follows a match.

use super::fold::{Fold, is_quiet};
use super::{Interrupted, channel, events, json_wanted, refused, run, team_name};
use crate::cli::WatchArgs;
use crate::paint::Paint;
use anyhow::{Context, Result, bail};
use phalanx_control::client::{explain, is_gone};
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{MatchEvent, WatchMatchRequest};
use std::io::Write;
use tonic::Status;

/// `phalanx match watch`.
///
/// # Errors
/// When no daemon answers, there is no such team, or the stream breaks.
pub fn watch(args: &WatchArgs) -> Result<()> {
    let (remote, decisions) = (&args.remote, args.decisions);
    let followed = run(async {
        let channel = channel(remote).await?;
        let team = team_name(&channel, args.name.as_deref()).await?;
        let mut printer =
            Printer { json: json_wanted(remote), trouble: args.trouble, fold: Fold::default() };
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
                        if !printer.take(event)? {
                            return Ok(());
                        }
                    }
                    Ok(None) => return printer.finish(),
                    // We were too slow: go on where the daemon can still serve us.
                    Err(status) if too_slow(&status) => break,
                    Err(status) => {
                        printer.finish()?;
                        bail!(explain(&status))
                    }
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

fn too_slow(status: &Status) -> bool {
    status.code() == tonic::Code::ResourceExhausted && !is_gone(status)
}

/// What is printed of the events, and how.
struct Printer {
    json: bool,
    trouble: bool,
    fold: Fold,
}

impl Printer {
    /// Prints what can be told now that this came; false when nobody reads any more.
    fn take(&mut self, event: MatchEvent) -> Result<bool> {
        let told = if self.json { vec![event] } else { self.fold.add(event) };
        self.print(&told)
    }

    fn finish(&mut self) -> Result<()> {
        let rest = self.fold.rest();
        self.print(&rest).map(drop)
    }

    fn print(&self, events: &[MatchEvent]) -> Result<bool> {
        for event in events.iter().filter(|event| !(self.trouble && is_quiet(event))) {
            if !print_event(event, self.json)? {
                return Ok(false);
            }
        }
        Ok(true)
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
