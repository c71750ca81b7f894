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

use crate::fault::{Fault, FaultClass, FaultKind};
use crate::often::{BYTES_MAX, MS_MAX, Often};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use toml::Spanned;

/// The version of scenario files that this build writes.
pub const SCENARIO_VERSION: u32 = 1;
/// Most steps of a scenario.
pub const STEPS_MAX: u32 = 100_000;
/// Longest time of a script.
const THINK_MS_MAX: u64 = 10_000;
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
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// How long `plan` and each `decide` take, in milliseconds of virtual time.
    #[serde(skip_serializing_if = "is_zero")]
    pub think_ms: u64,
    /// What goes wrong, in any order.
    #[serde(rename = "fault")]
    pub faults: Vec<Fault>,
    /// What goes wrong now and then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub often: Vec<Often>,
}

/// Faults without a match: those of a scenario file, or of a file that says nothing about a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultPlan {
    /// Its name in messages.
    pub name: String,
    /// Seed of what happens now and then; `None`: that of the match.
    pub seed: Option<u64>,
    /// Faults with a step, in any order.
    pub faults: Vec<Fault>,
    /// What goes wrong now and then.
    pub often: Vec<Often>,
}

/// The fault plans that come with the program: name and text.
pub const FAULT_PLANS: &[(&str, &str)] =
    &[("contest-wifi", include_str!("../faults/contest-wifi.toml"))];

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde wants")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// As [`Scenario`], with the places of its parts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    version: Spanned<u32>,
    #[serde(default)]
    game: Option<Spanned<String>>,
    #[serde(default)]
    variant: Option<Spanned<String>>,
    #[serde(default)]
    steps: Option<Spanned<u32>>,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    strategy: ScenarioStrategy,
    #[serde(default)]
    record: bool,
    #[serde(default)]
    think_ms: Option<Spanned<u64>>,
    #[serde(default, rename = "fault")]
    faults: Vec<Spanned<Fault>>,
    #[serde(default)]
    often: Vec<Spanned<Often>>,
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
        let file = reader.read()?;
        let (game, steps, seed) = reader.check_match(&file);
        reader.check(&file);
        reader.end()?;
        Ok(Self {
            version: *file.version.as_ref(),
            game,
            variant: file.variant.map(Spanned::into_inner),
            steps,
            seed,
            strategy: file.strategy,
            record: file.record,
            think_ms: file.think_ms.map(Spanned::into_inner).unwrap_or_default(),
            faults: file.faults.into_iter().map(Spanned::into_inner).collect(),
            often: file.often.into_iter().map(Spanned::into_inner).collect(),
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

impl FaultPlan {
    /// Reads a file of faults for a match of that game; a scenario file is one, too.
    ///
    /// # Errors
    /// All mistakes of the file, each with its line.
    pub fn read(text: &str, name: &str, game: &str) -> Result<Self, ScenarioError> {
        let mut reader = Reader { text, name, mistakes: Vec::new() };
        let file = reader.read()?;
        if let Some(other) = file.game.as_ref().filter(|other| other.as_ref() != game) {
            let what = format!(
                "these faults are for {}, and this is {game}: delete `game` to use them in any game",
                other.as_ref()
            );
            reader.note(other.span().start, &what);
        }
        reader.check(&file);
        reader.end()?;
        Ok(Self {
            name: name.to_owned(),
            seed: file.seed,
            faults: file.faults.into_iter().map(Spanned::into_inner).collect(),
            often: file.often.into_iter().map(Spanned::into_inner).collect(),
        })
    }

    /// The faults that only the simulator can cause: those of processes, disks and people.
    pub fn left_out(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| fault.kind.class() != FaultClass::Network)
    }
}

struct Reader<'a> {
    text: &'a str,
    name: &'a str,
    mistakes: Vec<String>,
}

