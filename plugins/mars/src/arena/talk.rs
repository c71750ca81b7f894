//! What clients say: logins and answers (spec, sections 3 to 5).

use super::config::{Launch, Malformed};
use super::framing::Frame;
use super::lobby::Place;
use super::{MarsArena, Phase};
use crate::rules::Act;
use crate::wire::{ClientMessage, ServerBody, ServerMessage, decode_client, encode_server};
use phalanx_game::{ConnectionId, Outgoing};
use smol_str::SmolStr;
use std::time::Instant;

impl MarsArena {
    pub(super) fn frame(&mut self, id: ConnectionId, frame: Frame, now: Instant) {
        let Some(place) = self.lobby.place(id) else { return };
        let message = match frame {
            Frame::Whole(bytes) => decode_client(&bytes).ok(),
            Frame::TooLong => None,
        };
        match (place, message) {
            (Place::Fresh(_), Some(ClientMessage::AuthRequest { username, password })) => {
                self.login(id, &username, &password, now);
            }
            (Place::Fresh(_), _) => self.refuse(id, now),
            (Place::Known(account), Some(message)) => {
                self.lobby.good(id);
                if let ClientMessage::Action { id, kind, param } = message {
                    self.answer(account, id, Act::new(&kind, &param), now);
                }
            }
            (Place::Known(account), None) => self.malformed(id, account),
            (Place::Deaf, _) => {}
        }
    }

    fn malformed(&mut self, id: ConnectionId, account: usize) {
        let too_many = self.lobby.bad(id);
        let name = self.lobby.accounts.get(account).map(|account| account.name.clone());
        let name = name.unwrap_or_default();
        match self.config.server.malformed {
            Malformed::Legacy => {
                self.tell(format!("{name} sent a malformed frame and is heard no more"));
                self.lobby.put(id, Place::Deaf);
            }
            Malformed::Ignore if too_many => {
                self.tell(format!("{name} sends nothing but malformed frames; closed"));
                self.lobby.close(id);
            }
            Malformed::Ignore => {}
        }
    }

    fn respond(&mut self, id: ConnectionId, word: &'static str, now: Instant) {
        let body = ServerBody::AuthResponse { result: SmolStr::new_static(word) };
        let bytes = self.message(body, now);
        self.lobby.out.push_back(Outgoing::Bytes(id, bytes));
    }

    fn refuse(&mut self, id: ConnectionId, now: Instant) {
        self.respond(id, "fail", now);
        self.lobby.close(id);
    }

    /// A message of now, as bytes.
    pub(super) fn message(&self, body: ServerBody, now: Instant) -> Vec<u8> {
        let timestamp = i64::try_from(self.origin.unix_ms(now)).unwrap_or(i64::MAX);
        encode_server(&ServerMessage { timestamp: Some(timestamp), body })
    }

    fn login(&mut self, id: ConnectionId, user: &str, password: &str, now: Instant) {
        let known = self.lobby.find(user).filter(|index| {
            let team = self.lobby.accounts.get(*index).map(|account| account.team);
            let team = team.and_then(|team| self.config.teams.get(team));
            team.is_some_and(|team| team.password.is(password))
        });
        let Some(index) = known else {
            self.tell(format!("a login as {:?} failed", phalanx_game::excerpt(user.as_bytes())));
            self.refuse(id, now);
            return;
        };
        self.respond(id, "ok", now);
        if let Some(old) = self.lobby.accounts.get(index).and_then(|account| account.connection) {
            self.lobby.close(old);
        }
        self.lobby.put(id, Place::Known(index));
        let Some(account) = self.lobby.accounts.get_mut(index) else { return };
        account.connection = Some(id);
        // A request that was written to the old connection is not repeated, one that waits is.
        let queued = account.queued.take().filter(|_| account.awaited.is_some());
        let start = account.start.clone();
        for bytes in start.into_iter().chain(queued) {
            self.lobby.send(index, bytes);
        }
        if self.phase == Phase::Over {
            self.dismiss(id, now);
        }
        let launch = self.options.launch.unwrap_or(self.config.server.launch);
        let waiting = matches!(self.phase, Phase::Waiting(_));
        if waiting && launch == Launch::Complete && self.lobby.everybody_is_there() {
            self.start(now);
        }
    }

    /// Says goodbye and closes.
    pub(super) fn dismiss(&mut self, id: ConnectionId, now: Instant) {
        // Also to those who are heard no more.
        if self.lobby.accounts.iter().any(|account| account.connection == Some(id)) {
            let bye = self.message(ServerBody::Bye, now);
            self.lobby.out.push_back(Outgoing::Bytes(id, bye));
        }
        self.lobby.close(id);
    }

    /// The first answer with the awaited number wins; all others are ignored.
    fn answer(&mut self, index: usize, id: Option<i64>, act: Act, now: Instant) {
        let Some(account) = self.lobby.accounts.get_mut(index) else { return };
        if id.is_none() || id != account.awaited {
            let manners = &mut account.manners;
            match id {
                Some(id) if (0..account.next_id).contains(&id) => manners.late += 1,
                Some(_) | None => manners.unknown_ids += 1,
            }
            return;
        }
        account.awaited = None;
        account.queued = None;
        account.answer = Some(act);
        let Some(game) = &mut self.game else { return };
        game.waiting = game.waiting.saturating_sub(1);
        if game.waiting == 0 {
            self.finish_step(now);
        }
    }
}
