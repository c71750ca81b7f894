//! Files for people and programs: states, results, the table of a tournament (spec, sections 10
//! and 13).

use super::config::ArenaConfig;
use crate::rules::{MatchSide, State};
use phalanx_game::sorted::Order;
use phalanx_massim::ClientConduct;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Longest record of a simulation, in bytes; further states are left out.
const LOG_BYTES_MAX: usize = 256 << 20;

/// All states of a simulation as lines of JSON. The first line has the map: `vertices` (name:
/// value, x, y), `edges` (ends and weight), `agents` (name: team, role). Each further line is a
/// state, the one before the first step included: `step`, `agents` (name: node, health, maxHealth,
/// energy, maxEnergy, maxEnergyDisabled, strength, visRange, lastAction, lastActionParam,
/// lastActionResult), `dom` (team: its vertices) and `teams`.
#[derive(Clone, Debug, Default)]
pub struct StateLog(String);

impl StateLog {
    /// A record that begins with this state.
    #[must_use]
    pub fn new(state: &State) -> Self {
        let mut log = Self::default();
        log.line(&map(state));
        log.push(state);
        log
    }

    /// Adds a state.
    pub fn push(&mut self, state: &State) {
        if self.0.len() < LOG_BYTES_MAX {
            self.line(&moment(state));
        }
    }

    fn line(&mut self, value: &Value) {
        self.0.push_str(&value.to_string());
        self.0.push('\n');
    }

    /// The whole record.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

fn object<K: Into<String>>(pairs: impl Iterator<Item = (K, Value)>) -> Value {
    Value::Object(pairs.map(|(key, value)| (key.into(), value)).collect::<Map<_, _>>())
}

fn map(state: &State) -> Value {
    let setting = &state.setting;
    let vertices = setting.map.vertices().iter();
    let vertices = vertices.map(|v| (v.name.as_str(), json!([v.value, v.at.0, v.at.1])));
    let name = |vertex| setting.map.name(vertex);
    let edges = setting.map.edges().iter();
    let edges = edges.map(|edge| json!([name(edge.a), name(edge.b), edge.weight]));
    let people = setting.people.iter();
    let people = people
        .map(|one| (one.name.as_str(), json!([one.side.of(&setting.teams), one.role.word()])));
    json!({
        "vertices": object(vertices),
        "edges": edges.collect::<Vec<_>>(),
        "agents": object(people),
    })
}

fn moment(state: &State) -> Value {
    let setting = &state.setting;
    let agents = setting.people.iter().zip(&state.agents).map(|(person, agent)| {
        let fields = json!([
            setting.map.name(agent.at),
            agent.health,
            agent.max_health,
            agent.energy,
            agent.max_energy,
            agent.max_energy_disabled,
            agent.strength,
            agent.vis_range,
            agent.last.said,
            if state.step == 0 { "" } else { &agent.last.param },
            agent.outcome.word(),
        ]);
        (person.name.as_str(), fields)
    });
    let own = |side: MatchSide| {
        let own = (0u32..).zip(&state.owners).filter(move |(_, owner)| **owner == Some(side));
        own.map(|(vertex, _)| setting.map.name(vertex)).collect::<Vec<_>>()
    };
    let owners = MatchSide::BOTH.into_iter().filter(|side| !own(*side).is_empty());
    let owners = owners.map(|side| (side.of(&setting.teams).as_str(), json!(own(side))));
    let teams = MatchSide::BOTH
        .into_iter()
        .map(|side| (side.of(&setting.teams).as_str(), team(state, side)));
    json!({
        "step": state.step,
        "agents": object(agents),
        "dom": object(owners),
        "teams": object(teams),
    })
}

fn team(state: &State, side: MatchSide) -> Value {
    let team = side.of(&state.teams);
    let probed = (0u32..).zip(&team.probed).filter(|(_, probed)| **probed);
    let probed: Vec<&str> = probed.map(|(vertex, _)| state.setting.map.name(vertex)).collect();
    json!({
        "score": team.score,
        "stepScore": team.step_score,
        "zonesScore": team.zones_score,
        "money": team.money,
        "usedMoney": team.used_money,
        "achievements": team.achievements.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "probed": probed,
    })
}

/// Who won a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// The team that is listed first won.
    First,
    /// The other one did.
    Second,
    /// Neither did.
    Draw,
}

/// A simulation that has been played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedSimulation {
    /// Who played, by their places in the file.
    pub teams: [usize; 2],
    /// The seed.
    pub seed: i64,
    /// Steps played.
    pub steps: u32,
    /// Vertices of the map.
    pub vertices: usize,
    /// Begin, in milliseconds since the Unix epoch.
    pub start_ms: u64,
    /// End, in milliseconds since the Unix epoch.
    pub end_ms: u64,
    /// Scores.
    pub scores: [i64; 2],
    /// Money at the end.
    pub money: [i64; 2],
    pub winner: Winner,
}

