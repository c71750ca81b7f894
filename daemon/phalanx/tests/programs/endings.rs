//! Programs at a terminal that closes, or that receive a signal: they end within a second and
//! restore the terminal.

use crate::support::{Running, control, daemon, first_recorded, pause, settings, wait};
use crate::terminal::InTerminal;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SKIP: &str = "return { decide = function() return act.skip() end }";
/// Usually less than a second; the rest is for busy machines.
const END: Duration = Duration::from_secs(5);

/// A daemon whose referee is away, a recording, and programs at a terminal.
struct Bench {
    dir: TempDir,
    recording: String,
    _daemon: Running,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let recording = first_recorded(dir.path(), &["--steps", "5"]);
        let nowhere: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let mut daemon = daemon(&settings(dir.path(), nowhere, 2, SKIP));
        daemon.line_with("control API");
        Self { dir, recording, _daemon: daemon }
    }

    /// Starts each program and waits for its first output.
    fn each(&self, start: fn(&[&str]) -> InTerminal, mut check: impl FnMut(&str, InTerminal)) {
        let control = control(self.dir.path());
        let recording = self.recording.as_str();
        let programs: &[(&[&str], &str)] = &[
            (&["replay", recording], " A assemble"),
            (&["replay", recording, "--decide", "--break", "true"], "agentA1 0:"),
            (&["top", "A", "--control", &control], "agentA2"),
            (&["team", "list", "--watch=1m", "--control", &control], "assemble"),
            (&["agent", "repl", "A", "agentA1", "--control", &control], "g1>"),
            (&["agent", "pilot", "A/agentA1", "--control", &control], "> "),
            (&["demo", "--no-page"], "decided"),
        ];
        for (args, shown) in programs {
            let program = start(args);
            program.shows(shown);
            check(&args.join(" "), program);
        }
    }
}

#[test]
fn a_terminal_that_goes_ends_what_runs_in_it() {
    Bench::new().each(InTerminal::start_apart, |what, mut program| {
        wait(|| program.is_running().then_some(()));
        program.hang_up();
        ends(what, &program);
    });
}

#[test]
fn signals_end_programs_at_a_terminal_and_it_is_as_before() {
    let bench = Bench::new();
    for signal in ["TERM", "HUP"] {
        bench.each(InTerminal::start, |what, program| {
            program.signal(signal);
            ends(what, &program);
            assert!(program.leave().is_restored, "{what}: not restored after SIG{signal}");
        });
    }
}

fn ends(what: &str, program: &InTerminal) {
    let begun = Instant::now();
    while program.is_running() {
        assert!(begun.elapsed() < END, "{what}: it runs on");
        pause();
    }
}
