//! The referee's side of the protocol (spec, sections 3 to 5), on a virtual clock with bytes in
//! memory.

use phalanx_assemble::arena::config::{ArenaConfig, Launch};
use phalanx_assemble::arena::{ArenaOptions, AssembleArena};
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_game::{Arena as _, ConnectionId, Origin, Outgoing};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const UNIX: u64 = 1_795_245_816_726;

/// An arena, its clock, and what each connection received.
struct Table {
    arena: AssembleArena,
    now: Instant,
    inbox: SortedMap<u64, Vec<Value>>,
    closed: SortedSet<u64>,
}

fn config(change: impl Fn(&mut Value)) -> ArenaConfig {
    let mut value: Value =
        serde_json::from_str(include_str!("arena_conformance/minimal.json")).unwrap();
    value["match"][0]["entities"]["standard"] = json!(1);
    value["match"][0]["steps"] = json!(3);
    value["match"][0]["randomFail"] = json!(0);
    value["match"][0]["events"]["chance"] = json!(0);
    change(&mut value);
    ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(value.to_string().into_bytes())).unwrap()
}

impl Table {
    fn new(change: impl Fn(&mut Value), options: ArenaOptions) -> Self {
        let now = Instant::now();
        let arena =
            AssembleArena::new(config(change), options, Origin { instant: now, unix_ms: UNIX });
        Self { arena, now, inbox: SortedMap::new(), closed: SortedSet::new() }
    }

    fn join(&mut self, id: u64) {
        self.arena.handle_join(ConnectionId(id), self.now);
    }

    fn raw(&mut self, id: u64, bytes: &[u8]) {
        self.arena.handle_input(ConnectionId(id), bytes, self.now);
        self.drain();
    }

    fn send(&mut self, id: u64, message: &Value) {
        self.raw(id, format!("{message}\0").as_bytes());
    }

    fn login(&mut self, id: u64, user: &str, password: &str) {
        self.join(id);
        self.send(id, &json!({"type": "auth-request", "content": {"user": user, "pw": password}}));
    }

    fn act(&mut self, id: u64, action: i64, name: &str) {
        self.send(id, &json!({"type": "action", "content": {"id": action, "type": name, "p": []}}));
    }

    /// Lets time pass until the arena's next deadline, which must be that far.
    fn pass(&mut self, expected: Duration) {
        let due = self.arena.poll_timeout().unwrap();
        assert_eq!(due - self.now, expected);
        self.now = due;
        self.arena.handle_timeout(due);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(out) = self.arena.poll_transmit() {
            match out {
                Outgoing::Bytes(ConnectionId(id), bytes) => {
                    assert!(!self.closed.contains(&id), "bytes for a closed connection");
                    let message =
                        serde_json::from_slice(bytes.strip_suffix(b"\0").unwrap()).unwrap();
                    self.inbox.entry(id).or_default().push(message);
                }
                Outgoing::Close(ConnectionId(id)) => {
                    assert!(self.closed.insert(id), "closed twice")
                }
            }
        }
    }

    /// What a connection received since the last look.
    fn take(&mut self, id: u64) -> Vec<Value> {
        self.inbox.remove(&id).unwrap_or_default()
    }

    /// The types of what a connection received since the last look.
    fn types(&mut self, id: u64) -> Vec<String> {
        self.take(id).iter().map(|message| message["type"].as_str().unwrap().to_owned()).collect()
    }

    /// The last actions reported to a connection since the last look.
    fn last_actions(&mut self, id: u64) -> Vec<Value> {
        let percept = |message: &Value| message["content"]["percept"]["lastAction"].clone();
        self.take(id)
            .iter()
            .filter(|message| message["type"] == "request-action")
            .map(percept)
            .collect()
    }

    fn seated(change: impl Fn(&mut Value), options: ArenaOptions) -> Self {
        let mut table = Self::new(change, options);
        table.login(1, "agentA1", "1");
        table.login(2, "agentB1", "2");
        table.arena.start(table.now);
        table.drain();
        table
    }
}