/// A row of a tournament's table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableRow {
    /// The team's place in the file.
    pub team: usize,
    /// Points.
    pub points: i64,
    /// Sum of its scores.
    pub score: i64,
    /// Sum of its opponents' scores.
    pub against: i64,
    /// Simulations won, drawn and lost.
    pub record: [u32; 3],
}

/// The table of a tournament: by points, then by score, then as in the file (section 10).
#[must_use]
pub fn table(config: &ArenaConfig, played: &[PlayedSimulation]) -> Vec<TableRow> {
    let mut rows: Vec<TableRow> =
        (0..config.teams.len()).map(|team| TableRow { team, ..TableRow::default() }).collect();
    let [win, draw] = config.points;
    for one in played {
        let [a, b] = one.scores;
        let [first, second] = one.teams;
        for (team, own, other, victory) in
            [(first, a, b, Winner::First), (second, b, a, Winner::Second)]
        {
            let Some(row) = rows.get_mut(team) else { continue };
            row.score = row.score.saturating_add(own);
            row.against = row.against.saturating_add(other);
            let (points, [won, drawn, lost]) = (&mut row.points, &mut row.record);
            if one.winner == victory {
                *points = points.saturating_add(win);
                *won += 1;
            } else if one.winner == Winner::Draw {
                *points = points.saturating_add(draw);
                *drawn += 1;
            } else {
                *lost += 1;
            }
        }
    }
    rows.order_by_key(|row| std::cmp::Reverse((row.points, row.score)));
    rows
}

fn name(config: &ArenaConfig, team: usize) -> &str {
    config.teams.get(team).map(|team| team.name.as_str()).unwrap_or_default()
}

/// The results so far as JSON: `simulations`, `table`, and `accounts` with what they did wrong.
#[must_use]
pub fn results(
    config: &ArenaConfig,
    played: &[PlayedSimulation],
    accounts: &[(&str, ClientConduct)],
) -> Vec<u8> {
    let per_match = config.sims.len().max(1);
    let simulation = |(index, one): (usize, &PlayedSimulation)| {
        let [a, b] = one.teams.map(|team| name(config, team));
        let [score_a, score_b] = one.scores;
        let [money_a, money_b] = one.money;
        json!({
            "match": index / per_match + 1,
            "simulation": index % per_match + 1,
            "start": one.start_ms,
            "end": one.end_ms,
            "seed": one.seed,
            "steps": one.steps,
            "vertices": one.vertices,
            "scores": object([(a, json!(score_a)), (b, json!(score_b))].into_iter()),
            "money": object([(a, json!(money_a)), (b, json!(money_b))].into_iter()),
            "winner": match one.winner {
                Winner::First => json!(a),
                Winner::Second => json!(b),
                Winner::Draw => Value::Null,
            },
        })
    };
    let row = |row: &TableRow| {
        let [won, drawn, lost] = row.record;
        json!({
            "team": name(config, row.team),
            "points": row.points,
            "score": row.score,
            "against": row.against,
            "won": won,
            "drawn": drawn,
            "lost": lost,
        })
    };
    let account = |(name, conduct): &(&str, ClientConduct)| {
        let counts = json!({
            "malformed": conduct.malformed,
            "late": conduct.late,
            "unknownIds": conduct.unknown_ids,
            "silent": conduct.silent,
        });
        ((*name).to_owned(), counts)
    };
    let all = json!({
        "simulations": played.iter().enumerate().map(simulation).collect::<Vec<_>>(),
        "table": table(config, played).iter().map(row).collect::<Vec<_>>(),
        "accounts": object(accounts.iter().map(account)),
    });
    format!("{all:#}\n").into_bytes()
}

/// The results so far for people.
#[must_use]
pub fn summary(config: &ArenaConfig, played: &[PlayedSimulation]) -> String {
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        writeln!(text, "{line}").unwrap_or_default();
    };
    if played.is_empty() {
        return text;
    }
    for one in played {
        let [a, b] = one.teams.map(|team| name(config, team));
        let [score_a, score_b] = one.scores;
        line(format_args!("{a} : {b}  {score_a} : {score_b}  (seed {})", one.seed));
    }
    for (place, row) in (1..).zip(table(config, played)) {
        let name = name(config, row.team);
        let TableRow { points, score, against, .. } = row;
        line(format_args!("{place}. {name}  {points} points  {score} : {against}"));
    }
    text
}
