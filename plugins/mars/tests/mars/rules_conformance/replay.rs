//! Every recorded action, played forward.
//!
//! The original acts in an order that it draws anew in every step and does not record. Most results
//! do not depend on it. Those that do are counted for one fixed order, and then an order is
//! searched that leaves no difference at all.

use super::golden::{self, Golden};
use phalanx_game::sorted::SortedSet;
use phalanx_mars::rules::map::{MapParams, StartMap};
use phalanx_mars::rules::{Act, MarsRules, MarsVerb, MatchSide, Outcome, State, StepLuck};
use phalanx_massim::JavaRandom;
use serde_json::{Value, json};

/// How many results of agents, among all that were recorded, come out differently when all act in
/// the order of their accounts. The specification counts eight more in one more game.
const DEPEND_ON_ORDER: usize = 714;
/// Moves that are tried in the search for an order.
const MOVES_MAX: usize = 2000;

/// The state of a game before its first step.
pub(crate) fn begin(seed: i64, nodes: u32) -> State {
    let params = MapParams { nodes, ..MapParams::default() };
    let team = |team: &str, agents: &str| {
        (team.to_owned(), (1..=20).map(|number| format!("{agents}{number}")).collect())
    };
    let ground = StartMap::draw(&params, seed, 20);
    State::new(ground, [team("A", "a"), team("B", "b")], MarsRules::default())
}

/// What a golden state says of an agent, as it would be said of ours. The program behind the
/// recording let clients send the original's own words for missing and unlucky actions.
fn agent(state: &State, agent: usize, theirs: &Value) -> bool {
    let ours = &state.agents[agent];
    let body = json!([
        state.setting.map.name(ours.at),
        ours.health,
        ours.max_health,
        ours.energy,
        ours.max_energy,
        ours.max_energy_disabled,
        ours.strength,
        ours.vis_range,
    ]);
    let theirs = theirs.as_array().expect("a list");
    let told = theirs[8] == ours.last.said.as_str() && theirs[9] == ours.last.param.as_str();
    let told = told || theirs[8] == "randomFail";
    body == Value::from(theirs[..8].to_vec()) && told && theirs[10] == ours.outcome.word()
}

/// What a golden state says of a team.
fn team(state: &State, side: MatchSide, theirs: &Value) -> bool {
    let ours = side.of(&state.teams);
    let map = &state.setting.map;
    let marked = (0u32..).zip(&ours.probed).filter(|(_, probed)| **probed);
    let mut probed: Vec<&str> = marked.map(|(vertex, _)| map.name(vertex)).collect();
    let mut achievements: Vec<String> = ours.achievements.iter().map(ToString::to_string).collect();
    probed.sort_unstable();
    achievements.sort_unstable();
    let sorted = |list: &Value| {
        let mut list: Vec<String> = serde_json::from_value(list.clone()).expect("texts");
        list.sort_unstable();
        list
    };
    theirs["score"] == ours.score
        && theirs["stepScore"] == ours.step_score
        && theirs["zonesScore"] == ours.zones_score
        && theirs["money"] == ours.money
        && theirs["usedMoney"] == ours.used_money
        && sorted(&theirs["achievements"]) == achievements
        && sorted(&theirs["probed"]) == probed
}

/// The agents of whom a golden state says something else, and how many teams.
fn differences(state: &State, theirs: &Value) -> (Vec<usize>, usize) {
    let people = &state.setting.people;
    let differs = |id: &usize| !agent(state, *id, &theirs["agents"][&people[*id].name]);
    let agents = (0..people.len()).filter(differs).collect();
    let named = MatchSide::BOTH.into_iter().zip(["A", "B"]);
    let teams = named.filter(|(side, name)| !team(state, *side, &theirs["teams"][name])).count();
    (agents, teams)
}

/// What was done between two golden states.
struct Step<'g> {
    before: State,
    acts: Vec<Act>,
    fails: Vec<bool>,
    after: &'g Value,
}

impl<'g> Step<'g> {
    fn new(before: State, after: &'g Value) -> Self {
        let said = |person: &phalanx_mars::rules::state::Person| &after["agents"][&person.name];
        let said: Vec<&Value> = before.setting.people.iter().map(said).collect();
        let act = |said: &&Value| match said[8].as_str().expect("an action") {
            "noAction" => Act::nothing(),
            word => Act::new(word, said[9].as_str().expect("a parameter")),
        };
        let acts = said.iter().map(act).collect();
        let fails = said.iter().map(|said| said[10] == "failed_random").collect();
        Self { before, acts, fails, after }
    }

    fn play(&self, order: &[usize]) -> State {
        let mut state = self.before.clone();
        let luck = StepLuck { fails: self.fails.clone(), order: order.to_vec() };
        state.advance(self.acts.clone(), &luck);
        state
    }

    /// Those whose place in the order may matter for what is different.
    fn involved(&self, different: &[usize], teams: usize) -> Vec<usize> {
        let people = &self.before.setting.people;
        let names = |id: usize, other: usize| self.acts[id].param == people[other].name;
        let near = |id: &usize| {
            let linked = |other: &usize| id == other || names(*id, *other) || names(*other, *id);
            // What an inspector saw shows in its team's achievements alone.
            let inspects = teams > 0 && self.acts[*id].is(MarsVerb::Inspect);
            inspects || different.iter().any(linked)
        };
        (0..people.len()).filter(near).collect()
    }