fn seated() -> Table {
    Table::seated(|_| {}, ArenaOptions::default())
}

const TIMEOUT: Duration = Duration::from_secs(4);

#[test]
fn one_agent_gets_login_start_requests_end_and_bye_in_that_order() {
    let mut table = seated();
    for step in 0..3 {
        table.act(1, step, "skip");
        table.act(2, step, "skip");
    }
    table.pass(Duration::ZERO);
    let request = "request-action";
    assert_eq!(
        table.types(1),
        ["auth-response", "sim-start", request, request, request, "sim-end", "bye"]
    );
    assert_eq!(table.closed, SortedSet::from([1, 2]));
    let verdict = table.arena.verdict();
    assert!(verdict.over);
    assert_eq!((verdict.round, verdict.step, verdict.steps), (1, 3, 3));
}

#[test]
fn messages_have_the_specified_fields() {
    let mut table = seated();
    let messages = table.take(1);
    assert_eq!(messages[0], json!({"type": "auth-response", "content": {"result": "ok"}}));
    let percept = json!({"name": "agentA1", "team": "A", "teamSize": 1, "steps": 3, "vision": 5});
    assert_eq!(
        messages[1],
        json!({"type": "sim-start", "content": {"time": UNIX, "percept": percept}})
    );
    let content = &messages[2]["content"];
    assert_eq!((&content["id"], &content["step"]), (&json!(0), &json!(0)));
    assert_eq!((&content["time"], &content["deadline"]), (&json!(UNIX), &json!(UNIX + 4000)));
    let percept = &content["percept"];
    assert_eq!((&percept["lastAction"], &percept["lastActionParams"]), (&json!(""), &json!([])));
    for step in 0..3 {
        table.act(1, step, "skip");
        table.act(2, step, "skip");
    }
    let end = |score, ranking| json!({"type": "sim-end", "content": {"score": score, "ranking": ranking, "time": UNIX}});
    assert_eq!(table.take(1).last(), Some(&end(0, 1)));
    assert_eq!(table.take(2).last(), Some(&end(0, 2)), "equal scores still get different ranks");
}

#[test]
fn a_silent_agent_costs_everybody_the_full_time_and_does_nothing() {
    let mut table = seated();
    table.act(1, 0, "skip");
    table.pass(TIMEOUT);
    assert_eq!(table.last_actions(1), [json!(""), json!("skip")]);
    assert_eq!(table.last_actions(2), [json!(""), json!("no_action")]);
}

#[test]
fn the_first_answer_with_the_pending_id_wins_and_others_are_ignored() {
    let mut table = seated();
    table.act(1, 7, "move");
    table.act(1, -1, "move");
    table.act(1, 0, "skip");
    table.act(1, 0, "accept");
    table.act(2, 0, "skip");
    table.act(1, 0, "move");
    table.pass(TIMEOUT);
    assert_eq!(table.last_actions(1), [json!(""), json!("skip"), json!("no_action")]);
}

#[test]
fn bad_logins_are_answered_with_fail_and_closed() {
    let mut table = Table::new(|_| {}, ArenaOptions::default());
    for (id, user, password) in
        [(1, "agentA1", "x"), (2, "nobody", "1"), (3, "agentA2", "1"), (4, "agentA0", "1")]
    {
        table.login(id, user, password);
        assert_eq!(
            table.take(id),
            [json!({"type": "auth-response", "content": {"result": "fail"}})],
            "{user}"
        );
        assert!(table.closed.contains(&id), "{user}");
    }
}

