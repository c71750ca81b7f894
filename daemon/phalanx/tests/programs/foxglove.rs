//! The Foxglove socket, against a client that knows only the protocol's specification.

use crate::recordings::{Bench, files, turn};
use crate::support::{PHALANX, Running, phalanx, quiet, stderr, wait};
use crate::watching::{scrape, scrape_over, value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use phalanx_proto::v1;
use phalanx_record::RecordingFile;
use prost::Message as _;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, HandshakeError, Message, WebSocket, client};

/// Timeout of everything that the tests wait for. No test measures it.
const PATIENCE: Duration = Duration::from_secs(180);
const SDK: &str = "foxglove.sdk.v1";
const OLDER: &str = "foxglove.websocket.v1";
/// Settings with the socket at a free port.
const OPEN: &str = "[foxglove]\nlisten = \"127.0.0.1:0\"";
/// Each agent writes to the board and waits.
const WRITER: &str =
    "return { decide = function(me)\n  board.set(me.name, me.turn)\n  return act.skip()\nend }\n";

/// Time and bytes of each message, by topic.
type Messages = BTreeMap<String, Vec<(u64, Vec<u8>)>>;

/// A message from the server.
enum Heard {
    Text(Value),
    Data { topic: String, time: u64, data: Vec<u8> },
}

/// A client of the server.
pub(crate) struct Looker {
    socket: WebSocket<TcpStream>,
    info: Value,
    /// The advertised channels, by topic.
    channels: BTreeMap<String, Value>,
    /// Topics by the subscription's number.
    topics: BTreeMap<u32, String>,
    /// The last number.
    last: u32,
}

/// A client's handshake; returns the chosen protocol, or status and text of a refusal.
fn knock(
    address: SocketAddr,
    protocols: &str,
    origin: Option<&str>,
) -> Result<(WebSocket<TcpStream>, String), (u16, String)> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut request = format!("ws://{address}/").into_client_request().unwrap();
    request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", origin.parse().unwrap());
    }
    match client(request, stream) {
        Ok((socket, response)) => {
            let chosen = response.headers()["sec-websocket-protocol"].to_str().unwrap();
            Ok((socket, chosen.to_owned()))
        }
        Err(HandshakeError::Failure(Error::Http(response))) => {
            let body = response.body().clone().unwrap_or_default();
            Err((response.status().as_u16(), String::from_utf8(body).unwrap()))
        }
        Err(error) => panic!("{error}"),
    }
}

/// The address of this daemon's Foxglove socket.
fn address(daemon: &mut Running) -> SocketAddr {
    let line: Value = serde_json::from_str(&daemon.line_with("\"Foxglove\"")).unwrap();
    line["fields"]["address"].as_str().unwrap().parse().unwrap()
}

