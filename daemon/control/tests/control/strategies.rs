//! Changing a strategy, as clients see it, over real sockets and with a real keeper.

use crate::support::fake::Daemon;
use crate::support::stage::{BROKEN, FakeStage, GOOD, keep};
use phalanx_control::client;
use phalanx_control::client::Link;
use phalanx_engine::{BrainError, BrainErrorKind, CommandError};
use phalanx_proto::v1;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use prost_types::value::Kind;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

/// A served team A with its keeper; team B has no keeper.
struct Kept {
    daemon: Daemon,
    stage: Arc<FakeStage>,
    client: StrategiesClient<Link>,
}

impl Kept {
    async fn start(folder: Option<&str>) -> Self {
        let daemon = Daemon::start(&["A", "B"]);
        let team = daemon.teams.first().unwrap();
        let stage = FakeStage::new(team.handle.roster());
        let folder = folder.map(|source| {
            let folder = daemon.folder.path().join("strategy");
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("worker.luau"), source).unwrap();
            folder
        });
        team.kept_by(keep(&stage, folder));
        let client = client::strategies(daemon.channel().await);
        Self { daemon, stage, client }
    }

    async fn activate(
        &mut self,
        files: v1::StrategyFiles,
    ) -> Result<v1::ActivateStrategyResponse, Status> {
        Ok(self.client.activate_strategy(activation(files)).await?.into_inner())
    }

    async fn strategy(&mut self) -> v1::Strategy {
        let request = v1::GetStrategyRequest { name: "teams/A/strategy".into() };
        self.client.get_strategy(request).await.unwrap().into_inner().strategy.unwrap()
    }
}

#[tokio::test]
async fn an_activated_strategy_decides_and_can_be_rolled_back() {
    let mut kept = Kept::start(None).await;
    let answer = kept.activate(version(2)).await.unwrap();
    let generation = answer.generation.unwrap();
    assert_eq!((generation.name.as_str(), generation.number), ("teams/A/generations/2", 2));
    assert!(generation.active && answer.report.unwrap().passed);
    assert_eq!(kept.stage.told.lock().unwrap().installed, [(2, false)]);
    let strategy = kept.strategy().await;
    assert_eq!(strategy.generation.unwrap().number, 2);
    assert_eq!((strategy.name.as_str(), strategy.folder.as_str()), ("teams/A/strategy", ""));
    let request = v1::RollBackStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let back = kept.client.roll_back_strategy(request).await.unwrap().into_inner();
    assert_eq!(back.generation.unwrap().number, 1);
    let name = "teams/A/generations/2".to_owned();
    let request = v1::GetGenerationRequest { name };
    let shown = kept.client.get_generation(request).await.unwrap().into_inner();
    let shown = shown.generation.unwrap();
    assert_eq!((shown.active, shown.file_count), (false, 1));
    assert_eq!(shown.files, version(2).files);
}

#[tokio::test]
async fn generations_are_listed_newest_first_page_by_page() {
    let mut kept = Kept::start(None).await;
    for number in 2..=5 {
        kept.activate(version(number)).await.unwrap();
    }
    let (mut pages, mut page_token) = (Vec::new(), String::new());
    loop {
        let request =
            v1::ListGenerationsRequest { parent: "teams/A".into(), page_size: 2, page_token };
        let page = kept.client.list_generations(request).await.unwrap().into_inner();
        assert!(page.generations.iter().all(|generation| generation.files.is_empty()));
        pages.push(page.generations.iter().map(|one| one.number).collect::<Vec<_>>());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(pages, [vec![5, 4], vec![3, 2], vec![1]]);
    for (page_size, token, reason) in [
        (-1, "", "PAGE_SIZE_NEGATIVE"),
        (0, "after/x", "PAGE_TOKEN_MALFORMED"),
        (0, "after/+1", "PAGE_TOKEN_MALFORMED"),
        (0, "after/99999999999", "PAGE_TOKEN_MALFORMED"),
    ] {
        let parent = "teams/A".to_owned();
        let request = v1::ListGenerationsRequest { parent, page_size, page_token: token.into() };
        let status = kept.client.list_generations(request).await.unwrap_err();
        check(&status, Code::InvalidArgument, reason);
    }
}

#[tokio::test]
async fn a_check_answers_with_findings_and_a_refusal_carries_them() {
    let mut kept = Kept::start(Some(GOOD)).await;
    let request = v1::CheckStrategyRequest { team: "teams/A".into(), files: Some(files(BROKEN)) };
    let report = kept.client.check_strategy(request).await.unwrap().into_inner().report.unwrap();
    assert!(!report.passed);
    let status = kept.activate(files(BROKEN)).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "STRATEGY_REFUSED");
    assert!(status.message().contains("worker.luau:"), "{status}");
    let (told, count) = client::refused(&status).unwrap();
    assert_eq!((told.faults, count), (report.faults.clone(), report.faults.len()));
    let first = report.faults.first().unwrap();
    assert_eq!((first.file.as_str(), first.severity()), ("worker.luau", v1::FaultSeverity::Error));
    assert!(first.line > 0);
    assert_eq!(kept.stage.told.lock().unwrap().installed, []);
    // The last trial is remembered; the strategy in the folder may still play.
    assert!(!kept.strategy().await.last_trial.unwrap().passed);
    let request = v1::ActivateStrategyRequest {
        team: "teams/A".into(),
        validate_only: true,
        ..Default::default()
    };
    let valid = kept.client.activate_strategy(request).await.unwrap().into_inner();
    assert!(valid.report.unwrap().passed);
}