#[test]
fn anything_but_a_login_or_a_status_request_at_first_closes_the_connection() {
    let cases: [&[u8]; 6] = [
        b"{nonsense\0",
        b"\0",
        b"{\"type\":\"auth-request\"}\0",
        b"{\"type\":\"hello\",\"content\":{}}\0",
        b"{\"type\":\"action\",\"content\":{\"id\":0,\"type\":\"skip\",\"p\":[]}}\0",
        b"[1]\0",
    ];
    let mut table = Table::new(|_| {}, ArenaOptions::default());
    for (id, bytes) in (1..).zip(cases) {
        table.join(id);
        table.raw(id, bytes);
        assert!(
            table.closed.contains(&id) && table.take(id).is_empty(),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    table.join(99);
    table.raw(99, b"{\"type\":\"auth-req");
    table.arena.handle_leave(ConnectionId(99), table.now);
    assert!(!table.closed.contains(&99), "the end in mid-message is ignored");
}

#[test]
fn a_status_is_told_once_as_the_first_message_only() {
    let request = json!({"type": "status-request", "content": {}});
    let mut table = Table::new(|_| {}, ArenaOptions::default());
    table.join(9);
    table.send(9, &request);
    table.send(9, &request);
    let status = |teams: Value, current: i64| {
        json!({"type": "status-response", "content":
            {"teams": teams, "teamSizes": [1], "currentSimulation": current, "time": UNIX}})
    };
    assert_eq!(table.take(9), [status(json!([]), -1)]);
    table.login(1, "agentA1", "1");
    table.arena.start(table.now);
    table.drain();
    table.take(1);
    table.send(1, &request);
    assert_eq!(table.types(1), Vec::<String>::new());
    table.join(10);
    table.send(10, &request);
    assert_eq!(table.take(10), [status(json!(["A", "B"]), 0)]);
}

#[test]
fn a_second_login_replaces_the_first_and_the_pending_id_still_counts() {
    let mut table = seated();
    let first = table.take(1)[1].clone();
    table.now += Duration::from_secs(1);
    table.login(3, "agentA1", "1");
    assert!(table.closed.contains(&1));
    let messages = table.take(3);
    assert_eq!(messages.len(), 2, "the pending request is not sent again: {messages:?}");
    assert_eq!(messages[1], first, "the same sim-start");
    table.act(3, 0, "skip");
    table.act(2, 0, "skip");
    assert_eq!(table.last_actions(3), [json!("skip")]);
}

#[test]
fn the_pending_request_is_sent_again_when_asked_for() {
    let mut table =
        Table::seated(|_| {}, ArenaOptions { resend_request: true, ..ArenaOptions::default() });
    let request = table.take(1)[2].clone();
    table.login(3, "agentA1", "1");
    assert_eq!(table.take(3)[2], request);
}

#[test]
fn nothing_is_kept_for_those_who_are_away_but_the_ids_count_on() {
    let mut table = seated();
    table.arena.handle_leave(ConnectionId(2), table.now);
    table.act(1, 0, "skip");
    table.pass(TIMEOUT);
    table.take(2);
    table.login(4, "agentB1", "2");
    assert_eq!(table.types(4), ["auth-response", "sim-start"]);
    table.act(1, 1, "skip");
    table.act(4, 1, "skip");
    assert_eq!(table.take(4)[0]["content"]["id"], json!(2));
}

#[test]
fn action_ids_go_on_over_simulations_and_pauses_are_kept() {
    let mut table = Table::seated(
        |config| {
            let sim = config["match"][0].clone();
            config["match"] = json!([sim, sim]);
            config["server"]["waitBetweenSimulations"] = json!(2000);
        },
        ArenaOptions::default(),
    );
    for step in 0..3 {
        table.act(1, step, "skip");
        table.act(2, step, "skip");
    }
    table.take(1);
    table.pass(Duration::from_secs(2));
    let messages = table.take(1);
    assert_eq!(messages[0]["type"], json!("sim-start"));
    assert_eq!(
        (&messages[1]["content"]["id"], &messages[1]["content"]["step"]),
        (&json!(3), &json!(0))
    );
}

#[test]
fn accounts_beyond_the_simulations_size_wait_for_their_turn() {
    let mut table = Table::new(
        |config| {
            let mut second = config["match"][0].clone();
            second["entities"]["standard"] = json!(2);
            config["match"] = json!([config["match"][0], second]);
        },
        ArenaOptions::default(),
    );
    for (id, user, password) in [(1, "agentA1", "1"), (2, "agentB1", "2"), (3, "agentA2", "1")] {
        table.login(id, user, password);
    }
    table.arena.start(table.now);
    table.drain();
    for step in 0..3 {
        table.act(1, step, "skip");
        table.act(2, step, "skip");
    }
    assert_eq!(table.types(3), ["auth-response"]);
    table.pass(Duration::ZERO);
    assert_eq!(table.types(3), ["sim-start", "request-action"]);
}

/// The table of section 5, for a connection that is logged in: does the agent's next answer count?
#[test]
fn malformed_input_after_the_login() {
    let long =
        format!("{{\"type\":\"action\",\"content\":{{\"pad\":\"{}\"}}}}", "x".repeat(70_000));
    let deep = format!("{{\"type\":\"action\",\"content\":{}", "[".repeat(30_000));
    let cases: [(&[u8], bool); 15] = [
        (b"{nonsense", false),
        (b"", false),
        (b"[1,2]", false),
        (b"7", false),
        (b"{\"type\":\"action\",\"type\":\"action\",\"content\":{}}", false),
        (deep.as_bytes(), false),
        (b"{\"type\":\"action\",\"content\":{\"id\":0,\"type\":\"skip\"}}", false),
        (b"{\"type\":\"action\",\"content\":{\"id\":0,\"type\":\"skip\",\"p\":\"n\"}}", false),
        (b"{\"type\":\"request-action\",\"content\":{}}", true),
        (b"{\"type\":\"hello\",\"content\":{}}", true),
        (b"{\"type\":\"auth-request\",\"content\":{\"user\":\"agentA1\",\"pw\":\"1\"}}", true),
        (b"{\"type\":\"action\"}", true),
        (b"{\"type\":\"action\",\"content\":\"x\"}", true),
        (b"{\"type\":\"\xff\xfe\",\"content\":{}}", true),
        (long.as_bytes(), true),
    ];
    for (bytes, goes_on) in cases {
        for deaf in [true, false] {
            let options = ArenaOptions { deaf_after_broken: deaf, ..ArenaOptions::default() };
            let mut table = Table::seated(|_| {}, options);
            table.act(2, 0, "skip");
            table.raw(1, &[bytes, b"\0"].concat());
            table.act(1, 0, "skip");
            let answered = table.last_actions(1).len() == 2;
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(answered, goes_on || !deaf, "{text:.60}");
            if !answered {
                table.login(3, "agentA1", "1");
                table.act(3, 0, "skip");
                assert_eq!(table.last_actions(3).len(), 1, "a new login helps: {text:.60}");
            }
        }
    }
}

#[test]
fn an_account_that_broke_off_in_disgrace_is_not_there() {
    let complete = ArenaOptions { launch: Some(Launch::Complete), ..ArenaOptions::default() };
    let mut table = Table::new(|_| {}, complete);
    table.login(1, "agentA1", "1");
    table.raw(1, b"{nonsense\0");
    table.arena.handle_leave(ConnectionId(1), table.now);
    table.login(2, "agentB1", "2");
    assert_eq!(table.types(2), ["auth-response"], "the match waits for the other");
    table.login(3, "agentA1", "1");
    assert_eq!(table.types(2), ["sim-start", "request-action"]);
    assert!(!table.closed.contains(&1), "nobody closes what is gone");
}

#[test]
fn an_empty_parameter_list_fails_and_the_match_goes_on() {
    let mut table = seated();
    for (step, action) in (0..).zip(["move", "rotate"]) {
        table.take(1);
        table.act(1, step, action);
        table.act(2, step, "skip");
        assert_eq!(
            table.take(1)[0]["content"]["percept"]["lastActionResult"],
            json!("failed_parameter")
        );
    }
}

#[test]
fn packets_may_be_cut_anywhere_and_follow_the_login_at_once() {
    let stream = concat!(
        r#"{"type":"auth-request","content":{"user":"agentA1","pw":"1"}}"#,
        "\0",
        r#"{"type":"action","content":{"id":0,"type":"skip","p":[]}}"#,
        "\0",
    );
    for cut in 0..stream.len() {
        let mut table = seated();
        table.join(5);
        let (head, tail) = stream.as_bytes().split_at(cut);
        table.raw(5, head);
        table.raw(5, tail);
        table.act(2, 0, "skip");
        assert_eq!(table.last_actions(5), [json!("skip")], "cut at {cut}");
    }
}

#[test]
fn the_launch_is_by_key_after_seconds_at_a_minute_or_when_complete() {
    let launched = |launch: &str| {
        let table = Table::new(
            |config| config["server"]["launch"] = json!(launch),
            ArenaOptions::default(),
        );
        table.arena.poll_timeout().map(|due| due - table.now)
    };
    assert_eq!(launched("key"), None);
    assert_eq!(launched("5s"), Some(Duration::from_secs(5)));
    assert_eq!(launched("00:00"), Some(Duration::ZERO));
    assert!(launched("23:59").unwrap() <= Duration::from_secs(86_400));
    let options = ArenaOptions { launch: Some(Launch::Complete), ..ArenaOptions::default() };
    let mut table = Table::new(|_| {}, options);
    table.login(1, "agentA1", "1");
    assert_eq!(table.types(1), ["auth-response"]);
    table.login(2, "agentB1", "2");
    assert_eq!(table.types(1), ["sim-start", "request-action"]);
}

#[test]
fn a_pace_keeps_steps_apart() {
    let mut table = Table::seated(
        |_| {},
        ArenaOptions { pace: Duration::from_millis(500), ..ArenaOptions::default() },
    );
    table.now += Duration::from_millis(100);
    table.act(1, 0, "skip");
    table.act(2, 0, "skip");
    table.take(1);
    table.pass(Duration::from_millis(400));
    assert_eq!(table.types(1), ["request-action"]);
}

#[test]
fn manual_mode_plays_each_list_as_written() {
    let mut table = Table::seated(
        |config| {
            config["server"]["tournamentMode"] = json!("manual");
            config["manual-mode"] = json!([["A"], ["B"]]);
        },
        ArenaOptions::default(),
    );
    assert_eq!(table.types(2), ["auth-response"]);
    for step in 0..3 {
        table.act(1, step, "skip");
    }
    table.pass(Duration::ZERO);
    assert_eq!(table.types(2), ["sim-start", "request-action"]);
}

#[test]
fn all_mistakes_of_a_configuration_are_listed_with_their_keys() {
    let text = include_str!("arena_conformance/minimal.json")
        .replace("\"round-robin\"", "\"knockout\"")
        .replace("\"key\"", "\"soon\"")
        .replace("\"port\": 12300, ", "")
        .replace("\"steps\": 40", "\"steps\": 0")
        .replace("[1, 3]", "[3, 1]")
        .replace("\"width\": 30", "\"width\": \"wide\"")
        .replace("\"probability\": 0.3", "\"probability\": 3")
        .replace("\"password\": \"2\"", "\"password\": 2");
    let error = ArenaConfig::load(Path::new("c.json"), &|_: &Path| Ok(text.clone().into_bytes()))
        .unwrap_err();
    let keys: SortedSet<&str> = error.0.iter().map(|mistake| mistake.key.as_str()).collect();
    let expected = [
        "server.tournamentMode",
        "server.launch",
        "server.port",
        "match[0].steps",
        "match[0].clusterBounds",
        "match[0].grid.width",
        "match[0].tasks.probability",
        "teams.B.password",
    ];
    for key in expected {
        assert!(keys.contains(key), "{key} is not in\n{error}");
    }
    assert!(!format!("{:?}", config(|_| {})).contains("\"2\""), "passwords are not printed");
}
