//! A daemon with a state folder that is killed and started again, and the output about its team A.

use crate::support::{Running, control, daemon, phalanx, shown, stderr, wait};
use phalanx_engine::{Found, inspect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) struct Bench {
    dir: TempDir,
    daemon: Option<Running>,
    /// The daemon's lines so far, as far as a test waited for them.
    said: Vec<String>,
}

/// A team of Agents Assemble in the settings.
pub(super) fn assemble(server: SocketAddr, agents: u32) -> String {
    format!(
        "name = \"A\"\ngame = \"assemble\"\nserver = \"{server}\"\n\
         agents = {{ prefix = \"agentA\", count = {agents}, password = \"secret-a\" }}\n"
    )
}

/// A number in the first line of a log that contains this text.
pub(super) fn number(log: &str, text: &str, field: &str) -> Option<u64> {
    let line = log.lines().find(|line| line.contains(text))?;
    let line: Value = serde_json::from_str(line).unwrap();
    line["fields"][field].as_u64()
}

impl Bench {
    /// A folder with a strategy of one role.
    pub(super) fn new(worker: &str) -> Self {
        let bench = Self { dir: tempfile::tempdir().unwrap(), daemon: None, said: Vec::new() };
        std::fs::create_dir(bench.path().join("strategy")).unwrap();
        bench.save(worker);
        bench
    }

    pub(super) fn save(&self, worker: &str) {
        std::fs::write(self.path().join("strategy/worker.luau"), worker).unwrap();
    }

    /// Writes the settings of a daemon with this team.
    pub(super) fn settled(self, team: &str) -> Self {
        let dir = self.path().display();
        let text = format!(
            "state_dir = \"{dir}/state\"\n\n[control]\nsocket = \"{dir}/control.sock\"\n\n\
             [log]\nformat = \"json\"\n\n[checkpoints]\ninterval = \"0s\"\n\n\
             [[teams]]\nstrategy = \"strategy\"\nrole = \"worker\"\n{team}"
        );
        std::fs::write(self.config(), text).unwrap();
        self
    }

    /// Changes the settings of the next daemon.
    pub(super) fn with(&self, old: &str, new: &str) {
        let text = std::fs::read_to_string(self.config()).unwrap();
        assert!(text.contains(old), "{text}");
        std::fs::write(self.config(), text.replace(old, new)).unwrap();
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn config(&self) -> PathBuf {
        self.path().join("phalanxd.toml")
    }

    pub(super) fn control(&self) -> String {
        control(self.path())
    }

    /// Starts a daemon and waits until it serves.
    pub(super) fn start(&mut self) {
        let mut daemon = daemon(&self.config());
        self.said.clear();
        while !self.said.last().is_some_and(|line| line.contains("control API")) {
            self.said.push(daemon.line_with(""));
        }
        self.daemon = Some(daemon);
    }

    /// Its lines until then.
    pub(super) fn said(&self) -> &[String] {
        &self.said
    }

    /// The first line with this text, among those read and those to come.
    pub(super) fn line_with(&mut self, text: &str) -> String {
        let said = self.said.iter().find(|line| line.contains(text)).cloned();
        said.unwrap_or_else(|| {
            loop {
                let line = self.daemon.as_mut().unwrap().line_with("");
                self.said.push(line.clone());
                if line.contains(text) {
                    return line;
                }
            }
        })
    }

    /// A daemon whose log is unread.
    pub(super) fn runs(&mut self, daemon: Running) {
        self.said.clear();
        self.daemon = Some(daemon);
    }

    /// Kills it at once, without a chance to react.
    pub(super) fn kill(&mut self) {
        let daemon = self.daemon.take().unwrap();
        daemon.signal("KILL");
        assert_eq!(daemon.finish().1, None);
    }

    /// Waits for its end; returns the rest of its lines, and its exit code.
    pub(super) fn ended(&mut self) -> (String, Option<i32>) {
        self.daemon.take().unwrap().finish()
    }

    fn told(&self, words: &[&str]) -> Value {
        let more = ["--output", "json", "--control", &self.control()];
        let output = phalanx(&[words, &more].concat());
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(super) fn shown(&self) -> Value {
        shown(self.path())
    }

    /// Waits until all agents of the team are connected.
    pub(super) fn seated(&self) {
        wait(|| {
            let shown = self.shown();
            let mut agents = shown["agents"].as_array().unwrap().iter();
            agents.all(|agent| agent["seat"] == "seated").then_some(())
        });
    }

    /// The map as the team believes it.
    pub(super) fn world(&self) -> Value {
        self.told(&["world", "show", "A"])["parts"].clone()
    }

    /// The contents of the team's board.
    pub(super) fn board(&self) -> BTreeMap<String, Value> {
        let listed = self.told(&["board", "list", "A"]);
        let entries = listed["entries"].as_array().unwrap().iter();
        let entry =
            |entry: &Value| (entry["key"].as_str().unwrap().to_owned(), entry["value"].clone());
        entries.map(entry).collect()
    }

    /// The team's checkpoint, or a file beside it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        let team = phalanx_strategy::safe_name("A");
        self.path().join("state/checkpoints").join(format!("{team}{name}"))
    }

    /// The names of all kept files, without the team's name.
    pub(super) fn files(&self) -> Vec<String> {
        let folder = self.path().join("state/checkpoints");
        let files = std::fs::read_dir(folder).unwrap();
        let team = phalanx_strategy::safe_name("A");
        let name = |file: std::fs::DirEntry| file.file_name().to_str().unwrap().replace(&team, "A");
        let mut names: Vec<_> = files.map(|file| name(file.unwrap())).collect();
        names.sort();
        names
    }

    /// The newest checkpoint, as soon as it matches. Every read must give a complete one.
    pub(super) fn kept(&self, wanted: impl Fn(&Found) -> bool) -> Found {
        wait(|| {
            let bytes = std::fs::read(self.file("")).ok()?;
            Some(inspect(&bytes).expect("nobody sees half a checkpoint")).filter(&wanted)
        })
    }
}
