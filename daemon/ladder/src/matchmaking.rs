//! Who meets whom next: the pairs whose games say most.
//!
//! What is known of the strengths is a normal distribution with the covariance of the ratings. Games
//! between two strategies narrow it by an amount that does not depend on their results, only on how
//! even the pair is and how uncertain its difference (`Strengths::expected_bits`). A
//! round takes the best pair, counts its games as if they had been played, takes the best pair again,
//! and so on. So a new version plays whom it can be compared with best, and strategies whose order is
//! clear play no more than others need them.

use crate::entry::{LadderMeeting, LadderRound};
use crate::ladder::Ladder;

/// Most meetings of a round.
pub const ROUND_MAX: usize = 1_024;
/// Differences of what is expected that are none, in bits.
const EQUAL: f64 = 1e-6;

/// The next round: this many meetings, at most [`ROUND_MAX`]. The latest versions play, or `all`.
///
/// # Errors
/// Why no two strategies can meet.
pub fn next_round(ladder: &Ladder, meetings: usize, all: bool) -> Result<LadderRound, String> {
    let definition = ladder.definition().ok_or("the ladder has not begun")?;
    let pairs = pairs(ladder, all)?;
    let games = if definition.alone { 1.0 } else { 2.0 };
    let mut strengths = ladder.strengths();
    for (one, other) in pairs.iter().copied() {
        // What failed says nothing, and would be chosen for ever.
        let failed = ladder.between(one, other).failed;
        if failed > 0 {
            strengths.plan(one, other, f64::from(failed));
        }
    }
    let mut round = Vec::new();
    for number in (ladder.meetings()..).take(meetings.clamp(1, ROUND_MAX)) {
        let mut best: Option<(f64, u64, (usize, usize))> = None;
        for pair in pairs.iter().copied() {
            let bits = strengths.expected_bits(pair.0, pair.1, games);
            let lot = lot(definition.seed, number, pair);
            let better = best.is_none_or(|(most, first, _)| {
                bits > most + EQUAL || (bits > most - EQUAL && lot < first)
            });
            if better {
                best = Some((bits, lot, pair));
            }
        }
        let Some((bits, _, (one, other))) = best else { break };
        strengths.plan(one, other, games);
        let players = ladder.ids(&[one, other]).try_into().map_err(|_| "a strategy is missing")?;
        let seed = definition.seed.wrapping_add(number);
        round.push(LadderMeeting { players, seed, bits: (bits * 1_000.0).round() / 1_000.0 });
    }
    Ok(LadderRound { meetings: round })
}

/// The pairs that may meet.
fn pairs(ladder: &Ladder, all: bool) -> Result<Vec<(usize, usize)>, String> {
    let entrants = ladder.entrants().iter().enumerate();
    let able: Vec<usize> = entrants
        .filter(|(_, one)| (all || one.latest) && !one.is_suspended())
        .map(|(place, _)| place)
        .collect();
    if able.len() < 2 {
        let suspended = ladder.entrants().iter().filter(|one| one.is_suspended());
        let suspended: Vec<_> = suspended
            .map(|one| format!("{} ({})", one.id(), one.trouble.clone().unwrap_or_default()))
            .collect();
        let why = if suspended.is_empty() {
            "submit another one, or add --all-versions".to_owned()
        } else {
            format!("the last matches of these all failed: {}", suspended.join("; "))
        };
        return Err(format!("a match needs two strategies, and {} can play; {why}", able.len()));
    }
    let mut pairs = Vec::with_capacity(able.len() * able.len() / 2);
    for (place, one) in able.iter().enumerate() {
        pairs.extend(able.iter().skip(place + 1).map(|other| (*one, *other)));
    }
    Ok(pairs)
}

/// Decides between pairs that are equally good (the mixer of SplitMix64).
fn lot(seed: u64, meeting: u64, (one, other): (usize, usize)) -> u64 {
    [meeting, one as u64, other as u64].into_iter().fold(seed, |state, word| {
        let mixed = (state ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    })
}
