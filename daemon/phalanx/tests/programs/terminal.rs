//! Full-screen programs in a test terminal: keys, screen, and the state that they leave.

use crate::support::{PHALANX, pause, quiet};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Timeout of everything that the tests wait for. No test measures it.
const PATIENCE: Duration = Duration::from_secs(180);

/// The program's output so far.
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

/// The state that the program left.
pub(crate) struct Left {
    pub(crate) code: Option<i32>,
    /// The original screen with its cursor, and line editing, are restored.
    pub(crate) is_restored: bool,
    /// Everything that was written.
    pub(crate) bytes: Vec<u8>,
}

impl InTerminal {
    /// Runs `phalanx` there.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::run("", args)
    }

    /// [`InTerminal::start`] in a session of its own: no signal reports that the terminal closes.
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

    /// Changes the size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.written.0.lock().unwrap().parser.set_size(size(rows), size(columns));
        let terminal = self.note("tty");
        let change = format!("stty rows {rows} cols {columns} <{terminal}");
        assert!(Command::new("sh").arg("-c").arg(change).status().unwrap().success());
    }

    /// Waits until the screen matches, and returns it.
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

    /// Waits until the screen contains a text.
    pub(crate) fn shows(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until the terminal does not show what is typed.
    pub(crate) fn hides_keys(&self) {
        let show = format!("stty -a <{}", self.note("tty"));
        let modes = || Command::new("sh").arg("-c").arg(&show).output().unwrap().stdout;
        let is_hidden = |modes: &[u8]| String::from_utf8_lossy(modes).contains(" -echo ");
        let begun = Instant::now();
        while !is_hidden(&modes()) {
            assert!(begun.elapsed() < PATIENCE, "it shows what is typed");
        }
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
        // An ended process may remain until its parent collects it.
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.note("pid")));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    }

    /// Waits for its end.
    pub(crate) fn leave(mut self) -> Left {
        let begun = Instant::now();
        while self.maker.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            pause();
        }
        // The last output may not be read yet.
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

    /// A note that the steps wrote.
    fn note(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(name)).unwrap().trim().to_owned()
    }
}

impl Drop for InTerminal {
    fn drop(&mut self) {
        // It may have ended already; the program ends with its terminal.
        drop(self.maker.kill());
        drop(self.maker.wait());
    }
}

fn size(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has rows and columns")
}

/// The shell script in the terminal: the program, between notes about it.
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
