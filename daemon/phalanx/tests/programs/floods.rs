//! Hostile callers of the control API, while a team plays.

use crate::recordings::Bench;
use crate::support::control;
use phalanx_control::client::{Address, connect};
use phalanx_proto::v1::GetTeamRequest;
use phalanx_proto::v1::teams_client::TeamsClient;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Connections of each kind: together more than the listener has slots.
const EACH: usize = 180;
const TURNS: i64 = 40;
/// Time of a turn, in milliseconds: an answer that takes all of it is the fallback.
const TIME: i64 = 20_000;
/// Timeout of everything that the test waits for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The fallback is to skip.
const MOVER: &str = "return { decide = function() return act.move(\"n\") end }\n";
/// What the connections send: nothing, half a head, the begin of HTTP/2 and a ping.
const KINDS: [&[u8]; 3] = [
    b"",
    b"GET / HTTP/1.1\r\nhost: ",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x08\x06\0\0\0\0\0phalanx!",
];

fn rude(address: SocketAddr, words: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    // The daemon may have closed it already.
    drop(stream.write_all(words));
    stream
}

fn health(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap().to_owned()
}

fn ask(address: &Address) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut teams = TeamsClient::new(connect(address).await.unwrap());
        let request = GetTeamRequest { name: "teams/A".to_owned() };
        let asked = tokio::time::timeout(PATIENCE, teams.get_team(request)).await.unwrap();
        asked.unwrap().into_inner().team.unwrap().name
    })
}

#[test]
fn turns_are_answered_by_the_script_and_callers_served_while_connections_flood_the_control_api() {
    let mut bench = Bench::reachable(MOVER);
    let address: SocketAddr = loop {
        let line: Value = serde_json::from_str(&bench.daemon.line_with("\"control API\"")).unwrap();
        if let Some(address) = line["fields"]["address"].as_str() {
            break address.parse().unwrap();
        }
    };
    let mut seat = bench.seat();
    let mut flood = VecDeque::new();
    for words in KINDS {
        flood.extend((0..EACH).map(|_| rude(address, words)));
    }
    let (here, there) = (control(bench.dir.path()), format!("http://{address}"));
    for turn in 0..TURNS {
        // In each turn some connections are replaced by new ones.
        for words in KINDS {
            flood.pop_front();
            flood.push_back(rude(address, words));
        }
        let content = json!({
            "id": turn, "time": 1_000, "deadline": 1_000 + TIME, "step": turn,
            "percept": { "lastAction": "skip" },
        });
        seat.send(&json!({ "type": "request-action", "content": content }));
        let answer = seat.receive().unwrap();
        assert_eq!(answer["content"]["type"], "move", "{answer}");
        if turn % 10 == 0 {
            assert_eq!(health(address), "HTTP/1.1 200 OK");
            for place in [&here, &there] {
                assert_eq!(ask(&place.parse().unwrap()), "teams/A", "{place}");
            }
        }
    }
    drop((seat, flood));
    bench.leave();
}
