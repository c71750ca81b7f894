//! The verbs around a daemon's leagues.

mod shown;

use super::watch::follow;
use super::{Shown, Table, look, run, until_left};
use crate::args::league::{
    CreateArgs, LeagueArgs, LeagueNameArgs, RemoteLeagueVerb, ShowLeagueArgs,
};
use crate::args::{Look, Remote};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_control::client::Link;
use phalanx_proto::v1;
use phalanx_proto::v1::leagues_client::LeaguesClient;
use serde_json::json;

/// `phalanx league …` about a daemon's leagues.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn league(verb: &RemoteLeagueVerb) -> Result<()> {
    match verb {
        RemoteLeagueVerb::Create(args) => create(args),
        RemoteLeagueVerb::List(args) => list(args),
        RemoteLeagueVerb::Show(args) => show(args),
        RemoteLeagueVerb::Watch(args) => watch(args),
        RemoteLeagueVerb::Cancel(args) => cancel(args),
        RemoteLeagueVerb::Resume(args) => resume(args),
        RemoteLeagueVerb::Delete(args) => delete(args),
    }
}

fn create(args: &CreateArgs) -> Result<()> {
    let request = v1::CreateLeagueRequest {
        league_id: args.name.clone().unwrap_or_default(),
        plan: Some(plan(&args.league)?),
        request_id: String::new(),
        validate_only: args.check,
    };
    run(&args.remote, async |channel| {
        let answer = LeaguesClient::new(channel).create_league(request).await;
        tell(answer.map_err(|status| refused(&status))?.into_inner().league, &args.remote)
    })
}

fn plan(args: &LeagueArgs) -> Result<v1::LeaguePlan> {
    let players = args.players()?;
    let player = |(name, source): (String, String)| {
        Ok(v1::LeaguePlayer { name, strategy: absolute(source)? })
    };
    Ok(v1::LeaguePlan {
        game: args.game_of(&players).to_owned(),
        variant: args.variant.clone().unwrap_or_default(),
        steps: args.steps.unwrap_or_default(),
        worlds: args.worlds.unwrap_or_default(),
        players: players.into_iter().map(player).collect::<Result<_>>()?,
        first_against_all: args.first_against_all,
        first_seed: args.seeds.first,
        seed_count: args.seeds.count,
        no_swap: args.no_swap,
        sprt: args.sprt.map(|sprt| v1::LeagueSprt {
            elo0: sprt.elo0,
            elo1: sprt.elo1,
            alpha: sprt.alpha,
            beta: sprt.beta,
        }),
    })
}

/// The absolute path of a folder, since the daemon has another working folder.
fn absolute(source: String) -> Result<String> {
    if phalanx_games::shipped::is_word(&source) {
        return Ok(source);
    }
    let path =
        std::path::absolute(&source).with_context(|| format!("cannot look up {source:?}"))?;
    Ok(path.display().to_string())
}

fn list(args: &Look) -> Result<()> {
    look(args, async |channel| {
        let leagues = all(&mut LeaguesClient::new(channel)).await?;
        let json = json!({ "leagues": leagues.iter().map(shown::json).collect::<Vec<_>>() });
        Ok(Shown { json, text: lines(&leagues) })
    })
}

fn lines(leagues: &[v1::League]) -> String {
    let mut table = Table::new(&["LEAGUE", "GAME", "STATE", "PLAYED", "FAILED", "LEADS", "ELO"]);
    for league in leagues {
        let standing = league.standing.clone().unwrap_or_default();
        let first = standing.rows.first();
        table.row([
            shown::id(league).to_owned(),
            league.plan.as_ref().map(|plan| plan.game.clone()).unwrap_or_default(),
            shown::state(league),
            format!("{}/{}", standing.played, standing.total),
            standing.failed.to_string(),
            first.map(|row| row.player.clone()).unwrap_or_default(),
            first.map(|row| format!("{:+.0} ±{:.0}", row.elo, row.error)).unwrap_or_default(),
        ]);
    }
    table.shown()
}

fn show(args: &ShowLeagueArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let mut client = LeaguesClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let answer = client.get_league(v1::GetLeagueRequest { name }).await;
        let league = answer.map_err(|status| refused(&status))?.into_inner().league;
        let league = league.context("the daemon's answer has no league")?;
        Ok(Shown { json: shown::json(&league), text: shown::text(&league) })
    })
}

fn cancel(args: &LeagueNameArgs) -> Result<()> {
    run(&args.remote, async |channel| {
        let mut client = LeaguesClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let request = v1::CancelLeagueRequest { name, request_id: String::new() };
        let answer = client.cancel_league(request).await;
        tell(answer.map_err(|status| refused(&status))?.into_inner().league, &args.remote)
    })
}

fn resume(args: &LeagueNameArgs) -> Result<()> {
    run(&args.remote, async |channel| {
        let mut client = LeaguesClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let request = v1::ResumeLeagueRequest { name, request_id: String::new() };
        let answer = client.resume_league(request).await;
        tell(answer.map_err(|status| refused(&status))?.into_inner().league, &args.remote)
    })
}

fn delete(args: &LeagueNameArgs) -> Result<()> {
    let Some(name) = &args.name else {
        return Err(misused("which league? Name the league to delete"));
    };
    run(&args.remote, async |channel| {
        let name = format!("{}{}", shown::LEAGUES, shown::short(name));
        let request = v1::DeleteLeagueRequest { name: name.clone(), request_id: String::new() };
        let answer = LeaguesClient::new(channel).delete_league(request).await;
        answer.map_err(|status| refused(&status))?;
        let deleted = json!({ "deleted": shown::short(&name) });
        args.remote.print.tell(&deleted, || format!("league {} is deleted", shown::short(&name)))
    })
}

fn tell(league: Option<v1::League>, remote: &Remote) -> Result<()> {
    let league = league.context("the daemon's answer has no league")?;
    remote.print.tell(&shown::json(&league), || shown::text(&league))
}

fn watch(args: &LeagueNameArgs) -> Result<()> {
    until_left(&args.remote, async |channel| {
        let mut client = LeaguesClient::new(channel);
        let name = name(&mut client, args.name.as_deref()).await?;
        let open = async |cursor| {
            let request = v1::WatchLeagueRequest { name: name.clone(), cursor };
            Ok(client.clone().watch_league(request).await?.into_inner())
        };
        let take = |answer: v1::WatchLeagueResponse, cursor: &mut String| {
            let Some(event) = answer.event else { return Ok(true) };
            cursor.clone_from(&event.cursor);
            args.remote.print.tell_one(&shown::event_json(&event), || shown::event_text(&event))
        };
        follow(open, false, take).await
    })
}

async fn all(client: &mut LeaguesClient<Link>) -> Result<Vec<v1::League>> {
    let (mut leagues, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListLeaguesRequest { page_size: 0, page_token };
        let page = client.list_leagues(request).await;
        let page = page.map_err(|status| refused(&status))?.into_inner();
        leagues.extend(page.leagues);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(leagues);
        }
    }
}

/// The resource name of the named league, or of the only one, or of the one that is running.
async fn name(client: &mut LeaguesClient<Link>, name: Option<&str>) -> Result<String> {
    if let Some(name) = name {
        return Ok(format!("{}{}", shown::LEAGUES, shown::short(name)));
    }
    let mut leagues = all(client).await?;
    if leagues.len() > 1 {
        leagues.retain(|league| league.state() == v1::LeagueState::Playing);
    }
    match leagues.as_slice() {
        [league] => Ok(league.name.clone()),
        _ => Err(misused("which league? `phalanx league list` shows them")),
    }
}
