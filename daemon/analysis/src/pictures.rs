//! `phalanx map`: pictures and films of worlds, of running teams and of recordings.

mod film;
mod out;
mod recorded;

use crate::args::map::MapArgs;
use anyhow::{Error, Result};
use phalanx_cli::failure::misused;
use phalanx_cli::remote;
use phalanx_picture::{AgentActivity, Reach, TeamCaption, Unfit, scene};
use phalanx_proto::v1::{Team, World};

/// A world, and what its team did.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) world: World,
    pub(crate) caption: TeamCaption,
}

/// Draws what the command line names.
///
/// # Errors
/// When there is no such team or turn, the world is larger than a picture may be, or the file
/// cannot be written.
pub fn run(args: &MapArgs) -> Result<()> {
    out::check(args)?;
    match (&args.file, &args.animate) {
        (Some(file), Some(film)) => film::film(args, file, film),
        (Some(file), None) => still(args, &recorded::turn(file, args.turn)?),
        (None, _) => {
            let (world, team) = remote::seen(&args.remote, args.team.as_deref())?;
            still(args, &Seen { world, caption: caption(&team) })
        }
    }
}

fn still(args: &MapArgs, seen: &Seen) -> Result<()> {
    let Seen { world, caption } = seen;
    let (look, reach) = (args.look(), reach(world, args)?);
    let page = scene(world, caption, &reach, look)?;
    let mut written = Vec::new();
    if let Some(path) = &args.svg {
        written.push(out::file(path, page.svg(look.pixels()).as_bytes())?);
    }
    if let Some(path) = &args.png {
        written.push(out::file(path, &page.png(look.pixels())?)?);
    }
    // With a picture on standard output, nothing else is printed there.
    let all: Option<Vec<_>> = written.into_iter().collect();
    all.map_or(Ok(()), |written| out::tell(&args.remote.print, world, &written))
}

fn reach(world: &World, args: &MapArgs) -> Result<Reach> {
    Reach::of(world, args.layers.clone()).map_err(refused)
}

/// A layer that does not exist is a wrong command line.
fn refused(unfit: Unfit) -> Error {
    if matches!(unfit, Unfit::NoLayer { .. }) { misused(unfit) } else { unfit.into() }
}

/// The title and labels for a running team.
fn caption(team: &Team) -> TeamCaption {
    let deeds = team.agents.iter().map(|agent| {
        let deed =
            AgentActivity { action: agent.last_action.clone(), reason: agent.reason.clone() };
        (agent.name.clone(), deed)
    });
    let roster = team.agents.iter().map(|agent| agent.name.clone());
    TeamCaption { score: team.score, deeds: deeds.collect(), roster: roster.collect() }
}
