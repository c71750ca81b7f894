//! The reports of a team's seats on the running round, and the majority among them.
//!
//! Only the last report of each seat counts, and only while it is fresh: a seat that has been
//! silent for two of its turns is assumed not to be asked any more.

use phalanx_game::SeatId;
use phalanx_game::sorted::{SortedMap, SortedSet};
use std::time::{Duration, Instant};

/// A report without its own deadline is fresh for twice this time.
const WINDOW: Duration = Duration::from_secs(5);

/// What a seat reported last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// It plays the team's round, and was not asked in it yet.
    Started,
    /// It was asked in this step of the team's round.
    Asked(u32),
    /// The team's round is over.
    Ended,
    /// It played the team's round and now plays another one.
    Elsewhere,
    /// It plays another round, and never played the team's: the team has left that round, or never
    /// played it.
    Behind,
}

#[derive(Clone, Copy, Debug)]
struct SeatReport {
    report: Report,
    at: Instant,
    window: Duration,
}

/// The last report of each seat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consensus {
    reports: SortedMap<SeatId, SeatReport>,
}

impl Consensus {
    /// A seat reports something. `due`: the deadline of its request, if it was asked.
    pub(crate) fn heard(
        &mut self,
        seat: SeatId,
        report: Report,
        due: Option<Instant>,
        now: Instant,
    ) {
        let window = due.map_or(WINDOW, |due| due.saturating_duration_since(now));
        self.reports.insert(seat, SeatReport { report, at: now, window });
    }

    /// The seat's connection is gone, so its last report does not count any more.
    pub(crate) fn forget(&mut self, seat: SeatId) {
        self.reports.remove(&seat);
    }

    /// Clears all reports, for another round.
    pub(crate) fn clear(&mut self) {
        self.reports.clear();
    }

    /// The last report of a seat.
    pub(crate) fn report(&self, seat: SeatId) -> Option<Report> {
        self.reports.get(&seat).map(|latest| latest.report)
    }

    /// Whether the team's round is over: half of the seats report its end or a later round, since
    /// the newer round wins a tie. A round that the team left before needs a majority.
    pub(crate) fn is_left(&self, now: Instant) -> bool {
        let (mut newer, mut behind, mut all) = (0, 0, 0);
        for latest in self.reports.values().filter(|latest| latest.is_fresh(2, now)) {
            all += 1;
            match latest.report {
                Report::Ended | Report::Elsewhere => newer += 1,
                Report::Behind => behind += 1,
                Report::Started | Report::Asked(_) => {}
            }
        }
        (newer > 0 && newer * 2 >= all) || (newer + behind) * 2 > all
    }

    /// Whether most of the asked seats were asked in this step last.
    pub(crate) fn agrees(&self, step: u32, now: Instant) -> bool {
        let (here, all) = self.asked_in(step, now);
        here * 2 > all
    }

    /// Whether at least half of them were.
    pub(crate) fn is_tied(&self, step: u32, now: Instant) -> bool {
        let (here, all) = self.asked_in(step, now);
        here > 0 && here * 2 >= all
    }

    /// How many seats were asked in this step last, and how many are asked at all.
    fn asked_in(&self, step: u32, now: Instant) -> (usize, usize) {
        let (mut here, mut all) = (0, 0);
        for latest in self.reports.values().filter(|latest| latest.is_fresh(2, now)) {
            match latest.report {
                Report::Asked(asked) => {
                    all += 1;
                    here += usize::from(asked == step);
                }
                Report::Elsewhere | Report::Behind => all += 1,
                Report::Started | Report::Ended => {}
            }
        }
        (here, all)
    }

    /// Whether at least half of the seats that may still answer their last request took part in a
    /// turn, so that it is not the report of a single seat. A seat for which the turn did not wait
    /// is not asked any more.
    pub(crate) fn confirms(
        &self,
        took_part: &SortedSet<SeatId>,
        awaited: &SortedSet<SeatId>,
        now: Instant,
    ) -> bool {
        let asked = |latest: &SeatReport| {
            matches!(latest.report, Report::Asked(_)) && latest.is_fresh(1, now)
        };
        let is_other = |seat: &SeatId| awaited.contains(seat) && !took_part.contains(seat);
        let others = self.reports.iter().filter(|(seat, latest)| is_other(seat) && asked(latest));
        took_part.len() >= others.count()
    }
}

