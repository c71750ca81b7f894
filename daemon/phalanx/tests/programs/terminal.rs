//! Programs that fill a terminal, in a terminal of our own: its keys, its screen, how it is left.

use crate::support::{PHALANX, quiet};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take that is waited for. No test measures it: it ends those that hang.
const PATIENCE: Duration = Duration::from_secs(180);

/// What the program wrote so far.
struct Written {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

/// A program in a terminal of 80 columns and 24 rows.
pub(crate) struct InTerminal {
    dir: TempDir,
    /// `script`, which makes the terminal.
    maker: Child,
    keys: ChildStdin,
    written: Arc<(Mutex<Written>, Condvar)>,
}

/// How the program left.
pub(crate) struct Left {
    pub(crate) code: Option<i32>,
    /// The screen is the one from before, with its cursor, and lines are edited as before.
    pub(crate) is_restored: bool,
    /// Everything that was written.
    pub(crate) bytes: Vec<u8>,
}

impl InTerminal {
    /// Runs `phalanx` there.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::run("", args)
    }

    /// The same in a session of its own: no signal tells it when the terminal goes.
    pub(crate) fn start_apart(args: &[&str]) -> Self {
        Self::run("setsid ", args)
    }

    fn run(how: &str, args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run.sh");
        std::fs::write(&run, steps(dir.path(), how, args)).unwrap();
        let mut command = quiet(Command::new("script"));
        command.args(["--quiet", "--flush", "--command"]).arg(format!("sh {}", run.display()));
        command.arg("/dev/null").env("TERM", "xterm-256color");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut maker = command.spawn().unwrap();
        let keys = maker.stdin.take().unwrap();
        let mut reads = maker.stdout.take().unwrap();
        let parser = vt100::Parser::new(size(24), size(80), 0);
        let written = Arc::new((Mutex::new(Written { parser, bytes: Vec::new() }), Condvar::new()));
        let shared = Arc::clone(&written);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reads.read(&mut bytes) {
                let mut written = shared.0.lock().unwrap();
                written.parser.process(&bytes[..count]);
                written.bytes.extend_from_slice(&bytes[..count]);
                shared.1.notify_all();
            }
        });
        Self { dir, maker, keys, written }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Another size from here on.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.written.0.lock().unwrap().parser.set_size(size(rows), size(columns));
        let terminal = self.note("tty");
        let change = format!("stty rows {rows} cols {columns} <{terminal}");
        assert!(Command::new("sh").arg("-c").arg(change).status().unwrap().success());
    }

    /// The screen as soon as it shows what is waited for.
    pub(crate) fn until(&self, what: &str, shows: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        let mut written = self.written.0.lock().unwrap();
        loop {
            let screen = written.parser.screen().contents();
            if shows(&screen) {
                return screen;
            }
            let left = PATIENCE.saturating_sub(begun.elapsed());
            assert!(!left.is_zero(), "it never showed {what}, but:\n{screen}");
            written = self.written.1.wait_timeout(written, left).unwrap().0;
        }
    }

    /// The same for a text.
    pub(crate) fn shows(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.note("pid");
        let sent = Command::new("kill").arg(format!("-{name}")).arg(pid).status().unwrap();
        assert!(sent.success());
    }

    /// Closes the terminal.
    pub(crate) fn hang_up(&mut self) {
        self.maker.kill().unwrap();
        self.maker.wait().unwrap();
    }

    /// Whether the program runs.
    pub(crate) fn is_running(&self) -> bool {
        // What has ended may stay until it is looked after.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.note("pid")));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    }

    /// Waits for its end.
    pub(crate) fn leave(mut self) -> Left {
        let begun = Instant::now();
        while self.maker.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::yield_now();
        }
        // What it wrote last may not be read yet.
        let is_back = |written: &Written| {
            let screen = written.parser.screen();
            !screen.alternate_screen() && !screen.hide_cursor()
        };
        let mut written = self.written.0.lock().unwrap();
        while !is_back(&written) && begun.elapsed() < PATIENCE {
            written = self.written.1.wait_timeout(written, Duration::from_secs(1)).unwrap().0;
        }
        let modes = self.note("modes");
        let edits = ["icanon", "echo", "isig"]
            .into_iter()
            .all(|mode| modes.split_whitespace().any(|known| known == mode));
        let is_restored = is_back(&written) && edits;
        let code = self.note("code").parse().ok();
        Left { code, is_restored, bytes: std::mem::take(&mut written.bytes) }
    }

    /// What the steps wrote down.
    fn note(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap().trim().to_owned()
    }
}

impl Drop for InTerminal {
    fn drop(&mut self) {
        // It may have ended already; the program goes with its terminal.
        drop(self.maker.kill());
        drop(self.maker.wait());
    }
}

fn size(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has rows and columns")
}

/// What is run in the terminal: the program, between notes about it.
fn steps(dir: &Path, how: &str, args: &[&str]) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let note = |name: &str| quoted(dir.join(name).to_str().unwrap());
    let mut steps = String::from("stty rows 24 cols 80\n");
    writeln!(steps, "tty >{}", note("tty")).unwrap();
    let (pid, program) = (note("pid"), quoted(PHALANX));
    write!(steps, r#"{how}sh -c 'echo $$ >"$0"; exec "$@"' {pid} {program}"#).unwrap();
    for arg in args {
        write!(steps, " {}", quoted(arg)).unwrap();
    }
    writeln!(steps, "\necho $? >{}\nstty -a >{}", note("code"), note("modes")).unwrap();
    steps
}
