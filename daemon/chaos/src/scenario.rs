//! Scenarios: a match and the faults in it, as a TOML file that a person can write.
//!
//! ```toml
//! version = 1
//! game = "assemble"
//! steps = 20
//! seed = 7
//!
//! [[fault]]
//! step = 5
//! agent = 3
//! kind = "delay"
//! ms = 1500
//! ```

use crate::fault::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use toml::Spanned;

/// The version of scenario files that this build writes.
pub const SCENARIO_VERSION: u32 = 1;
/// Most steps of a scenario.
pub const STEPS_MAX: u32 = 100_000;
/// Longest fault, in milliseconds.
const MS_MAX: u64 = 3_600_000;
/// Most bytes of a piece or of garbage.
const BYTES_MAX: u32 = 1 << 20;
/// Most mistakes that an error lists.
const MISTAKES_MAX: usize = 20;

/// Which scripts the teams play with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioStrategy {
    /// A small one that makes a legal action in each turn.
    #[default]
    Steady,
    /// The one that comes with the program.
    Shipped,
}

/// A match and its faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scenario {
    /// The version of the file.
    pub version: u32,
    /// The game.
    pub game: String,
    /// The variant of the game's demo; `None`: the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Steps of the match.
    pub steps: u32,
    /// Seed of the map, of the referee and of the scripts.
    pub seed: u64,
    /// Which scripts play.
    pub strategy: ScenarioStrategy,
    /// The first team is recorded, and its recording is decided again.
    pub record: bool,
    /// What goes wrong, in any order.
    #[serde(rename = "fault")]
    pub faults: Vec<Fault>,
}

/// As [`Scenario`], with the places of its parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    version: Spanned<u32>,
    game: Spanned<String>,
    #[serde(default)]
    variant: Option<Spanned<String>>,
    steps: Spanned<u32>,
    seed: u64,
    #[serde(default)]
    strategy: ScenarioStrategy,
    #[serde(default)]
    record: bool,
    #[serde(default, rename = "fault")]
    faults: Vec<Spanned<Fault>>,
}

/// A scenario file has mistakes: one line each, with the number of the line in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .mistakes.join("\n"))]
pub struct ScenarioError {
    /// `NAME:LINE: what is wrong, and what to write`.
    pub mistakes: Vec<String>,
}

impl Scenario {
    /// Reads a scenario file; `name` is used in errors.
    ///
    /// # Errors
    /// All mistakes of the file, each with its line.
    pub fn read(text: &str, name: &str) -> Result<Self, ScenarioError> {
        let mut reader = Reader { text, name, mistakes: Vec::new() };
        reader.check_version()?;
        let file: ScenarioFile = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.refuse(at, error.message())
        })?;
        reader.check(&file);
        if !reader.mistakes.is_empty() {
            return Err(ScenarioError { mistakes: reader.mistakes });
        }
        Ok(Self {
            version: *file.version.as_ref(),
            game: file.game.into_inner(),
            variant: file.variant.map(Spanned::into_inner),
            steps: file.steps.into_inner(),
            seed: file.seed,
            strategy: file.strategy,
            record: file.record,
            faults: file.faults.into_iter().map(Spanned::into_inner).collect(),
        })
    }

    /// The scenario as a file.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text cannot fail, and a scenario always has a form in TOML.
        write!(text, "{}", toml::to_string(self).unwrap_or_default()).unwrap_or_default();
        text
    }
}

struct Reader<'a> {
    text: &'a str,
    name: &'a str,
    mistakes: Vec<String>,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
    }

    fn refuse(&self, at: usize, what: &str) -> ScenarioError {
        ScenarioError { mistakes: vec![format!("{}:{}: {what}", self.name, self.line(at))] }
    }

    fn note(&mut self, at: usize, what: &str) {
        if self.mistakes.len() < MISTAKES_MAX {
            self.mistakes.push(format!("{}:{}: {what}", self.name, self.line(at)));
        }
    }

    /// A newer file may have keys that this build does not know, so its version is read first.
    fn check_version(&self) -> Result<(), ScenarioError> {
        #[derive(Deserialize)]
        struct Version {
            version: Option<Spanned<i64>>,
        }
        let Ok(Version { version }) = toml::from_str(self.text) else { return Ok(()) };
        let Some(version) = version else {
            return Err(self.refuse(0, "there is no version: begin with `version = 1`"));
        };
        let (at, version) = (version.span().start, version.into_inner());
        if version > i64::from(SCENARIO_VERSION) {
            let known = SCENARIO_VERSION;
            let what = format!(
                "version {version} is newer than this program, which reads versions up to {known}: \
                 use a newer program"
            );
            return Err(self.refuse(at, &what));
        }
        if version < 1 {
            return Err(self.refuse(at, "there is no such version: write `version = 1`"));
        }
        Ok(())
    }

    fn check(&mut self, file: &ScenarioFile) {
        let game = file.game.as_ref();
        let variants = phalanx_games::variants(game);
        if let Err(error) = &variants {
            self.note(file.game.span().start, &error.to_string());
        }
        if let (Some(variant), Ok(variants)) = (&file.variant, variants)
            && !variants.contains(&variant.as_ref().as_str())
        {
            let what = format!("{game} has no such variant; write one of: {}", variants.join(", "));
            self.note(variant.span().start, &what);
        }
        if !(1..=STEPS_MAX).contains(file.steps.as_ref()) {
            self.note(file.steps.span().start, &format!("write 1 to {STEPS_MAX} steps"));
        }
        for fault in &file.faults {
            let at = fault.span().start;
            for what in mistakes(fault.as_ref(), *file.steps.as_ref()) {
                self.note(at, &what);
            }
        }
    }
}

