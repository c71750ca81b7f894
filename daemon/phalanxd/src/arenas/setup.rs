//! Builds the referee that a request asks for.

use phalanx_control::{ArenaAsk, ArenaBegin, ArenaRefusal, ArenaSetup, ArenaSide};
use phalanx_game::sorted::SortedMap;
use phalanx_game::{Arena, Roster, RosterEntry};
use phalanx_games::demo::{DemoAsk, DemoStage};
use phalanx_games::{ArenaPlan, Start, WireError};
use phalanx_net::{PlayerProcesses, origin};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The teams of a variant, in the order of their sides.
const TEAMS: [&str; 2] = ["A", "B"];

/// A referee that may be hosted.
pub(super) struct Stage {
    pub(super) game: &'static str,
    pub(super) arena: Box<dyn Arena>,
    /// The port if the request names none; 0: any free port.
    pub(super) port: u16,
    pub(super) cast: Option<PlayerProcesses>,
    /// The variant with its seed.
    pub(super) variant: Option<(String, u64)>,
    pub(super) sides: Vec<ArenaSide>,
}

pub(super) fn stage(ask: &ArenaAsk) -> Result<Stage, ArenaRefusal> {
    let game = phalanx_games::game(&ask.game).map_err(refused)?;
    match &ask.setup {
        ArenaSetup::Variant { name, seed, steps, worlds } => {
            if !matches!(ask.begin, ArenaBegin::Usual | ArenaBegin::Complete) {
                let reason = "a variant begins when every account is logged in; omit `begin`";
                return Err(ArenaRefusal::Setup(reason.to_owned()));
            }
            let variants = phalanx_games::variants(game).map_err(refused)?;
            let name = name.clone().or_else(|| variants.first().map(|&name| name.to_owned()));
            let name = name.unwrap_or_default();
            if !variants.contains(&name.as_str()) {
                let known = variants.join(", ");
                let reason = format!("{game} has no variant {name:?}; there are: {known}");
                return Err(ArenaRefusal::Setup(reason));
            }
            let demo = DemoAsk {
                seed: *seed,
                steps: *steps,
                fast: false,
                pace: ask.pace,
                worlds: *worlds,
                variant: Some(name.clone()),
                settings: None,
            };
            let stage = phalanx_games::demo(game, &demo).map_err(refused)?;
            let arena = (stage.arena)(origin()).map_err(refused)?;
            let variant = Some((name, *seed));
            Ok(Stage { game, arena, port: 0, cast: None, variant, sides: sides(&stage) })
        }
        ArenaSetup::Files { path, files } => from_files(game, ask, path, files),
    }
}

fn from_files(
    game: &'static str,
    ask: &ArenaAsk,
    path: &Path,
    files: &SortedMap<PathBuf, Vec<u8>>,
) -> Result<Stage, ArenaRefusal> {
    let read = |path: &Path| {
        files
            .get(path)
            .cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "this file was not sent along"))
    };
    let plan = ArenaPlan {
        config: path,
        read: &read,
        origin: origin(),
        start: match ask.begin {
            ArenaBegin::Usual | ArenaBegin::File => Start::File,
            ArenaBegin::Now => Start::Now,
            ArenaBegin::Complete => Start::Complete,
        },
        pace: ask.pace.unwrap_or(Duration::ZERO),
    };
    let (arena, port) = phalanx_games::arena(game, &plan).map_err(refused)?;
    let cast = phalanx_games::player_processes(game, &plan).map_err(refused)?;
    let starts =
        |cast: &PlayerProcesses| cast.players.iter().any(|player| player.program.is_some());
    if cast.as_ref().is_some_and(starts) {
        return Err(ArenaRefusal::StartsPrograms);
    }
    Ok(Stage { game, arena, port, cast, variant: None, sides: Vec::new() })
}

/// The accounts that may log in at a variant's referee.
fn sides(stage: &DemoStage) -> Vec<ArenaSide> {
    let side = |team: &&str| {
        let entry = |number| RosterEntry::new(stage.agent_name(team, number), "");
        let agents: Vec<_> = (1..=stage.agents).map(entry).collect();
        let roster = Roster { team: (*team).to_owned(), agents };
        let seats = stage.seats(&roster);
        ArenaSide {
            team: roster.team.clone(),
            accounts: seats.iter().map(|seat| seat.user.clone()).collect(),
            password: seats.first().map(|seat| seat.password.clone()).unwrap_or_default(),
            agents: roster.agents.into_iter().map(|agent| agent.name).collect(),
        }
    };
    TEAMS.iter().take(stage.teams).map(side).collect()
}

fn refused(error: WireError) -> ArenaRefusal {
    match error {
        WireError::Game(_) | WireError::Folder { .. } => ArenaRefusal::Game(error.to_string()),
        WireError::Build(_) | WireError::Arena(_) | WireError::Login(_) => {
            ArenaRefusal::Setup(error.to_string())
        }
    }
}
