//! The verbs around live parameters.

use super::values::{self, scope};
use super::{Shown, Table, look, run, split_team, strategies, team_name, team_of_words};
use crate::args::OutputArgs;
use crate::args::strategy::{LookArgs, PartArgs, ResetArgs, SetArgs};
use crate::failure::{misused, refused};
use anyhow::{Context, Result};
use phalanx_control::client::Link;
use phalanx_proto::v1::param_scope::Part;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::{ListParamsRequest, Param, ParamScope, SetParamRequest};
use serde_json::{Value, json};

const SET_USAGE: &str = "phalanx param set [TEAM] NAME VALUE";
const RESET_USAGE: &str = "phalanx param reset [TEAM] NAME";

/// `phalanx param list`.
///
/// # Errors
/// When no daemon answers, or there is no such team.
pub fn list(args: &LookArgs) -> Result<()> {
    look(&args.look, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        let params = declared(&mut strategies(channel), &team).await?;
        let json = json!({ "params": params.iter().map(json).collect::<Vec<_>>() });
        Ok(Shown { json, text: table(&params) })
    })
}

fn table(params: &[Param]) -> String {
    if params.is_empty() {
        return "the scripts declare no parameters; `phalanx script api` shows how to".to_owned();
    }
    let mut table = Table::new(&["PARAMETER", "ACCEPTS", "DEFAULT", "SET", "MEANING"]);
    for param in params {
        table.row([
            param.name.clone(),
            param.accepts.clone(),
            values::text(param.default_value.as_ref()),
            set_values(param),
            param.doc.clone(),
        ]);
    }
    table.shown()
}

/// `phalanx param set`.
///
/// # Errors
/// When no daemon answers, or it refuses the value.
pub fn set(args: &SetArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 2);
    let [name, word] = rest else { return Err(misused(SET_USAGE)) };
    run(&args.remote, async |channel| {
        let team = team_of_words(&channel, team, rest, SET_USAGE).await?;
        let mut client = strategies(channel);
        let params = declared(&mut client, &team).await?;
        let known = params.iter().find(|param| param.name == *name);
        let like = known.and_then(|param| param.default_value.as_ref());
        let value = Some(values::parse(word, like));
        let request = SetParamRequest {
            team,
            name: name.clone(),
            scope: part(&args.part),
            value,
            ..Default::default()
        };
        let answer = client.set_param(request).await.map_err(|status| refused(&status))?;
        tell(answer.into_inner().param, &args.remote.print)
    })
}

/// `phalanx param reset`.
///
/// # Errors
/// When no daemon answers, or there is no such parameter.
pub fn reset(args: &ResetArgs) -> Result<()> {
    let (team, rest) = split_team(&args.words, 1);
    let [name] = rest else { return Err(misused(RESET_USAGE)) };
    run(&args.remote, async |channel| {
        let team = team_of_words(&channel, team, rest, RESET_USAGE).await?;
        let request = SetParamRequest {
            team,
            name: name.clone(),
            scope: part(&args.part),
            value: None,
            ..Default::default()
        };
        let answer = strategies(channel).set_param(request).await;
        let answer = answer.map_err(|status| refused(&status))?;
        tell(answer.into_inner().param, &args.remote.print)
    })
}

async fn declared(client: &mut StrategiesClient<Link>, team: &str) -> Result<Vec<Param>> {
    let request = ListParamsRequest { parent: team.to_owned() };
    let answer = client.list_params(request).await;
    Ok(answer.map_err(|status| refused(&status))?.into_inner().params)
}

fn part(args: &PartArgs) -> Option<ParamScope> {
    let role = args.role.clone().map(Part::Role);
    let part = role.or_else(|| args.agent.clone().map(Part::Agent))?;
    Some(ParamScope { part: Some(part) })
}

fn tell(param: Option<Param>, print: &OutputArgs) -> Result<()> {
    let param = param.context("the daemon's answer has no parameter")?;
    print.tell(&json(&param), || {
        let set = set_values(&param);
        let default = values::text(param.default_value.as_ref());
        let now = if set.is_empty() { "nothing set".to_owned() } else { set };
        format!("{}: {now} (default {default}), from the next turn on", param.name)
    })
}

/// `0.5 for team, 0.8 for role scout`.
fn set_values(param: &Param) -> String {
    let each = param.values.iter().map(|set| {
        format!("{} for {}", values::text(set.value.as_ref()), scope(set.scope.as_ref()))
    });
    each.collect::<Vec<_>>().join(", ")
}

fn json(param: &Param) -> Value {
    let set: Vec<_> = param
        .values
        .iter()
        .map(|set| {
            json!({
                "scope": scope(set.scope.as_ref()), "value": values::json(set.value.as_ref()),
            })
        })
        .collect();
    json!({
        "name": param.name, "accepts": param.accepts, "doc": param.doc,
        "default": values::json(param.default_value.as_ref()), "values": set,
        "min": param.min, "max": param.max, "words": param.words,
    })
}
