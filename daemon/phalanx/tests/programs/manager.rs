//! The daemon under a service manager: these tests play the manager.

mod double;
mod seats;
mod sockets;

use crate::support::{Plain, control, phalanx, settings, stderr};
use double::{Double, Notice};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const SKIP: &str = "return { decide = function() return act.skip() end }\n";
/// An hour, in microseconds, as the manager writes it.
const LONG: &str = "3600000000";

/// A daemon whose referee accepts no login, so that it runs until a signal ends it.
struct Bench {
    dir: TempDir,
    referee: TcpListener,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let referee = TcpListener::bind("127.0.0.1:0").unwrap();
        settings(dir.path(), referee.local_addr().unwrap(), 1, SKIP);
        Self { dir, referee }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn save(&self, worker: &str) {
        std::fs::write(self.path().join("strategy/worker.luau"), worker).unwrap();
    }

    /// Settings without watched folders, with more keys in `[reload]`.
    fn unwatched(self) -> Self {
        let path = self.path().join("phalanxd.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}\n[reload]\nwatch = \"off\"\n")).unwrap();
        self
    }

    fn clients_can_call(&self) {
        let listed = phalanx(&["team", "list", "--control", &control(self.path())]);
        assert!(listed.status.success(), "{}", stderr(&listed));
    }
}

#[test]
fn ready_is_told_when_clients_can_call_and_stopping_when_it_leaves() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[]);
    let ready = manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
    assert!(ready.value("STATUS").unwrap().contains("clients can connect"), "{ready:?}");
    let before = manager.heard();
    assert!(before.iter().any(|notice| notice.value("EXTEND_TIMEOUT_USEC").is_some()));
    assert!(!before.iter().any(|notice| notice.says("STOPPING=1")));
    daemon.terminate();
    manager.until(|notice| notice.says("STOPPING=1"));
    manager.until(|notice| notice.value("EXTEND_TIMEOUT_USEC").is_some());
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn a_manager_without_a_file_is_told_the_same() {
    let bench = Bench::new();
    let name = format!("@phalanx-{}", bench.path().display());
    let mut manager = Double::abstractly(&name);
    let _daemon = manager.start(bench.path(), &[]);
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
}

#[test]
fn a_manager_that_is_not_there_keeps_nobody_from_playing() {
    let bench = Bench::new();
    let nobody = bench.path().join("nobody").display().to_string();
    let mut daemon = double::daemon(bench.path(), &[("NOTIFY_SOCKET", &nobody)]);
    daemon.line_with("cannot reach the service manager");
    let _asked = bench.welcome();
    bench.clients_can_call();
}

#[test]
fn a_reload_begins_and_ends_and_so_does_a_refused_one() {
    let bench = Bench::new().unwatched();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[]);
    manager.until(|notice| notice.says("READY=1"));

    bench.save("return { decide = function() return act.move('n') end }\n");
    let before = double::monotonic_usec();
    daemon.signal("HUP");
    let reloading = manager.until(|notice| notice.says("RELOADING=1"));
    let at: u64 = reloading.value("MONOTONIC_USEC").unwrap().parse().unwrap();
    assert!((before..=double::monotonic_usec()).contains(&at), "{at} against {before}");
    let ready = manager.until(|notice| notice.says("READY=1"));
    let status = ready.value("STATUS").unwrap();
    assert!(status.contains("A plays generation 2"), "{status}");

    bench.save("return { decide = function() retrun 1 end }\n");
    daemon.signal("HUP");
    manager.until(|notice| notice.says("RELOADING=1"));
    let ready = manager.until(|notice| notice.says("READY=1"));
    let status = ready.value("STATUS").unwrap();
    assert!(status.contains("refused") && status.contains("worker.luau:1"), "{status}");
    assert!(status.contains("generation 2"), "{status}");
}

