//! `phalanx match watch`, and what it shares with other verbs that follow a stream.

use super::fold::{Fold, is_quiet};
use super::{events, team_name, until_left};
use crate::args::{OutputArgs, WatchArgs};
use crate::failure::refused;
use crate::paint::Paint;
use anyhow::Result;
use phalanx_control::client::is_gone;
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{MatchEvent, WatchMatchRequest};
use std::cell::RefCell;
use tonic::{Code, Status, Streaming};

/// `phalanx match watch`.
///
/// # Errors
/// When no daemon answers, there is no such team, or the stream breaks.
pub fn watch(args: &WatchArgs) -> Result<()> {
    let decisions = args.decisions;
    until_left(&args.remote, async |channel| {
        let team = team_name(&channel, args.name.as_deref()).await?;
        let printer =
            Printer { print: &args.remote.print, trouble: args.trouble, fold: Fold::default() };
        let printer = RefCell::new(printer);
        let client = MatchesClient::new(channel);
        let open = async |cursor| {
            let request = WatchMatchRequest { team: team.clone(), cursor, decisions };
            Ok(client.clone().watch_match(request).await?.into_inner())
        };
        let followed = follow(open, |answer, cursor| {
            let Some(event) = answer.event else { return Ok(true) };
            cursor.clone_from(&event.cursor);
            printer.borrow_mut().take(event)
        });
        let followed = followed.await;
        printer.borrow_mut().finish()?;
        followed
    })
}

/// Passes each message of a stream to `take`, which stores its cursor, until the stream ends or
/// `take` returns false because standard output is closed. If the daemon dropped us because we were
/// too slow, opens the stream again after the last cursor.
pub(super) async fn follow<T>(
    open: impl AsyncFn(String) -> Result<Streaming<T>, Status>,
    mut take: impl FnMut(T, &mut String) -> Result<bool>,
) -> Result<()> {
    let mut cursor = String::new();
    loop {
        let mut stream = open(cursor.clone()).await.map_err(|status| refused(&status))?;
        loop {
            match stream.message().await {
                Ok(Some(message)) => {
                    if !take(message, &mut cursor)? {
                        return Ok(());
                    }
                }
                Ok(None) => return Ok(()),
                Err(status) if too_slow(&status) => break,
                Err(status) => return Err(refused(&status)),
            }
        }
    }
}

fn too_slow(status: &Status) -> bool {
    status.code() == Code::ResourceExhausted && !is_gone(status)
}

/// Chooses the events to print, and their form.
struct Printer<'a> {
    print: &'a OutputArgs,
    trouble: bool,
    fold: Fold,
}

impl Printer<'_> {
    /// Prints the events that are ready; false when standard output is closed.
    fn take(&mut self, event: MatchEvent) -> Result<bool> {
        let output = if self.print.is_text() { self.fold.add(event) } else { vec![event] };
        self.print(&output)
    }

    fn finish(&mut self) -> Result<()> {
        let rest = self.fold.rest();
        self.print(&rest).map(drop)
    }

    fn print(&self, events: &[MatchEvent]) -> Result<bool> {
        for event in events.iter().filter(|event| !(self.trouble && is_quiet(event))) {
            let text = || events::text(event, Paint::stdout());
            if !self.print.tell_one(&events::json(event), text)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
