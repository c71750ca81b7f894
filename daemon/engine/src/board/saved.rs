//! A board as the parts of a checkpoint, and back.

use super::{Board, BoardClaim, BoardEntry, BoardLimits, load};
use phalanx_game::Turn;
use serde::{Deserialize, Serialize};

/// The content of a board. The tick and the turn are the team's.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BoardParts {
    pub(crate) entries: Vec<(String, BoardEntry)>,
    pub(crate) claims: Vec<ClaimPart>,
    pub(crate) revision: u64,
}

/// An agent works on the thing that the key names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClaimPart {
    pub(crate) key: String,
    pub(crate) holder: String,
    pub(crate) expires: Option<u64>,
    pub(crate) revision: u64,
}

impl Board {
    pub(crate) fn parts(&self) -> BoardParts {
        let claim = |(key, claim): (&String, &BoardClaim)| {
            let BoardClaim { holder, expires, revision } = claim.clone();
            ClaimPart { key: key.clone(), holder, expires, revision }
        };
        BoardParts {
            entries: self.entries.iter().map(|(key, entry)| (key.clone(), entry.clone())).collect(),
            claims: self.claims.iter().map(claim).collect(),
            revision: self.revision,
        }
    }

    /// Builds the board of these parts for a turn; `None` if the parts exceed the limits of a
    /// board.
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
            (key, BoardClaim { holder, expires, revision })
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
