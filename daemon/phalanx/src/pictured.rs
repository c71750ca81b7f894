//! `phalanx map`: worlds as pictures in files, of running teams and of recordings.

mod film;
mod out;
mod recorded;

use crate::cli::map::MapArgs;
use crate::failure::misused;
use crate::remote;
use anyhow::{Error, Result};
use phalanx_picture::{Deed, Reach, Told, Unfit, scene};
use phalanx_proto::v1::{Team, World};

/// A world and what is told besides.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) world: World,
    pub(crate) told: Told,
}

/// Draws what is asked for.
///
/// # Errors
/// When there is no such team or turn, the world is larger than a picture may be, or the file cannot
/// be written.
pub fn run(args: &MapArgs) -> Result<()> {
    out::check(args)?;
    match (&args.file, &args.animate) {
        (Some(file), Some(film)) => film::film(args, file, film),
        (Some(file), None) => still(args, &recorded::turn(file, args.turn)?),
        (None, _) => still(args, &remote::seen(&args.remote, args.team.as_deref())?),
    }
}

fn still(args: &MapArgs, seen: &Seen) -> Result<()> {
    let Seen { world, told } = seen;
    let (look, reach) = (args.look(), reach(world, args)?);
    let page = scene(world, told, &reach, look)?;
    let mut written = Vec::new();
    if let Some(path) = &args.svg {
        written.push(out::file(path, page.svg(look.pixels()).as_bytes())?);
    }
    if let Some(path) = &args.png {
        written.push(out::file(path, &page.png(look.pixels())?)?);
    }
    // Beside a picture nothing else goes to standard output.
    let all: Option<Vec<_>> = written.into_iter().collect();
    all.map_or(Ok(()), |written| out::tell(&args.remote.print, world, &written))
}

fn reach(world: &World, args: &MapArgs) -> Result<Reach> {
    Reach::of(world, args.layers.clone()).map_err(refused)
}

/// A layer that is not there is the caller's mistake.
fn refused(unfit: Unfit) -> Error {
    if matches!(unfit, Unfit::NoLayer { .. }) { misused(unfit) } else { unfit.into() }
}

/// What a running team tells besides its world.
pub(crate) fn told(team: &Team) -> Told {
    let deeds = team.agents.iter().map(|agent| {
        let deed = Deed { action: agent.last_action.clone(), reason: agent.reason.clone() };
        (agent.name.clone(), deed)
    });
    let roster = team.agents.iter().map(|agent| agent.name.clone());
    Told { score: team.score, deeds: deeds.collect(), roster: roster.collect() }
}
