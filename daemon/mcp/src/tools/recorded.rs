//! Tools about recordings of matches.

use crate::answer::{Answer, Collected};
use crate::arguments::arguments;
use crate::call::Work;
use crate::places::Places;
use anyhow::{Result, anyhow};
use phalanx_analysis::args::replay::{ReplayArgs, TurnPlace};
use phalanx_analysis::{extracts, redecide, viewer};
use phalanx_cli::args::why::AgentTurn;
use phalanx_cli::args::{Form, OutputArgs};
use phalanx_cli::remote::explanation_text;
use std::path::PathBuf;

/// Turns and differences of one call.
const ITEMS_MAX: u64 = 500;

pub(super) const WHY: &str = "\
Explain one agent's action in a turn of a recording: what the agent knew, which line of which script \
made the action, with which reason and which values of the board, and what the referee answered.";

arguments! {
    pub(super) struct WhyArgs {
        /// The recording: a file *.mcap.
        recording: String,
        /// The agent's name, for example `agentA1`.
        agent: String,
        /// The turn: STEP, ROUND:STEP, or -N for N turns back [default: the last one].
        turn: Option<String>,
    }
}

pub(super) fn why(places: &Places, args: WhyArgs, _work: &Work) -> Result<Answer> {
    let what = match &args.turn {
        Some(turn) => format!("{}@{turn}", args.agent),
        None => args.agent,
    };
    let what: AgentTurn = what.parse().map_err(|error: String| anyhow!(error))?;
    let explanation = extracts::explanation(&places.path(&args.recording)?, &what)?;
    Ok(Answer::text(explanation_text(&explanation)))
}

pub(super) const REPLAY: &str = "\
Show a recorded match turn by turn: each agent's action with its reason and the referee's answer, \
fallbacks, script errors, scores.";

arguments! {
    pub(super) struct ReplayToolArgs {
        /// The recording: a file *.mcap, or a folder, of which the newest one is taken.
        recording: String,
        /// Consider only recordings of this team.
        team: Option<String>,
        /// Begin at this turn: STEP or ROUND:STEP [default: the first one].
        from: Option<String>,
        /// Show only this agent.
        agent: Option<String>,
        /// Most turns to show, 1 to 500 [default: 20].
        turns: Option<u64>,
    }
}

pub(super) fn replay(places: &Places, args: ReplayToolArgs, work: &Work) -> Result<Answer> {
    let most = args.turns.unwrap_or(20).clamp(1, ITEMS_MAX);
    let replay = ReplayArgs {
        team: args.team,
        at: place(args.from.as_deref())?,
        agent: args.agent,
        ..of_file(places.path(&args.recording)?)
    };
    let mut turns = Collected::new(most, |done, total| work.went_on(done, total, "turns"));
    viewer::turns(&replay, &mut turns)?;
    let (text, more) = turns.into_text();
    let answer = Answer::text(text);
    Ok(if more { answer.note("… more turns follow; go on with `from`") } else { answer })
}

pub(super) const DIFF: &str = "\
Decide a recorded match again, with its own strategy or with another one, and list every decision \
that differs: the recorded one (-) and the new one (+). Use it to see what a change of files does. \
Later turns show the results of the recorded actions, not of the new ones.";

arguments! {
    pub(super) struct DiffArgs {
        /// The recording: a file *.mcap, or a folder, of which the newest one is taken.
        recording: String,
        /// Decide with this strategy's folder [default: the recorded strategy].
        strategy: Option<String>,
        /// Consider only recordings of this team.
        team: Option<String>,
        /// Stop before this turn: STEP or ROUND:STEP [default: the whole match].
        until: Option<String>,
        /// Most differences to list, 1 to 500 [default: 50].
        limit: Option<u64>,
    }
}

pub(super) fn diff(places: &Places, args: DiffArgs, work: &Work) -> Result<Answer> {
    let limit = args.limit.unwrap_or(50).clamp(1, ITEMS_MAX);
    let strategy = args.strategy.as_deref().map(|dir| places.folder(dir)).transpose()?;
    let replay = ReplayArgs {
        team: args.team,
        strategy,
        until: place(args.until.as_deref())?,
        decide: true,
        ..of_file(places.path(&args.recording)?)
    };
    // The summary comes after the differences.
    let mut differences =
        Collected::new(limit, |done, total| work.went_on(done, total, "turns")).with_summary();
    redecide::compare(&replay, &mut differences)?;
    Ok(Answer::text(differences.into_text().0))
}

fn place(text: Option<&str>) -> Result<Option<TurnPlace>> {
    text.map(|text| text.parse().map_err(|error: String| anyhow!("{text:?}: {error}"))).transpose()
}

/// The defaults of the command line.
fn of_file(file: PathBuf) -> ReplayArgs {
    ReplayArgs {
        file,
        team: None,
        at: None,
        speed: 1.0,
        decide: false,
        strategy: None,
        until: None,
        repl: false,
        stop_where: None,
        agent: None,
        limit: 0,
        print: OutputArgs { output: Form::Table, template: None },
    }
}
