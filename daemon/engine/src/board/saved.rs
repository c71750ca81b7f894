//! A board taken apart for a checkpoint, and put together again.

use super::{Board, BoardEntry, BoardLimits, Claim, load};
use phalanx_game::Turn;
use serde::{Deserialize, Serialize};

/// What a board holds. The tick and the turn are the team's.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BoardParts {
    pub(crate) entries: Vec<(String, BoardEntry)>,
    pub(crate) claims: Vec<ClaimPart>,
    pub(crate) revision: u64,
}

/// Somebody works on what a key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClaimPart {
    pub(crate) key: String,
    pub(crate) holder: String,
    pub(crate) expires: Option<u64>,
    pub(crate) revision: u64,
}

impl Board {
    pub(crate) fn parts(&self) -> BoardParts {
        let claim = |(key, claim): (&String, &Claim)| {
            let Claim { holder, expires, revision } = claim.clone();
            ClaimPart { key: key.clone(), holder, expires, revision }
        };
        BoardParts {
            entries: self.entries.iter().map(|(key, entry)| (key.clone(), entry.clone())).collect(),
            claims: self.claims.iter().map(claim).collect(),
            revision: self.revision,
        }
    }

    /// The board of these parts as it is in a turn; `None` when no board holds so much.
    pub(crate) fn of_parts(parts: BoardParts, tick: u64, turn: Turn) -> Option<Self> {
        let limits = BoardLimits::default();
        let BoardParts { entries, claims, revision } = parts;
        let weight = entries.iter().map(|(key, entry)| load(key, &entry.value)).sum();
        let keys = entries.iter().map(|(key, _)| key).chain(claims.iter().map(|claim| &claim.key));
        // Keys with a value can be claimed beside all others.
        let fits = entries.len() <= limits.keys_max
            && claims.len() <= limits.keys_max * 2
            && weight <= limits.total_weight_max
            && keys.into_iter().all(|key| key.len() <= limits.key_bytes_max);
        let claim = |part: ClaimPart| {
            let ClaimPart { key, holder, expires, revision } = part;
            (key, Claim { holder, expires, revision })
        };
        fits.then(|| Self {
            entries: entries.into_iter().collect(),
            claims: claims.into_iter().map(claim).collect(),
            limits,
            tick,
            turn,
            weight,
            revision,
            ..Self::default()
        })
    }
}
