//! `phalanx match watch`, and what it shares with other verbs that follow a stream.

use super::fold::{Fold, is_quiet};
use super::{events, say, team_name, until_left};
use crate::args::{OutputArgs, WatchArgs};
use crate::failure::refused;
use crate::paint::Paint;
use anyhow::Result;
use phalanx_control::client::{is_gone, reason};
use phalanx_proto::v1::matches_client::MatchesClient;
use phalanx_proto::v1::{MatchEvent, WatchMatchRequest};
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::sleep;
use tonic::{Code, Status, Streaming};

/// Delay before a stream that broke is opened again.
const AGAIN: Duration = Duration::from_millis(500);
/// Streams in a row that end without a message, after which there is nothing more to come. A daemon
/// that stops may end some before it is gone.
const EMPTY_MAX: u32 = 6;

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
        let followed = follow(open, args.retry, |answer, cursor| {
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
/// too slow, opens the stream again after the last cursor; with `retry` also after the daemon was
/// away, at the oldest event that it still has. Then it returns when the team has ended.
pub(super) async fn follow<T>(
    open: impl AsyncFn(String) -> Result<Streaming<T>, Status>,
    retry: bool,
    mut take: impl FnMut(T, &mut String) -> Result<bool>,
) -> Result<()> {
    let mut cursor = String::new();
    let (mut opened, mut away, mut empty) = (false, false, 0);
    loop {
        let mut stream = match open(cursor.clone()).await {
            Ok(stream) => stream,
            Err(status) if retry && opened && is_away(&status) => {
                if !std::mem::replace(&mut away, true) {
                    let what = if status.code() == Code::NotFound {
                        "the daemon does not have this team (any more)"
                    } else {
                        "the daemon is away"
                    };
                    say(&format!("{what}; it is tried again until it answers (ctrl-C ends)"));
                }
                sleep(AGAIN).await;
                continue;
            }
            Err(status) => match oldest(&status) {
                Some(oldest) if retry && oldest != cursor => {
                    cursor = oldest;
                    continue;
                }
                Some(_) | None => return Err(refused(&status)),
            },
        };
        opened = true;
        if std::mem::take(&mut away) {
            say("the daemon answers again");
        }
        loop {
            match stream.message().await {
                Ok(Some(message)) => {
                    empty = 0;
                    if !take(message, &mut cursor)? {
                        return Ok(());
                    }
                }
                Ok(None) if !retry || empty == EMPTY_MAX => return Ok(()),
                Ok(None) => {
                    empty += 1;
                    sleep(AGAIN).await;
                    break;
                }
                Err(status) if too_slow(&status) || (retry && is_away(&status)) => break,
                Err(status) => return Err(refused(&status)),
            }
        }
    }
}

/// Whether the daemon may come back, or the team with it.
fn is_away(status: &Status) -> bool {
    is_gone(status) || matches!(status.code(), Code::Unavailable | Code::NotFound)
}

/// Where to begin if the daemon no longer has the events after the cursor, or was restarted: at its
/// oldest event, or, without any, at the next one.
pub(crate) fn oldest(status: &Status) -> Option<String> {
    let (reason, mut about) = reason(status)?;
    match reason.as_str() {
        "CURSOR_EXPIRED" => Some(about.remove("oldest").unwrap_or_default()),
        "CURSOR_MALFORMED" => Some(String::new()),
        _ => None,
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