/// What is wrong with a fault.
fn mistakes(fault: &Fault, steps: u32) -> Vec<String> {
    let (kind, mut found) = (fault.kind, Vec::new());
    if !(1..=steps).contains(&fault.step) {
        found.push(format!("step = {}: the match has the steps 1 to {steps}", fault.step));
    }
    if !["A", "B"].contains(&fault.team.as_str()) {
        found.push(format!("team = {:?}: write \"A\" or \"B\"", fault.team));
    }
    if fault.agent == 0 {
        found.push("agent = 0: agents are counted from 1".to_owned());
    }
    let (ms, bytes, seed) = kind.takes();
    let given = [
        ("ms", fault.ms.is_some(), ms, "how long it lasts, for example `ms = 1500`"),
        ("bytes", fault.bytes.is_some(), bytes, "how many bytes, for example `bytes = 7`"),
        ("seed", fault.seed.is_some(), seed, "what is random about it, for example `seed = 1`"),
        (
            "script",
            fault.script.is_some(),
            kind == FaultKind::Script,
            "the script, for example `script = \"throws\"`",
        ),
    ];
    for (key, is_given, is_taken, how) in given {
        if is_given && !is_taken {
            found.push(format!("{kind} takes no `{key}`: delete it"));
        } else if is_taken && !is_given {
            found.push(format!("{kind} needs `{key}`: {how}"));
        }
    }
    if fault.ms.is_some_and(|ms| ms > MS_MAX) {
        found.push(format!("ms: at most {MS_MAX}"));
    }
    if fault.bytes.is_some_and(|bytes| bytes > BYTES_MAX) {
        found.push(format!("bytes: at most {BYTES_MAX}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN_LINES: &str = "version = 1\ngame = \"assemble\"\nsteps = 20\nseed = 7\n\n[[fault]]\n\
                             step = 5\nagent = 3\nkind = \"delay\"\nms = 1500\n";

    #[test]
    fn ten_lines_are_a_scenario_and_what_is_written_is_read() {
        let scenario = Scenario::read(TEN_LINES, "ten.toml").unwrap();
        assert_eq!(
            (scenario.faults[0].kind, scenario.faults[0].ms),
            (FaultKind::Delay, Some(1500))
        );
        assert_eq!(Scenario::read(&scenario.text(), "again.toml").unwrap(), scenario);
    }

    #[rstest::rstest]
    #[case::unknown_kind("\"delay\"", "\"dellay\"", ":9: ")]
    #[case::unknown_key("agent", "agnet", ":8: ")]
    #[case::unknown_game("\"assemble\"", "\"chess\"", ":2: no game is called \"chess\"")]
    #[case::step_after_the_end("step = 5", "step = 21", ":6: step = 21: the match has the steps")]
    #[case::no_length("ms = 1500", "", ":6: delay needs `ms`")]
    #[case::wrong_parameter("ms = 1500", "ms = 1\nbytes = 3", ":6: delay takes no `bytes`")]
    #[case::agent_zero("agent = 3", "agent = 0", ":6: agent = 0: agents are counted from 1")]
    #[case::other_team("agent = 3", "team = \"C\"", "write \"A\" or \"B\"")]
    #[case::newer("version = 1", "version = 2\nnew = 1", ":1: version 2 is newer")]
    #[case::no_version("version = 1", "", ":1: there is no version")]
    #[case::no_toml("seed = 7", "seed = ", ":4: ")]
    fn a_mistake_is_reported_with_its_line(
        #[case] from: &str,
        #[case] to: &str,
        #[case] wanted: &str,
    ) {
        let error = Scenario::read(&TEN_LINES.replace(from, to), "ten.toml").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("ten.toml:") && text.contains(wanted), "{text}");
    }
}
