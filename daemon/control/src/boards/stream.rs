//! One client's stream of a board: first its entries, then its changes.

use super::follow::{BoardMirror, MirrorChange};
use crate::convert::board;
use crate::error::{Reason, refuse, refuse_field};
use crate::feeds::Feed;
use crate::refusal;
use futures_util::stream::{self, Stream};
use phalanx_engine::CommandError;
use phalanx_proto::v1;
use phalanx_proto::v1::watch_board_response::News;
use std::sync::Arc;
use tokio::sync::watch;
use tonic::Status;

/// The entries and changes of a board, from a cursor or from the beginning.
pub(super) fn news(
    feed: Arc<Feed<BoardMirror>>,
    prefix: String,
    cursor: &str,
    closing: watch::Receiver<bool>,
) -> Result<impl Stream<Item = Result<v1::WatchBoardResponse, Status>> + use<>, Status> {
    let phase =
        if cursor.is_empty() { StreamPhase::Waiting } else { resumed(&feed.shown, cursor)? };
    let wake = feed.shown.wake();
    let reader = BoardReader { feed, prefix, phase, wake, closing };
    Ok(stream::unfold(reader, |mut reader| async {
        let item = reader.next().await?;
        if item.is_err() {
            reader.phase = StreamPhase::Over;
        }
        Some((item, reader))
    }))
}

fn resumed(board: &BoardMirror, cursor: &str) -> Result<StreamPhase, Status> {
    let parsed = cursor.split_once('.').filter(|(epoch, next)| {
        epoch.len() == 16 && !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit())
    });
    let parsed = parsed
        .and_then(|(epoch, next)| Some((u64::from_str_radix(epoch, 16).ok()?, next.parse().ok()?)));
    let (epoch, next) = parsed.ok_or_else(|| {
        refuse_field(Reason::CursorMalformed, "cursor", "a cursor of an earlier message")
    })?;
    board.place(epoch, next).map(StreamPhase::Changes).ok_or_else(|| {
        let message = "the changes after this cursor are gone; begin anew without a cursor";
        refuse(Reason::CursorExpired, message, [])
    })
}

/// One client. It holds nothing of the board: when a slow reader comes back, the changes may be
/// gone.
struct BoardReader {
    feed: Arc<Feed<BoardMirror>>,
    prefix: String,
    phase: StreamPhase,
    wake: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
}

/// The next step of a stream.
enum StreamPhase {
    /// The board was not read yet.
    Waiting,
    /// The entries after this key; then the changes from this number on.
    Entries { after: Option<String>, sent: u32, next: u64 },
    /// The change with this number.
    Changes(u64),
    /// The stream has ended.
    Over,
}

impl BoardReader {
    async fn next(&mut self) -> Option<Result<v1::WatchBoardResponse, Status>> {
        loop {
            self.wake.mark_unchanged();
            match &mut self.phase {
                StreamPhase::Over => return None,
                StreamPhase::Waiting => match self.feed.shown.synced() {
                    Some(next) => self.phase = StreamPhase::Entries { after: None, sent: 0, next },
                    None if self.feed.shown.ended() => return Some(Err(ended())),
                    None => {
                        if let Some(end) = self.wait().await {
                            return Some(Err(end));
                        }
                    }
                },
                StreamPhase::Entries { after, sent, next } => {
                    let found = self.feed.shown.entry_after(after.as_deref(), &self.prefix);
                    let Some(item) = found else {
                        let (next, entries) = (*next, *sent);
                        self.phase = StreamPhase::Changes(next);
                        return Some(
                            Ok(self.tell(next, News::Synced(v1::BoardSynced { entries }))),
                        );
                    };
                    let news = News::Entry(board::entry(&self.feed.shown.team, &item));
                    (*after, *sent) = (Some(item.key), sent.saturating_add(1));
                    return Some(Ok(v1::WatchBoardResponse {
                        cursor: String::new(),
                        news: Some(news),
                    }));
                }
                StreamPhase::Changes(next) => {
                    let number = *next;
                    if let Some(change) = self.change(number).await {
                        return Some(change);
                    }
                }
            }
        }
    }

    /// The message for the change with this number, if there is one.
    async fn change(&mut self, number: u64) -> Option<Result<v1::WatchBoardResponse, Status>> {
        let ours = |key: &str| key.starts_with(&self.prefix);
        let news = match self.feed.shown.at(number) {
            MirrorChange::Item(item) => {
                ours(&item.key).then(|| News::Entry(board::entry(&self.feed.shown.team, &item)))
            }
            MirrorChange::Gone(key) => {
                ours(&key).then(|| News::Deleted(board::name(&self.feed.shown.team, &key)))
            }
            MirrorChange::Nothing => None,
            MirrorChange::Lost => {
                let message = "the client read too slowly; begin anew without a cursor";
                return Some(Err(refuse(Reason::ClientTooSlow, message, [])));
            }
            MirrorChange::End => return Some(Err(ended())),
            MirrorChange::Later => return self.wait().await.map(Err),
        };
        self.phase = StreamPhase::Changes(number + 1);
        news.map(|news| Ok(self.tell(number + 1, news)))
    }

    fn tell(&self, next: u64, news: News) -> v1::WatchBoardResponse {
        v1::WatchBoardResponse { cursor: self.feed.shown.cursor(next), news: Some(news) }
    }

    /// Waits for a change; returns a status if the server stops instead.
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
    refusal::command(CommandError::Ended)
}
