//! Agents on Mars and Asimulator over real sockets: our teams, and clients that know only the
//! specification.

use crate::support::{PHALANX, Running, daemon, quiet};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A referee with four agents per team that waits for answers instead of the clock.
pub(crate) const MARS: &str = "lockstep = true\npause_ms = 0\nagents = 4\nsteps = 12\nseed = 5\n\n\
    [map]\nnodes = 60\n\n[[simulations]]\n\n[[simulations]]\n";
/// Three of the handbook's worlds.
pub(crate) const WORLDS: &str =
    "[arena.asimulator]\npreset = \"wumpus-4x4\"\nsimulations = 3\nseed = 4\n";

pub(crate) fn arena(dir: &Path, game: &str, config: &str) -> (Running, SocketAddr) {
    let path = dir.join("arena.toml");
    std::fs::write(&path, config).unwrap();
    let mut command = quiet(Command::new(PHALANX));
    command.args(["arena", game, "--listen", "127.0.0.1:0"]);
    command.arg("--config").arg(&path).arg("--output").arg(dir);
    let mut arena = Running::start(command);
    let line = arena.line_with("listens on");
    let address = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    (arena, address)
}

fn settings(dir: &Path, game: &str, server: SocketAddr, script: &str, agents: u32) -> PathBuf {
    let scripts = dir.join("strategy");
    std::fs::create_dir_all(&scripts).unwrap();
    std::fs::write(scripts.join("worker.luau"), script).unwrap();
    let path = dir.join("phalanxd.toml");
    let text = format!(
        "[control]\nsocket = \"{}/control.sock\"\n\n[log]\nformat = \"json\"\n\n[[teams]]\n\
         name = \"A\"\ngame = \"{game}\"\nserver = \"{server}\"\nstrategy = \"strategy\"\n\
         role = \"worker\"\nagents = {{ prefix = \"a\", count = {agents}, password = \"1\" }}\n",
        dir.display()
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// One agent on Mars that rests in every step: frames of XML, each ended by a NUL.
pub(crate) struct Resting {
    stream: TcpStream,
    heard: Vec<u8>,
}

impl Resting {
    pub(crate) fn login(server: SocketAddr, name: &str) -> Self {
        let mut client = Self { stream: TcpStream::connect(server).unwrap(), heard: Vec::new() };
        client.send(&format!(
            "<?xml version='1.0'?><message type='auth-request'>\
             <authentication password='1' username='{name}'/></message>"
        ));
        let answer = client.receive().unwrap();
        assert!(answer.contains("type=\"auth-response\"") && answer.contains("\"ok\""), "{answer}");
        client
    }

    fn send(&mut self, xml: &str) {
        self.stream.write_all(xml.as_bytes()).unwrap();
        self.stream.write_all(&[0]).unwrap();
    }

    fn receive(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == 0) {
                let frame = self.heard.drain(..=end).collect::<Vec<_>>();
                return Some(String::from_utf8(frame[..end].to_vec()).unwrap());
            }
            let mut piece = [0; 4096];
            let count = self.stream.read(&mut piece).unwrap();
            if count == 0 {
                return None;
            }
            self.heard.extend_from_slice(&piece[..count]);
        }
    }

    /// Plays until the referee ends the match; returns how often it was asked, and its rankings.
    fn play(self) -> (u32, Vec<String>) {
        self.play_when(|| ())
    }

    /// [`Resting::play`] with a wait before each answer.
    pub(crate) fn play_when(mut self, wait: impl Fn()) -> (u32, Vec<String>) {
        let (mut asked, mut rankings) = (0, Vec::new());
        while let Some(message) = self.receive() {
            if message.contains("type=\"request-action\"") {
                asked += 1;
                let perception = message.split("<perception").nth(1).unwrap();
                let id = attribute(perception, "id");
                wait();
                self.send(&format!(
                    "<message type=\"action\"><action id=\"{id}\" type=\"recharge\"/></message>"
                ));
            } else if message.contains("type=\"sim-end\"") {
                rankings.push(attribute(&message, "ranking").to_owned());
            } else if message.contains("type=\"bye\"") {
                break;
            }
        }
        (asked, rankings)
    }
}

fn attribute<'a>(xml: &'a str, name: &str) -> &'a str {
    let rest = xml.split(&format!(" {name}=\"")).nth(1).unwrap();
    rest.split('"').next().unwrap()
}

#[test]
fn on_mars_a_team_of_ours_meets_clients_that_know_only_the_specification() {
    let dir = tempfile::tempdir().unwrap();
    let (mut arena, address) = arena(dir.path(), "mars", MARS);
    arena.line_with("ENTER begins the match at once, if it waits for a key (`start` in the file)");
    let script = "return { decide = function() return act.survey() end }";
    let daemon = daemon(&settings(dir.path(), "mars", address, script, 4));
    let guests: Vec<_> = (1..=4)
        .map(|number| {
            std::thread::spawn(move || Resting::login(address, &format!("b{number}")).play())
        })
        .collect();
    for guest in guests {
        let (asked, rankings) = guest.join().unwrap();
        assert_eq!(asked, 24, "two simulations of twelve steps");
        assert_eq!(rankings.len(), 2);
    }
    arena.line_with("A [");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("every match is over"), "{log}");
    let results = std::fs::read(dir.path().join("results.json")).unwrap();
    let results: Value = serde_json::from_slice(&results).unwrap();
    assert!(results.is_object(), "{results}");
}

#[test]
fn in_asimulator_a_plain_client_shuts_off_three_times() {
    let dir = tempfile::tempdir().unwrap();
    // It sends everything at once, for which a strict referee would close the connection.
    let worlds = format!("{WORLDS}strict_client = false\n");
    let (arena, address) = arena(dir.path(), "asimulator", &worlds);
    let mut client = TcpStream::connect(address).unwrap();
    // The info byte: big endian; then Shut_Off as the only action of each world.
    client.write_all(&[0, 0, 0, 0]).unwrap();
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    // The last bytes: a percept with Home and End, and the score of an unexplored world.
    assert!(heard.ends_with(&[0, 0, 0, 0]), "{heard:02X?}");
    let percept = heard[heard.len() - 5];
    assert_eq!(percept & 0x81, 0x81, "{heard:02X?}");
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    let table = std::fs::read_to_string(dir.path().join("client-1/results.csv")).unwrap();
    assert_eq!(table.lines().count(), 4, "a head and three worlds\n{table}");
}

#[test]
fn in_asimulator_a_team_of_ours_plays_world_after_world() {
    let dir = tempfile::tempdir().unwrap();
    let (arena, address) = arena(dir.path(), "asimulator", WORLDS);
    let script = "return { decide = function()\n  local option = world.best()\n  \
                  return act[option.action]()\nend }";
    let daemon = daemon(&settings(dir.path(), "asimulator", address, script, 1));
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("\"round over").count(), 3, "{log}");
    let summary = std::fs::read(dir.path().join("client-1/summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary["simulations"], 3, "{summary}");
}
