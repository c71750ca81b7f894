//! The service `Strategies`.

use crate::changes::{Call, Changes};
use crate::convert::{strategy, value};
use crate::error::{Reason, RpcResult, refuse, refuse_field};
use crate::gate::Subject;
use crate::page::Page;
use crate::refusal::{self, FILES_FIELD};
use crate::{ServedTeam, TeamDirectory, caller, teams};
use phalanx_engine::{PARAM_NAME_BYTES_MAX, Params, Scope, StrategyOrigin};
use phalanx_lua::{FILES_MAX, TOTAL_BYTES_MAX};
use phalanx_proto::v1;
use phalanx_strategy::{
    Activation, CODE_BYTES_MAX, Eval, KeeperHandle, RequestedSource, SESSION_NAME_BYTES_MAX,
    StrategyError,
};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Response, Status};

/// The suffix of a strategy's resource name, after the team's name.
const STRATEGY: &str = "/strategy";
/// Default number of turns of a measurement.
const TURNS_DEFAULT: u32 = 50;
/// Most turns of one measurement.
const TURNS_MAX: u32 = 1_000;
/// Longest accepted name of an agent or role, in bytes.
const NAME_BYTES_MAX: usize = 512;
/// Longest path of a file, in bytes; file systems have no longer ones.
const PATH_BYTES_MAX: usize = 255;

/// Reads and changes strategies through their keepers.
pub(crate) struct StrategiesService {
    pub(crate) directory: Arc<dyn TeamDirectory>,
    pub(crate) changes: Changes,
}

/// A team and the keeper of its strategy.
struct TeamKeeper {
    team: Arc<ServedTeam>,
    keeper: KeeperHandle,
}

#[tonic::async_trait]
impl v1::strategies_server::Strategies for StrategiesService {
    async fn get_strategy(
        &self,
        request: Request<v1::GetStrategyRequest>,
    ) -> RpcResult<v1::GetStrategyResponse> {
        let name = request.into_inner().name;
        let expected = "a resource name such as teams/A/strategy";
        let team = name.strip_suffix(STRATEGY);
        let team = team.ok_or_else(|| refuse_field(Reason::NameMalformed, "name", expected))?;
        let TeamKeeper { team, keeper } = self.kept("name", team)?;
        let strategy = Some(strategy::strategy(team.name(), &keeper.status()));
        Ok(Response::new(v1::GetStrategyResponse { strategy }))
    }

    async fn list_generations(
        &self,
        request: Request<v1::ListGenerationsRequest>,
    ) -> RpcResult<v1::ListGenerationsResponse> {
        let request = request.into_inner();
        let TeamKeeper { team, keeper } = self.kept("parent", &request.parent)?;
        let page = Page::parse(request.page_size, &request.page_token)?;
        let after = page.after_number()?;
        let listed = keeper.generations().into_iter();
        let rest = listed.filter(|info| after.is_none_or(|last| info.generation.number < last));
        let (infos, next_page_token) = page.fill(rest, |info| info.generation.number.to_string());
        let generations =
            infos.iter().map(|info| strategy::generation_info(team.name(), info)).collect();
        Ok(Response::new(v1::ListGenerationsResponse { generations, next_page_token }))
    }

