//! What the agent has, and what it could do next.

use crate::rules::OpeningRules;
use crate::world::plan::Choice;
use phalanx_game::{Place, Row, Table, Tone};

/// Most options that are shown, the best first.
const OPTIONS_SHOWN: usize = 10;

/// What an agent has in a simulation, in its belief or in truth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) score: i32,
    pub(crate) cost: u32,
    /// Shots left; `None` without limit.
    pub(crate) ammunition: Option<u16>,
    /// Things on the map.
    pub(crate) items: usize,
    pub(crate) homes: usize,
    pub(crate) enemies: usize,
}

impl Account {
    pub(crate) fn table(self, rules: &OpeningRules) -> Table {
        let shots = rules.ammunition.map(|ammunition| ammunition.capacity.to_string());
        let limit = |limit: Option<String>| limit.unwrap_or_default();
        let left = self.ammunition.map_or("any".to_owned(), |left| left.to_string());
        let rows = [
            ("score", self.score.to_string(), limit(rules.score_limit.map(|it| it.to_string()))),
            ("cost", self.cost.to_string(), limit(rules.cost_limit.map(|it| it.to_string()))),
            ("shots", left, limit(shots)),
            ("items on the map", self.items.to_string(), String::new()),
            ("enemies on the map", self.enemies.to_string(), String::new()),
            ("homes on the map", self.homes.to_string(), String::new()),
        ];
        let rows = rows.map(|(what, now, most)| Row::new(Tone::Ours, [what.to_owned(), now, most]));
        Table::new("account", &[("what", ""), ("now", ""), ("limit", "")]).with_rows(rows)
    }

    /// What a body carries.
    pub(crate) fn carrying(self) -> String {
        match self.ammunition {
            Some(1) => "1 shot".to_owned(),
            Some(shots) => format!("{shots} shots"),
            None => String::new(),
        }
    }
}

/// What the agent could do next, the best first.
pub(super) fn options(choices: &[Choice]) -> Table {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let rows = choices.iter().take(OPTIONS_SHOWN).map(|choice| {
        let tone = if choice.value > 0.0 { Tone::Goal } else { Tone::Other };
        let cells = [
            choice.purpose.word().to_owned(),
            format!("{:.1}", choice.value),
            format!("{:.1}", choice.gain),
            choice.cost.to_string(),
            percent(choice.death),
        ];
        Row::new(tone, cells).at(super::PART, Place::Cell(choice.at.x, choice.at.y))
    });
    let columns =
        [("option", ""), ("value", "points"), ("gain", "points"), ("cost", ""), ("death", "%")];
    Table::new("options", &columns).with_rows(rows)
}
