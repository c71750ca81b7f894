//! `phalanx mcp`, driven by the client of the official crate.

use crate::support::{PATIENCE, PHALANX, WALKS, quiet, strategy, text};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest,
    ProgressNotificationParam, ReadResourceRequestParams, ResourceContents,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Notify;

/// What the server reports of long calls.
#[derive(Clone, Default)]
struct Watching {
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
    news: Arc<Notify>,
}

impl ClientHandler for Watching {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(progress);
        self.news.notify_one();
    }
}

fn server(folder: &Path, args: &[&str]) -> Child {
    let mut command = quiet(std::process::Command::new(PHALANX));
    command.arg("mcp").args(args).current_dir(folder);
    let mut command = Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    command.spawn().unwrap()
}

/// A server and its client.
struct Session {
    client: RunningService<RoleClient, Watching>,
    child: Child,
    watching: Watching,
}

impl Session {
    async fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = server(folder, args);
        let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let watching = Watching::default();
        let client = watching.clone().serve(pipes).await.unwrap();
        Self { client, child, watching }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(request).await.unwrap()
    }

    /// The text of a call that works.
    async fn said(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        let said = words(&result);
        assert_ne!(result.is_error, Some(true), "{tool}: {said}");
        said
    }

    /// The text of a call that does not.
    async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        let said = words(&result);
        assert_eq!(result.is_error, Some(true), "{tool}: {said}");
        said
    }

    /// The client leaves, and the server ends by itself.
    async fn end(mut self) {
        self.client.cancel().await.unwrap();
        let status = self.child.wait().await.unwrap();
        assert_eq!(status.code(), Some(0));
    }
}

fn words(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|content| content.as_text());
    texts.map(|content| content.text.clone()).collect()
}

#[tokio::test]
async fn a_read_only_server_checks_plays_and_compares_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    strategy(dir.path(), "walks", WALKS);
    strategy(dir.path(), "broken", "return { decide = function() return nothing.here() end");
    let session = Session::start(dir.path(), &[]).await;
    let tools = session.client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert!(names.contains(&"league") && !names.contains(&"write_file"), "{names:?}");

    let checked = session.call("strategy_check", json!({ "dir": "walks" })).await;
    assert!(words(&checked).contains("may play: 0 errors"), "{}", words(&checked));
    assert_eq!(checked.structured_content.unwrap()["passed"], true);
    let broken = session.said("strategy_check", json!({ "dir": "broken" })).await;
    assert!(broken.contains("worker.luau:1") && broken.contains("refused: "), "{broken}");

    let match_of = json!({ "strategy": "walks", "opponent": "idle", "steps": 8, "seed": 7 });
    let demo = session.call("demo", match_of.clone()).await;
    let summary = demo.structured_content.unwrap();
    assert_eq!((&summary["steps"], &summary["seed"]), (&8.into(), &7.into()), "{summary}");
    let again = session.call("demo", match_of).await.structured_content.unwrap();
    assert_eq!(summary["teams"], again["teams"], "the same seed gives the same match");

    let between = json!({ "strategies": ["walks", "idle"], "game": "assemble", "seeds": "1..2",
        "steps": 4 });
    let league = session.call("league", between).await;
    assert_eq!(league.structured_content.as_ref().unwrap()["played"], 4);
    assert!(words(&league).contains("walks"), "{}", words(&league));
    session.end().await;
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "nothing was written");
}

#[tokio::test]
async fn resources_hold_the_script_api_and_the_manual() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::start(dir.path(), &[]).await;
    let all = session.client.list_all_resources().await.unwrap();
    for uri in ["phalanx://api/mars", "phalanx://types/assemble/phalanx.d.luau", "phalanx://specs"]
    {
        assert!(all.iter().any(|resource| resource.uri == uri), "{uri}");
    }
    let read = async |uri: &str| {
        let request = ReadResourceRequestParams::new(uri);
        session.client.read_resource(request).await.map(|read| read.contents)
    };
    let page = read("phalanx://manual/assistants.md").await.unwrap();
    let [ResourceContents::TextResourceContents { text, .. }] = &page[..] else {
        panic!("{page:?}");
    };
    assert!(text.contains("phalanx mcp"), "{text}");
    let missing = read("phalanx://manual/../../README.md").await.unwrap_err().to_string();
    assert!(missing.contains("no resource"), "{missing}");
    session.end().await;
}

