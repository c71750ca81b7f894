//! What each action does and how it can fail (spec, section 8).

use super::state::{AgentBody, State};
use super::step::StepLuck;
use super::words::{MarsVerb, MatchSide, Outcome, Role, Upgrade};

/// Price of an item, in money.
const PRICE: i64 = 2;
/// What every attribute may grow to.
const ATTRIBUTE_MAX: i32 = 1000;

/// What an action costs, in energy; a walk's price is its edge's weight.
#[must_use]
pub fn cost(verb: MarsVerb, disabled: bool) -> i32 {
    match verb {
        MarsVerb::Skip | MarsVerb::Recharge => 0,
        MarsVerb::Goto | MarsVerb::Probe | MarsVerb::Survey => 1,
        MarsVerb::Repair if disabled => 3,
        MarsVerb::Inspect
        | MarsVerb::Attack
        | MarsVerb::Parry
        | MarsVerb::Buy
        | MarsVerb::Repair => 2,
    }
}

/// Whether an agent of that role may do that and has the energy for it.
fn able(role: Role, verb: MarsVerb, agent: &AgentBody) -> Result<(), Outcome> {
    let disabled = agent.is_disabled();
    if !role.may(verb, disabled) {
        let otherwise = disabled && role.may(verb, false);
        return Err(if otherwise { Outcome::FailedStatus } else { Outcome::FailedRole });
    }
    if agent.energy < cost(verb, disabled) {
        return Err(Outcome::FailedResources);
    }
    Ok(())
}

/// An attack: how it ends, and who was attacked. Damage is for the caller.
pub(super) fn attack(
    state: &mut State,
    attacker: usize,
    luck: &StepLuck,
) -> (Outcome, Option<usize>) {
    let judged = judge_attack(state, attacker, luck);
    if let Some(agent) = state.agents.get_mut(attacker) {
        agent.charge(-cost(MarsVerb::Attack, false));
    }
    let (outcome, target) = match judged {
        Ok(target) => (Outcome::Successful, Some(target)),
        Err((outcome, target)) => (outcome, target),
    };
    let side = state.setting.side(attacker);
    let enemy = target.filter(|target| state.setting.side(*target) != side);
    let hits = enemy.and_then(|enemy| state.agents.get(enemy)).is_some_and(|a| !a.is_disabled());
    if outcome == Outcome::Successful && hits {
        side.of_mut(&mut state.teams).tally.attacked += 1;
    }
    (outcome, target)
}

/// The target of an attack, or why it fails and who parried.
fn judge_attack(
    state: &State,
    attacker: usize,
    luck: &StepLuck,
) -> Result<usize, (Outcome, Option<usize>)> {
    let setting = &state.setting;
    let untargeted = |outcome| (outcome, None);
    let (agent, person) = state
        .agents
        .get(attacker)
        .zip(setting.people.get(attacker))
        .ok_or(untargeted(Outcome::Failed))?;
    able(person.role, MarsVerb::Attack, agent).map_err(untargeted)?;
    let wrong = untargeted(Outcome::FailedWrongParam);
    let target = setting.find(&agent.last.param).ok_or(wrong)?;
    let (victim, role) = state
        .agents
        .get(target)
        .zip(setting.people.get(target).map(|person| person.role))
        .ok_or(wrong)?;
    if victim.at != agent.at {
        return Err(untargeted(Outcome::FailedAway));
    }
    let parries = victim.last.is(MarsVerb::Parry)
        && !luck.fails(target)
        && able(role, MarsVerb::Parry, victim).is_ok();
    if parries { Err((Outcome::FailedParried, Some(target))) } else { Ok(target) }
}

/// An agent that acts: who it is, and whether it was attacked in this step.
#[derive(Clone, Copy)]
struct Actor {
    id: usize,
    side: MatchSide,
    role: Role,
    disturbed: bool,
    disabled: bool,
}

/// Everything but attacks: does it, takes its cost, tells how it ended.
pub(super) fn perform(state: &mut State, agent: usize, disturbed: bool) -> Outcome {
    let (Some(body), Some(person)) = (state.agents.get(agent), state.setting.people.get(agent))
    else {
        return Outcome::Failed;
    };
    let Some(verb) = body.last.verb else { return Outcome::Failed };
    let disabled = body.is_disabled();
    let actor = Actor { id: agent, side: person.side, role: person.role, disturbed, disabled };
    let done = match verb {
        MarsVerb::Skip => Ok(0),
        MarsVerb::Recharge => recharge(state, actor),
        MarsVerb::Goto => walk(state, actor),
        MarsVerb::Probe => probe(state, actor),
        MarsVerb::Survey => survey(state, actor),
        MarsVerb::Inspect => inspect(state, actor),
        MarsVerb::Parry => parry(state, actor),
        MarsVerb::Repair => repair(state, actor),
        MarsVerb::Buy => buy(state, actor),
        MarsVerb::Attack => Err(Outcome::Failed),
    };
    if let Some(body) = state.agents.get_mut(agent) {
        let change = match done {
            Ok(change) => change,
            Err(_) => -cost(verb, disabled),
        };
        body.charge(change);
    }
    match done {
        Ok(_) if verb == MarsVerb::Parry && !disturbed => Outcome::Useless,
        Ok(_) => Outcome::Successful,
        Err(outcome) => outcome,
    }
}

/// How an action ends: the change of energy when it works.
type DeedResult = Result<i32, Outcome>;

