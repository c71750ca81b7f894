//! Faults that happen now and then, with a chance instead of a step: the weather of a network.

use crate::fault::{Fault, FaultClass, FaultKind};
use crate::ledger::SeatKey;
use phalanx_game::sorted::SortedMap;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Longest fault, in milliseconds.
pub(crate) const MS_MAX: u64 = 3_600_000;
/// Most bytes of a piece or of garbage.
pub(crate) const BYTES_MAX: u32 = 1 << 20;
/// Most numbers in a list of chances.
const CHANCES_MAX: usize = 101;

/// A number or a list of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or a list of numbers")]
pub enum Numbers {
    /// One number.
    One(f64),
    /// Several.
    List(Vec<f64>),
}

impl Numbers {
    fn all(&self) -> &[f64] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::List(all) => all,
        }
    }

    /// The value at a place between 0 and 1 of what the numbers divide into equal parts.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a short list"
    )]
    fn at(&self, place: f64) -> f64 {
        let all = self.all();
        let exact = place.clamp(0.0, 1.0) * all.len().saturating_sub(1) as f64;
        let index = exact as usize;
        let low = all.get(index).copied().unwrap_or_default();
        let high = all.get(index + 1).copied().unwrap_or(low);
        low + (high - low) * (exact - index as f64)
    }

    /// Finite, not negative, not above a limit, in rising order, and not too many.
    fn is_rising(&self, most: f64, count: usize) -> bool {
        let all = self.all();
        (1..=count).contains(&all.len())
            && all.is_sorted()
            && all.iter().all(|one| (0.0..=most).contains(one))
    }
}

/// A fault of the network that happens by chance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Often {
    /// What happens.
    pub kind: FaultKind,
    /// How likely it is for a connection in a step. A list: quantiles at equal distances; each team
    /// draws its chance anew for each round.
    pub chance: Numbers,
    /// The team: `A` or `B`; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// It hits all connections of a team in the same step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// How long it lasts in milliseconds: a number, or the least and the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<Numbers>,
    /// The same as a multiple of the referee's longest turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<Numbers>,
    /// How many bytes: a number, or the least and the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Numbers>,
}

impl Often {
    /// What is wrong with it, and what to write.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        let (kind, mut found) = (self.kind, Vec::new());
        if kind.class() != FaultClass::Network {
            found.push(format!(
                "{kind} is no fault of the network: write it as a [[fault]] with a step"
            ));
            return found;
        }
        if !self.chance.is_rising(1.0, CHANCES_MAX) {
            found.push(format!(
                "chance: write a number from 0 to 1, or up to {CHANCES_MAX} of them in rising order"
            ));
        }
        if self.team.as_ref().is_some_and(|team| !["A", "B"].contains(&team.as_str())) {
            found.push("team: write \"A\" or \"B\", or leave it out for all teams".to_owned());
        }
        let (lasts, bytes, _) = kind.takes();
        let is_given = [self.ms.is_some(), self.turns.is_some()];
        match (lasts, is_given) {
            (true, [false, false]) => {
                found.push(format!(
                    "{kind} needs `ms` or `turns`: how long it lasts, for example `ms = [200, 1500]`"
                ));
            }
            (true, [true, true]) => found.push("write either `ms` or `turns`".to_owned()),
            (false, [true, _] | [_, true]) => {
                found.push(format!("{kind} takes neither `ms` nor `turns`: delete it"));
            }
            (true | false, _) => {}
        }
        match (bytes, self.bytes.is_some()) {
            (true, false) => {
                found.push(format!("{kind} needs `bytes`: how many, for example `bytes = 7`"));
            }
            (false, true) => found.push(format!("{kind} takes no `bytes`: delete it")),
            (true, true) | (false, false) => {}
        }
        #[expect(clippy::cast_precision_loss, reason = "a bound below 2^53")]
        let limits = [
            ("ms", &self.ms, MS_MAX as f64),
            ("turns", &self.turns, 1_000.0),
            ("bytes", &self.bytes, f64::from(BYTES_MAX)),
        ];
        for (key, numbers, most) in limits {
            if numbers.as_ref().is_some_and(|numbers| !numbers.is_rising(most, 2)) {
                found.push(format!(
                    "{key}: write a number from 0 to {most}, or the least and the most: `[1, 9]`"
                ));
            }
        }
        found
    }
}

/// Draws faults. Each draw depends on seed, place and seat alone, not on the order of draws.
#[derive(Debug)]
pub(crate) struct Odds {
    all: Vec<Often>,
    seed: u64,
    turn: Duration,
    /// The place that was drawn last, by seat.
    drawn: SortedMap<SeatKey, (u32, u32)>,
}

/// Streams of random numbers for different purposes.
#[derive(Clone, Copy)]
enum Stream {
    /// How bad a team's round is.
    Quality,
    /// Whether a fault happens.
    Whether,
    /// How a fault looks.
    How,
}

impl Odds {
    pub(crate) fn new(all: Vec<Often>, seed: u64, turn: Duration) -> Self {
        Self { all, seed, turn, drawn: SortedMap::new() }
    }

