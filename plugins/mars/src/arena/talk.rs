//! What clients send: logins and answers (spec, sections 3 to 5).

use super::MarsArena;
use super::config::MalformedPolicy;
use crate::rules::Act;
use crate::wire::{ClientMessage, ServerBody, ServerMessage, decode_client, encode_server};
use phalanx_game::{ConnectionId, Outgoing};
use phalanx_massim::{ClientFrame, LoginState, RefereePhase};
use smol_str::SmolStr;
use std::time::Instant;

/// The number of bad frames in a row that closes a connection.
const BAD_FRAMES_MAX: u32 = 64;

impl MarsArena {
    pub(super) fn frame(&mut self, id: ConnectionId, frame: ClientFrame, now: Instant) {
        let Some(state) = self.referee.table.state(id) else { return };
        let message = match frame {
            ClientFrame::Whole(bytes) => decode_client(&bytes).ok(),
            ClientFrame::TooLong => None,
        };
        match (state, message) {
            (LoginState::Fresh(_), Some(ClientMessage::AuthRequest { username, password })) => {
                self.login(id, &username, &password, now);
            }
            (LoginState::Fresh(_), _) => self.refuse(id, now),
            (LoginState::LoggedIn(account), Some(message)) => {
                self.referee.table.good_frame(id);
                if let ClientMessage::Action { id, kind, param } = message
                    && self.referee.answer(account, id, Act::new(&kind, &param))
                {
                    self.finish_step(now);
                }
            }
            (LoginState::LoggedIn(account), None) => self.malformed(id, account),
            (LoginState::Ignored, _) => {}
        }
    }

    fn malformed(&mut self, id: ConnectionId, account: usize) {
        let table = &mut self.referee.table;
        let bad_frames = table.bad_frame(id);
        let name = table.account(account).map(|account| account.name.clone()).unwrap_or_default();
        match self.config.server.malformed {
            MalformedPolicy::Legacy => {
                table.ignore(id);
                let notice =
                    format!("{name} sent a malformed frame; its connection is ignored now");
                self.referee.notice(notice);
            }
            MalformedPolicy::Ignore if bad_frames >= BAD_FRAMES_MAX => {
                table.close(id);
                self.referee.notice(format!("{name} sends only malformed frames; closed"));
            }
            MalformedPolicy::Ignore => {}
        }
    }

    fn respond(&mut self, id: ConnectionId, word: &'static str, now: Instant) {
        let body = ServerBody::AuthResponse { result: SmolStr::new_static(word) };
        let bytes = self.message(body, now);
        self.referee.table.out.push_back(Outgoing::Bytes(id, bytes));
    }

    fn refuse(&mut self, id: ConnectionId, now: Instant) {
        self.respond(id, "fail", now);
        self.referee.table.close(id);
    }

    /// A message sent now, as bytes.
    pub(super) fn message(&self, body: ServerBody, now: Instant) -> Vec<u8> {
        let timestamp = i64::try_from(self.referee.unix_ms(now)).unwrap_or(i64::MAX);
        encode_server(&ServerMessage { timestamp: Some(timestamp), body })
    }

    fn login(&mut self, id: ConnectionId, user: &str, password: &str, now: Instant) {
        let Some(index) = self.referee.table.authenticate(user, password) else {
            let user = phalanx_game::excerpt(user.as_bytes());
            self.referee.notice(format!("a login as {user:?} failed"));
            self.refuse(id, now);
            return;
        };
        self.respond(id, "ok", now);
        // A request that was written to the old connection is not repeated, one that waits is; in
        // lockstep both, until there is an answer.
        let lockstep = self.config.server.lockstep;
        let account = self.referee.table.account(index);
        let queued =
            account.and_then(
                |account| {
                    if lockstep { account.queued.clone() } else { account.queued.take() }
                },
            );
        let launches = self.referee.log_in(id, index, queued);
        if self.referee.phase == RefereePhase::Over {
            let bye = self.message(ServerBody::Bye, now);
            self.referee.table.dismiss(id, bye);
        }
        if launches {
            self.start(now);
        }
    }
}