impl Looker {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(knock(address, SDK, None).unwrap().0)
    }

    fn over(socket: WebSocket<TcpStream>) -> Self {
        let (channels, topics) = (BTreeMap::new(), BTreeMap::new());
        let mut looker = Self { socket, info: Value::Null, channels, topics, last: 0 };
        let Some(Heard::Text(info)) = looker.hear() else { panic!("no server info") };
        assert_eq!(info["op"], "serverInfo", "{info}");
        Self { info, ..looker }
    }

    fn say(&mut self, text: &Value) {
        self.socket.send(Message::text(text.to_string())).unwrap();
    }

    /// The next message; `None` at the end.
    fn hear(&mut self) -> Option<Heard> {
        loop {
            return Some(match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let text: Value = serde_json::from_str(text.as_str()).unwrap();
                    self.learn(&text);
                    Heard::Text(text)
                }
                Ok(Message::Binary(bytes)) => {
                    assert_eq!(bytes[0], 1);
                    let subscription = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
                    let time = u64::from_le_bytes(bytes[5..13].try_into().unwrap());
                    let topic = self.topics[&subscription].clone();
                    Heard::Data { topic, time, data: bytes[13..].to_vec() }
                }
                Ok(_) => continue,
                Err(_) => return None,
            });
        }
    }

    fn learn(&mut self, text: &Value) {
        if text["op"] == "advertise" {
            for channel in text["channels"].as_array().unwrap() {
                let topic = channel["topic"].as_str().unwrap().to_owned();
                assert!(self.channels.insert(topic, channel.clone()).is_none(), "{channel}");
            }
        } else if text["op"] == "unadvertise" {
            let gone = text["channelIds"].as_array().unwrap();
            self.channels.retain(|_, channel| !gone.contains(&channel["id"]));
        }
    }

    /// Reads until this topic was advertised.
    pub(crate) fn know(&mut self, topic: &str) {
        while !self.channels.contains_key(topic) {
            assert!(self.hear().is_some(), "{topic} was never advertised");
        }
    }

    fn subscribe(&mut self, topics: &[&str]) -> Vec<u32> {
        let (mut list, mut numbers) = (Vec::new(), Vec::new());
        for topic in topics {
            self.last += 1;
            self.topics.insert(self.last, (*topic).to_owned());
            list.push(json!({ "id": self.last, "channelId": self.channels[*topic]["id"] }));
            numbers.push(self.last);
        }
        self.say(&json!({ "op": "subscribe", "subscriptions": list }));
        numbers
    }

    /// Subscribes to every advertised topic, and waits until the server has handled it.
    pub(crate) fn subscribe_all(&mut self) -> Messages {
        let topics: Vec<_> = self.channels.keys().cloned().collect();
        self.subscribe(&topics.iter().map(String::as_str).collect::<Vec<_>>());
        let last = topics.iter().rfind(|topic| topic.ends_with("/recording")).unwrap();
        self.hear_until(|topic, _| topic == last)
    }

    /// Reads messages until `last` is true, or to the end.
    fn hear_until(&mut self, mut last: impl FnMut(&str, &[u8]) -> bool) -> Messages {
        let mut messages = Messages::new();
        while let Some(heard) = self.hear() {
            let Heard::Data { topic, time, data } = heard else { continue };
            let found = last(&topic, &data);
            messages.entry(topic).or_default().push((time, data));
            if found {
                break;
            }
        }
        messages
    }

    /// Waits until the server has handled everything sent so far; returns the messages in between.
    fn settle(&mut self) -> Messages {
        self.say(&json!({ "op": "are you there" }));
        let mut messages = Messages::new();
        loop {
            match self.hear().expect("an answer") {
                Heard::Text(text) if text["op"] == "status" => return messages,
                Heard::Text(_) => {}
                Heard::Data { topic, time, data } => {
                    messages.entry(topic).or_default().push((time, data));
                }
            }
        }
    }

    /// The next status.
    fn status(&mut self) -> Value {
        loop {
            match self.hear() {
                Some(Heard::Text(text)) if text["op"] == "status" => return text,
                Some(_) => {}
                None => panic!("no status came"),
            }
        }
    }

    /// Everything up to the end, as text, with a sign for invalid UTF-8.
    pub(crate) fn transcript(mut self) -> String {
        let mut all = String::new();
        while let Some(heard) = self.hear() {
            match heard {
                Heard::Text(text) => all.push_str(&text.to_string()),
                Heard::Data { data, .. } => all.push_str(&String::from_utf8_lossy(&data)),
            }
            all.push('\n');
        }
        all
    }
}

/// The messages of a recording, by topic as Foxglove has them.
fn recorded(path: &Path, team: &str) -> Messages {
    let file = RecordingFile::open(path).unwrap();
    let mut messages = Messages::new();
    for message in file.raw_messages(0) {
        let message = message.unwrap();
        let time = file.begin_nanos().saturating_add_signed(message.nanos);
        let topic = format!("/{team}{}", message.channel);
        messages.entry(topic).or_default().push((time, message.data));
    }
    messages
}

/// The channels of a recording's file as Foxglove would advertise them, without numbers.
fn channels_of(path: &Path, team: &str) -> BTreeMap<String, Value> {
    let bytes = std::fs::read(path).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let shown = |channel: &std::sync::Arc<mcap::Channel<'_>>| {
        let schema = channel.schema.as_ref().unwrap();
        let topic = format!("/{team}{}", channel.topic);
        let told = json!({
            "topic": topic,
            "encoding": channel.message_encoding,
            "schemaName": schema.name,
            "schema": STANDARD.encode(&schema.data),
            "schemaEncoding": schema.encoding,
        });
        (topic, told)
    };
    summary.channels.values().map(shown).collect()
}

