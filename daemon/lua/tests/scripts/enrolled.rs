//! Agents that come to a team while its scripts decide, and that leave it.

use crate::stage::{SKIP, Stage};
use phalanx_engine::Brain;
use phalanx_game::{AgentId, Roster, RosterEntry, Value};
use std::sync::Arc;

/// A worker that says who it is and how often it decided.
const WORKER: &str = "return { decide = function(me)
    me.memory.n = (me.memory.n or 0) + 1
    log.info(me.name .. ' ' .. me.memory.n)
    return act.skip()
end }";

fn roster(agents: &[(&str, &str)], gone: &[usize]) -> Roster {
    let entry = |(index, (name, role)): (usize, &(&str, &str))| RosterEntry {
        gone: gone.contains(&index),
        ..RosterEntry::new(*name, *role)
    };
    Roster { team: "A".into(), agents: agents.iter().enumerate().map(entry).collect() }
}

const THREE: [(&str, &str); 3] = [("a1", "worker"), ("a2", "worker"), ("a3", "scout")];
const FOUR: [(&str, &str); 4] =
    [("a1", "worker"), ("a2", "worker"), ("a3", "scout"), ("late", "worker")];

impl Stage {
    /// As the engine does it.
    fn enroll(&mut self, roster: Roster) {
        for (agent, entry) in roster.ids().zip(&roster.agents) {
            let mut shared = self.shared.borrow_mut();
            if entry.gone {
                shared.dismiss(agent, &entry.name);
            } else {
                shared.enroll(agent, &entry.role);
            }
        }
        self.brain.enroll(&Arc::new(roster));
    }

    fn ran(&mut self, code: &str) -> String {
        self.run(0, code).unwrap().text
    }
}

fn stage() -> Stage {
    Stage::new(&[("worker.luau", WORKER), ("scout.luau", SKIP)])
}

const NAMES: &str = "local names = {}
    for _, agent in team.all() do table.insert(names, agent.name .. ':' .. agent.role) end
    return table.concat(names, ' ')";

#[test]
fn who_comes_is_known_by_its_name_and_decides() {
    let mut stage = stage();
    stage.enroll(roster(&FOUR, &[]));
    assert_eq!(stage.say(3), "skip()");
    assert_eq!(stage.log(), ["late 1"]);
    assert_eq!(stage.ran(NAMES), "\"a1:worker a2:worker a3:scout late:worker\"");
    assert_eq!(stage.ran("return team.send('late', 'hello')"), "true");
    stage.next_turn();
    assert_eq!(stage.run(3, "return team.inbox()[1].from").unwrap().text, "\"a1\"");
    let given = Stage::worker("return act.give('late', { kind = 'b', count = 1 })").say(0);
    assert!(given.contains("expected the name of an agent"), "a stranger elsewhere: {given}");
    let code = "return act.give('late', { kind = 'b', count = 1 }) ~= nil";
    assert_eq!(stage.ran(code), "true");
}

#[test]
fn who_is_gone_is_nobodys_addressee_and_remembers_nothing() {
    let mut stage = stage();
    assert_eq!((stage.say(1), stage.say(1)), ("skip()".into(), "skip()".into()));
    stage.enroll(roster(&THREE, &[1]));
    assert_eq!(stage.ran(NAMES), "\"a1:worker a3:scout\"");
    let sent = stage.ran("local ok, why = team.send('a2', 1) return tostring(ok) .. ' ' .. why");
    assert_eq!(sent, "\"nil a2 is not of the team any more\"");
    assert_eq!(stage.ran("return team.role('a2')"), "\"worker\"", "no mistake of the script's");
    let memories = stage.brain.memories();
    assert!(memories.iter().all(|memory| memory.agent != AgentId(1)), "{memories:?}");
    stage.log();
    stage.enroll(roster(&THREE, &[]));
    stage.say(1);
    assert_eq!(stage.log(), ["a2 1"], "it begins anew");
}

#[test]
fn another_generation_knows_the_agents_as_they_are() {
    let mut stage = stage();
    stage.enroll(roster(&FOUR, &[2]));
    stage.say(3);
    stage.log();
    let second = WORKER.replace("+ 1", "+ 10");
    stage.install(2, &[("worker.luau", second.as_str())]).unwrap();
    stage.say(3);
    assert_eq!(stage.log(), ["late 11"], "no agent is a scout any more");
    assert_eq!(stage.ran(NAMES), "\"a1:worker a2:worker late:worker\"");
    stage.enroll(roster(&FOUR, &[]));
    let refused = stage.install(3, &[("worker.luau", WORKER)]).unwrap_err();
    assert!(refused.message.contains("no file for the role scout"), "{}", refused.message);
}

#[test]
fn a_new_agent_s_role_is_needed_from_then_on() {
    let mut stage = stage();
    let five = [("a1", "worker"), ("a2", "worker"), ("a3", "scout"), ("a4", "digger")];
    stage.enroll(roster(&five, &[]));
    let files = [("worker.luau", WORKER), ("scout.luau", SKIP)];
    let refused = stage.install(2, &files).unwrap_err();
    assert!(refused.message.contains("no file for the role digger"), "{}", refused.message);
    let files = [files[0], files[1], ("digger.luau", WORKER)];
    stage.install(3, &files).unwrap();
    assert_eq!(stage.decide(3).unwrap().args, Vec::<Value>::new());
    assert_eq!(stage.log().last().unwrap(), "a4 1");
}