    async fn get_generation(
        &self,
        request: Request<v1::GetGenerationRequest>,
    ) -> RpcResult<v1::GetGenerationResponse> {
        let patience = caller::patience(request.metadata());
        let name = request.into_inner().name;
        let expected = "a resource name such as teams/A/generations/3";
        let malformed = || refuse_field(Reason::NameMalformed, "name", expected);
        let (team, number) = name.split_once(strategy::GENERATIONS).ok_or_else(malformed)?;
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| plain).ok_or_else(malformed)?;
        let TeamKeeper { team, keeper } = self.kept("name", team)?;
        let (info, bundle) = self.wait(patience, keeper.generation(number)).await?.map_err(ours)?;
        let generation = Some(strategy::with_files(team.name(), &info, &bundle));
        Ok(Response::new(v1::GetGenerationResponse { generation }))
    }

    async fn check_strategy(
        &self,
        request: Request<v1::CheckStrategyRequest>,
    ) -> RpcResult<v1::CheckStrategyResponse> {
        Subject::note(&request, &request.get_ref().team);
        let patience = caller::patience(request.metadata());
        let request = request.into_inner();
        let TeamKeeper { keeper, .. } = self.kept("team", &request.team)?;
        let sent = request.files.is_some();
        let source = source(request.files)?;
        let report = match self.wait(patience, keeper.check(source)).await? {
            Ok(trialled) => strategy::trial_report(&trialled),
            // An unreadable folder is reported like any other mistake.
            Err(StrategyError::Files(error)) if !sent => refusal::load_report(error),
            Err(refused) => return Err(refusal::status(refused, sent)),
        };
        Ok(Response::new(v1::CheckStrategyResponse { report: Some(report) }))
    }

    async fn activate_strategy(
        &self,
        request: Request<v1::ActivateStrategyRequest>,
    ) -> RpcResult<v1::ActivateStrategyResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let origin = StrategyOrigin::Api { user: call.who.clone() };
        let request = request.into_inner();
        let TeamKeeper { team, keeper } = self.kept("team", &request.team)?;
        let sent = request.files.is_some();
        let source = source(request.files.clone())?;
        let options =
            Activation { forget: request.reset_memory, validate_only: request.validate_only };
        let work = async move {
            let activated = keeper.activate(source, origin, options).await;
            let (info, trialled) = activated.map_err(|refused| refusal::status(refused, sent))?;
            Ok(v1::ActivateStrategyResponse {
                generation: Some(strategy::generation_info(team.name(), &info)),
                report: Some(strategy::trial_report(&trialled)),
            })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn roll_back_strategy(
        &self,
        request: Request<v1::RollBackStrategyRequest>,
    ) -> RpcResult<v1::RollBackStrategyResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let origin = StrategyOrigin::Api { user: call.who.clone() };
        let request = request.into_inner();
        let TeamKeeper { team, keeper } = self.kept("team", &request.team)?;
        let to = (request.generation > 0).then_some(request.generation);
        let forget = request.reset_memory;
        let work = async move {
            let info = keeper.roll_back(to, origin, forget).await.map_err(ours)?;
            let generation = Some(strategy::generation_info(team.name(), &info));
            Ok(v1::RollBackStrategyResponse { generation })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn pin_strategy(
        &self,
        request: Request<v1::PinStrategyRequest>,
    ) -> RpcResult<v1::PinStrategyResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let request = request.into_inner();
        let kept = self.kept("team", &request.team)?;
        let user = call.who.clone();
        let work = async move {
            let strategy = Some(pin(kept, true, user).await?);
            Ok(v1::PinStrategyResponse { strategy })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn unpin_strategy(
        &self,
        request: Request<v1::UnpinStrategyRequest>,
    ) -> RpcResult<v1::UnpinStrategyResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let request = request.into_inner();
        let kept = self.kept("team", &request.team)?;
        let user = call.who.clone();
        let work = async move {
            let strategy = Some(pin(kept, false, user).await?);
            Ok(v1::UnpinStrategyResponse { strategy })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn list_params(
        &self,
        request: Request<v1::ListParamsRequest>,
    ) -> RpcResult<v1::ListParamsResponse> {
        let TeamKeeper { team, keeper } = self.kept("parent", &request.into_inner().parent)?;
        let roster = team.handle.roster();
        let params = keeper.params();
        let params = params.each().map(|(spec, set)| strategy::param(spec, &set, &roster));
        Ok(Response::new(v1::ListParamsResponse { params: params.collect() }))
    }

    async fn set_param(
        &self,
        request: Request<v1::SetParamRequest>,
    ) -> RpcResult<v1::SetParamResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let (by, request) = (call.who.clone(), request.into_inner());
        let v1::SetParamRequest { team, name, scope, value, .. } = request.clone();
        let TeamKeeper { team, keeper } = self.kept("team", &team)?;
        let roster = team.handle.roster();
        bounded("name", &name, PARAM_NAME_BYTES_MAX)?;
        let scope = scope_of(scope, &roster)?;
        let value = value.map(value::from_api);
        let work = async move {
            let before = keeper.params();
            let set = keeper.set_param(&name, scope.clone(), value.clone(), &by).await;
            set.map_err(ours)?;
            let param = as_it_stands(&before, &name, scope, value.as_ref(), &roster);
            Ok(v1::SetParamResponse { param })
        };
        self.changes.make(&call, &request, work).await.map(Response::new)
    }

    async fn eval_script(
        &self,
        request: Request<v1::EvalScriptRequest>,
    ) -> RpcResult<v1::EvalScriptResponse> {
        let call = Call::open(&request, &request.get_ref().team);
        let (by, request) = (call.who.clone(), request.into_inner());
        let v1::EvalScriptRequest { team, agent, code, live, session, .. } = request.clone();
        let TeamKeeper { keeper, .. } = self.kept("team", &team)?;
        bounded("agent", &agent, NAME_BYTES_MAX)?;
        if code.len() > CODE_BYTES_MAX {
            return Err(refusal::code_too_long());
        }
        if session.len() > SESSION_NAME_BYTES_MAX {
            let expected = format!("at most {SESSION_NAME_BYTES_MAX} bytes");
            return Err(refuse_field(Reason::NameMalformed, "session", &expected));
        }
        let eval = Eval { agent, code, live, session, by };
        let work = async move { Ok(strategy::evaluated(keeper.eval(eval).await.map_err(ours)?)) };
        // A change of the running VM is written down even if the caller is gone.
        if live || !request.request_id.is_empty() {
            return self.changes.make(&call, &request, work).await.map(Response::new);
        }
        self.wait(call.patience, work).await?.map(Response::new)
    }

    async fn profile_strategy(
        &self,
        request: Request<v1::ProfileStrategyRequest>,
    ) -> RpcResult<v1::ProfileStrategyResponse> {
        let patience = caller::patience(request.metadata());
        let request = request.into_inner();
        let TeamKeeper { keeper, .. } = self.kept("team", &request.team)?;
        let turns = match request.turns {
            0 => TURNS_DEFAULT,
            turns if turns <= TURNS_MAX => turns,
            _ => {
                let expected = format!("a number from 1 to {TURNS_MAX}");
                return Err(refuse_field(Reason::TurnsMalformed, "turns", &expected));
            }
        };
        let profile = self.wait(patience, keeper.profile(turns)).await?.map_err(ours)?;
        Ok(Response::new(strategy::profile(profile)))
    }
}

impl StrategiesService {
    fn kept(&self, field: &str, team: &str) -> Result<TeamKeeper, Status> {
        let team = teams::find(self.directory.as_ref(), field, team)?;
        let keeper = team.keeper.clone().ok_or_else(|| {
            let message = format!("team {:?} has no strategy that can be changed", team.name());
            refuse(Reason::NoStrategy, message, [])
        })?;
        Ok(TeamKeeper { team, keeper })
    }

    async fn wait<T>(
        &self,
        patience: Option<Duration>,
        answer: impl Future<Output = T>,
    ) -> Result<T, Status> {
        self.changes.wait(patience, answer).await
    }
}

async fn pin(kept: TeamKeeper, pinned: bool, user: String) -> Result<v1::Strategy, Status> {
    let TeamKeeper { team, keeper } = kept;
    let status = keeper.pin(pinned, &user).await.map_err(ours)?;
    Ok(strategy::strategy(team.name(), &status))
}

/// A refusal of a request without files.
fn ours(refused: StrategyError) -> Status {
    refusal::status(refused, false)
}

fn source(files: Option<v1::StrategyFiles>) -> Result<RequestedSource, Status> {
    let Some(files) = files else { return Ok(RequestedSource::Folder) };
    let files = files.files;
    let bytes: usize = files.iter().map(|file| file.path.len() + file.source.len()).sum();
    let fits = u64::try_from(bytes).is_ok_and(|bytes| bytes <= TOTAL_BYTES_MAX);
    if files.is_empty() || files.len() > FILES_MAX || !fits {
        let expected =
            format!("1 to {FILES_MAX} files with at most {TOTAL_BYTES_MAX} bytes in all");
        return Err(refuse_field(Reason::FilesMalformed, FILES_FIELD, &expected));
    }
    if files.iter().any(|file| file.path.len() > PATH_BYTES_MAX) {
        let expected = format!("paths with at most {PATH_BYTES_MAX} bytes");
        return Err(refuse_field(Reason::FilesMalformed, FILES_FIELD, &expected));
    }
    Ok(RequestedSource::Files(files.into_iter().map(|file| (file.path, file.source)).collect()))
}

fn scope_of(scope: Option<v1::ParamScope>, roster: &phalanx_game::Roster) -> Result<Scope, Status> {
    match scope.and_then(|scope| scope.part) {
        None => Ok(Scope::Team),
        Some(v1::param_scope::Part::Role(role)) => {
            bounded("scope.role", &role, NAME_BYTES_MAX)?;
            Ok(Scope::Role(role))
        }
        Some(v1::param_scope::Part::Agent(agent)) => {
            bounded("scope.agent", &agent, NAME_BYTES_MAX)?;
            let found = roster.find(&agent).map(Scope::Agent);
            found.ok_or_else(|| refusal::status(StrategyError::NoAgent(agent), false))
        }
    }
}

fn bounded(field: &str, name: &str, bytes_max: usize) -> Result<(), Status> {
    if name.is_empty() || name.len() > bytes_max || name.contains('\0') {
        let expected = format!("a name of 1 to {bytes_max} bytes");
        return Err(refuse_field(Reason::NameMalformed, field, &expected));
    }
    Ok(())
}

/// The parameter with a value that the team has just accepted, and publishes in its next turn.
fn as_it_stands(
    before: &Params,
    name: &str,
    scope: Scope,
    value: Option<&phalanx_game::Value>,
    roster: &phalanx_game::Roster,
) -> Option<v1::Param> {
    let mut params = before.clone();
    // The team has accepted it; if this older state does not, the older value is shown.
    drop(params.set(name, scope, value));
    let mut all = params.each();
    all.find(|(spec, _)| spec.name == name).map(|(spec, set)| strategy::param(spec, &set, roster))
}