#[tokio::test]
async fn a_strategy_that_the_team_itself_cannot_load_is_refused_at_its_line() {
    let mut kept = Kept::start(None).await;
    kept.stage.cannot_load.lock().unwrap().replace(BrainError {
        kind: BrainErrorKind::Script,
        place: Some(("worker.luau".into(), 7)),
        role: "worker".into(),
        message: "me.memory.plan is a function".into(),
    });
    let status = kept.activate(version(2)).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "STRATEGY_REFUSED");
    let (report, _) = client::refused(&status).unwrap();
    let fault = report.faults.first().unwrap();
    assert_eq!((fault.file.as_str(), fault.line), ("worker.luau", 7));
    assert_eq!(kept.strategy().await.generation.unwrap().number, 1);
}

#[tokio::test]
async fn more_findings_than_a_status_holds_are_cut_and_asked_for() {
    let mut kept = Kept::start(None).await;
    let broken = |number| v1::StrategyFile {
        path: format!("lib/broken_{number}.luau"),
        source: BROKEN.to_owned(),
    };
    let mut many = files(GOOD);
    many.files.extend((0..200).map(broken));
    let status = kept.activate(many).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "STRATEGY_REFUSED");
    let (told, count) = client::refused(&status).unwrap();
    assert!(!told.faults.is_empty() && told.faults.len() < count, "{count}");
    assert!(status.details().len() < 6_000, "{}", status.details().len());
    let all = client::findings(&mut kept.client, "teams/A", &status).await.unwrap();
    assert_eq!(all.faults.len(), count);
}

#[tokio::test]
async fn files_that_are_no_strategy_are_refused_by_name() {
    let mut kept = Kept::start(None).await;
    let long = format!("{}.luau", "x".repeat(1 << 20));
    for path in ["../x.luau", "/etc/passwd", "a/../../x.luau", "x\0.luau", "", "x.exe", &long] {
        let mut sent = files(GOOD);
        sent.files.push(v1::StrategyFile { path: path.to_owned(), source: GOOD.to_owned() });
        let request =
            v1::CheckStrategyRequest { team: "teams/A".into(), files: Some(sent.clone()) };
        let checked = kept.client.check_strategy(request).await;
        let status = checked.expect_err(path.get(..9).unwrap_or(path));
        check(&status, Code::InvalidArgument, "FILES_MALFORMED");
        check(&kept.activate(sent).await.unwrap_err(), Code::InvalidArgument, "FILES_MALFORMED");
    }
    let file = |number| v1::StrategyFile { path: format!("f{number}.luau"), ..Default::default() };
    let many = v1::StrategyFiles { files: (0..10_000).map(file).collect() };
    let heavy = files(&"-".repeat(8 << 20));
    for sent in [many, heavy, v1::StrategyFiles::default()] {
        let status = kept.activate(sent).await.unwrap_err();
        check(&status, Code::InvalidArgument, "FILES_MALFORMED");
    }
    let oversized = kept.activate(files(&"-".repeat(10 << 20))).await.unwrap_err();
    assert_eq!(oversized.code(), Code::OutOfRange);
    assert_eq!(kept.strategy().await.generation.unwrap().number, 1);
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let mut kept = Kept::start(None).await;
    let folder = v1::ActivateStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let status = kept.client.activate_strategy(folder).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "NO_FOLDER");
    let request = v1::CheckStrategyRequest { team: "teams/A".into(), files: None };
    let status = kept.client.check_strategy(request).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "NO_FOLDER");
    let request = v1::RollBackStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let status = kept.client.roll_back_strategy(request.clone()).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "NOTHING_TO_ROLL_BACK");
    let request = v1::RollBackStrategyRequest { generation: u32::MAX, ..request };
    let status = kept.client.roll_back_strategy(request).await.unwrap_err();
    check(&status, Code::NotFound, "GENERATION_NOT_FOUND");
    for (name, code, reason) in [
        ("teams/A/generations/9", Code::NotFound, "GENERATION_NOT_FOUND"),
        ("teams/Z/generations/1", Code::NotFound, "TEAM_NOT_FOUND"),
        ("teams/B/generations/1", Code::FailedPrecondition, "NO_STRATEGY"),
        ("teams/A/generations/+1", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A/generations/99999999999", Code::InvalidArgument, "NAME_MALFORMED"),
        ("teams/A", Code::InvalidArgument, "NAME_MALFORMED"),
        (&"x".repeat(1 << 20), Code::InvalidArgument, "NAME_MALFORMED"),
    ] {
        let request = v1::GetGenerationRequest { name: name.to_owned() };
        check(&kept.client.get_generation(request).await.unwrap_err(), code, reason);
    }
    for name in ["teams/A", "teams//strategy", "teams/A\0/strategy", "strategy"] {
        let request = v1::GetStrategyRequest { name: name.to_owned() };
        let status = kept.client.get_strategy(request).await.unwrap_err();
        check(&status, Code::InvalidArgument, "NAME_MALFORMED");
    }
}

