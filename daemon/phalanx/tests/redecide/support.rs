//! Teams that are recorded in memory, and decided again.

use phalanx_engine::{Generation, JournalEntry, Staged, StrategyOrigin, TeamOptions};
use phalanx_game::{Roster, RosterEntry};
use phalanx_games::demo::{DemoAsk, DemoStage};
use phalanx_games::{RerunPlan, TeamPlan};
use phalanx_lua::{Bundle, Limits, stage};
use phalanx_net::{
    Appetite, JournalComparison, LineDifference, Recorder, RerunOptions, SeatOptions,
    SentDifference, Share, Tally, Taped, Trouble,
};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// Keeps everything in memory.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Vec<(Instant, Taped)>>);

impl Recorder for Kept {
    fn put(&self, at: Instant, what: Taped) {
        self.0.lock().unwrap().push((at, what));
    }

    fn appetite(&self) -> Appetite {
        Appetite::Everything
    }
}

impl Kept {
    pub(crate) fn entries(&self) -> Vec<(Instant, Taped)> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) fn ask(variant: Option<&str>, steps: u32) -> DemoAsk {
    DemoAsk {
        seed: 7,
        steps: Some(steps),
        fast: true,
        pace: None,
        worlds: Some(2),
        variant: variant.map(str::to_owned),
        settings: None,
    }
}

/// A bundle as the generation of that number.
pub(crate) fn staged(number: u32, bundle: &Bundle) -> Staged {
    let generation = Generation {
        number,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    stage(Arc::new(bundle.clone()), Arc::new(generation)).unwrap()
}

/// A recorded team whose agents have the roles of the strategy in turn.
pub(crate) fn team(
    game: &str,
    stage: &DemoStage,
    name: &str,
    bundle: &Bundle,
    roles: &[&str],
) -> (TeamPlan, Arc<Kept>) {
    let role = |index: usize| roles[index % roles.len()];
    let entry = |index: usize| RosterEntry::new(stage.agent_name(name, index + 1), role(index));
    let roster = Roster { team: name.to_owned(), agents: (0..stage.agents).map(entry).collect() };
    let kept = Arc::new(Kept::default());
    let plan = TeamPlan {
        game: game.to_owned(),
        options: stage.options.clone(),
        seats: stage.seats(&roster),
        roster,
        staged: staged(1, bundle),
        limits: Limits { load: Duration::from_secs(30), ..Limits::default() },
        team: TeamOptions { seed: 7, ..TeamOptions::default() },
        seat: SeatOptions::default(),
        recorder: Some(Arc::clone(&kept) as _),
        checkpoints: None,
    };
    (plan, kept)
}

/// The result of deciding again.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) journal: Vec<LineDifference<JournalEntry>>,
    pub(crate) sent: Vec<SentDifference>,
    pub(crate) tally: Tally,
    pub(crate) messages: Share,
    pub(crate) trouble: Trouble,
}

pub(crate) fn again(plan: &TeamPlan, kept: &Kept, rerun: RerunOptions) -> Found {
    let mut comparison = JournalComparison::new(rerun.other.is_some());
    let (game, options, limits) = (plan.game.clone(), plan.options.clone(), plan.limits);
    let mut rerun = phalanx_games::rerun(RerunPlan { game, options, limits, rerun }).unwrap();
    for (at, what) in kept.entries() {
        if let Taped::Journal(entry) = &what {
            comparison.recorded((**entry).clone());
        }
        rerun.feed(at, what).unwrap();
        std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    }
    rerun.finish().unwrap();
    std::iter::from_fn(|| rerun.poll_journal()).for_each(|entry| comparison.now(entry));
    comparison.finish(!rerun.is_ended());
    Found {
        journal: std::iter::from_fn(|| comparison.poll()).collect(),
        sent: std::iter::from_fn(|| rerun.poll_sent()).collect(),
        tally: comparison.tally().clone(),
        messages: rerun.messages(),
        trouble: rerun.trouble(),
    }
}

/// Checks that the recorded strategy decides the same, without any gap.
pub(crate) fn same(plan: &TeamPlan, kept: &Kept) -> Found {
    let found = again(plan, kept, RerunOptions::default());
    let Found { journal, sent, tally, messages, trouble } = &found;
    let (game, differ) = (&plan.game, journal.len() + sent.len());
    let first = (journal.first(), sent.first());
    assert_eq!(differ, 0, "{game}: {tally:?}; {trouble:?}; the first: {first:#?}");
    assert_eq!(trouble.in_words(), [""; 0], "{game}");
    assert!(tally.decisions.all > 0 && messages.all > 0, "{tally:?}");
    found
}