impl Reader<'_> {
    fn read(&self) -> Result<ScenarioFile, ScenarioError> {
        self.check_version()?;
        toml::from_str(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.refuse(at, error.message())
        })
    }

    fn end(self) -> Result<(), ScenarioError> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        Err(ScenarioError { mistakes: self.mistakes })
    }

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

    /// Game, steps and seed, which a match needs.
    fn check_match(&mut self, file: &ScenarioFile) -> (String, u32, u64) {
        let missing = [
            (file.game.is_none(), "there is no game: write `game = \"assemble\"`"),
            (file.steps.is_none(), "there are no steps: write `steps = 20`"),
            (file.seed.is_none(), "there is no seed: write `seed = 1`"),
        ];
        for (is_missing, what) in missing {
            if is_missing {
                self.note(0, what);
            }
        }
        let of_disk = |fault: &&Spanned<Fault>| fault.as_ref().kind.class() == FaultClass::Disk;
        let writes = |fault: &Spanned<Fault>| fault.as_ref().kind == FaultKind::Kill;
        let has_files = file.record || file.faults.iter().any(writes);
        for fault in file.faults.iter().filter(of_disk) {
            if !has_files || fault.as_ref().team != "A" {
                let what = format!(
                    "{} needs a file of team A: write `record = true` at the top, or add a `kill`, \
                     after which a checkpoint is read",
                    fault.as_ref().kind
                );
                self.note(fault.span().start, &what);
            }
        }
        let game = file.game.as_ref().map(|game| game.as_ref().clone()).unwrap_or_default();
        let steps = file.steps.as_ref().map_or(0, |steps| *steps.as_ref());
        (game, steps, file.seed.unwrap_or_default())
    }

    fn check(&mut self, file: &ScenarioFile) {
        if let Some(game) = &file.game {
            self.check_game(game, file.variant.as_ref());
        }
        let steps = file.steps.as_ref().map_or(STEPS_MAX, |steps| *steps.as_ref());
        if let Some(wrong) = file.steps.as_ref().filter(|_| !(1..=STEPS_MAX).contains(&steps)) {
            self.note(wrong.span().start, &format!("write 1 to {STEPS_MAX} steps"));
        }
        if let Some(wrong) = file.think_ms.as_ref().filter(|think| *think.as_ref() > THINK_MS_MAX) {
            let what = format!("think_ms: at most {THINK_MS_MAX}, the time of one script");
            self.note(wrong.span().start, &what);
        }
        for fault in &file.faults {
            for what in mistakes(fault.as_ref(), steps) {
                self.note(fault.span().start, &what);
            }
        }
        for often in &file.often {
            for what in often.as_ref().mistakes() {
                self.note(often.span().start, &what);
            }
        }
    }

    fn check_game(&mut self, game: &Spanned<String>, variant: Option<&Spanned<String>>) {
        let name = game.as_ref();
        let variants = match phalanx_games::variants(name) {
            Ok(variants) => variants,
            Err(error) => return self.note(game.span().start, &error.to_string()),
        };
        if let Some(variant) = variant.filter(|it| !variants.contains(&it.as_ref().as_str())) {
            let what = format!("{name} has no such variant; write one of: {}", variants.join(", "));
            self.note(variant.span().start, &what);
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
    #[case::no_recording("\"delay\"", "\"disk_full\"", ":6: disk_full needs a file")]
    #[case::no_steps("steps = 20", "", ":1: there are no steps: write `steps = 20`")]
    fn a_mistake_is_reported_with_its_line(
        #[case] from: &str,
        #[case] to: &str,
        #[case] wanted: &str,
    ) {
        let error = Scenario::read(&TEN_LINES.replace(from, to), "ten.toml").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("ten.toml:") && text.contains(wanted), "{text}");
    }
    const WEATHER: &str = "version = 1\n\n[[often]]\nkind = \"delay\"\nchance = [0, 0.1]\n\
                           turns = [1, 2]\n";

    #[test]
    fn a_plan_of_faults_needs_no_match_and_a_scenario_is_one() {
        let plan = FaultPlan::read(WEATHER, "weather.toml", "mars").unwrap();
        assert_eq!((plan.often.len(), plan.faults.len(), plan.seed), (1, 0, None));
        let killed = TEN_LINES.replace("\"delay\"", "\"kill\"");
        let plan = FaultPlan::read(&killed, "ten.toml", "assemble").unwrap();
        let left_out: Vec<_> = plan.left_out().map(|fault| fault.kind).collect();
        assert_eq!((left_out, plan.seed), (vec![FaultKind::Kill], Some(7)));
        let other = FaultPlan::read(TEN_LINES, "ten.toml", "mars").unwrap_err().to_string();
        assert!(other.starts_with("ten.toml:2: these faults are for assemble"), "{other}");
        for (name, text) in FAULT_PLANS {
            let plan = FaultPlan::read(text, name, "assemble").unwrap();
            assert!(!plan.often.is_empty(), "{name}");
        }
    }

    #[rstest::rstest]
    #[case::no_chance("chance = [0, 0.1]", "", ":3: missing field `chance`")]
    #[case::falling("[0, 0.1]", "[0.1, 0]", ":3: chance: write a number from 0 to 1")]
    #[case::too_likely("[0, 0.1]", "2", ":3: chance: write a number from 0 to 1")]
    #[case::a_word("[0, 0.1]", "\"often\"", ":5: expected a number or a list of numbers")]
    #[case::no_length("turns = [1, 2]", "", ":3: delay needs `ms` or `turns`")]
    #[case::both("turns", "ms = 5\nturns", ":3: write either `ms` or `turns`")]
    #[case::three("[1, 2]", "[1, 2, 3]", ":3: turns: write a number from 0 to 1000")]
    #[case::wrong_parameter("turns", "bytes = 5\nturns", ":3: delay takes no `bytes`")]
    #[case::of_processes("\"delay\"", "\"kill\"", ":3: kill is no fault of the network")]
    #[case::third_team("turns", "team = \"C\"\nturns", ":3: team: write \"A\" or \"B\"")]
    fn a_mistake_in_weather_is_reported_with_its_line(
        #[case] from: &str,
        #[case] to: &str,
        #[case] wanted: &str,
    ) {
        let text = WEATHER.replace(from, to);
        let error = FaultPlan::read(&text, "weather.toml", "mars").unwrap_err().to_string();
        assert!(error.contains(&format!("weather.toml{wanted}")), "{error}");
    }
}
