//! What clients send: logins, answers and questions for the status (spec, section 4).

use super::AssembleArena;
use super::message::{self, ClientPacket};
use phalanx_game::{ConnectionId, Outgoing};
use phalanx_massim::LoginState;
use std::time::Instant;

impl AssembleArena {
    pub(super) fn packet(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(state) = self.referee.table.state(id) else { return };
        match (state, message::read(bytes)) {
            (LoginState::Fresh(_), ClientPacket::Auth { user, password }) => {
                self.login(id, &user, &password, now);
            }
            (LoginState::Fresh(_), ClientPacket::Status) => self.status(id, now),
            (
                LoginState::Fresh(_),
                ClientPacket::Action { .. } | ClientPacket::Ignored | ClientPacket::Broken,
            ) => {
                self.referee.table.close(id);
            }
            (LoginState::LoggedIn(account), ClientPacket::Action { id, act }) => {
                if self.referee.answer(account, Some(id), act) {
                    self.finish_step(now);
                }
            }
            (LoginState::LoggedIn(_), ClientPacket::Broken) if self.options.deaf_after_broken => {
                self.referee.table.ignore(id);
            }
            (
                LoginState::LoggedIn(_),
                ClientPacket::Auth { .. }
                | ClientPacket::Status
                | ClientPacket::Ignored
                | ClientPacket::Broken,
            )
            | (LoginState::Ignored, _) => {}
        }
    }

    fn status(&mut self, id: ConnectionId, now: Instant) {
        let name = |team: &usize| self.config.teams.get(*team).map(|team| team.name.clone());
        let teams: Vec<String> = self.teams.iter().filter_map(name).collect();
        let sizes: Vec<usize> = self.config.sims.iter().map(|sim| sim.entities).collect();
        let current = self.current.map_or(-1, |index| i64::try_from(index).unwrap_or(i64::MAX));
        let response = message::status(&teams, &sizes, current, self.referee.unix_ms(now));
        self.referee.table.out.push_back(Outgoing::Bytes(id, response));
        self.referee.table.ignore(id);
    }

    fn login(&mut self, id: ConnectionId, user: &str, password: &str, now: Instant) {
        let known = self.referee.table.authenticate(user, password);
        let response = message::auth_response(known.is_some());
        self.referee.table.out.push_back(Outgoing::Bytes(id, response));
        let Some(index) = known else {
            self.referee.table.close(id);
            return;
        };
        let request = self.referee.table.account(index).and_then(|account| account.queued.clone());
        if self.referee.log_in(id, index, request) {
            self.start(now);
        }
    }
}