#[tokio::test]
async fn a_pinned_generation_is_left_alone_until_it_is_unpinned() {
    let mut kept = Kept::start(None).await;
    kept.activate(version(2)).await.unwrap();
    let request = v1::PinStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let pinned = kept.client.pin_strategy(request).await.unwrap().into_inner().strategy.unwrap();
    assert!(pinned.pinned);
    let status = kept.activate(version(3)).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "GENERATION_PINNED");
    let request = v1::RollBackStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let status = kept.client.roll_back_strategy(request).await.unwrap_err();
    check(&status, Code::FailedPrecondition, "GENERATION_PINNED");
    let request = v1::UnpinStrategyRequest { team: "teams/A".into(), ..Default::default() };
    let free = kept.client.unpin_strategy(request).await.unwrap().into_inner().strategy.unwrap();
    assert!(!free.pinned);
    kept.activate(version(3)).await.unwrap();
}

#[tokio::test]
async fn a_parameter_is_set_for_a_part_of_the_team_and_taken_back() {
    let mut kept = Kept::start(None).await;
    let agent = v1::ParamScope { part: Some(v1::param_scope::Part::Agent("A2".into())) };
    let role = v1::ParamScope { part: Some(v1::param_scope::Part::Role("worker".into())) };
    for (scope, value) in [(None, 0.5), (Some(role.clone()), 0.6), (Some(agent.clone()), 0.7)] {
        let request = param("greed", scope.clone(), Some(Kind::NumberValue(value)));
        let param = kept.client.set_param(request).await.unwrap().into_inner().param.unwrap();
        let last = param.values.last().unwrap();
        assert_eq!((last.scope.clone(), number(last)), (scope, Some(value)));
    }
    let request = param("greed", Some(role), None);
    let left = kept.client.set_param(request).await.unwrap().into_inner().param.unwrap();
    assert_eq!(left.values.iter().map(number).collect::<Vec<_>>(), [Some(0.5), Some(0.7)]);
    let request = v1::ListParamsRequest { parent: "teams/A".into() };
    let listed = kept.client.list_params(request).await.unwrap().into_inner().params;
    assert_eq!(listed, std::slice::from_ref(&left));
    assert_eq!(left.accepts, "a number from 0 to 1");
    assert_eq!((left.min, left.max), (Some(0.0), Some(1.0)));
}

