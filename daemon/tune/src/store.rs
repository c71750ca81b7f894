//! A run on disk: a folder with its plan, and one line for each candidate and each match.

use crate::plan::TunePlan;
use phalanx_league::{
    LeagueStoreError, MatchOutcome, ParamValues, ResultsFile, ResultsReader, read_plan, write_plan,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The file with the plan.
const PLAN: &str = "tune.json";

/// Where the results of a run go, and those that it has.
#[derive(Debug)]
pub struct TuneStore {
    plan: TunePlan,
    folder: PathBuf,
    file: Option<ResultsFile>,
    /// Lines of an earlier process, from where the run is.
    recorded: VecDeque<String>,
    /// Lines before those.
    line: u64,
}

/// A candidate's line.
#[derive(Debug, Serialize)]
struct CandidateLine<'a> {
    candidate: usize,
    values: &'a ParamValues,
}

/// A match's line. It holds no time: the same run gives the same lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneMatchLine {
    #[serde(rename = "match")]
    pub(crate) number: u64,
    pub(crate) candidate: usize,
    pub(crate) seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) opponent: Option<String>,
    /// Whether the candidate sits on the second side.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) swapped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl TuneStore {
    /// A run that is kept in memory only.
    #[must_use]
    pub fn in_memory(plan: TunePlan) -> Self {
        Self { plan, folder: PathBuf::new(), file: None, recorded: VecDeque::new(), line: 0 }
    }

    /// Makes a folder for a run, or goes on with the one that is there.
    ///
    /// # Errors
    /// When the folder holds another run, or is in use, or cannot be read or written.
    pub fn open(folder: &Path, plan: TunePlan) -> Result<Self, LeagueStoreError> {
        if let Some(kept) = kept(folder)?
            && let Some(difference) = plan.difference(&kept)
        {
            let (path, what) = (folder.to_owned(), "tune run");
            return Err(LeagueStoreError::Other { path, what, difference });
        }
        let (file, lines) = ResultsFile::open(folder)?;
        // Written once the folder is held: two processes that begin a run do not mix their plans.
        match kept(folder)? {
            Some(_) => {}
            None if lines.is_empty() => write_plan(&folder.join(PLAN), &plan)?,
            None => {
                let difference = format!("it has results and no {PLAN}");
                let (path, what) = (folder.to_owned(), "kind of results");
                return Err(LeagueStoreError::Other { path, what, difference });
            }
        }
        let (folder, recorded) = (folder.to_owned(), lines.into());
        Ok(Self { plan, folder, file: Some(file), recorded, line: 0 })
    }

    /// The run that a folder holds, to look at; another process may be playing it.
    ///
    /// # Errors
    /// When the folder holds none, or cannot be read.
    pub fn look(folder: &Path) -> Result<Self, LeagueStoreError> {
        let Some(plan) = kept(folder)? else {
            let (path, what, file) = (folder.to_owned(), "tune run", PLAN);
            return Err(LeagueStoreError::Missing { path, what, file });
        };
        let recorded = ResultsReader::new(folder).lines()?.into();
        Ok(Self { plan, folder: folder.to_owned(), file: None, recorded, line: 0 })
    }

    #[must_use]
    pub fn plan(&self) -> &TunePlan {
        &self.plan
    }

    /// Whether nothing is left of what an earlier process recorded.
    pub(crate) fn is_at_end(&self) -> bool {
        self.recorded.is_empty()
    }

    /// Keeps a candidate, which must be the recorded one where there is one.
    pub(crate) fn candidate(
        &mut self,
        candidate: usize,
        values: &ParamValues,
    ) -> Result<(), LeagueStoreError> {
        // Numbers and texts always have a form in JSON.
        let line = CandidateLine { candidate, values };
        let line = serde_json::to_string(&line).unwrap_or_default();
        match self.recorded.pop_front() {
            Some(recorded) if recorded == line => {}
            Some(_) => {
                return Err(self.malformed(format!(
                    "expected {line}; another version of the program began this run, or the file \
                     was changed: begin again in another folder"
                )));
            }
            None => self.append(&line)?,
        }
        self.line += 1;
        Ok(())
    }

    /// The recorded outcome of this match; `None` when it has not been played.
    pub(crate) fn recall(
        &mut self,
        wanted: &TuneMatchLine,
    ) -> Result<Option<MatchOutcome>, LeagueStoreError> {
        let Some(recorded) = self.recorded.pop_front() else { return Ok(None) };
        let read: TuneMatchLine =
            serde_json::from_str(&recorded).map_err(|error| self.malformed(error.to_string()))?;
        let players = if wanted.opponent.is_some() { 2 } else { 1 };
        let bare = TuneMatchLine { scores: None, trouble: None, ..read.clone() };
        let outcome = match (read.scores, read.trouble) {
            (Some(scores), None) if scores.len() == players => MatchOutcome::Scores(scores),
            (None, Some(trouble)) => MatchOutcome::failed(&trouble),
            (Some(_) | None, _) => {
                let problem = "expected a score for each player, or a trouble";
                return Err(self.malformed(problem.to_owned()));
            }
        };
        if bare != *wanted {
            let TuneMatchLine { number, candidate, seed, .. } = wanted;
            return Err(self.malformed(format!(
                "expected match {number} of candidate {candidate} on seed {seed}; the file was \
                 changed, or another version of the program began this run: begin again in \
                 another folder"
            )));
        }
        self.line += 1;
        Ok(Some(outcome))
    }

    /// Keeps the outcome of a match.
    pub(crate) fn keep(
        &mut self,
        line: &TuneMatchLine,
        outcome: &MatchOutcome,
    ) -> Result<(), LeagueStoreError> {
        let (scores, trouble) = match outcome {
            MatchOutcome::Scores(scores) => (Some(scores.clone()), None),
            MatchOutcome::Failed(reason) => (None, Some(reason.clone())),
        };
        let line = TuneMatchLine { scores, trouble, ..line.clone() };
        self.append(&serde_json::to_string(&line).unwrap_or_default())?;
        self.line += 1;
        Ok(())
    }

    /// The error for the line at which the run is.
    pub(crate) fn malformed(&self, problem: String) -> LeagueStoreError {
        ResultsFile::malformed(&self.folder, self.line, problem)
    }

    fn append(&mut self, line: &str) -> Result<(), LeagueStoreError> {
        self.file.as_mut().map_or(Ok(()), |file| file.append(&format!("{line}\n")))
    }
}

impl TuneMatchLine {
    pub(crate) fn new(
        plan: &TunePlan,
        number: u64,
        candidate: usize,
        seed: u64,
        cell: usize,
    ) -> Self {
        let opponent = plan.opponent_of_cell(cell).map(|opponent| opponent.player.name.clone());
        let swapped = plan.is_swapped(cell);
        Self { number, candidate, seed, opponent, swapped, scores: None, trouble: None }
    }
}

/// The plan that a folder holds.
fn kept(folder: &Path) -> Result<Option<TunePlan>, LeagueStoreError> {
    let path = folder.join(PLAN);
    let Some(plan) = read_plan::<TunePlan>(&path)? else { return Ok(None) };
    match plan.mistakes().as_slice() {
        [] => Ok(Some(plan)),
        mistakes => {
            let problem = mistakes.join("; ");
            Err(LeagueStoreError::Malformed { path, line: 1, problem })
        }
    }
}