fn event(data: &[u8]) -> v1::match_event::Kind {
    v1::MatchEvent::decode(data).unwrap().kind.unwrap()
}

fn is_decision(data: &[u8]) -> bool {
    matches!(event(data), v1::match_event::Kind::Decided(_))
}

#[test]
fn what_foxglove_sees_is_what_is_recorded() {
    const TURNS: i64 = 12;
    let mut bench = Bench::playing(OPEN, WRITER);
    let mut looker = Looker::connect(address(&mut bench.daemon));
    assert!(looker.info["name"].as_str().unwrap().starts_with("phalanxd "), "{}", looker.info);
    assert_eq!(looker.info["capabilities"], json!([]));
    looker.know("/A/seat/0/steps");
    let advertised = looker.channels.clone();
    let kept = looker.subscribe_all();
    let mut seat = bench.seat();
    (0..TURNS).for_each(|id| turn(&mut seat, id));
    bench.daemon.terminate();
    drop(seat);
    let mut seen = looker.hear_until(|_, _| false);
    assert_eq!(looker.channels, BTreeMap::new(), "the team has ended");
    let (folder, dir) = (bench.folder(), bench.dir);
    assert_eq!(bench.daemon.finish().1, Some(0));
    let file = files(&folder, ".mcap").remove(0);

    // Every channel of the file, with its schema, and one for gaps.
    let mut told = advertised;
    let numbers: BTreeSet<_> =
        told.values_mut().map(|one| one["id"].take().as_u64().unwrap()).collect();
    assert_eq!(numbers.len(), told.len(), "each has a number of its own");
    told.values_mut().for_each(|one| drop(one.as_object_mut().unwrap().remove("id")));
    assert!(told.remove("/A/gaps").is_some());
    assert_eq!(told, channels_of(&file, "A"));

    // First the messages that describe the team, then everything from then on.
    let mut recorded = recorded(&file, "A");
    for (topic, mut messages) in kept {
        messages.extend(seen.remove(&topic).unwrap_or_default());
        seen.insert(topic, messages);
    }
    let info = |messages: &[(u64, Vec<u8>)]| v1::RecordingInfo::decode(&*messages[0].1).unwrap();
    let (ours, files) = (info(&seen["/A/recording"]), info(&recorded["/A/recording"]));
    assert_eq!(v1::RecordingInfo { id: files.id.clone(), part: 1, ..ours }, files);
    for topics in [&mut seen, &mut recorded] {
        topics.remove("/A/recording");
    }
    for (topic, messages) in &seen {
        let all = &recorded[topic];
        let first = messages[0] == all[0] && all.ends_with(&messages[1..]);
        assert!(first || all.ends_with(messages), "{topic}: {} of {}", messages.len(), all.len());
    }
    assert_eq!(seen.keys().collect::<Vec<_>>(), recorded.keys().collect::<Vec<_>>());
    let counts: BTreeMap<_, _> =
        seen.iter().map(|(topic, messages)| (topic.as_str(), messages.len())).collect();
    let decisions = seen["/A/journal"].iter().filter(|(_, data)| is_decision(data)).count();
    assert_eq!(i64::try_from(decisions), Ok(TURNS));
    assert!(counts["/A/percepts"] >= 2 && counts["/A/team"] >= 2, "{counts:?}");
    assert!(counts["/A/seat/0/received"] >= 12 && counts["/A/board"] >= 2, "{counts:?}");
    drop(dir);
}