#[tokio::test]
async fn a_parameter_that_does_not_fit_is_refused_with_what_would() {
    let mut kept = Kept::start(None).await;
    let nested = (0..20).fold(Kind::BoolValue(true), |inner, _| {
        let values = vec![prost_types::Value { kind: Some(inner) }];
        Kind::ListValue(prost_types::ListValue { values })
    });
    for value in [
        Kind::NumberValue(7.0),
        Kind::NumberValue(f64::NAN),
        Kind::NumberValue(f64::INFINITY),
        Kind::NumberValue(-1e308),
        Kind::NullValue(0),
        Kind::StringValue("x".repeat(1 << 20)),
        Kind::StructValue(prost_types::Struct::default()),
        nested,
    ] {
        let status = kept.client.set_param(param("greed", None, Some(value))).await.unwrap_err();
        check(&status, Code::InvalidArgument, "PARAM_VALUE");
        let info = status.get_details_error_info().unwrap();
        assert_eq!(info.metadata.get("expected").unwrap(), "a number from 0 to 1");
    }
    let part = |part| Some(v1::ParamScope { part: Some(part) });
    let agent = |name: &str| part(v1::param_scope::Part::Agent(name.to_owned()));
    let role = |name: &str| part(v1::param_scope::Part::Role(name.to_owned()));
    let long = "x".repeat(1 << 20);
    for (name, scope, code, reason) in [
        ("gread", None, Code::NotFound, "PARAM_NOT_FOUND"),
        ("greed", agent("A9"), Code::NotFound, "AGENT_NOT_FOUND"),
        ("greed", role("wizard"), Code::NotFound, "ROLE_NOT_FOUND"),
        ("", None, Code::InvalidArgument, "NAME_MALFORMED"),
        ("greed\0", None, Code::InvalidArgument, "NAME_MALFORMED"),
        (&long, None, Code::InvalidArgument, "NAME_MALFORMED"),
        ("greed", agent(&long), Code::InvalidArgument, "NAME_MALFORMED"),
        ("greed", role(&long), Code::InvalidArgument, "NAME_MALFORMED"),
    ] {
        let request = param(name, scope, Some(Kind::NumberValue(0.5)));
        check(&kept.client.set_param(request).await.unwrap_err(), code, reason);
    }
}

#[tokio::test]
async fn code_runs_as_an_agent_in_the_living_vm() {
    let mut kept = Kept::start(None).await;
    let request = eval("A1", "me.memory.x", true);
    let ran = kept.client.eval_script(request).await.unwrap().into_inner();
    assert_eq!((ran.text.as_str(), ran.lines), ("me.memory.x", vec!["printed".to_owned()]));
    let status = kept.client.eval_script(eval("A9", "1", true)).await.unwrap_err();
    check(&status, Code::NotFound, "AGENT_NOT_FOUND");
    let long = "-".repeat((64 << 10) + 1);
    let status = kept.client.eval_script(eval("A1", &long, false)).await.unwrap_err();
    check(&status, Code::InvalidArgument, "CODE_TOO_LONG");
    let session = "s".repeat(129);
    let request = v1::EvalScriptRequest { session, ..eval("A1", "1", false) };
    let status = kept.client.eval_script(request).await.unwrap_err();
    check(&status, Code::InvalidArgument, "NAME_MALFORMED");
}

#[tokio::test]
async fn a_team_keeps_a_bounded_number_of_copies() {
    let mut kept = Kept::start(None).await;
    let status = loop {
        let session = format!("s{}", kept.stage.told.lock().unwrap().callers.len());
        kept.stage.told.lock().unwrap().callers.push(session.clone());
        let request = v1::EvalScriptRequest { session, ..eval("A1", "1 + 1", false) };
        match kept.client.eval_script(request).await {
            Ok(ran) => assert_eq!(ran.into_inner().text, "2"),
            Err(status) => break status,
        }
    };
    check(&status, Code::ResourceExhausted, "TOO_MANY_SESSIONS");
}

#[tokio::test]
async fn a_measurement_answers_after_its_turns() {
    let mut kept = Kept::start(None).await;
    for (turns, measured) in [(0, 50), (1, 1), (1_000, 1_000)] {
        let answer = kept.client.profile_strategy(profile(turns)).await.unwrap().into_inner();
        assert_eq!(answer.turns, measured);
    }
    for turns in [1_001, u32::MAX] {
        let status = kept.client.profile_strategy(profile(turns)).await.unwrap_err();
        check(&status, Code::InvalidArgument, "TURNS_MALFORMED");
    }
}

