//! One client's way through a board: first its entries, then its changes.

use super::follow::{Change, Mirror};
use crate::convert::board;
use crate::error::{Reason, refuse, refuse_field};
use crate::feeds::Feed;
use crate::{TeamError, teams};
use futures_util::stream::{self, Stream};
use phalanx_proto::v1;
use phalanx_proto::v1::watch_board_response::News;
use std::sync::Arc;
use tokio::sync::watch;
use tonic::Status;

/// The news of a board, from a cursor on or from its beginning.
pub(super) fn news(
    feed: Arc<Feed<Mirror>>,
    prefix: String,
    cursor: &str,
    closing: watch::Receiver<bool>,
) -> Result<impl Stream<Item = Result<v1::WatchBoardResponse, Status>> + use<>, Status> {
    let phase = if cursor.is_empty() { Phase::Waiting } else { resumed(&feed.shown, cursor)? };
    let wake = feed.shown.wake();
    let reader = Reader { feed, prefix, phase, wake, closing };
    Ok(stream::unfold(reader, |mut reader| async {
        let item = reader.next().await?;
        if item.is_err() {
            reader.phase = Phase::Over;
        }
        Some((item, reader))
    }))
}

fn resumed(board: &Mirror, cursor: &str) -> Result<Phase, Status> {
    let parsed = cursor.split_once('.').filter(|(epoch, next)| {
        epoch.len() == 16 && !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit())
    });
    let parsed = parsed
        .and_then(|(epoch, next)| Some((u64::from_str_radix(epoch, 16).ok()?, next.parse().ok()?)));
    let (epoch, next) = parsed.ok_or_else(|| {
        refuse_field(Reason::CursorMalformed, "cursor", "a cursor of an earlier message")
    })?;
    board.place(epoch, next).map(Phase::Changes).ok_or_else(|| {
        let message = "the changes after this cursor are gone; begin anew without a cursor";
        refuse(Reason::CursorExpired, message, [])
    })
}

/// One client. It holds nothing of the board: whoever reads too slowly finds the changes gone.
struct Reader {
    feed: Arc<Feed<Mirror>>,
    prefix: String,
    phase: Phase,
    wake: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
}

/// What comes next.
enum Phase {
    /// The board was not read yet.
    Waiting,
    /// The entry after this key; then the changes from this number on.
    Entries { after: Option<String>, told: u32, next: u64 },
    /// The change of this number.
    Changes(u64),
    /// Nothing.
    Over,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<v1::WatchBoardResponse, Status>> {
        loop {
            self.wake.mark_unchanged();
            match &mut self.phase {
                Phase::Over => return None,
                Phase::Waiting => match self.feed.shown.synced() {
                    Some(next) => self.phase = Phase::Entries { after: None, told: 0, next },
                    None if self.feed.shown.ended() => return Some(Err(ended())),
                    None => {
                        if let Some(end) = self.wait().await {
                            return Some(Err(end));
                        }
                    }
                },
                Phase::Entries { after, told, next } => {
                    let found = self.feed.shown.entry_after(after.as_deref(), &self.prefix);
                    let Some(item) = found else {
                        let (next, entries) = (*next, *told);
                        self.phase = Phase::Changes(next);
                        return Some(
                            Ok(self.tell(next, News::Synced(v1::BoardSynced { entries }))),
                        );
                    };
                    let news = News::Entry(board::entry(&self.feed.shown.team, &item));
                    (*after, *told) = (Some(item.key), told.saturating_add(1));
                    return Some(Ok(v1::WatchBoardResponse {
                        cursor: String::new(),
                        news: Some(news),
                    }));
                }
                Phase::Changes(next) => {
                    let number = *next;
                    if let Some(told) = self.change(number).await {
                        return Some(told);
                    }
                }
            }
        }
    }

    /// What there is to tell at this place, if anything.
    async fn change(&mut self, number: u64) -> Option<Result<v1::WatchBoardResponse, Status>> {
        let ours = |key: &str| key.starts_with(&self.prefix);
        let news = match self.feed.shown.at(number) {
            Change::Item(item) => {
                ours(&item.key).then(|| News::Entry(board::entry(&self.feed.shown.team, &item)))
            }
            Change::Gone(key) => {
                ours(&key).then(|| News::Deleted(board::name(&self.feed.shown.team, &key)))
            }
            Change::Nothing => None,
            Change::Lost => {
                let message = "the client read too slowly; begin anew without a cursor";
                return Some(Err(refuse(Reason::ClientTooSlow, message, [])));
            }
            Change::End => return Some(Err(ended())),
            Change::Later => return self.wait().await.map(Err),
        };
        self.phase = Phase::Changes(number + 1);
        news.map(|news| Ok(self.tell(number + 1, news)))
    }

    fn tell(&self, next: u64, news: News) -> v1::WatchBoardResponse {
        v1::WatchBoardResponse { cursor: self.feed.shown.cursor(next), news: Some(news) }
    }

    /// Waits for a change; the status when the server leaves instead.
    async fn wait(&mut self) -> Option<Status> {
        tokio::select! {
            biased;
            changed = self.wake.changed() => changed.is_err().then(ended),
            _ = self.closing.wait_for(|closing| *closing) => {
                Some(refuse(Reason::ShuttingDown, "the daemon stops", []))
            }
        }
    }
}

fn ended() -> Status {
    teams::unanswered(TeamError::Ended)
}
