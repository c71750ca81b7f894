//! The teams of a scenario: their agents, seats and scripts.

use crate::fault::HostileScript;
use crate::scenario::{Scenario, ScenarioStrategy};
use phalanx_engine::{Generation, Staged, StrategyOrigin, TeamOptions};
use phalanx_game::{Origin, Roster, RosterEntry};
use phalanx_games::demo::{Connections, DemoAsk, DemoStage};
use phalanx_games::{TeamPlan, shipped};
use phalanx_lua::{Bundle, Limits, stage};
use phalanx_net::{Recorder, SeatOptions, ThinkTime};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The wall-clock time at which every match begins: 2026-01-01 00:00 UTC.
pub(crate) const EPOCH_MS: u64 = 1_767_225_600_000;
/// The shortest step, so that virtual time passes.
const PACE: Duration = Duration::from_millis(200);
/// Worlds of a match, in games that play several.
const WORLDS: u32 = 2;
/// The most that a decision may take, on the clock of the match.
const DECIDE_MAX: Duration = Duration::from_secs(2);
/// How long scripts may take to load.
const LOAD_MAX: Duration = Duration::from_secs(30);
/// Memory of a team's scripts: little, so that a script that takes all of it is stopped soon.
const MEMORY_BYTES: usize = 16 << 20;
const ASIMULATOR: &str = "asimulator";
/// The main role of the small strategy.
const WORKER: &str = "worker";

/// A match cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The game, its variant or its demo do not exist.
    #[error(transparent)]
    Game(#[from] phalanx_games::WireError),
    /// The folder of a recording cannot be made.
    #[error("cannot record: {0}")]
    Disk(std::io::Error),
    /// A strategy does not load.
    #[error("the strategy does not load: {0}")]
    Strategy(String),
}

/// A referee and its teams.
pub(crate) struct Cast {
    pub(crate) stage: DemoStage,
    pub(crate) origin: Origin,
    pub(crate) teams: Vec<TeamPlan>,
    pub(crate) bundle: Arc<Bundle>,
}

impl Cast {
    /// The cast of a scenario. `recorder` records the first team.
    pub(crate) fn new(
        scenario: &Scenario,
        instant: Instant,
        recorder: Option<Arc<dyn Recorder>>,
    ) -> Result<Self, SetupError> {
        let stage = phalanx_games::demo(&scenario.game, &ask(scenario))?;
        let bundle = Arc::new(bundle(scenario)?);
        let names = ["A", "B"].into_iter().take(stage.teams);
        let mut recorder = recorder;
        let mut teams = Vec::new();
        for name in names {
            let mut plan = team(scenario, &stage, name, &bundle)?;
            plan.recorder = recorder.take();
            teams.push(plan);
        }
        Ok(Self { stage, origin: Origin { instant, unix_ms: EPOCH_MS }, teams, bundle })
    }

    /// How long scripts take on the virtual clock.
    pub(crate) fn think_time(scenario: &Scenario) -> ThinkTime {
        let usual = Duration::from_millis(scenario.think_ms);
        let slow = HostileScript::Slow.role();
        Rc::new(move |role| if role == slow { Duration::MAX } else { usual })
    }

    /// All agents share one connection.
    pub(crate) fn is_shared(&self) -> bool {
        self.stage.connections == Connections::Team
    }
}

/// The demo that a scenario plays in.
fn ask(scenario: &Scenario) -> DemoAsk {
    ask_of(scenario.seed, scenario.steps, scenario.variant.clone())
}

pub(crate) fn ask_of(seed: u64, steps: u32, variant: Option<String>) -> DemoAsk {
    DemoAsk {
        seed,
        steps: Some(steps),
        fast: false,
        pace: Some(PACE),
        worlds: Some(WORLDS),
        variant,
        settings: None,
    }
}