    /// The fault of a seat in a step, if there is one; each step is drawn once.
    pub(crate) fn draw(&mut self, key: SeatKey, (round, step): (u32, u32)) -> Option<Fault> {
        if self.all.is_empty() || self.drawn.insert(key, (round, step)) == Some((round, step)) {
            return None;
        }
        let team = u64::try_from(key.0).unwrap_or_default();
        let seat = u64::try_from(key.1).unwrap_or_default();
        let (round, step) = (u64::from(round), u64::from(step));
        let quality = self.stream(Stream::Quality, [team, round, 0, 0, 0]).random::<f64>();
        for (number, often) in (0..).zip(&self.all) {
            let letter = if key.0 == 1 { "B" } else { "A" };
            if key.0 > 1 && often.team.is_some()
                || often.team.as_ref().is_some_and(|it| it != letter)
            {
                continue;
            }
            let who = if often.together { u64::MAX } else { seat };
            let place = [team, round, step, who, number];
            let chance = often.chance.at(quality);
            if self.stream(Stream::Whether, place).random::<f64>() < chance {
                let mut rng = self.stream(Stream::How, place);
                return Some(self.fault(often, key, &mut rng));
            }
        }
        None
    }

    fn stream(&self, stream: Stream, place: [u64; 5]) -> ChaCha8Rng {
        let mixed = place.into_iter().fold(self.seed ^ (stream as u64 + 1), |hash, one| {
            (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ one)
                .wrapping_mul(0xBF58_476D_1CE4_E5B9)
        });
        ChaCha8Rng::seed_from_u64(mixed)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded when the file is read"
    )]
    fn fault(&self, often: &Often, key: SeatKey, rng: &mut ChaCha8Rng) -> Fault {
        let mut between = |numbers: &Numbers| numbers.at(rng.random());
        let turn = self.turn.as_secs_f64() * 1_000.0;
        let ms = often.ms.as_ref().map(&mut between);
        let ms = ms.or_else(|| often.turns.as_ref().map(|turns| between(turns) * turn));
        let bytes = often.bytes.as_ref().map(&mut between);
        Fault {
            // It is drawn for the running step.
            step: 1,
            team: if key.0 == 1 { "B" } else { "A" }.to_owned(),
            agent: u16::try_from(key.1 + 1).unwrap_or(u16::MAX),
            kind: often.kind,
            ms: ms.map(|ms| (ms as u64).min(MS_MAX)),
            bytes: bytes.map(|bytes| bytes as u32),
            seed: often.kind.takes().2.then(|| rng.random()),
            script: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn often(chance: Numbers) -> Often {
        Often {
            kind: FaultKind::Delay,
            chance,
            team: None,
            together: false,
            ms: None,
            turns: Some(Numbers::List(vec![1.0, 2.0])),
            bytes: None,
        }
    }

    #[test]
    fn numbers_divide_what_is_between_them_into_equal_parts() {
        let list = Numbers::List(vec![0.0, 0.1, 0.5]);
        let at: Vec<_> = [0.0, 0.25, 0.5, 0.75, 1.0].map(|place| list.at(place)).into();
        let wanted = [0.0, 0.05, 0.1, 0.3, 0.5];
        assert!(at.iter().zip(wanted).all(|(at, wanted)| (at - wanted).abs() < 1e-9), "{at:?}");
        assert!((Numbers::One(0.3).at(0.7) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn a_chance_is_how_often_it_happens_and_every_draw_can_be_repeated() {
        let draw = |seed| {
            let mut odds = Odds::new(vec![often(Numbers::One(0.2))], seed, Duration::from_secs(4));
            let hit = |step| odds.draw((0, 3), (1, step)).map(|fault| fault.ms);
            (0..5_000).map(hit).collect::<Vec<_>>()
        };
        let hits = draw(1);
        let count = hits.iter().flatten().count();
        assert!((900..1_100).contains(&count), "{count}");
        let lasts = |ms: &Option<u64>| ms.is_some_and(|ms| (4_000..=8_000).contains(&ms));
        assert!(hits.iter().flatten().all(lasts));
        assert_eq!(draw(1), hits);
        assert_ne!(draw(2), hits);
    }

    #[test]
    fn a_step_is_drawn_once_and_what_hits_together_hits_all() {
        let mut odds = Odds::new(
            vec![Often { together: true, ..often(Numbers::One(0.5)) }],
            1,
            Duration::from_secs(4),
        );
        for step in 0..50 {
            let team: Vec<_> = (0..5).map(|seat| odds.draw((0, seat), (1, step))).collect();
            assert!(team.iter().all(|one| one.is_some() == team[0].is_some()), "step {step}");
            assert_eq!(odds.draw((0, 2), (1, step)), None);
        }
    }

    #[test]
    fn teams_draw_how_bad_their_rounds_are() {
        let list = Numbers::List(vec![0.0, 0.0, 0.4]);
        let mut odds = Odds::new(vec![often(list)], 5, Duration::from_secs(4));
        let mut without = 0;
        for round in 0..200 {
            let hits = (0..40).filter(|step| odds.draw((1, 0), (round, *step)).is_some()).count();
            without += usize::from(hits == 0);
        }
        // Half of the rounds have no chance at all, a few have little.
        assert!((85..130).contains(&without), "{without}");
    }
}