impl SeatReport {
    fn is_fresh(&self, windows: u32, now: Instant) -> bool {
        now.saturating_duration_since(self.at) <= self.window.saturating_mul(windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Report::{Asked, Behind, Elsewhere, Ended, Started};

    #[expect(clippy::disallowed_methods, reason = "an Instant has no other constructor")]
    fn epoch() -> Instant {
        Instant::now()
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Each seat reports one of these, a second before it is due.
    fn said(reports: &[Report], now: Instant) -> Consensus {
        let mut consensus = Consensus::default();
        for (seat, report) in (0..).map(SeatId).zip(reports) {
            consensus.heard(seat, *report, Some(now + seconds(1)), now);
        }
        consensus
    }

    #[test]
    fn the_round_is_over_when_half_of_the_seats_say_so() {
        let cases: [(&str, &[Report], bool); 12] = [
            ("nobody", &[], false),
            ("one seat is its own majority", &[Ended], true),
            ("and stays where it is", &[Asked(3)], false),
            ("a tie goes to what is newer", &[Ended, Asked(3)], true),
            ("two of two", &[Elsewhere, Ended], true),
            ("one of three", &[Elsewhere, Asked(3), Asked(3)], false),
            ("two of three", &[Elsewhere, Ended, Asked(3)], true),
            ("seats that were not asked yet count", &[Elsewhere, Started, Started], false),
            ("two of four", &[Ended, Ended, Asked(3), Asked(3)], true),
            ("a tie does not go back", &[Behind, Asked(3)], false),
            ("most seats do", &[Behind, Behind, Asked(3)], true),
            ("nor does a single one", &[Behind, Asked(3), Asked(3)], false),
        ];
        for (case, reports, left) in cases {
            let now = epoch();
            assert_eq!(said(reports, now).is_left(now), left, "{case}");
        }
    }

    #[test]
    fn a_step_needs_most_of_the_seats_that_are_asked() {
        let cases: [(&str, &[Report], bool); 7] = [
            ("nobody", &[], false),
            ("one seat is its own majority", &[Asked(7)], true),
            ("a tie is none", &[Asked(7), Asked(6)], false),
            ("two of three", &[Asked(7), Asked(7), Asked(500)], true),
            ("one of three", &[Asked(7), Asked(6), Asked(6)], false),
            ("who was not asked yet does not count", &[Asked(7), Started, Started], true),
            ("who is elsewhere does", &[Asked(7), Elsewhere, Elsewhere], false),
        ];
        for (case, reports, agrees) in cases {
            let now = epoch();
            assert_eq!(said(reports, now).agrees(7, now), agrees, "{case}");
        }
    }

    #[test]
    fn half_of_the_seats_are_a_tie() {
        let cases: [(&str, &[Report], bool); 4] = [
            ("no seat", &[], false),
            ("one of two", &[Asked(7), Asked(6)], true),
            ("one of three", &[Asked(7), Asked(6), Asked(6)], false),
            ("none of one", &[Asked(6)], false),
        ];
        for (case, reports, tied) in cases {
            let now = epoch();
            assert_eq!(said(reports, now).is_tied(7, now), tied, "{case}");
        }
    }

    #[test]
    fn who_is_silent_for_two_turns_does_not_count_any_more() {
        let now = epoch();
        let mut consensus = said(&[Asked(3), Asked(3), Asked(3)], now);
        let later = now + seconds(2);
        consensus.heard(SeatId(0), Ended, None, later);
        assert!(!consensus.is_left(later));
        assert!(consensus.is_left(later + Duration::from_millis(1)));
    }

    #[test]
    fn a_turn_is_confirmed_by_half_of_those_who_may_still_answer() {
        let now = epoch();
        let consensus = said(&[Asked(4), Asked(3), Asked(3)], now);
        let part = |seats: &[u16]| seats.iter().copied().map(SeatId).collect();
        let all = part(&[0, 1, 2]);
        assert!(!consensus.confirms(&part(&[0]), &all, now));
        assert!(consensus.confirms(&part(&[0, 1]), &all, now));
        assert!(consensus.confirms(&part(&[0]), &part(&[0, 1]), now), "the turn waits for one");
        let due = now + seconds(1) + Duration::from_millis(1);
        assert!(consensus.confirms(&part(&[0]), &all, due), "the others had their time");
    }
}