/// A bundle as the generation of that number.
pub(crate) fn staged(number: u32, bundle: &Arc<Bundle>) -> Result<Staged, SetupError> {
    let generation = Generation {
        number,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    stage(Arc::clone(bundle), Arc::new(generation))
        .map_err(|error| SetupError::Strategy(error.to_string()))
}

/// Limits of the scripts.
pub(crate) fn limits() -> Limits {
    Limits { load: LOAD_MAX, memory_bytes: MEMORY_BYTES, ..Limits::default() }
}

fn team(
    scenario: &Scenario,
    stage: &DemoStage,
    name: &str,
    bundle: &Arc<Bundle>,
) -> Result<TeamPlan, SetupError> {
    let roles: Vec<_> = benign_roles(bundle).collect();
    let role = |index: usize| roles.get(index % roles.len().max(1)).map_or(WORKER, String::as_str);
    let entry = |index: usize| RosterEntry::new(stage.agent_name(name, index + 1), role(index));
    let roster = Roster { team: name.to_owned(), agents: (0..stage.agents).map(entry).collect() };
    let options = TeamOptions {
        seed: scenario.seed,
        decide_max: DECIDE_MAX,
        plan_max: DECIDE_MAX,
        rehearsal_turns: 0,
        ..TeamOptions::default()
    };
    let mut game_options = stage.options.clone();
    if scenario.game == ASIMULATOR {
        // Its simulator sets no deadline: without this both sides wait for a byte that is lost.
        game_options.insert("percept_timeout".to_owned(), "30s".to_owned());
    }
    Ok(TeamPlan {
        game: scenario.game.clone(),
        options: game_options,
        seats: stage.seats(&roster),
        roster,
        staged: staged(1, bundle)?,
        limits: limits(),
        team: options,
        seat: SeatOptions::default(),
        recorder: None,
        checkpoints: None,
    })
}

/// The roles of a bundle that do no harm.
pub(crate) fn benign_roles(bundle: &Bundle) -> impl Iterator<Item = String> {
    let is_hostile = |role: &str| HostileScript::ALL.iter().any(|script| script.role() == role);
    bundle.root_names().filter(move |role| !is_hostile(role)).map(str::to_owned)
}

fn bundle(scenario: &Scenario) -> Result<Bundle, SetupError> {
    let refuse = |error: phalanx_lua::LoadError| SetupError::Strategy(error.to_string());
    let mut files: Vec<(String, String)> = match scenario.strategy {
        ScenarioStrategy::Shipped => {
            let shipped = shipped::strategy(&scenario.game).map_err(refuse)?;
            let file = |(path, source): (&str, &Arc<str>)| (path.to_owned(), source.to_string());
            shipped.files().map(file).collect()
        }
        ScenarioStrategy::Steady => vec![
            ("team.luau".to_owned(), STEADY_TEAM.to_owned()),
            ("worker.luau".to_owned(), steady(&scenario.game)),
            ("guard.luau".to_owned(), steady(&scenario.game)),
        ],
    };
    let action = action(&scenario.game);
    for script in HostileScript::ALL {
        files.push((format!("{}.luau", script.role()), hostile(script, action)));
    }
    Bundle::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_str())))
        .map_err(refuse)
}

const STEADY_TEAM: &str = "param('caution', {
    default = 1, min = 0, max = 10, kind = 'int', why = 'read by every agent',
})
return {
    plan = function(team)
        board.set('plan', team.turn, { turns = 2 })
    end,
}
";

/// A legal action in each turn, with memory, board and a parameter.
fn steady(game: &str) -> String {
    format!(
        "return {{
    decide = function(me)
        me.memory.turns = (me.memory.turns or 0) + 1
        board.set('seen/' .. me.name, me.turn)
        if param('caution') < 0 then
            return nil
        end
        return {}
    end,
}}
",
        action(game)
    )
}

/// An action that is always legal, as a script writes it.
fn action(game: &str) -> &'static str {
    match game {
        "assemble" => "act.move(({ 'n', 'e', 's', 'w' })[me.turn % 4 + 1])",
        "mars" => "act.recharge()",
        "bomberland" => "act.move(({ 'up', 'down' })[me.turn % 2 + 1])",
        "colosseum" => "act.nothing()",
        _ => "act.turn_left()",
    }
}

/// An order that is always legal, as an operator writes it.
pub(crate) fn order(game: &str) -> &'static str {
    match game {
        "assemble" => "move(n)",
        "mars" => "recharge",
        "bomberland" => "wait",
        "colosseum" => "nothing",
        _ => "turn_left",
    }
}

fn hostile(script: HostileScript, action: &str) -> String {
    let body = match script {
        HostileScript::Throws => "error('as always')".to_owned(),
        HostileScript::Lies => "return { action = 'fly', args = { 1 / 0 } }".to_owned(),
        HostileScript::Silent => "return nil".to_owned(),
        HostileScript::Deep => {
            "local function deep(n) return 1 + deep(n + 1) end\nreturn deep(0)".to_owned()
        }
        HostileScript::Floods => format!(
            "for i = 1, 300 do\nboard.set('flood/' .. i, string.rep('x', 100))\nlog.info('flood', i)\n\
             end\nreturn {action}"
        ),
        HostileScript::Greedy => {
            "local all = {}\nwhile true do table.insert(all, string.rep('x', 4096) .. #all) end"
                .to_owned()
        }
        HostileScript::Slow => format!("return {action}"),
        HostileScript::Endless => "while true do end".to_owned(),
    };
    format!("return {{\n    decide = function(me)\n{body}\n    end,\n}}\n")
}