fn recharge(state: &State, actor: Actor) -> DeedResult {
    let agent = state.agents.get(actor.id).ok_or(Outcome::Failed)?;
    if actor.disturbed {
        return Err(Outcome::FailedAttacked);
    }
    let rules = &state.setting.rules;
    let (percent, most) = if actor.disabled {
        (rules.recharge_percent_disabled, agent.max_energy_disabled)
    } else {
        (rules.recharge_percent, agent.max_energy)
    };
    // Half a point counts as a whole one.
    let share = i64::from(percent) * i64::from(most);
    Ok(i32::try_from((share + 50).div_euclid(100)).unwrap_or(i32::MAX))
}

fn walk(state: &mut State, actor: Actor) -> DeedResult {
    let map = &state.setting.map;
    let agent = state.agents.get_mut(actor.id).ok_or(Outcome::Failed)?;
    let to = map.find(&agent.last.param).ok_or(Outcome::FailedWrongParam)?;
    let weight = map.weight(agent.at, to).ok_or(Outcome::FailedWrongParam)?;
    if agent.energy < weight {
        return Err(Outcome::FailedResources);
    }
    agent.at = to;
    Ok(-weight)
}

/// Whether the role, its state and its energy allow that.
fn ready(state: &State, actor: Actor, verb: MarsVerb) -> DeedResult {
    let agent = state.agents.get(actor.id).ok_or(Outcome::Failed)?;
    able(actor.role, verb, agent)?;
    Ok(-cost(verb, actor.disabled))
}

fn parry(state: &mut State, actor: Actor) -> DeedResult {
    let done = ready(state, actor, MarsVerb::Parry)?;
    if actor.disturbed {
        actor.side.of_mut(&mut state.teams).tally.parried += 1;
    }
    Ok(done)
}

/// The same for what an attack prevents.
fn undisturbed(state: &State, actor: Actor, verb: MarsVerb) -> DeedResult {
    if actor.disturbed { Err(Outcome::FailedAttacked) } else { ready(state, actor, verb) }
}

fn probe(state: &mut State, actor: Actor) -> DeedResult {
    let done = undisturbed(state, actor, MarsVerb::Probe)?;
    let at = state.agents.get(actor.id).ok_or(Outcome::Failed)?.at;
    mark(&mut actor.side.of_mut(&mut state.teams).probed, at);
    Ok(done)
}

fn survey(state: &mut State, actor: Actor) -> DeedResult {
    let done = undisturbed(state, actor, MarsVerb::Survey)?;
    let at = state.agents.get(actor.id).ok_or(Outcome::Failed)?.at;
    let team = actor.side.of_mut(&mut state.teams);
    for edge in state.setting.map.edges_of(at) {
        mark(&mut team.surveyed, *edge);
    }
    Ok(done)
}

fn inspect(state: &mut State, actor: Actor) -> DeedResult {
    let done = undisturbed(state, actor, MarsVerb::Inspect)?;
    let at = state.agents.get(actor.id).ok_or(Outcome::Failed)?.at;
    let near = state.setting.map.links().of(at);
    let others = state.agents.iter().zip(&state.setting.people).enumerate();
    let seen = others
        .filter(|(_, (_, person))| person.side != actor.side)
        .filter(|(_, (agent, _))| agent.at == at || near.contains(&agent.at));
    let team = actor.side.of_mut(&mut state.teams);
    team.inspected.extend(seen.map(|(enemy, _)| enemy));
    Ok(done)
}

fn mark(marks: &mut [bool], number: u32) {
    if let Some(mark) = marks.get_mut(number as usize) {
        *mark = true;
    }
}

fn repair(state: &mut State, actor: Actor) -> DeedResult {
    let done = ready(state, actor, MarsVerb::Repair)?;
    let agent = state.agents.get(actor.id).ok_or(Outcome::Failed)?;
    let (at, target) = (agent.at, state.setting.find(&agent.last.param));
    let target = target.filter(|target| *target != actor.id).ok_or(Outcome::FailedWrongParam)?;
    if !state.setting.rules.repair_enemy && state.setting.side(target) != actor.side {
        return Err(Outcome::FailedWrongParam);
    }
    let patient = state.agents.get_mut(target).ok_or(Outcome::FailedWrongParam)?;
    if patient.at != at {
        return Err(Outcome::FailedAway);
    }
    patient.health = patient.max_health;
    Ok(done)
}

fn buy(state: &mut State, actor: Actor) -> DeedResult {
    let done = ready(state, actor, MarsVerb::Buy)?;
    let team = actor.side.of_mut(&mut state.teams);
    if team.money < PRICE {
        return Err(Outcome::FailedResources);
    }
    let agent = state.agents.get_mut(actor.id).ok_or(Outcome::Failed)?;
    let item = Upgrade::parse(&agent.last.param).ok_or(Outcome::FailedWrongParam)?;
    let limit = |value: i32, by: i32| {
        let grown = value.saturating_add(by);
        if grown > ATTRIBUTE_MAX { Err(Outcome::FailedLimit) } else { Ok(grown) }
    };
    let mut bonus = 0;
    match item {
        Upgrade::Battery => {
            agent.max_energy = limit(agent.max_energy, 2)?;
            agent.max_energy_disabled = agent.max_energy_disabled.saturating_add(1);
            bonus = 2;
        }
        Upgrade::Sensor => agent.vis_range = limit(agent.vis_range, 1)?,
        Upgrade::Shield => {
            agent.max_health = limit(agent.max_health, 1)?;
            agent.health = agent.health.saturating_add(1);
        }
        Upgrade::SabotageDevice if actor.role == Role::Saboteur => {
            agent.strength = limit(agent.strength, 1)?;
        }
        Upgrade::SabotageDevice => return Err(Outcome::FailedLimit),
    }
    team.money -= PRICE;
    team.used_money += PRICE;
    Ok(done + bonus)
}
