//! Scenarios from seeds.

use crate::cast::SetupError;
use crate::fault::{Fault, FaultKind, HostileScript};
use crate::scenario::{SCENARIO_VERSION, Scenario, ScenarioStrategy};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Duration;

/// One in this many scenarios is recorded and decided again.
const RECORDED_EVERY: u64 = 8;
/// One in this many hostile scripts uses up real time.
const SLOW_SCRIPT_ODDS: u32 = 40;

/// The kinds of faults of all matches; those with files that are read have those of disks, too.
const KINDS: usize = 20;
/// All scripts of a team together take at most the turn, divided by this.
const THINK_PART: u32 = 6;
/// A turn may be much shorter than the referee's limit.
const THINK_MAX: Duration = Duration::from_millis(100);
/// The random numbers of think times: not those of faults.
const THINK_STREAM: u64 = 0x7468_696E_6B21;
/// Longest fault of the disk, in milliseconds.
const DISK_MS_MAX: u64 = 20_000;

/// What the scenarios of a game have in common.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The game.
    pub game: &'static str,
    /// Its variants.
    pub variants: &'static [&'static str],
    /// Teams of a match.
    pub teams: usize,
    /// Agents of a team.
    pub agents: u16,
    /// Steps of a match.
    pub steps: u32,
    /// One in this many scenarios is played with the shipped strategy.
    pub shipped_every: u64,
    /// The longest time of a script in milliseconds.
    pub think_ms_max: u64,
    /// Agents may leave and come back, alone or all together.
    pub is_open: bool,
}

impl Ground {
    /// The ground of a game.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn new(game: &str, steps: Option<u32>) -> Result<Self, SetupError> {
        let game = phalanx_games::game(game)?;
        let all = phalanx_games::variants(game)?;
        // A referee without a deadline waits for ever for an answer that is lost.
        let variants = if game == "mars" { all.get(..1).unwrap_or(all) } else { all };
        // The shipped strategy thinks long in some games; in others a match without it ends soon.
        let (steps, shipped_every) = match game {
            "colosseum" => (steps.unwrap_or(60), 2),
            "asimulator" => (steps.unwrap_or(60), 8),
            "bomberland" => (steps.unwrap_or(40), 64),
            _ => (steps.unwrap_or(20), 16),
        };
        let ask = crate::cast::ask_of(1, steps, variants.first().map(|it| (*it).to_owned()));
        let stage = phalanx_games::demo(game, &ask)?;
        let agents = u16::try_from(stage.agents).unwrap_or(u16::MAX);
        let is_open = matches!(game, "assemble" | "mars");
        let share = stage.turn_limit / (u32::from(agents).max(1) * THINK_PART);
        let think_ms_max = u64::try_from(share.min(THINK_MAX).as_millis()).unwrap_or_default();
        Ok(Self {
            game,
            variants,
            teams: stage.teams,
            agents,
            steps,
            shipped_every,
            think_ms_max,
            is_open,
        })
    }
}

/// The scenario of a seed: equal seeds give equal scenarios.
#[must_use]
pub fn generate(ground: &Ground, seed: u64) -> Scenario {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ mixed(ground.game));
    let variant = rng.random_range(0..ground.variants.len().max(1));
    let count = 1 + rng.random_range(0..=ground.steps / 4);
    let mut faults: Vec<_> = (0..count).map(|_| fault(ground, &mut rng)).collect();
    let killed = faults.iter().any(|fault| fault.kind == FaultKind::Kill);
    // A process that was killed continues in another file.
    let record = seed.is_multiple_of(RECORDED_EVERY) && !killed;
    // A process that is killed reads its checkpoint.
    if record || killed {
        faults.extend((0..rng.random_range(0..=2)).map(|_| disk_fault(ground, &mut rng)));
    }
    faults.sort_by_key(|fault| fault.step);
    Scenario {
        version: SCENARIO_VERSION,
        game: ground.game.to_owned(),
        variant: ground.variants.get(variant).map(|variant| (*variant).to_owned()),
        steps: ground.steps,
        seed,
        strategy: if seed.is_multiple_of(ground.shipped_every) {
            ScenarioStrategy::Shipped
        } else {
            ScenarioStrategy::Steady
        },
        record,
        think_ms: think_ms(ground, seed),
        faults,
        often: Vec::new(),
    }
}

/// In half of the scenarios, scripts take no time.
fn think_ms(ground: &Ground, seed: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ mixed(ground.game) ^ THINK_STREAM);
    let time = rng.random_range(0..=ground.think_ms_max);
    if rng.random_bool(0.5) { time } else { 0 }
}

/// A number of a name, so that the games do not get the same faults.
fn mixed(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

fn fault(ground: &Ground, rng: &mut ChaCha8Rng) -> Fault {
    let leaves = |kind| matches!(kind, FaultKind::Stop | FaultKind::Move | FaultKind::Remove);
    let kind = match kind(rng) {
        kind if leaves(kind) && !ground.is_open => FaultKind::Command,
        kind => kind,
    };
    let (ms, bytes, seed) = kind.takes();
    let script = (kind == FaultKind::Script).then(|| script(rng));
    Fault {
        step: rng.random_range(1..=ground.steps),
        team: if ground.teams > 1 && rng.random_ratio(1, 4) { "B" } else { "A" }.to_owned(),
        agent: rng.random_range(1..=ground.agents.max(1)),
        kind,
        ms: ms.then(|| millis(rng)),
        bytes: bytes.then(|| rng.random_range(1..=200)),
        seed: seed.then(|| rng.random()),
        script,
    }
}

/// Network faults are the most frequent ones, wrong content above all.
fn kind(rng: &mut ChaCha8Rng) -> FaultKind {
    if rng.random_ratio(1, 4) {
        return FaultKind::Wrong;
    }
    // Operators give many kinds of commands, so they are drawn three times as often as others.
    match rng.random_range(0..KINDS + 2) {
        14 | 15 => FaultKind::Command,
        index => {
            let index = if index > 15 { index - 2 } else { index };
            FaultKind::ALL.get(index).copied().unwrap_or(FaultKind::Delay)
        }
    }
}

/// A fault of the disk with recording and checkpoints.
fn disk_fault(ground: &Ground, rng: &mut ChaCha8Rng) -> Fault {
    let kinds = FaultKind::ALL.get(KINDS..).unwrap_or_default();
    let kind = kinds.get(rng.random_range(0..kinds.len().max(1)));
    let kind = kind.copied().unwrap_or(FaultKind::DiskFull);
    let (ms, bytes, _) = kind.takes();
    Fault {
        step: rng.random_range(1..=ground.steps),
        team: "A".to_owned(),
        agent: 1,
        kind,
        ms: ms.then(|| rng.random_range(200..=DISK_MS_MAX)),
        bytes: bytes.then(|| rng.random_range(1..=60_000)),
        seed: None,
        script: None,
    }
}

fn script(rng: &mut ChaCha8Rng) -> HostileScript {
    if rng.random_ratio(1, SLOW_SCRIPT_ODDS) {
        return HostileScript::Endless;
    }
    let fast = HostileScript::ALL.len() - 2;
    HostileScript::ALL.get(rng.random_range(0..fast)).copied().unwrap_or(HostileScript::Throws)
}

/// Short and long times, around the limits of turns.
fn millis(rng: &mut ChaCha8Rng) -> u64 {
    match rng.random_range(0..4) {
        0 => rng.random_range(1..=200),
        1 => rng.random_range(200..=2_000),
        2 => rng.random_range(2_000..=6_000),
        _ => rng.random_range(6_000..=30_000),
    }
}