#[tokio::test]
async fn a_server_that_may_write_makes_changes_and_records_below_its_folder_only() {
    let dir = tempfile::tempdir().unwrap();
    let (inside, outside) = (dir.path().join("inside"), dir.path().join("outside"));
    std::fs::create_dir(&inside).unwrap();
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    let session = Session::start(dir.path(), &["--allow-write", text(&inside)]).await;
    let made = session.said("strategy_new", json!({ "name": "mine" })).await;
    assert!(made.contains("worker.luau"), "{made}");
    let tested = session.said("strategy_test", json!({ "dir": "mine" })).await;
    assert!(tested.contains("passed"), "{tested}");
    let again = session.refused("strategy_new", json!({ "name": "mine" })).await;
    assert!(again.contains("exists already"), "{again}");

    let write = |path: &str| json!({ "path": path, "text": WALKS });
    session.said("write_file", write("walks/worker.luau")).await;
    assert_eq!(std::fs::read_to_string(inside.join("walks/worker.luau")).unwrap(), WALKS);
    for (path, why) in [
        ("../outside/a.luau", "leads out of"),
        ("link/a.luau", "symbolic link"),
        ("mine/.git/hooks/a.lua", "begins with a dot"),
        ("mine/run.sh", "expected a file *.luau"),
        (text(&outside.join("a.luau")), "leads out of"),
    ] {
        let refused = session.refused("write_file", write(path)).await;
        assert!(refused.contains(why), "{path}: {refused}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);

    let recorded = json!({ "strategy": "walks", "opponent": "idle", "game": "assemble",
        "steps": 6, "record": true });
    let demo = session.call("demo", recorded).await.structured_content.unwrap();
    let film = demo["recordings"][0].as_str().unwrap().to_owned();
    assert!(Path::new(&film).starts_with(inside.canonicalize().unwrap()), "{film}");
    let why = json!({ "recording": film, "agent": "agentA1", "turn": "3" });
    let why = session.said("why", why).await;
    assert!(why.contains("A/agentA1 in turn 0:3") && why.contains("worker.luau"), "{why}");
    let turns = json!({ "recording": film, "from": "2", "agent": "agentA1", "turns": 2 });
    let turns = session.said("replay", turns).await;
    assert!(turns.contains("0:2") && turns.contains("0:3") && !turns.contains("0:4"), "{turns}");
    assert!(turns.contains("more turns follow"), "{turns}");
    let same = session.said("diff", json!({ "recording": film })).await;
    assert!(same.contains("zero differences"), "{same}");
    strategy(&inside, "rests", "return { decide = function() return act.skip() end }");
    let other = json!({ "recording": film, "strategy": "rests", "limit": 3 });
    let other = session.said("diff", other).await;
    assert!(other.contains("decisions differ") && other.contains("+ skip"), "{other}");
    session.end().await;
}

#[tokio::test]
async fn a_long_call_shows_its_progress_and_can_be_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::start(dir.path(), &[]).await;
    let arguments = json!({ "strategies": ["shipped", "idle"], "game": "assemble",
        "seeds": "1..2000", "steps": 4 });
    let request =
        CallToolRequestParams::new("league").with_arguments(arguments.as_object().unwrap().clone());
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(request));
    let options = PeerRequestOptions::no_options();
    let running = session.client.send_cancellable_request(request, options).await.unwrap();
    let news = session.watching.news.notified();
    tokio::time::timeout(PATIENCE, news).await.expect("no progress");
    let first = session.watching.progress.lock().unwrap()[0].clone();
    assert_eq!(first.total, Some(4000.0), "{first:?}");
    running.cancel(Some("enough".to_owned())).await.unwrap();
    // The server ends although the call may not have noticed yet.
    session.end().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_answers_with_what_it_has_or_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::start(dir.path(), &["--time-limit", "1s"]).await;
    let league =
        json!({ "strategies": ["shipped", "idle"], "game": "assemble", "seeds": "1..2000" });
    let league = session.said("league", league).await;
    assert!(league.contains("stopped after 1s; ask for less"), "{league}");
    let demo = session.refused("demo", json!({ "game": "assemble", "steps": 10000 })).await;
    assert!(demo.contains("larger --time-limit"), "{demo}");
    session.end().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_named_with_place_and_advice() {
    let dir = tempfile::tempdir().unwrap();
    strategy(dir.path(), "walks", WALKS);
    let session = Session::start(dir.path(), &[]).await;
    for (tool, arguments, why) in [
        ("strategy_check", json!({ "dir": "missing" }), "no such folder; relative paths begin in"),
        ("strategy_check", json!({ "folder": "walks" }), "unknown field `folder`"),
        ("demo", json!({ "strategy": "walks", "steps": 0 }), "steps = 0: expected 1 to 10000"),
        ("demo", json!({ "strategy": "walks", "record": true }), "this server is read-only"),
        ("demo", json!({ "game": "chess" }), "chess"),
        ("league", json!({ "strategies": ["walks", "idle"], "seeds": "5..1" }), "seeds: "),
        ("league", json!({ "strategies": ["walks", "idle"], "seeds": "1..9000" }), "at most 10000"),
        (
            "tune",
            json!({ "strategy": "walks", "opponents": ["idle"] }),
            "no parameter that can vary",
        ),
        ("why", json!({ "recording": "a.mcap", "agent": "a" }), "a.mcap"),
    ] {
        let refused = session.refused(tool, arguments.clone()).await;
        assert!(refused.contains(why), "{tool} {arguments}: {refused}");
    }
    let request = CallToolRequestParams::new("shell");
    let unknown = session.client.call_tool(request).await.unwrap_err().to_string();
    assert!(unknown.contains("no tool") && unknown.contains("strategy_check"), "{unknown}");
    session.end().await;
}

/// What a server writes after it has read these lines.
async fn answers(lines: &[String]) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let mut child = server(dir.path(), &[]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let asked = lines.iter().filter(|line| !line.contains("notifications/")).count();
    let mut answers = Vec::new();
    for line in lines {
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    while answers.len() < asked {
        let line = tokio::time::timeout(PATIENCE, output.next_line()).await.expect("no answer");
        answers.push(serde_json::from_str(&line.unwrap().unwrap()).unwrap());
    }
    drop(input);
    assert!(child.wait().await.unwrap().success());
    assert_eq!(output.next_line().await.unwrap(), None, "one answer to each request");
    answers
}

fn request(id: u64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[tokio::test]
async fn a_bad_message_gets_an_error_and_the_next_one_an_answer() {
    let lines = [
        "no JSON".to_owned(),
        "[]".to_owned(),
        format!("\"{}\"", "x".repeat(5 << 20)),
        json!({ "jsonrpc": "2.0", "method": "notifications/unknown" }).to_string(),
        request(1, "prompts/list", &json!({})),
        request(2, "tools/call", &json!({ "name": "demo", "arguments": 3 })),
        request(3, "ping", &json!({})),
    ];
    let answers = answers(&lines).await;
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].as_i64()).collect();
    let expected = [-32_700, -32_600, -32_600, -32_601, -32_602].map(Some);
    assert_eq!(codes[..5], expected, "{answers:?}");
    assert_eq!(answers[5], json!({ "jsonrpc": "2.0", "id": 3, "result": {} }));
}

#[tokio::test]
async fn a_client_without_a_handshake_names_its_version_in_each_request() {
    let of = |version: &str| {
        json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    } })
    };
    let mut call = of("2026-07-28");
    call["name"] = "strategy_check".into();
    call["arguments"] = json!({ "dir": "missing" });
    let answers = answers(&[
        request(1, "server/discover", &of("2026-07-28")),
        request(2, "resources/list", &of("2026-07-28")),
        request(3, "tools/list", &of("2030-01-01")),
        request(4, "tools/call", &call),
    ])
    .await;
    let [discovered, listed, refused, called] = &answers[..] else { panic!("{answers:?}") };
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&"2026-07-28".into()), "{versions:?}");
    for answer in [discovered, listed] {
        assert_eq!(answer["result"]["ttlMs"], 0, "{answer}");
    }
    assert_eq!(refused["error"]["code"], -32_022, "{refused}");
    assert_eq!(refused["error"]["data"]["supported"], json!(versions));
    let result = &called["result"];
    assert_eq!((&result["isError"], &result["resultType"]), (&true.into(), &"complete".into()));
}
