//! Tools about the files of a strategy.

use crate::answer::Answer;
use crate::arguments::arguments;
use crate::call::Work;
use crate::places::Places;
use anyhow::Result;
use phalanx_lua::SpecOptions;
use phalanx_play::strategy::{self, findings, nothing_matches, spec_json, trial_json, verdict};
use phalanxd::check::excerpt;

pub(super) const CHECK: &str = "\
Check a strategy: compile it, lint it, run its specs, let it decide the first ten turns of a match, \
and list all mistakes, each with file, line and advice. Its verdict is `may play` or `refused`.";

arguments! {
    pub(super) struct CheckArgs {
        /// The strategy's folder.
        dir: String,
        /// The game, for example `assemble` [default: the one that the folder is for].
        game: Option<String>,
        /// Roles that agents will have [default: every role file].
        #[serde(default)]
        roles: Vec<String>,
    }
}

pub(super) fn check(places: &Places, args: CheckArgs, _work: &Work) -> Result<Answer> {
    let dir = places.folder(&args.dir)?;
    let report = strategy::trial(&dir, places.game(args.game.as_deref())?, &args.roles)?;
    let text = format!("{}{}", findings(&report), verdict(&report));
    Ok(Answer::with(text, trial_json(&report)))
}

pub(super) const TEST: &str = "\
Run a strategy's specs, the files *_spec.luau in its folder spec/, and show what failed. \
The resource phalanx://specs documents the functions of specs.";

arguments! {
    pub(super) struct TestArgs {
        /// The strategy's folder, or a folder of shared modules named lib.
        dir: String,
        /// The game [default: the one that the folder is for].
        game: Option<String>,
        /// Only specs whose whole name contains this text.
        filter: Option<String>,
        /// Also report which lines of each file ran.
        #[serde(default)]
        coverage: bool,
    }
}

pub(super) fn test(places: &Places, args: TestArgs, _work: &Work) -> Result<Answer> {
    let dir = places.folder(&args.dir)?;
    let options = SpecOptions {
        filter: args.filter.clone(),
        coverage: args.coverage,
        ..SpecOptions::default()
    };
    let report = match strategy::specs(&dir, places.game(args.game.as_deref())?, &options)? {
        Ok(report) => report,
        Err(mistakes) => {
            let mistakes: String = mistakes.iter().map(excerpt).collect();
            return Ok(Answer::text(format!("{mistakes}no spec ran: the files do not compile")));
        }
    };
    let answer = Answer::with(report.text(false), spec_json(&report));
    Ok(match nothing_matches(&report, args.filter.as_deref()) {
        Some(missed) => answer.note(&missed),
        None => answer,
    })
}

pub(super) const PARAMS: &str = "\
List the parameters that a strategy declares with param(): kind, range, default, tuned value and \
meaning. tune can vary those with a range.";

arguments! {
    pub(super) struct ParamsArgs {
        /// The strategy's folder.
        dir: String,
        /// The game [default: the one that the folder is for].
        game: Option<String>,
    }
}

pub(super) fn params(places: &Places, args: ParamsArgs, _work: &Work) -> Result<Answer> {
    let dir = places.folder(&args.dir)?;
    let (json, text) = strategy::listed(&dir, places.game(args.game.as_deref())?)?;
    Ok(Answer::with(text, json))
}