#[test]
fn a_demo_shows_the_decisions_of_both_teams_while_they_play() {
    let dir = tempfile::tempdir().unwrap();
    let mut shell = quiet(Command::new("sh"));
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#, PHALANX, "demo", "--steps", "2000", "--no-watch"]);
    shell.args(["--foxglove", "127.0.0.1:0", "--record"]).arg(dir.path());
    let mut demo = Running::start(shell);
    let line = demo.line_with("look on with Foxglove");
    let address = line.trim().rsplit("ws://").next().unwrap().parse().unwrap();
    let line = demo.line_with("see it");
    let page = line.trim().rsplit("http://").next().unwrap().trim_end_matches('/').to_owned();
    let (socket, chosen) = knock(address, &format!("{OLDER}, x"), None).unwrap();
    assert_eq!(chosen, OLDER);
    let mut looker = Looker::over(socket);
    looker.know("/A/journal");
    looker.know("/B/journal");
    looker.subscribe(&["/A/journal", "/B/journal"]);
    let mut decided = BTreeMap::new();
    let seen = looker.hear_until(|topic, data| {
        *decided.entry(topic.to_owned()).or_insert(0) += u32::from(is_decision(data));
        decided.len() == 2 && decided.values().all(|count| *count > 60)
    });
    let figures = scrape_over(TcpStream::connect(page).unwrap());
    assert_eq!(value(&figures, "phalanx_foxglove_clients", &[]), Some(1.0), "{figures}");
    demo.signal("INT");
    demo.finish();
    let files = files(dir.path(), ".mcap");
    for (team, file) in ["A", "B"].into_iter().zip(files) {
        let topic = format!("/{team}/journal");
        let (seen, all) = (&seen[&topic], &recorded(&file, team)[&topic]);
        let begin = all.iter().position(|message| *message == seen[0]).unwrap();
        assert_eq!(seen[..], all[begin..begin + seen.len()], "{team}");
    }
}

#[test]
fn a_client_that_does_not_read_loses_messages_and_holds_up_nobody() {
    let more = format!("{OPEN}\nqueue_size = \"1MiB\"\n[recordings]\nmode = \"off\"");
    let mut bench = Bench::new(&more);
    let mut looker = Looker::connect(address(&mut bench.daemon));
    looker.know("/A/seat/0/steps");
    looker.subscribe_all();
    let mut seat = bench.seat();
    // More than the system buffers for a client that does not read: each turn is answered.
    let long = "x".repeat(500_000);
    for id in 0..60 {
        let content = json!({
            "id": id, "time": 1000, "deadline": 61_000, "step": id,
            "percept": { "lastAction": "skip", "of next year": long },
        });
        seat.send(&json!({ "type": "request-action", "content": content }));
        let answer = seat.receive().unwrap();
        assert_eq!((&answer["type"], &answer["content"]["id"]), (&"action".into(), &id.into()));
    }
    let status = looker.status();
    assert_eq!((&status["level"], &status["id"]), (&1.into(), &"lost".into()), "{status}");
    let words = status["message"].as_str().unwrap();
    assert!(words.contains("messages were left out since this client reads too slowly"));
    let text = scrape(bench.dir.path());
    let figure = |name: &str| value(&text, &format!("phalanx_foxglove_{name}"), &[]);
    assert!(figure("lost_total") > Some(1.0), "{text}");
    assert_eq!(figure("clients"), Some(1.0));
    assert!(figure("bytes_total") > Some(1_000_000.0), "{text}");
    drop((seat, looker));
    bench.leave();
}

#[test]
fn only_what_is_subscribed_is_sent_and_nothing_after_the_end_of_a_subscription() {
    let mut bench = Bench::new(OPEN);
    let mut looker = Looker::connect(address(&mut bench.daemon));
    looker.know("/A/seat/0/steps");
    let journal = looker.subscribe(&["/A/journal"]);
    let mut heard = vec![looker.settle()];
    let mut ids = 0..;
    let mut seat = bench.seat();
    let mut play = |turns| ids.by_ref().take(turns).for_each(|id| turn(&mut seat, id));
    play(2);
    let mut turns = 0;
    heard.push(looker.hear_until(|_, data| {
        turns += u32::from(matches!(event(data), v1::match_event::Kind::TurnDone(_)));
        turns == 2
    }));
    looker.say(&json!({ "op": "unsubscribe", "subscriptionIds": journal }));
    heard.push(looker.settle());
    let journal_alone = |messages: &Messages| messages.keys().all(|topic| topic == "/A/journal");
    assert!(heard.iter().all(journal_alone));
    let recording = looker.subscribe(&["/A/recording"]);
    let next = |looker: &mut Looker, topic: &str| {
        let messages = looker.hear_until(|_, _| true);
        assert_eq!(messages.keys().collect::<Vec<_>>(), [topic]);
        messages
    };
    heard.push(next(&mut looker, "/A/recording"));
    play(3);
    looker.subscribe(&["/A/team/life"]);
    heard.push(next(&mut looker, "/A/team/life"));
    // The same subscription number again, for another channel.
    looker.say(&json!({ "op": "unsubscribe", "subscriptionIds": recording }));
    looker.say(&json!({ "op": "subscribe", "subscriptions": [
        { "id": recording[0], "channelId": looker.channels["/A/seat/0/sent"]["id"] },
    ] }));
    looker.topics.insert(recording[0], "/A/seat/0/sent".into());
    assert_eq!(looker.settle(), Messages::new());
    play(1);
    heard.push(next(&mut looker, "/A/seat/0/sent"));
    let text = scrape(bench.dir.path());
    let sent = value(&text, "phalanx_foxglove_messages_total", &[]);
    let heard = heard.iter().flat_map(BTreeMap::values).map(Vec::len).sum::<usize>();
    assert_eq!(sent, Some(heard as f64), "{text}");
    drop((seat, looker));
    bench.leave();
}