#[tokio::test]
async fn a_client_that_leaves_or_gives_up_ends_its_measurement() {
    let mut kept = Kept::start(None).await;
    kept.stage.turns_end.send_replace(false);
    let mut measuring = kept.stage.measuring.subscribe();
    let mut leaving = kept.client.clone();
    let call = tokio::spawn(async move { leaving.profile_strategy(profile(1_000)).await });
    measuring.wait_for(|count| *count == 1).await.unwrap();
    call.abort();
    kept.stage.callers(0).await;
    let mut request = Request::new(profile(1_000));
    request.metadata_mut().insert("grpc-timeout", "300m".parse().unwrap());
    let status = kept.client.profile_strategy(request).await.unwrap_err();
    // The client has the same deadline, and may be first.
    if (status.code(), status.message()) != (Code::Cancelled, "Timeout expired") {
        check(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    }
    kept.stage.callers(0).await;
}

#[tokio::test]
async fn a_stopping_daemon_answers_whoever_waits() {
    let mut kept = Kept::start(None).await;
    kept.stage.turns_end.send_replace(false);
    let mut measuring = kept.stage.measuring.subscribe();
    let call = tokio::spawn(async move { kept.client.profile_strategy(profile(1_000)).await });
    measuring.wait_for(|count| *count == 1).await.unwrap();
    assert!(kept.daemon.handle.stop(Duration::from_secs(20)).await);
    check(&call.await.unwrap().unwrap_err(), Code::Unavailable, "SHUTTING_DOWN");
}

#[tokio::test]
async fn a_team_that_is_busy_or_has_ended_says_so() {
    let mut kept = Kept::start(None).await;
    for (trouble, reason) in
        [(CommandError::busy(), "TEAM_BUSY"), (CommandError::Ended, "TEAM_ENDED")]
    {
        kept.stage.trouble.lock().unwrap().replace(trouble);
        let status = kept.client.profile_strategy(profile(1)).await.unwrap_err();
        check(&status, Code::Unavailable, reason);
        let status = kept.client.eval_script(eval("A1", "1", true)).await.unwrap_err();
        check(&status, Code::Unavailable, reason);
    }
}

#[tokio::test]
async fn every_change_names_its_caller() {
    let mut kept = Kept::start(None).await;
    kept.client.eval_script(eval("A1", "1", true)).await.unwrap();
    let mut named = Request::new(eval("A1", "1", true));
    named.metadata_mut().insert("x-phalanx-user", "Anna (root)".parse().unwrap());
    kept.client.eval_script(named).await.unwrap();
    let tcp = client::connect(&kept.daemon.tcp.to_string().parse().unwrap()).await.unwrap();
    client::strategies(tcp).eval_script(eval("A1", "1", true)).await.unwrap();
    kept.activate(version(2)).await.unwrap();
    let callers = kept.stage.told.lock().unwrap().callers.clone();
    let [own, named, tcp, origin] = callers.as_slice() else { panic!("{callers:?}") };
    assert!(!own.is_empty() && !own.starts_with("tcp") && own != "unknown", "{own}");
    assert_eq!(*named, format!("Anna root ({own})"));
    assert_eq!(tcp, "tcp 127.0.0.1");
    assert_eq!(*origin, format!("API, {own}"));
}

fn files(worker: &str) -> v1::StrategyFiles {
    let file = v1::StrategyFile { path: "worker.luau".into(), source: worker.to_owned() };
    v1::StrategyFiles { files: vec![file] }
}

/// A valid strategy that differs from those of other numbers.
fn version(number: u32) -> v1::StrategyFiles {
    files(&format!("-- version {number}\n{GOOD}"))
}

fn activation(files: v1::StrategyFiles) -> v1::ActivateStrategyRequest {
    v1::ActivateStrategyRequest {
        team: "teams/A".into(),
        files: Some(files),
        ..v1::ActivateStrategyRequest::default()
    }
}

fn param(name: &str, scope: Option<v1::ParamScope>, value: Option<Kind>) -> v1::SetParamRequest {
    let value = value.map(|kind| prost_types::Value { kind: Some(kind) });
    v1::SetParamRequest {
        team: "teams/A".into(),
        name: name.to_owned(),
        scope,
        value,
        ..Default::default()
    }
}

fn number(value: &v1::ParamValue) -> Option<f64> {
    let kind = value.value.as_ref()?.kind.as_ref()?;
    if let Kind::NumberValue(number) = kind { Some(*number) } else { None }
}

fn eval(agent: &str, code: &str, live: bool) -> v1::EvalScriptRequest {
    v1::EvalScriptRequest {
        team: "teams/A".into(),
        agent: agent.to_owned(),
        code: code.to_owned(),
        live,
        session: String::new(),
        ..Default::default()
    }
}

fn profile(turns: u32) -> v1::ProfileStrategyRequest {
    v1::ProfileStrategyRequest { team: "teams/A".into(), turns }
}

fn check(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), (reason, "phalanx"), "{status}");
}
