//! The verbs around a team's board.

use super::watch::follow;
use super::{
    Shown, Table, look, run, short, split_team, team_name, team_of_words, until_left, values,
};
use crate::args::OutputArgs;
use crate::args::board::{BoardVerb, DeleteArgs, KeyArgs, ListArgs, SetArgs, WatchArgs};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_control::client::{Link, entry_name};
use phalanx_proto::v1::boards_client::BoardsClient;
use phalanx_proto::v1::watch_board_response::News;
use phalanx_proto::v1::{
    BoardEntry, DeleteEntryRequest, GetEntryRequest, ListEntriesRequest, SetEntryRequest,
    WatchBoardRequest, WatchBoardResponse,
};
use serde_json::{Value, json};

const GET_USAGE: &str = "phalanx board get [TEAM] KEY";
const SET_USAGE: &str = "phalanx board set [TEAM] KEY VALUE";
const DELETE_USAGE: &str = "phalanx board delete [TEAM] KEY";

/// `phalanx board`.
///
/// # Errors
/// When no daemon answers, or it refuses.
pub fn board(verb: &BoardVerb) -> Result<()> {
    match verb {
        BoardVerb::List(args) => list(args),
        BoardVerb::Get(args) => get(args),
        BoardVerb::Set(args) => set(args),
        BoardVerb::Delete(args) => delete(args),
        BoardVerb::Watch(args) => watch(args),
    }
}

fn list(args: &ListArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let entries = all_entries(channel, &team, &args.prefix).await?;
        let json = json!({ "entries": entries.iter().map(entry_json).collect::<Vec<_>>() });
        Ok(Shown { json, text: table(&entries) })
    })
}

async fn all_entries(channel: Link, team: &str, prefix: &str) -> Result<Vec<BoardEntry>> {
    let mut client = BoardsClient::new(channel);
    let (mut entries, mut page_token) = (Vec::new(), String::new());
    loop {
        let (parent, prefix) = (team.to_owned(), prefix.to_owned());
        let request = ListEntriesRequest { parent, page_size: 1_000, page_token, prefix };
        let answer = client.list_entries(request).await;
        let page = answer.map_err(|status| refused(&status))?.into_inner();
        entries.extend(page.entries);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(entries);
        }
    }
}

fn table(entries: &[BoardEntry]) -> String {
    if entries.is_empty() {
        return "the board is empty".to_owned();
    }
    let mut table = Table::new(&["KEY", "VALUE", "AUTHOR", "TURN", "TURNS LEFT", "CLAIMED BY"]);
    for entry in entries {
        let turn = entry.turn.map(|turn| format!("{}:{}", turn.round, turn.step));
        let left = entry.turns_left.map(|left| left.to_string());
        table.row([
            entry.key.clone(),
            values::text(entry.value.as_ref()),
            entry.author.clone(),
            turn.unwrap_or_default(),
            left.unwrap_or_default(),
            entry.claim_holder.clone(),
        ]);
    }
    table.shown()
}

fn get(args: &KeyArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 1);
    let [key] = rest else { return Err(misused(GET_USAGE)) };
    run(&args.remote, async |channel| {
        let team = team_of_words(&channel, team, rest, GET_USAGE).await?;
        let request = GetEntryRequest { name: entry_name(short(&team), key) };
        let answer = BoardsClient::new(channel).get_entry(request).await;
        let entry = answer.map_err(|status| refused(&status))?.into_inner().entry;
        let entry = entry.context("the daemon's answer has no entry")?;
        args.remote.print.tell(&entry_json(&entry), || values::text(entry.value.as_ref()))
    })
}

