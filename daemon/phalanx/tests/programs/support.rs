//! Starts the real programs, and reads their output.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Timeout of everything that the tests wait for. No test measures it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) const PHALANX: &str = env!("CARGO_BIN_EXE_phalanx");
pub(crate) const PHALANXD: &str = env!("CARGO_BIN_EXE_phalanxd");

/// A role of Agents Assemble that walks at random.
pub(crate) const WALKS: &str =
    "return { decide = function() return act.move(rng.pick({ 'n', 's', 'e', 'w' })) end }";

/// A role of Agents Assemble whose match takes many seconds, however fast the machine is.
pub(crate) const SLOW: &str =
    "return { decide = function() for _ = 1, 100000 do end return act.skip() end }";

/// Makes a strategy of one role; returns its folder.
pub(crate) fn strategy(dir: &Path, name: &str, source: &str) -> String {
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("worker.luau"), source).unwrap();
    text(&folder).to_owned()
}

/// Runs `phalanx` to its end.
pub(crate) fn phalanx(args: &[&str]) -> Output {
    quiet(Command::new(PHALANX)).args(args).output().unwrap()
}

/// A command whose environment cannot change its behaviour.
pub(crate) fn quiet(mut command: Command) -> Command {
    for name in ["CONFIG", "CONTROL", "CONTEXT", "TOKEN", "TOKEN_FILE", "CA", "CERTIFICATE"] {
        command.env_remove(format!("PHALANX_{name}"));
    }
    for name in ["USER", "PASSWORD_FILE", "CA", "CERTIFICATE", "KEY"] {
        command.env_remove(format!("PHALANX_NATS_{name}"));
    }
    // A folder without contexts.
    command.env_remove("NOTIFY_SOCKET").env("XDG_CONFIG_HOME", "/nonexistent");
    command.env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs it, expects success, and returns its standard output.
pub(crate) fn said(args: &[&str]) -> String {
    let output = phalanx(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

/// Runs it, expects this exit code, and returns its standard error.
pub(crate) fn refused(args: &[&str], code: i32) -> String {
    let output = phalanx(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

/// Plays a demo on virtual time, recorded in that folder; returns the files of its teams.
pub(crate) fn recorded(folder: &Path, args: &[&str]) -> Vec<String> {
    let fast = ["demo", "--fast", "--json", "--record", text(folder)];
    let output = phalanx(&[&fast, args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "{args:?}");
    let summary: Value = serde_json::from_str(stdout(&output).lines().last().unwrap()).unwrap();
    let files = summary["recordings"].as_array().unwrap();
    assert_eq!(files.len(), summary["teams"].as_array().unwrap().len());
    files.iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

/// The recording of the first team of such a demo, with the seed 7.
pub(crate) fn first_recorded(folder: &Path, args: &[&str]) -> String {
    recorded(folder, &[&["--seed", "7"], args].concat()).remove(0)
}

/// A program in the background; killed when the test ends.
pub(crate) struct Running {
    pub(crate) child: Child,
    /// Its lines, read by a thread, so that a program that stops printing fails its test instead of
    /// blocking all tests.
    lines: Receiver<String>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (say, lines) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                // The receiver may be gone; keep reading, so that the program does not block.
                drop(say.send(std::mem::take(&mut line)));
            }
        });
        Self { child, lines }
    }

    /// The first line of standard output that contains `text`; the test fails at its end.
    pub(crate) fn line_with(&mut self, text: &str) -> String {
        let mut said = String::new();
        loop {
            let line = match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it fell silent before {text:?}; it said:\n{said}")
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it never said {text:?}, but:\n{said}")
                }
            };
            if line.contains(text) {
                return line;
            }
            said.push_str(&line);
        }
    }

    /// Waits for lines that contain these texts, in any order.
    pub(crate) fn lines_with(&mut self, texts: &[&str]) {
        let mut awaited = texts.to_vec();
        while !awaited.is_empty() {
            let line = self.line_with("");
            awaited.retain(|text| !line.contains(text));
        }
    }

    /// Collects all further output, whether or not the test waits; the thread returns it.
    pub(crate) fn read_on(&mut self) -> JoinHandle<String> {
        let lines = std::mem::replace(&mut self.lines, channel().1);
        std::thread::spawn(move || lines.iter().collect())
    }

    /// The rest of its output, and its exit code.
    pub(crate) fn finish(mut self) -> (String, Option<i32>) {
        let mut rest = String::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push_str(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end; it said:\n{rest}"),
            }
        }
        (rest, self.child.wait().unwrap().code())
    }

    /// Asks it to stop, as a service manager does.
    pub(crate) fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").arg(format!("-{name}")).arg(pid).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Settings of a daemon with one team of `agents` that plays `strategy`.
pub(crate) fn settings(dir: &Path, server: SocketAddr, agents: u32, strategy: &str) -> PathBuf {
    let scripts = dir.join("strategy");
    std::fs::create_dir_all(&scripts).unwrap();
    std::fs::write(scripts.join("worker.luau"), strategy).unwrap();
    let path = dir.join("phalanxd.toml");
    let text = format!(
        r#"
[control]
socket = "{dir}/control.sock"

[log]
format = "json"

[[teams]]
name = "A"
game = "assemble"
server = "{server}"
strategy = "strategy"
role = "worker"
agents = {{ prefix = "agentA", count = {agents}, password = "secret-a" }}
"#,
        dir = dir.display()
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// A daemon; its log can be read as if it were its standard output.
pub(crate) fn daemon(config: &Path) -> Running {
    let mut command = quiet(Command::new(PHALANXD));
    command.arg("--config").arg(config);
    // The tests read its standard error, which is the log, as standard output.
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(command.get_program());
    shell.args(command.get_args());
    Running::start(shell)
}

/// The control address of the daemon with these settings.
pub(crate) fn control(dir: &Path) -> String {
    format!("unix:{}/control.sock", dir.display())
}

/// The output of `phalanx team show A` for that daemon.
pub(crate) fn shown(dir: &Path) -> Value {
    let output = phalanx(&["team", "show", "A", "--output", "json", "--control", &control(dir)]);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A small match in the organisers' format: one file with everything.
pub(crate) fn arena_config(dir: &Path, agents: u32, steps: u32, timeout_ms: u32) -> PathBuf {
    let path = dir.join("arena.json");
    let text = format!(
        r#"{{
  "server": {{ "tournamentMode": "round-robin", "teamsPerMatch": 2, "launch": "key", "port": 0,
    "backlog": 10, "agentTimeout": {timeout_ms}, "resultPath": "results", "logLevel": "normal",
    "logPath": "logs", "replayPath": "replays", "maxPacketLength": 65536 }},
  "match": [ {{ "steps": {steps}, "randomSeed": 7, "randomFail": 0,
    "entities": {{ "standard": {agents} }}, "clusterBounds": [1, 2], "clearSteps": 3,
    "clearEnergyCost": 30, "disableDuration": 4, "maxEnergy": 300, "attachLimit": 10,
    "grid": {{ "width": 30, "height": 30, "instructions": [],
      "goals": {{ "number": 1, "size": [1, 1] }} }},
    "blockTypes": [2, 2], "dispensers": [2, 2],
    "tasks": {{ "size": [1, 2], "duration": [50, 100], "probability": 0.1, "taskboards": 2,
      "rewardDecay": [1, 1], "lowerRewardLimit": 10, "distanceToTaskboards": 5 }},
    "events": {{ "chance": 0, "radius": [2, 3], "warning": 5, "create": [0, 0],
      "perimeter": 1 }} }} ],
  "teams": {{ "A": {{ "prefix": "agent", "password": "secret-a" }},
             "B": {{ "prefix": "agent", "password": "secret-b" }} }}
}}"#
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// An arena that begins when all agents are connected; and its address.
pub(crate) fn arena(config: &Path) -> (Running, SocketAddr) {
    arena_at(config, ([127, 0, 0, 1], 0).into())
}

/// An arena as [`arena`] has it, at this address.
pub(crate) fn arena_at(config: &Path, address: SocketAddr) -> (Running, SocketAddr) {
    let mut command = quiet(Command::new(PHALANX));
    command.args(["arena", "assemble", "--start", "complete", "--listen", &address.to_string()]);
    command.arg("--output").arg(config.parent().unwrap());
    command.arg("--config").arg(config).stderr(Stdio::null());
    let mut arena = Running::start(command);
    let line = arena.line_with("listens on");
    let address = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    (arena, address)
}

/// A client that knows only the specification: JSON objects, each ended by a NUL.
pub(crate) struct Plain {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Plain {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// The same protocol from the other side: a referee of the test.
    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    pub(crate) fn send(&mut self, message: &serde_json::Value) {
        let mut bytes = serde_json::to_vec(message).unwrap();
        bytes.push(0);
        self.send_bytes(&bytes);
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next message; `None` at the end of the connection.
    pub(crate) fn receive(&mut self) -> Option<serde_json::Value> {
        let mut bytes = Vec::new();
        self.reader.read_until(0, &mut bytes).unwrap();
        bytes.pop()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    pub(crate) fn login(&mut self, user: &str, password: &str) -> Value {
        self.send(&serde_json::json!({
            "type": "auth-request", "content": { "user": user, "pw": password }
        }));
        self.receive().unwrap()
    }

    /// Skips everything until the referee ends the match; returns the scores of all simulations.
    pub(crate) fn skip_to_the_end(mut self) -> Vec<i64> {
        let mut scores = Vec::new();
        while let Some(message) = self.receive() {
            let content = &message["content"];
            match message["type"].as_str().unwrap() {
                "request-action" => self.send(&serde_json::json!({
                    "type": "action", "content": { "id": content["id"], "type": "skip", "p": [] }
                })),
                "sim-end" => scores.push(content["score"].as_i64().unwrap()),
                "bye" => break,
                _ => {}
            }
        }
        scores
    }
}

/// Opponents that answer only when they are allowed to: until then the match does not advance.
pub(crate) struct Opponents {
    may: Vec<Sender<()>>,
    /// The steps for which the first of them was asked.
    asked: Receiver<u64>,
}

impl Opponents {
    /// The accounts `agentB1` and so on.
    pub(crate) fn join(address: SocketAddr, agents: u32) -> Self {
        let (ask, asked) = channel();
        let one = |number| {
            let (may, turns) = channel();
            let ask = (number == 1).then(|| ask.clone());
            let mut client = Plain::connect(address);
            client.login(&format!("agentB{number}"), "secret-b");
            std::thread::spawn(move || {
                while let Some(message) = client.receive() {
                    let content = &message["content"];
                    if message["type"] == "request-action" {
                        // The receiver may be gone.
                        ask.iter().for_each(|ask| {
                            ask.send(content["step"].as_u64().unwrap()).unwrap_or_default();
                        });
                        // A closed channel means that the test is over.
                        let Ok(()) = turns.recv() else { return };
                        client.send(&serde_json::json!({
                            "type": "action", "content": { "id": content["id"], "type": "skip", "p": [] }
                        }));
                    }
                }
            });
            may
        };
        Self { may: (1..=agents).map(one).collect(), asked }
    }

    /// Allows this many answers.
    pub(crate) fn play(&self, turns: u32) {
        for _ in 0..turns {
            self.may.iter().for_each(|may| may.send(()).unwrap());
        }
    }

    /// The next step for which they are asked.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.recv_timeout(PATIENCE).expect("the referee asks")
    }
}

/// Calls `ask` repeatedly until it returns a value.
pub(crate) fn wait<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "it never came to that");
        pause();
    }
}

/// Leaves the processors to the programs that a test waits for, until it looks again.
#[expect(clippy::disallowed_methods, reason = "no runtime runs on this thread")]
pub(crate) fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}

/// If set, a missing Python or a missing package fails the test.
pub(crate) const PYTHON_DEMANDED: &str = "PHALANX_DEMAND_PYTHON";

/// A Python that can import these modules of these packages, in a folder of its own below the build
/// folder; `None`: it cannot be installed.
pub(crate) fn python(name: &str, packages: &[&str], modules: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-python-of-programs"));
    let python = folder.join("bin/python3");
    let run = |command: &mut Command| command.output().is_ok_and(|it| it.status.success());
    let works = || run(Command::new(&python).args(["-c", &format!("import {modules}")]));
    let made = works()
        || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
            && run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))
            && works();
    assert!(made || std::env::var_os(PYTHON_DEMANDED).is_none(), "no Python with {packages:?}");
    made.then_some(python)
}
