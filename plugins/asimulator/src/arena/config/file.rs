//! The file's keys, as they stand, over a preset.

use super::{ArenaConfig, ConfigError};
use crate::rules::{
    Ammunition, BoundsMean, FeatureRule, Heading, Neighbourhood, Preset, ScoreLimitMode, Shortage,
    StartTile, TemplateKind, TileTemplate, WorldClass,
};
use crate::wire::{BitOrder, PlainDanger, Revision, YAxis};
use serde::Deserialize;
use std::net::SocketAddr;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    arena: Games,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Games {
    asimulator: Keys,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    preset: Option<String>,
    bind: Option<SocketAddr>,
    protocol_revision: Option<RevisionKey>,
    bit_order: Option<BitOrderKey>,
    y_axis: Option<YAxisKey>,
    neighbourhood: Option<u8>,
    bounds_mean: Option<BoundsMeanKey>,
    known_plain_danger: Option<PlainDangerKey>,
    score_limit_mode: Option<ScoreLimitModeKey>,
    simulations: Option<u32>,
    clients: Option<usize>,
    seed: Option<u64>,
    max_actions: Option<u64>,
    turn_timeout_ms: Option<u64>,
    handshake_timeout_ms: Option<u64>,
    strict_client: Option<bool>,
    #[serde(default)]
    world: WorldKeys,
    #[serde(default)]
    rules: RuleKeys,
}

/// An enumeration of words in the file and what they mean.
macro_rules! words {
    ($key:ident => $meaning:ident { $($word:ident),+ }) => {
        #[derive(Clone, Copy, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum $key { $($word),+ }
        impl From<$key> for $meaning {
            fn from(key: $key) -> Self {
                match key { $($key::$word => Self::$word),+ }
            }
        }
    };
}

