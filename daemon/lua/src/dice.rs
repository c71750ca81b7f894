//! Randomness of scripts: from the match's seed, the agent and the turn, and nothing else.

use phalanx_game::{AgentId, Turn};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The random numbers of one call into a script.
#[derive(Debug)]
pub(crate) struct ScriptRng(ChaCha8Rng);

/// Which call it is: each has numbers of its own, whatever the others drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPhase {
    Load,
    Start,
    Plan,
    Decide,
    Finish,
    /// An operator's piece of script.
    Run,
}

impl CallPhase {
    /// The function that it calls.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Start => "start",
            Self::Plan => "plan",
            Self::Decide => "decide",
            Self::Finish => "finish",
            Self::Run => "run",
        }
    }
}

impl ScriptRng {
    pub(crate) fn new(seed: u64, phase: CallPhase, agent: Option<AgentId>, turn: Turn) -> Self {
        let mut key = [0_u8; 32];
        let agent = agent.map_or(u16::MAX, |agent| agent.0);
        let phase = match phase {
            CallPhase::Load => 0_u8,
            CallPhase::Start => 1,
            CallPhase::Plan => 2,
            CallPhase::Decide => 3,
            CallPhase::Finish => 4,
            CallPhase::Run => 5,
        };
        let parts = seed
            .to_le_bytes()
            .into_iter()
            .chain(turn.round.to_le_bytes())
            .chain(turn.step.to_le_bytes())
            .chain(agent.to_le_bytes())
            .chain([phase]);
        for (slot, byte) in key.iter_mut().zip(parts) {
            *slot = byte;
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// From 0 up to but not including 1, in steps of 2⁻⁵³.
    pub(crate) fn float(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
        let bits = (self.0.next_u64() >> 11) as f64;
        bits / (1_u64 << 53) as f64
    }

    /// A whole number from `low` to `high`, both included; `low <= high`.
    pub(crate) fn int(&mut self, low: i64, high: i64) -> i64 {
        let span = u128::from(high.abs_diff(low)) + 1;
        // The multiplication keeps the bias below span / 2⁶⁴ and gives the same on every machine.
        let offset = ((u128::from(self.0.next_u64()) * span) >> 64) as u64;
        low.wrapping_add_unsigned(offset)
    }
}