fn set(args: &SetArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 2);
    let [key, word] = rest else { return Err(misused(SET_USAGE)) };
    let value = values::from_word(word).map_err(misused)?;
    run(&args.remote, async |channel| {
        let team = team_of_words(&channel, team, rest, SET_USAGE).await?;
        let request = SetEntryRequest {
            name: entry_name(short(&team), key),
            value: Some(value.clone()),
            turns: args.turns,
            etag: args.change.etag.clone(),
            validate_only: args.change.check_only,
            ..SetEntryRequest::default()
        };
        let answer = BoardsClient::new(channel).set_entry(request).await;
        let entry = answer.map_err(|status| refused(&status))?.into_inner().entry;
        let json = entry.as_ref().map_or(Value::Null, entry_json);
        args.remote.print.tell(&json, || match (args.change.check_only, &entry) {
            (true, _) => format!("{key} may be set"),
            (false, Some(entry)) => line(entry),
            (false, None) => format!("{key} is set"),
        })
    })
}

fn delete(args: &DeleteArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 1);
    let [key] = rest else { return Err(misused(DELETE_USAGE)) };
    run(&args.remote, async |channel| {
        let team = team_of_words(&channel, team, rest, DELETE_USAGE).await?;
        let validate_only = args.change.check_only;
        let request = DeleteEntryRequest {
            name: entry_name(short(&team), key),
            etag: args.change.etag.clone(),
            validate_only,
            ..DeleteEntryRequest::default()
        };
        let answer = BoardsClient::new(channel).delete_entry(request).await;
        answer.map_err(|status| refused(&status))?;
        let done = if validate_only { "may be deleted" } else { "is deleted" };
        let json = json!({ "key": key, "deleted": !validate_only });
        args.remote.print.tell(&json, || format!("{key} {done}"))
    })
}

fn watch(args: &WatchArgs) -> Result<()> {
    until_left(&args.remote, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let client = BoardsClient::new(channel);
        // When the stream is opened again, it begins with the board's contents at that time.
        let open = async |_| {
            let (team, prefix) = (team.clone(), args.prefix.clone());
            let request = WatchBoardRequest { team, prefix, cursor: String::new() };
            Ok(client.clone().watch_board(request).await?.into_inner())
        };
        let take = |message: WatchBoardResponse, _: &mut String| match &message.news {
            Some(news) => tell(news, &args.remote.print),
            None => Ok(true),
        };
        follow(open, false, take).await
    })
}

/// Prints one piece of news; false when standard output is closed.
fn tell(news: &News, print: &OutputArgs) -> Result<bool> {
    match news {
        News::Entry(entry) => {
            let json = json!({ "kind": "entry", "entry": entry_json(entry) });
            print.tell_one(&json, || line(entry))
        }
        News::Deleted(name) => {
            let json = json!({ "kind": "deleted", "name": name });
            print.tell_one(&json, || format!("{name} is deleted"))
        }
        News::Synced(synced) => {
            let json = json!({ "kind": "synced", "entries": synced.entries });
            let count = super::counted(synced.entries, "key");
            print.tell_one(&json, || format!("-- that was the board: {count}; changes follow"))
        }
    }
}

/// `goal = 3 (kuno, 0:12, 5 turns left)`.
fn line(entry: &BoardEntry) -> String {
    let turn = entry.turn.map(|turn| format!("{}:{}", turn.round, turn.step));
    let left = entry.turns_left.map(|left| format!("{} left", super::counted(left, "turn")));
    let claim = Some(&entry.claim_holder).filter(|holder| !holder.is_empty());
    let claim = claim.map(|holder| format!("claimed by {holder}"));
    let author = Some(entry.author.clone()).filter(|author| !author.is_empty());
    let about: Vec<_> = [author, turn, left, claim].into_iter().flatten().collect();
    format!("{} = {} ({})", entry.key, values::text(entry.value.as_ref()), about.join(", "))
}

fn entry_json(entry: &BoardEntry) -> Value {
    json!({
        "name": entry.name, "key": entry.key, "value": values::json(entry.value.as_ref()),
        "author": entry.author, "turns_left": entry.turns_left,
        "turn": entry.turn.map(|turn| json!({ "round": turn.round, "step": turn.step })),
        "claim_holder": entry.claim_holder, "etag": entry.etag,
    })
}
