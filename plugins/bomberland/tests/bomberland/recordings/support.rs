//! Reading recordings.

use phalanx_bomberland::arena::ArenaConfig;
use phalanx_testkit::traces;
use serde_json::Value;

/// One line of a recording.
pub(crate) struct Line {
    /// The place in the file.
    pub(crate) number: usize,
    pub(crate) conn: String,
    /// Connection counter of the recorder.
    pub(crate) cid: u64,
    pub(crate) dir: String,
    pub(crate) raw: String,
}

impl Line {
    /// The frame as JSON; null when it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.raw).unwrap_or_default()
    }

    pub(crate) fn is(&self, conn: &str, dir: &str) -> bool {
        self.conn == conn && self.dir == dir
    }
}

/// A recorded match: file, seeds, variables, last tick of each game.
pub(crate) struct Recording {
    pub(crate) file: &'static str,
    pub(crate) seeds: (u64, u64),
    pub(crate) variables: &'static str,
    pub(crate) last_ticks: &'static [i64],
}

const OLD: &str = "INITIAL_AMMUNITION=3 BOMB_DURATION_TICKS=40 BLAST_DURATION_TICKS=10 GAME_DURATION_TICKS=300 ENTITY_SPAWN_PROBABILITY_PER_TICK=0.025 AMMO_SPAWN_WEIGHTING=0.9 BLAST_POWERUP_SPAWN_WEIGHTING=0.1 FREEZE_POWERUP_SPAWN_WEIGHTING=0 OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY=0 MAXIMUM_CONCURRENT_BOMBS=9 ORE_BLOCK_FREQUENCY=0.0617283950617284 STEEL_BLOCK_FREQUENCY=0.2222222222222222 WOOD_BLOCK_FREQUENCY=0.2469135802469136";

pub(crate) const RECORDINGS: &[Recording] = &[
    recording("01_realtime_w1234_p1234_random_random", (1234, 1234), "", &[113]),
    recording("02_realtime_w2024_p77_rules_rules", (2024, 77), "", &[249]),
    recording("03_step_w77_p78_rules_rules", (77, 78), "", &[398]),
    recording("04_forward_w31_p32_oneply_rules", (31, 32), "", &[225]),
    recording("05_reset_w5-7_p6-8_random_random", (5, 6), "", &[64, 118, 54]),
    recording("06_step_w723470_p615035_old_defaults", (723_470, 615_035), OLD, &[756]),
    recording("07_step_w9_p10_idle_idle", (9, 10), "", &[506]),
];

const fn recording(
    file: &'static str,
    seeds: (u64, u64),
    variables: &'static str,
    last_ticks: &'static [i64],
) -> Recording {
    Recording { file, seeds, variables, last_ticks }
}

impl Recording {
    pub(crate) fn lines(&self) -> Option<Vec<Line>> {
        lines(self.file)
    }

    /// The configuration, in training mode, so that a test steps the ticks.
    pub(crate) fn config(&self) -> ArenaConfig {
        let seeds = format!(
            "WORLD_SEED={} PRNG_SEED={} TRAINING_MODE_ENABLED=1",
            self.seeds.0, self.seeds.1
        );
        let text = format!("{seeds} {}", self.variables).replace(' ', "\n");
        ArenaConfig::parse(&text).unwrap()
    }
}

/// All lines of a recording.
pub(crate) fn lines(file: &str) -> Option<Vec<Line>> {
    let bytes = traces::bytes(&format!("bomberland/{file}.jsonl.gz"))?;
    let text = String::from_utf8(bytes).unwrap();
    let line = |(number, line): (usize, &str)| {
        let json: Value = serde_json::from_str(line).unwrap();
        Line {
            number,
            conn: json["conn"].as_str().unwrap().to_owned(),
            cid: json["cid"].as_u64().unwrap(),
            dir: json["dir"].as_str().unwrap().to_owned(),
            raw: json["raw"].as_str().unwrap_or_default().to_owned(),
        }
    };
    Some(text.lines().enumerate().map(line).collect())
}

/// A packet without what is by chance.
pub(crate) fn without_ids(mut packet: Value) -> Value {
    if let Some(payload) = packet["payload"].as_object_mut() {
        payload.remove("game_id");
        if let Some(initial) = payload.get_mut("initial_state").and_then(Value::as_object_mut) {
            initial.remove("game_id");
        }
    }
    packet
}
