//! The verbs around a daemon's arenas.

mod shown;

use super::watch::follow;
use super::{Shown, Table, look, run, until_left};
use crate::args::arena::{NameArgs, RemoteArenaVerb, ShowArgs, StartArgs};
use crate::args::{Look, Remote};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_control::client::Link;
use phalanx_game::sorted::SortedMap;
use phalanx_games::{ArenaPlan, Start};
use phalanx_net::origin;
use phalanx_proto::v1;
use phalanx_proto::v1::arenas_client::ArenasClient;
use phalanx_proto::v1::start_arena_request::Setup;
use serde_json::json;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// `phalanx arena …` about a daemon's arenas.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn arena(verb: &RemoteArenaVerb) -> Result<()> {
    match verb {
        RemoteArenaVerb::Start(args) => start(args),
        RemoteArenaVerb::List(look) => list(look),
        RemoteArenaVerb::Show(args) => show(args),
        RemoteArenaVerb::Begin(args) => begin(args),
        RemoteArenaVerb::Stop(args) => stop(args),
        RemoteArenaVerb::Watch(args) => watch(args),
    }
}

fn start(args: &StartArgs) -> Result<()> {
    let begin = match args.begin {
        None => v1::ArenaBegin::Unspecified,
        Some(Start::File) => v1::ArenaBegin::File,
        Some(Start::Now) => v1::ArenaBegin::Now,
        Some(Start::Complete) => v1::ArenaBegin::Complete,
    };
    let pace = args.pace.map(prost_types::Duration::try_from).transpose();
    let request = v1::StartArenaRequest {
        arena_id: args.name.clone().unwrap_or_default(),
        game: args.game.to_owned(),
        setup: Some(setup(args)?),
        listen: args.listen.clone().unwrap_or_default(),
        begin: begin.into(),
        pace: pace.map_err(|_| misused("--pace: too long"))?,
        keep_files: args.keep_files,
        request_id: String::new(),
        validate_only: args.check,
    };
    run(&args.remote, async |channel| {
        let answer = ArenasClient::new(channel).start_arena(request).await;
        let arena = answer.map_err(|status| refused(&status))?.into_inner().arena;
        let arena = arena.context("the daemon's answer has no arena")?;
        args.remote.print.tell(&shown::json(&arena), || match args.check {
            true => format!("arena {} can be started", shown::id(&arena)),
            false => shown::text(&arena),
        })
    })
}

fn setup(args: &StartArgs) -> Result<Setup> {
    let Some(path) = &args.config else {
        return Ok(Setup::Variant(v1::ArenaVariant {
            name: args.variant.clone().unwrap_or_default(),
            seed: args.seed,
            steps: args.steps.unwrap_or_default(),
            worlds: args.worlds.unwrap_or_default(),
        }));
    };
    let files = files(args, path)?;
    let content = |(path, content): (PathBuf, Vec<u8>)| v1::ArenaFile {
        path: path.display().to_string(),
        content,
    };
    let files = files.into_iter().map(content).collect();
    Ok(Setup::Configuration(v1::ArenaConfiguration { path: path.display().to_string(), files }))
}

/// The configuration with all files that it includes: those that the referee's own reader opens.
fn files(args: &StartArgs, config: &Path) -> Result<SortedMap<PathBuf, Vec<u8>>> {
    let seen = RefCell::new(SortedMap::new());
    let read = |path: &Path| {
        let content = std::fs::read(path)?;
        seen.borrow_mut().insert(path.to_owned(), content.clone());
        Ok(content)
    };
    let start = args.begin.unwrap_or(Start::File);
    let pace = args.pace.unwrap_or_default();
    let plan = ArenaPlan { config, read: &read, origin: origin(), start, pace };
    // Report mistakes before anything is sent.
    phalanx_games::arena(args.game, &plan)?;
    Ok(seen.into_inner())
}

fn list(args: &Look) -> Result<()> {
    look(args, async |channel| {
        let arenas = all(&mut ArenasClient::new(channel)).await?;
        let json = json!({ "arenas": arenas.iter().map(shown::json).collect::<Vec<_>>() });
        Ok(Shown { json, text: lines(&arenas) })
    })
}

fn lines(arenas: &[v1::Arena]) -> String {
    let mut table = Table::new(&["ARENA", "GAME", "STATE", "ADDRESS", "STEP", "SCORES", "CLIENTS"]);
    for arena in arenas {
        table.row([
            shown::id(arena).to_owned(),
            arena.game.clone(),
            shown::state(arena),
            arena.address.clone(),
            shown::step(arena),
            shown::scores(arena),
            arena.client_count.to_string(),
        ]);
    }
    table.shown()
}

fn show(args: &ShowArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let mut client = ArenasClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let answer = client.get_arena(v1::GetArenaRequest { name }).await;
        let arena = answer.map_err(|status| refused(&status))?.into_inner().arena;
        let arena = arena.context("the daemon's answer has no arena")?;
        Ok(Shown { json: shown::json(&arena), text: shown::text(&arena) })
    })
}

fn begin(args: &NameArgs) -> Result<()> {
    run(&args.remote, async |channel| {
        let mut client = ArenasClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let request = v1::BeginArenaRequest { name, request_id: String::new() };
        let answer = client.begin_arena(request).await;
        tell(answer.map_err(|status| refused(&status))?.into_inner().arena, &args.remote)
    })
}

fn stop(args: &NameArgs) -> Result<()> {
    run(&args.remote, async |channel| {
        let mut client = ArenasClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let request = v1::StopArenaRequest { name, request_id: String::new() };
        let answer = client.stop_arena(request).await;
        tell(answer.map_err(|status| refused(&status))?.into_inner().arena, &args.remote)
    })
}

fn tell(arena: Option<v1::Arena>, remote: &Remote) -> Result<()> {
    let arena = arena.context("the daemon's answer has no arena")?;
    remote.print.tell(&shown::json(&arena), || shown::text(&arena))
}

fn watch(args: &NameArgs) -> Result<()> {
    until_left(&args.remote, async |channel| {
        let mut client = ArenasClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let open = async |cursor| {
            let request = v1::WatchArenaRequest { name: name.clone(), cursor };
            Ok(client.clone().watch_arena(request).await?.into_inner())
        };
        let take = |answer: v1::WatchArenaResponse, cursor: &mut String| {
            let Some(event) = answer.event else { return Ok(true) };
            cursor.clone_from(&event.cursor);
            args.remote.print.tell_one(&shown::event_json(&event), || shown::event_text(&event))
        };
        follow(open, false, take).await
    })
}

async fn all(client: &mut ArenasClient<Link>) -> Result<Vec<v1::Arena>> {
    let (mut arenas, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListArenasRequest { page_size: 0, page_token };
        let page = client.list_arenas(request).await;
        let page = page.map_err(|status| refused(&status))?.into_inner();
        arenas.extend(page.arenas);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(arenas);
        }
    }
}

/// The resource name of the named arena, or of the only one that runs.
async fn name(client: &mut ArenasClient<Link>, name: Option<&str>) -> Result<String> {
    if let Some(name) = name {
        return Ok(format!("{}{}", shown::ARENAS, shown::short(name)));
    }
    let mut arenas = all(client).await?;
    if arenas.len() > 1 {
        arenas.retain(shown::runs);
    }
    match arenas.as_slice() {
        [arena] => Ok(arena.name.clone()),
        [] => Err(misused("no arena runs; `phalanx arena list` shows those that ended")),
        [_, ..] => {
            let names: Vec<_> = arenas.iter().map(shown::id).collect();
            Err(misused(format!("which arena? There are {}", names.join(", "))))
        }
    }
}