words!(RevisionKey => Revision { R1, R2 });
words!(BitOrderKey => BitOrder { LsbFirst, MsbFirst });
words!(YAxisKey => YAxis { North, South });
words!(BoundsMeanKey => BoundsMean { Border, Interior });
words!(PlainDangerKey => PlainDanger { Mark, Omit });
words!(ScoreLimitModeKey => ScoreLimitMode { Upper, Lower });
words!(ShortageKey => Shortage { Error, Clamp });
words!(KindKey => TemplateKind { Clear, Wall, Danger, Random });
words!(FixedKey => FeatureRule { No, Yes, Random });
words!(HeadingKey => Heading { East, North, West, South });

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WorldKeys {
    interior: Option<[u16; 2]>,
    wall_probability: Option<f64>,
    danger_probability: Option<f64>,
    home_probability: Option<f64>,
    item_probability: Option<f64>,
    enemy_probability: Option<f64>,
    know_probability: Option<f64>,
    random_clears: Option<u16>,
    random_walls: Option<u16>,
    random_dangers: Option<u16>,
    random_homes: Option<u16>,
    random_items: Option<u16>,
    random_enemies: Option<u16>,
    random_knows: Option<u16>,
    border_known: Option<bool>,
    start: Option<StartKeys>,
    random_start: Option<bool>,
    start_home: Option<bool>,
    on_shortage: Option<ShortageKey>,
    require_reachable_items: Option<u16>,
    tiles: Option<Vec<TileKeys>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartKeys {
    x: u16,
    y: u16,
    direction: Option<HeadingKey>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TileKeys {
    x: u16,
    y: u16,
    r#type: Option<KindKey>,
    home: Option<FixedKey>,
    item: Option<FixedKey>,
    enemy: Option<FixedKey>,
    known: Option<FixedKey>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RuleKeys {
    lower_x_bound_is_known: Option<bool>,
    upper_x_bound_is_known: Option<bool>,
    lower_y_bound_is_known: Option<bool>,
    upper_y_bound_is_known: Option<bool>,
    number_of_homes_is_known: Option<bool>,
    number_of_items_is_known: Option<bool>,
    number_of_enemies_is_known: Option<bool>,
    number_of_dangers_is_known: Option<bool>,
    can_recharge_ammunition_at_home: Option<bool>,
    neutralized_enemy_becomes_item: Option<bool>,
    neutralization_stops_at_first_enemy: Option<bool>,
    neutralization_range: Option<u8>,
    move_cost: Option<u16>,
    turn_left_cost: Option<u16>,
    turn_right_cost: Option<u16>,
    turn_cost: Option<u16>,
    grab_cost: Option<u16>,
    neutralize_cost: Option<u16>,
    item_reward: Option<u16>,
    neutralize_reward: Option<u16>,
    home_reward: Option<u16>,
    initial_cost: Option<u32>,
    initial_score: Option<i32>,
    ammunition_limit: Option<u16>,
    initial_ammunition: Option<u16>,
    unlimited_ammunition: Option<bool>,
    cost_limit: Option<u32>,
    score_limit: Option<i32>,
}

pub(super) fn parse(text: &str) -> Result<ArenaConfig, ConfigError> {
    let file: File = toml::from_str(text)
        .map_err(|error| ConfigError::one(error.to_string().trim_end().to_owned()))?;
    let keys = file.arena.asimulator;
    let mut config = match keys.preset.as_deref() {
        None => blank(),
        Some(word) => ArenaConfig::preset(Preset::parse(word).ok_or_else(|| unknown(word))?),
    };
    put(&mut config.bind, keys.bind);
    put(&mut config.dialect.revision, keys.protocol_revision);
    put(&mut config.dialect.bits, keys.bit_order);
    put(&mut config.dialect.y_axis, keys.y_axis);
    put(&mut config.bounds_mean, keys.bounds_mean);
    put(&mut config.plain_danger, keys.known_plain_danger);
    put(&mut config.terms.score_limit, keys.score_limit_mode);
    put(&mut config.simulations, keys.simulations);
    put(&mut config.clients, keys.clients);
    put(&mut config.seed, keys.seed);
    put(&mut config.max_actions, keys.max_actions);
    put(&mut config.strict_client, keys.strict_client);
    put(&mut config.handshake_timeout, keys.handshake_timeout_ms.map(Duration::from_millis));
    if let Some(limit) = keys.turn_timeout_ms {
        config.turn_timeout = (limit > 0).then(|| Duration::from_millis(limit));
    }
    config.terms.neighbourhood = match keys.neighbourhood {
        None => config.terms.neighbourhood,
        Some(4) => Neighbourhood::Four,
        Some(8) => Neighbourhood::Eight,
        Some(other) => {
            return Err(ConfigError::one(format!("neighbourhood: 4 or 8, not {other}")));
        }
    };
    world(&mut config.class, keys.world);
    rules(&mut config.class, &keys.rules);
    Ok(config)
}

/// Without a preset the worlds are empty and nothing costs or earns anything.
fn blank() -> ArenaConfig {
    ArenaConfig { class: WorldClass::default(), ..ArenaConfig::preset(Preset::Wumpus4x4) }
}

fn unknown(word: &str) -> ConfigError {
    let all: Vec<&str> = Preset::ALL.into_iter().map(Preset::word).collect();
    let got = phalanx_game::excerpt(word.as_bytes());
    ConfigError::one(format!("preset: one of {}, not {got:?}", all.join(", ")))
}

fn put<T, K: Into<T>>(slot: &mut T, key: Option<K>) {
    if let Some(key) = key {
        *slot = key.into();
    }
}

fn world(class: &mut WorldClass, keys: WorldKeys) {
    if let Some([columns, rows]) = keys.interior {
        (class.columns, class.rows) = (columns, rows);
    }
    let shares = &mut class.shares;
    put(&mut shares.wall, keys.wall_probability);
    put(&mut shares.danger, keys.danger_probability);
    put(&mut shares.home, keys.home_probability);
    put(&mut shares.item, keys.item_probability);
    put(&mut shares.enemy, keys.enemy_probability);
    put(&mut shares.known, keys.know_probability);
    let exact = &mut class.exact;
    put(&mut exact.clears, keys.random_clears);
    put(&mut exact.walls, keys.random_walls);
    put(&mut exact.dangers, keys.random_dangers);
    put(&mut exact.homes, keys.random_homes);
    put(&mut exact.items, keys.random_items);
    put(&mut exact.enemies, keys.random_enemies);
    put(&mut exact.known, keys.random_knows);
    put(&mut class.border_known, keys.border_known);
    put(&mut class.start_home, keys.start_home);
    put(&mut class.shortage, keys.on_shortage);
    put(&mut class.reachable_items, keys.require_reachable_items);
    if keys.random_start == Some(true) {
        class.start = None;
    }
    if let Some(StartKeys { x, y, direction }) = keys.start {
        class.start = Some(StartTile { x, y, heading: direction.map(Heading::from) });
    }
    if let Some(tiles) = keys.tiles {
        class.tiles = tiles.into_iter().map(|tile| ((tile.x, tile.y), template(&tile))).collect();
    }
}

fn template(tile: &TileKeys) -> TileTemplate {
    let mut template = TileTemplate::default();
    put(&mut template.kind, tile.r#type);
    put(&mut template.home, tile.home);
    put(&mut template.item, tile.item);
    put(&mut template.enemy, tile.enemy);
    put(&mut template.known, tile.known);
    template
}

fn rules(class: &mut WorldClass, keys: &RuleKeys) {
    let announced = &mut class.announced;
    put(&mut announced.lower_x, keys.lower_x_bound_is_known);
    put(&mut announced.upper_x, keys.upper_x_bound_is_known);
    put(&mut announced.lower_y, keys.lower_y_bound_is_known);
    put(&mut announced.upper_y, keys.upper_y_bound_is_known);
    put(&mut announced.homes, keys.number_of_homes_is_known);
    put(&mut announced.items, keys.number_of_items_is_known);
    put(&mut announced.enemies, keys.number_of_enemies_is_known);
    put(&mut announced.dangers, keys.number_of_dangers_is_known);
    let rules = &mut class.rules;
    put(&mut rules.recharge, keys.can_recharge_ammunition_at_home);
    put(&mut rules.becomes_item, keys.neutralized_enemy_becomes_item);
    put(&mut rules.stops_at_first, keys.neutralization_stops_at_first_enemy);
    put(&mut rules.range, keys.neutralization_range);
    put(&mut rules.costs.advance, keys.move_cost);
    put(&mut rules.costs.left, keys.turn_left_cost.or(keys.turn_cost));
    put(&mut rules.costs.right, keys.turn_right_cost.or(keys.turn_cost));
    put(&mut rules.costs.grab, keys.grab_cost);
    put(&mut rules.costs.neutralize, keys.neutralize_cost);
    put(&mut rules.item_reward, keys.item_reward);
    put(&mut rules.neutralize_reward, keys.neutralize_reward);
    put(&mut rules.home_reward, keys.home_reward);
    put(&mut rules.initial_cost, keys.initial_cost);
    put(&mut rules.initial_score, keys.initial_score);
    put(&mut rules.cost_limit, keys.cost_limit);
    put(&mut rules.score_limit, keys.score_limit);
    if keys.unlimited_ammunition == Some(true) {
        rules.ammunition = None;
    }
    if keys.ammunition_limit.is_some() || keys.initial_ammunition.is_some() {
        let capacity = keys.ammunition_limit.or(keys.initial_ammunition).unwrap_or_default();
        let initial = keys.initial_ammunition.unwrap_or(capacity);
        rules.ammunition = Some(Ammunition { capacity, initial });
    }
}
