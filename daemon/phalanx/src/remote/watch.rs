//! The verb that follows a match, and what all verbs share that follow something.

use super::fold::{Fold, is_quiet};
use super::{events, team_name, until_left};
use crate::cli::{OutputArgs, WatchArgs};
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
        let cursor = RefCell::new(String::new());
        let open = async || {
            let (team, cursor) = (team.clone(), cursor.borrow().clone());
            let request = WatchMatchRequest { team, cursor, decisions };
            Ok(client.clone().watch_match(request).await?.into_inner())
        };
        let followed = follow(open, |answer| {
            let Some(event) = answer.event else { return Ok(true) };
            cursor.borrow_mut().clone_from(&event.cursor);
            printer.borrow_mut().take(event)
        });
        let followed = followed.await;
        printer.borrow_mut().finish()?;
        followed
    })
}

/// Gives what a stream brings to `take`, until it ends or `take` says false: nobody reads any more.
/// Where we were too slow the stream is opened again: it goes on where the daemon can still serve
/// us.
pub(super) async fn follow<T>(
    open: impl AsyncFn() -> Result<Streaming<T>, Status>,
    mut take: impl FnMut(T) -> Result<bool>,
) -> Result<()> {
    loop {
        let mut stream = open().await.map_err(|status| refused(&status))?;
        loop {
            match stream.message().await {
                Ok(Some(message)) => {
                    if !take(message)? {
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

/// What is printed of the events, and how.
struct Printer<'a> {
    print: &'a OutputArgs,
    trouble: bool,
    fold: Fold,
}

impl Printer<'_> {
    /// Prints what can be told now that this came; false when nobody reads any more.
    fn take(&mut self, event: MatchEvent) -> Result<bool> {
        let told = if self.print.is_text() { self.fold.add(event) } else { vec![event] };
        self.print(&told)
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