#[test]
fn a_storm_of_signals_is_a_few_reloads_and_each_of_them_ends() {
    let bench = Bench::new().unwatched();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[]);
    manager.until(|notice| notice.says("READY=1"));
    // From one shell: a process for each signal would be slower than the reloads.
    let storm = format!("for _ in $(seq 100); do kill -HUP {}; done", daemon.child.id());
    assert!(Command::new("sh").arg("-c").arg(storm).status().unwrap().success());
    manager.until(|notice| notice.says("RELOADING=1"));
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
    daemon.terminate();
    manager.until(|notice| notice.says("STOPPING=1"));
    let told = manager.heard();
    let (begun, ended) = (Notice::count(told, "RELOADING=1"), Notice::count(told, "READY=1"));
    assert!((1..100).contains(&begun), "{begun} reloads of 100 signals");
    // The end of the daemon may have cut the last reload short.
    assert!(ended - 1 == begun || ended == begun, "{begun} begun, {} ended", ended - 1);
    let order: Vec<_> = told.iter().filter_map(Notice::phase).collect();
    assert!(order.windows(2).all(|two| two[0] != two[1]), "{order:?}");
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn the_watchdog_is_fed_again_and_again_and_the_status_tells_of_every_team() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[("WATCHDOG_USEC", "400000")]);
    manager.until(|notice| notice.says("READY=1"));
    for _ in 0..5 {
        manager.until(|notice| notice.says("WATCHDOG=1"));
    }
    let mut seat = bench.welcome();
    let status = |parts: [&'static str; 2]| {
        move |notice: &Notice| {
            let status = notice.value("STATUS").unwrap_or_default();
            parts.iter().all(|part| status.contains(part))
        }
    };
    manager.until(status(["A: step 0", "0 missed, 0 fallbacks"]));
    for step in 1..=3 {
        seat.send(&double::request(step));
        seat.receive().unwrap();
    }
    manager.until(status(["A: step 3", "0 missed, 0 fallbacks"]));
    drop(seat);
    manager.until(status(["A: step 3", "1 of 1 seats not at the referee"]));
    daemon.terminate();
    manager.until(|notice| notice.says("STOPPING=1"));
}

#[test]
fn a_watchdog_of_another_process_is_not_fed() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let environment = [("WATCHDOG_USEC", "100000"), ("WATCHDOG_PID", "1")];
    let daemon = manager.start(bench.path(), &environment);
    manager.until(|notice| notice.says("READY=1"));
    manager.until(|notice| notice.value("STATUS").is_some_and(|status| status.contains("step 0")));
    daemon.terminate();
    manager.until(|notice| notice.says("STOPPING=1"));
    assert_eq!(Notice::count(manager.heard(), "WATCHDOG=1"), 0);
}

#[test]
fn who_cannot_start_says_why_and_with_which_number() {
    let bench = Bench::new();
    // Another process serves there.
    let _other = std::os::unix::net::UnixListener::bind(bench.path().join("control.sock")).unwrap();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[]);
    let failed = manager.until(|notice| notice.value("ERRNO").is_some());
    assert!(failed.value("STATUS").unwrap().contains("control.sock already"), "{failed:?}");
    assert_eq!(daemon.finish().1, Some(1));
    assert_eq!(Notice::count(manager.heard(), "READY=1"), 0);

    let config = bench.path().join("phalanxd.toml");
    let text = std::fs::read_to_string(&config).unwrap().replace("server =", "sever =");
    std::fs::write(&config, text).unwrap();
    let daemon = manager.start(bench.path(), &[]);
    let failed = manager.until(|notice| notice.value("ERRNO") == Some("22"));
    assert!(failed.value("STATUS").unwrap().contains("--check"), "{failed:?}");
    assert_eq!(daemon.finish().1, Some(64));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let bench = Bench::new();
    let config = bench.path().join("phalanxd.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("[limits]\ndrain_max = \"10m\"\n{text}")).unwrap();
    let mut manager = Double::at(&bench.path().join("notify"));
    let daemon = manager.start(bench.path(), &[("WATCHDOG_USEC", LONG)]);
    manager.until(|notice| notice.says("READY=1"));
    // A seat whose logout gets no answer: the referee does not read it.
    let _seat = bench.welcome();
    daemon.terminate();
    manager.until(|notice| notice.says("STOPPING=1"));
    daemon.terminate();
    let begun = std::time::Instant::now();
    let (log, code) = daemon.finish();
    assert!(matches!(code, Some(0 | 2)), "{code:?}: {log}");
    assert!(begun.elapsed() < Duration::from_secs(60), "the grace is ten minutes");
}

impl Bench {
    /// Accepts the agent and its login.
    fn welcome(&self) -> Plain {
        let mut seat = Plain::over(self.referee.accept().unwrap().0);
        assert_eq!(seat.receive().unwrap()["type"], "auth-request");
        seat.send(&serde_json::json!({ "type": "auth-response", "content": { "result": "ok" } }));
        seat
    }
}