#[test]
fn garbage_ends_at_most_its_own_connection() {
    let mut bench = Bench::new(OPEN);
    let address = address(&mut bench.daemon);
    let mut looker = Looker::connect(address);
    looker.know("/A/seat/0/steps");
    let complaint = |looker: &mut Looker, said: Message| {
        looker.socket.send(said).unwrap();
        let status = looker.status();
        assert_eq!(status["level"], 2, "{status}");
        status["message"].as_str().unwrap().to_owned()
    };
    let steps = looker.channels["/A/team/steps"]["id"].clone();
    let subscribe = |list: Value| json!({ "op": "subscribe", "subscriptions": list }).to_string();
    looker.subscribe(&["/A/gaps"]);
    let gaps = looker.channels["/A/gaps"]["id"].clone();
    for (said, told) in [
        (Message::text("holiday"), "expected a JSON object"),
        (Message::text("[]"), "expected a JSON object"),
        (Message::text(r#"{"op":"subscribe","subscriptions":7}"#), "expected a JSON object"),
        (Message::text(r#"{"op":"setParameters"}"#), "this server only shows"),
        (Message::binary(vec![1, 0, 0]), "takes no messages of clients"),
        (Message::text(subscribe(json!([{ "id": 9, "channelId": 77_777 }]))), "no channel 77777"),
        (Message::text(subscribe(json!([{ "id": 1, "channelId": steps }]))), "in use"),
        (Message::text(subscribe(json!([{ "id": 9, "channelId": gaps }]))), "already"),
    ] {
        let heard = complaint(&mut looker, said.clone());
        assert!(heard.contains(told), "{said}: {heard}");
    }
    looker.say(&json!({ "op": "unsubscribe", "subscriptionIds": [4_000_000] }));
    // An error does not repeat everything that a client sent; many errors become one.
    let long = json!({ "op": "subscribe", "subscriptions": "x".repeat(1 << 19) }).to_string();
    let many = (0..10_000).map(|id| json!({ "id": 100 + id, "channelId": 77_777 }));
    for said in [long, subscribe(many.collect())] {
        let heard = complaint(&mut looker, Message::text(said));
        assert!(heard.chars().count() <= 400, "{heard}");
    }
    // A client that sends a close frame receives one.
    let mut leaving = Looker::connect(address);
    leaving.socket.close(None).unwrap();
    let end = loop {
        if let Err(error) = leaving.socket.read() {
            break error;
        }
    };
    assert!(matches!(end, Error::ConnectionClosed), "{end}");
    // A client that sends too much is disconnected.
    let mut greedy = Looker::connect(address);
    drop(greedy.socket.send(Message::text("x".repeat(2 << 20))));
    while greedy.hear().is_some() {}
    // A frame that no client may send, half a handshake, and bytes that are not WebSocket.
    let mut broken = Looker::connect(address);
    broken.socket.get_mut().write_all(&[0xff; 64]).unwrap();
    while broken.hear().is_some() {}
    let half = TcpStream::connect(address).unwrap();
    (&half).write_all(b"GET / HTTP/1.1\r\nUpgrade: web").unwrap();
    drop(half);
    for said in [&b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"[..], &[0; 4096], b"\r\n\r\n"] {
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.set_read_timeout(Some(PATIENCE)).unwrap();
        stranger.write_all(said).unwrap();
        // It ends, in whatever way.
        drop(stranger.read_to_end(&mut Vec::new()));
    }
    // The other clients are not affected.
    looker.subscribe(&["/A/journal"]);
    looker.settle();
    let mut seat = bench.seat();
    turn(&mut seat, 0);
    let seen = looker.hear_until(|topic, data| topic == "/A/journal" && is_decision(data));
    assert!(is_decision(&seen["/A/journal"].last().unwrap().1));
    drop((seat, looker));
    bench.leave();
}

#[test]
fn foreign_pages_strangers_and_too_many_clients_are_refused() {
    let more = format!("{OPEN}\nclients_max = 1\norigins = [\"https://app.foxglove.dev\"]");
    let mut bench = Bench::new(&more);
    let address = address(&mut bench.daemon);
    let refused = |protocol: &str, origin: Option<&str>| match knock(address, protocol, origin) {
        Ok(_) => panic!("{protocol} {origin:?} was let in"),
        Err(refusal) => refusal,
    };
    for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
        let (status, words) = refused(SDK, Some(origin));
        assert!(status == 403 && words.contains("foxglove.origins"), "{status} {words}");
    }
    let (status, words) = refused("foxglove.sdk.v9", None);
    assert!(status == 400 && words.contains(SDK), "{status} {words}");
    let mut first = Looker::over(knock(address, SDK, Some("https://app.foxglove.dev")).unwrap().0);
    first.know("/A/team");
    first.subscribe(&["/A/team"]);
    first.settle();
    let (status, words) = refused(SDK, Some("http://localhost:8080"));
    assert!(status == 503 && words.contains("foxglove.clients_max"), "{status} {words}");
    let text = scrape(bench.dir.path());
    let name = "phalanx_foxglove_refused_total";
    let refusals =
        ["origin", "protocol", "room"].map(|it| value(&text, name, &[&format!("\"{it}\"")]));
    assert_eq!(refusals, [Some(3.0), Some(1.0), Some(1.0)], "{text}");
    drop(first);
    // Its slot is free as soon as the server has noticed its end.
    let local = Some("http://localhost:8080");
    wait(|| knock(address, SDK, local).ok());
    bench.leave();
}

#[test]
fn connections_that_stall_or_look_at_nothing_make_room_for_a_client() {
    /// As many handshakes as one address may have at once.
    const STALLED: usize = 16;
    let mut bench = Bench::new(&format!("{OPEN}\nclients_max = 2"));
    let address = address(&mut bench.daemon);
    let connect = || {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    };
    let mut stalled: Vec<_> = (0..STALLED).map(|_| connect()).collect();
    // Half a request for a WebSocket.
    stalled[1].write_all(b"GET / HTTP/1.1\r\nupgrade: webs").unwrap();
    let mut oldest = Looker::connect(address);
    let mut rest = Vec::new();
    assert!(matches!(stalled[0].read_to_end(&mut rest), Ok(0) | Err(_)), "{rest:?}");
    let second = Looker::connect(address);
    // No client has subscribed so far: the oldest one is disconnected.
    let mut third = Looker::connect(address);
    while oldest.hear().is_some() {}
    third.know("/A/team");
    third.subscribe(&["/A/team"]);
    third.settle();
    // A handshake has five seconds.
    assert!(matches!(stalled[1].read_to_end(&mut rest), Ok(0) | Err(_)), "{rest:?}");
    drop(second);
    bench.leave();
}

#[test]
fn a_demo_shows_itself_to_this_machine_alone_and_in_real_time() {
    for (args, told) in [
        (&["--foxglove", "0.0.0.0:8765"][..], "clients need no login"),
        (&["--foxglove", "8765"], "expected an address with a port"),
        (&["--fast", "--foxglove"], "cannot be used with"),
    ] {
        let output = phalanx(&[&["demo"], args].concat());
        assert_eq!(output.status.code(), Some(64), "{args:?}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}
