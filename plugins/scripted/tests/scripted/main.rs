//! Games that are a folder: what manifests refuse, what sessions do whatever their script does, and
//! that a belief is the same on every thread.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]
#![allow(clippy::wildcard_enum_match_arm, reason = "tests look at a few events")]

mod folder;
mod framing;
mod kits;
mod manifest;
mod percept;
mod session;
mod transcripts;
mod world;

use phalanx_game::sorted::SortedMap;
use phalanx_game::{AgentId, MarginLimits, Roster, RosterEntry, Seat, SeatId};
use phalanx_scripted::{GameFolder, Mistake, ScriptedGame};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The smallest manifest.
pub const MANIFEST: &str = r#"
contract = 1
name = "toy"
[transport]
kind = "lines"
[turn]
deadline = "1s"
fallback = "rest()"
[actions.rest]
doc = "Does nothing."
[actions.dig]
doc = "Digs."
params = [{ name = "depth", type = "int 1..9", doc = "How deep." }]
[percept.hint]
type = "int"
doc = "A number."
[queries.sum]
doc = "The sum of all hints."
returns = "int"
"#;

pub const SESSION: &str = r#"
return {
    open = function(seat) return { name = seat.agents[1] } end,
    connected = function(self) send({ hello = self.name }) end,
    message = function(self, message)
        if message.welcome then
            seated()
            started({ briefing = message })
        elseif message.step then
            ask({ step = message.step, percept = message, tag = message.step * 10 })
        elseif message.loop then
            while true do end
        elseif message.eat then
            local all = {}
            while true do table.insert(all, table.create(100000, 0)) end
        elseif message.twice then
            send({ one = 1 })
            send({ two = 2 })
        elseif message.boom then
            error("boom")
        end
    end,
    encode = function(ask, order)
        return { id = ask.tag, order = order.name, depth = order.args[1] }
    end,
}
"#;

pub const WORLD: &str = r#"
return {
    new = function(team) return { hints = {}, names = team.agents, sum = 0 } end,
    begin = function(self, agent, briefing) end,
    observe = function(self, agent, step, percept)
        self.hints[agent .. step] = percept.hint
        self.sum = self.sum * 3 % 1000003 + percept.hint
        -- The order of a walk depends on the history of the table.
        for name, hint in self.hints do
            self.sum = (self.sum * 31 + hint + #name) % 1000003
        end
    end,
    settle = function(self, step) end,
    queries = { sum = function(self, agent) return self.sum end },
    score = function(self) return self.sum end,
}
"#;

pub fn folder(files: &[(&str, &str)]) -> Result<GameFolder, Vec<Mistake>> {
    let files: SortedMap<String, Arc<str>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), Arc::from(*text))).collect();
    GameFolder::from_files(files)
}

/// The toy with these files in the place of its own.
pub fn toy(changed: &[(&str, &str)]) -> ScriptedGame {
    let mut files = vec![("game.toml", MANIFEST), ("session.luau", SESSION), ("world.luau", WORLD)];
    for (name, text) in changed {
        files.retain(|(known, _)| known != name);
        files.push((name, text));
    }
    ScriptedGame::new(folder(&files).unwrap()).unwrap()
}

pub fn seat() -> Seat {
    Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), "a1".to_owned())],
        user: "a1".to_owned(),
        password: "secret".to_owned(),
        turn_limit: Duration::from_secs(1),
        margin: MarginLimits { min: Duration::ZERO, max: Duration::ZERO },
    }
}

pub fn roster() -> Roster {
    let agents = ["a1", "a2"].map(|name| RosterEntry::new(name, "worker")).to_vec();
    Roster { team: "A".to_owned(), agents }
}

#[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
pub fn epoch() -> Instant {
    Instant::now()
}