    /// The state without differences, if an order can be found for it by moving agents about. The
    /// search starts with those who got what they bought before all others wanted to.
    fn search(&self, mut order: Vec<usize>) -> State {
        let people = &self.before.setting.people;
        let bought = |id: usize| self.after["agents"][&people[id].name][10] == "successful";
        order.sort_by_key(|id| self.acts[*id].is(MarsVerb::Buy) && !bought(*id));
        let cost = |state: &State| {
            let (agents, teams) = differences(state, self.after);
            (agents.len() + teams, self.involved(&agents, teams))
        };
        let mut random = JavaRandom::new(1);
        let mut best = self.play(&order);
        let (mut least, mut involved) = cost(&best);
        for _ in 0..MOVES_MAX {
            if least == 0 || involved.is_empty() {
                break;
            }
            let agent = involved[random.below(u32::try_from(involved.len()).unwrap()) as usize];
            let mut other = order.clone();
            other.retain(|id| *id != agent);
            other.insert(random.below(u32::try_from(order.len()).unwrap()) as usize, agent);
            let state = self.play(&other);
            let (count, those) = cost(&state);
            if count <= least {
                (least, involved, best, order) = (count, those, state, other);
            }
        }
        best
    }
}

/// Whom a team has inspected: whether somebody who came or went in the same step was seen depends on
/// the order, and may show only much later, in an achievement.
#[derive(Default)]
struct Inspected {
    certain: SortedSet<usize>,
    possible: SortedSet<usize>,
}

impl Inspected {
    /// Adds what happened from one state to the next.
    fn add(&mut self, before: &State, after: &State, side: MatchSide) {
        let people = &after.setting.people;
        for (id, inspector) in after.agents.iter().enumerate() {
            let inspected = inspector.last.is(MarsVerb::Inspect)
                && inspector.outcome == Outcome::Successful
                && people[id].side == side;
            for enemy in (0..people.len()).filter(|id| inspected && people[*id].side != side) {
                let near = |state: &State| {
                    let at = state.agents[enemy].at;
                    at == inspector.at || state.setting.map.links().of(at).contains(&inspector.at)
                };
                let [earlier, later] = [near(before), near(after)];
                self.certain.extend((earlier && later).then_some(enemy));
                self.possible.extend((earlier || later).then_some(enemy));
            }
        }
    }

    /// As few as the recorded achievements allow.
    fn least(&self, achievements: &Value) -> SortedSet<usize> {
        let has = |quantity: &usize| {
            let name = format!("inspected{quantity}");
            achievements.as_array().expect("a list").iter().any(|theirs| *theirs == name)
        };
        let count = [20, 10, 5].into_iter().find(has).unwrap_or(0);
        let more = self.possible.difference(&self.certain);
        let missing = count.saturating_sub(self.certain.len());
        self.certain.iter().chain(more.take(missing)).copied().collect()
    }
}

/// Plays a game forward: how many results were played, and how many depend on the order.
fn replay(name: &str, seed: i64, nodes: u32, golden: &Golden) -> (usize, usize) {
    let mut state = begin(seed, nodes);
    let accounts: Vec<usize> = (0..state.agents.len()).collect();
    let (mut played, mut ordered) = (0, 0);
    let mut inspected = [Inspected::default(), Inspected::default()];
    for (number, after) in (1..).zip(&golden.states[1..]) {
        let step = Step::new(state, after);
        state = step.play(&accounts);
        let (different, teams) = differences(&state, after);
        played += accounts.len();
        ordered += different.len();
        if !different.is_empty() || teams > 0 {
            state = step.search(accounts.clone());
            let (agents, teams) = differences(&state, after);
            let names: Vec<_> = agents.iter().map(|id| &state.setting.people[*id].name).collect();
            assert!(
                agents.is_empty() && teams == 0,
                "{name}, step {number}: no order explains {names:?} and {teams} teams"
            );
        }
        for (side, name) in MatchSide::BOTH.into_iter().zip(["A", "B"]) {
            let inspected = side.of_mut(&mut inspected);
            inspected.add(&step.before, &state, side);
            let next = golden.states.get(number + 1).unwrap_or(after);
            let least = inspected.least(&next["teams"][name]["achievements"]);
            side.of_mut(&mut state.teams).inspected = least;
        }
    }
    (played, ordered)
}

#[test]
fn recorded_actions_lead_to_the_recorded_states() {
    let (mut played, mut ordered) = (0, 0);
    for (name, seed, nodes) in golden::GAMES {
        let Some(golden) = golden::read(name) else { return };
        let (more, depend) = replay(name, seed, nodes, &golden);
        println!("{name}: {depend} of {more} results depend on the order");
        (played, ordered) = (played + more, ordered + depend);
    }
    assert_eq!((played, ordered), (96_400, DEPEND_ON_ORDER));
}
