//! The results on disk: a folder with the plan and one line a match.
//!
//! Lines are appended in the order of the schedule, so what a league has played is what its file
//! holds. A line that was cut off when the machine stopped is taken away when the league goes on.

use crate::outcome::{self, MatchOutcome};
use crate::results::{LeagueStoreError, ResultsFile, ResultsReader, read_plan, write_plan};
use crate::{Fixture, LeagueDefinition, LeagueTally, MatchPlayed};
use std::path::Path;

/// The file with the plan.
const PLAN: &str = "league.json";

/// Where the results of a league go.
#[derive(Debug)]
pub struct LeagueStore {
    plan: LeagueDefinition,
    tally: LeagueTally,
    file: Option<ResultsFile>,
}

impl LeagueStore {
    /// Results that are kept in memory only.
    #[must_use]
    pub fn in_memory(plan: LeagueDefinition) -> Self {
        Self { tally: LeagueTally::new(&plan), plan, file: None }
    }

    /// Makes a folder for a league, or goes on with the one that is there.
    ///
    /// # Errors
    /// When the folder holds another league, or is in use, or cannot be read or written.
    pub fn open(folder: &Path, plan: LeagueDefinition) -> Result<Self, LeagueStoreError> {
        let (file, lines) = ResultsFile::open(folder)?;
        match kept(folder)? {
            Some(kept) => {
                if let Some(difference) = difference(&kept, &plan) {
                    let (path, what) = (folder.to_owned(), "league");
                    return Err(LeagueStoreError::Other { path, what, difference });
                }
            }
            None => write_plan(&folder.join(PLAN), &plan)?,
        }
        Self::read(folder, plan, file, &lines)
    }

    /// Goes on with the league that a folder holds.
    ///
    /// # Errors
    /// When the folder holds none, or is in use, or cannot be read or written.
    pub fn reopen(folder: &Path) -> Result<Self, LeagueStoreError> {
        let Some(plan) = kept(folder)? else {
            let (path, what, file) = (folder.to_owned(), "league", PLAN);
            return Err(LeagueStoreError::Missing { path, what, file });
        };
        let (file, lines) = ResultsFile::open(folder)?;
        Self::read(folder, plan, file, &lines)
    }

    /// The league that a folder holds, to look at while another process may play it. Nothing is read
    /// of its results before [`LeagueStore::follow`].
    ///
    /// # Errors
    /// When the folder holds none.
    pub fn look(folder: &Path) -> Result<(Self, ResultsReader), LeagueStoreError> {
        let Some(plan) = kept(folder)? else {
            let (path, what, file) = (folder.to_owned(), "league", PLAN);
            return Err(LeagueStoreError::Missing { path, what, file });
        };
        Ok((Self::in_memory(plan), ResultsReader::new(folder)))
    }

    /// Counts what another process appended; `watch` gets each result.
    ///
    /// # Errors
    /// When it cannot be read or does not fit.
    pub fn follow(
        &mut self,
        folder: &Path,
        reader: &mut ResultsReader,
        mut watch: Option<&mut dyn FnMut(&MatchPlayed<'_>)>,
    ) -> Result<(), LeagueStoreError> {
        let begin = self.tally.played();
        for (number, line) in (begin..).zip(reader.lines()?) {
            let (fixture, outcome) = self.count(folder, number, &line)?;
            if let Some(watch) = &mut watch {
                let (fixture, outcome, standing) = (&fixture, &outcome, &self.tally.standing());
                watch(&MatchPlayed { fixture, outcome, standing });
            }
        }
        Ok(())
    }

    #[must_use]
    pub fn plan(&self) -> &LeagueDefinition {
        &self.plan
    }

    /// The sums over all results so far.
    #[must_use]
    pub fn tally(&self) -> &LeagueTally {
        &self.tally
    }

    /// Keeps the next result of the schedule.
    pub(crate) fn append(
        &mut self,
        fixture: &Fixture,
        outcome: &MatchOutcome,
    ) -> Result<(), LeagueStoreError> {
        if let Some(file) = &mut self.file {
            file.append(&outcome::write(&self.plan, fixture, outcome))?;
        }
        self.tally.add(fixture, outcome);
        Ok(())
    }

    fn read(
        folder: &Path,
        plan: LeagueDefinition,
        file: ResultsFile,
        lines: &[String],
    ) -> Result<Self, LeagueStoreError> {
        let mut store = Self { file: Some(file), ..Self::in_memory(plan) };
        for (number, line) in (0..).zip(lines) {
            store.count(folder, number, line)?;
        }
        Ok(store)
    }

    /// Counts a line of the results.
    fn count(
        &mut self,
        folder: &Path,
        number: u64,
        line: &str,
    ) -> Result<(Fixture, MatchOutcome), LeagueStoreError> {
        let malformed = |problem| ResultsFile::malformed(folder, number, problem);
        let fixture = self.plan.fixture(number);
        let fixture = fixture
            .ok_or_else(|| malformed("more results than the league has matches".to_owned()))?;
        let outcome = outcome::read(&self.plan, &fixture, line).map_err(malformed)?;
        self.tally.add(&fixture, &outcome);
        Ok((fixture, outcome))
    }
}

/// The plan that a folder holds.
fn kept(folder: &Path) -> Result<Option<LeagueDefinition>, LeagueStoreError> {
    let path = folder.join(PLAN);
    let Some(plan) = read_plan::<LeagueDefinition>(&path)? else { return Ok(None) };
    match plan.mistakes().as_slice() {
        [] => Ok(Some(plan)),
        mistakes => {
            let problem = mistakes.join("; ");
            Err(LeagueStoreError::Malformed { path, line: 1, problem })
        }
    }
}

/// In what a plan differs from the one that is kept; where a player comes from is no difference.
fn difference(kept: &LeagueDefinition, plan: &LeagueDefinition) -> Option<String> {
    let names = |plan: &LeagueDefinition| {
        plan.players.iter().map(|one| one.name.clone()).collect::<Vec<_>>()
    };
    if kept.game != plan.game {
        return Some(format!("its game is {}", kept.game));
    }
    // A league from before this was kept goes on.
    if kept.game_files.is_some() && kept.game_files != plan.game_files {
        return Some(format!("the files of the game {} were other ones", kept.game));
    }
    if names(kept) != names(plan) {
        return Some(format!("its players are {}", names(kept).join(", ")));
    }
    let mut pairs = kept.players.iter().zip(&plan.players);
    if let Some((old, _)) = pairs.find(|(old, new)| old.identity != new.identity) {
        return Some(format!("the files of {} were other ones", old.name));
    }
    if kept.setup != plan.setup {
        return Some(format!("its matches are set up with {:?}", kept.setup));
    }
    let rest = |plan: &LeagueDefinition| (plan.seeds, plan.pairing, plan.swap, plan.sprt);
    let other = rest(kept) != rest(plan);
    other.then(|| "seeds, pairing or early stop are other ones".to_owned())
}
