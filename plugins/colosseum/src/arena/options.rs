//! What is played, and how strictly.

use crate::percept::MatchConfig;
use crate::rules::catcher::{CatcherRules, Fairness};
use serde_json::{Map, Value};
use std::time::Duration;

/// One of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameName {
    /// The main game.
    #[default]
    FoodCatcher,
    /// The same, everybody in a world of its own.
    CherryPicker,
    /// Snakes on a grid.
    Snake,
    /// For two.
    Chess,
}

impl GameName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::FoodCatcher, Self::CherryPicker, Self::Snake, Self::Chess];

    /// Its name on command lines and in `config`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::FoodCatcher => "food_catcher",
            Self::CherryPicker => "cherry_picker",
            Self::Snake => "snake",
            Self::Chess => "chess",
        }
    }

    /// The game of that name; the original's tournament calls chess `chess_game`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = if word == "chess_game" { "chess" } else { word };
        Self::ALL.into_iter().find(|game| game.word() == word)
    }

    /// How many agents can play it at once.
    #[must_use]
    pub fn seats(self) -> std::ops::RangeInclusive<usize> {
        match self {
            Self::FoodCatcher => 1..=4,
            Self::CherryPicker | Self::Snake => 1..=64,
            Self::Chess => 2..=2,
        }
    }

    /// Ticks of a whole match; 0 where only the rules end it.
    #[must_use]
    pub fn epochs(self) -> u32 {
        match self {
            Self::FoodCatcher | Self::CherryPicker => 10_000,
            Self::Snake => 1000,
            Self::Chess => 0,
        }
    }

    /// Seconds a step and seconds of overtime in all, as the original compares them.
    #[must_use]
    pub fn limits(self) -> (u32, u32) {
        match self {
            Self::FoodCatcher | Self::CherryPicker => (200, 2000),
            Self::Snake => (2000, 20_000),
            Self::Chess => (2, 20),
        }
    }

    /// The `config` object as the original prints it.
    #[must_use]
    pub fn config(self, epochs: u32) -> String {
        let (limit, pool) = self.limits();
        let name = self.word();
        let mode = match self {
            Self::FoodCatcher | Self::Snake => "SIMULTANEOUS",
            Self::CherryPicker => "ISOLATED",
            Self::Chess => "ALTERNATING",
        };
        let middle = match self {
            Self::FoodCatcher | Self::CherryPicker => {
                let (grid, sources) = if self == Self::FoodCatcher { (40, 10) } else { (75, 15) };
                format!(
                    "\"grid_width\": {grid}, \"grid_height\": {grid}, \
                     \"max_food_sources\": {sources}, \"take_food_max_distance\": 1, \
                     \"deposit_food_max_distance\": 0.15, \"actor_radius\": 0.45, \
                     \"attack_range\": 5, \"take_food_speed\": 5, \"spawn_actor_cost\": 100, \
                     \"make_base_cost\": 500, \"base_spawn_border_offset\": 0.15, \
                     \"n_epochs\": {epochs}, \"actor_speed\": 1, \"actor_damage\": 5, \
                     \"actor_max_health\": 50, "
                )
            }
            Self::Snake => format!(
                "\"grid_width\": 10, \"grid_height\": 10, \"food_sources_to_spawn\": 5, \
                 \"min_food_sources\": 1, \"n_epochs\": {epochs}, "
            ),
            Self::Chess => "\"n_epochs\": -1, ".to_owned(),
        };
        format!(
            "{{\"game_name\": \"{name}\", \"update_mode\": \"{mode}\", {middle}\
             \"step_time_limit\": {limit}, \"step_limit_pool\": {pool}}}"
        )
    }

    /// The numbers of food_catcher and cherry_picker.
    #[must_use]
    pub fn rules(self) -> CatcherRules {
        let read: Map<String, Value> =
            serde_json::from_str(&self.config(self.epochs())).unwrap_or_default();
        MatchConfig::read(&read).rules
    }
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One match of all players.
    Skirmish,
    /// Every pair once in each of these rounds.
    RoundRobin(u32),
}

/// How a referee is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaOptions {
    pub game: GameName,
    /// Who meets whom.
    pub mode: Mode,
    /// The players' names, in their order: a tournament's table and its matches go by it.
    pub players: Vec<String>,
    /// The players' executables, as results name them; by their names where this is shorter.
    pub paths: Vec<String>,
    /// The seed of all chance.
    pub seed: u64,
    /// Ticks of a match, where they are not the game's own.
    pub epochs: Option<u32>,
    /// Whether rules are enforced that the original leaves open.
    pub fairness: Fairness,
    /// How long a reply may take at all.
    pub message_limit: Duration,
    /// How long a step may take before it counts as overtime, and overtime in all; `None` for the
    /// original's numbers, which are seldom reached.
    pub step_limits: Option<(Duration, Duration)>,
    /// Shortest time of a tick, for people who watch.
    pub pace: Duration,
    /// Whether replay files are made.
    pub replays: bool,
}

impl Default for ArenaOptions {
    fn default() -> Self {
        Self {
            game: GameName::FoodCatcher,
            mode: Mode::Skirmish,
            players: vec!["1".to_owned(), "2".to_owned()],
            paths: Vec::new(),
            seed: 1,
            epochs: None,
            fairness: Fairness::Loose,
            message_limit: Duration::from_secs(5),
            step_limits: None,
            pace: Duration::ZERO,
            replays: true,
        }
    }
}

impl ArenaOptions {
    /// The rules as the documents mean them: own units, one action each, 200 ms a step (2 seconds
    /// in the slow games) with ten times that of overtime.
    #[must_use]
    pub fn strict(self) -> Self {
        let step = match self.game {
            GameName::FoodCatcher | GameName::CherryPicker => Duration::from_millis(200),
            GameName::Snake | GameName::Chess => Duration::from_secs(2),
        };
        Self { fairness: Fairness::Strict, step_limits: Some((step, step * 10)), ..self }
    }

    /// Ticks of a match.
    #[must_use]
    pub fn epochs(&self) -> u32 {
        self.epochs.unwrap_or_else(|| self.game.epochs())
    }

    /// A step's limit, and the overtime in all.
    #[must_use]
    pub fn limits(&self) -> (Duration, Duration) {
        let (limit, pool) = self.game.limits();
        let original = (Duration::from_secs(limit.into()), Duration::from_secs(pool.into()));
        self.step_limits.unwrap_or(original)
    }
}
