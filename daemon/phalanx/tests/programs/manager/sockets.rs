//! Sockets that the manager hands over: from socket units, and from the previous process.

use super::Bench;
use super::double::{Double, Notice};
use crate::support::{PHALANXD, Running, phalanx, quiet, stderr};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};

/// The begin of HTTP/2: the preface and an empty SETTINGS frame.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// The type of a SETTINGS frame, in the fourth of its first nine bytes.
const SETTINGS: u8 = 4;

/// A daemon that inherits descriptors as from a manager: from the third one on, with their names.
pub(super) fn handed(dir: &Path, manager: &Double, names: &str, all: Vec<OwnedFd>) -> Running {
    let mut shell = quiet(Command::new("sh"));
    let count = all.len();
    let mut all = all.into_iter();
    shell.arg("-c").arg(r#"exec 3<&0 4<&2 2>&1 </dev/null; export LISTEN_PID=$$; exec "$0" "$@""#);
    shell.arg(PHALANXD).arg("--config").arg(dir.join("phalanxd.toml"));
    shell.env("LISTEN_FDS", count.to_string()).env("LISTEN_FDNAMES", names);
    shell.env("NOTIFY_SOCKET", manager.name());
    shell.stdin(all.next().map_or_else(Stdio::null, Stdio::from));
    shell.stderr(all.next().map_or_else(Stdio::null, Stdio::from));
    Running::start(shell)
}

/// Waits until a server greets this caller.
fn is_greeted(mut caller: impl Read) {
    let mut frame = [0; 9];
    caller.read_exact(&mut frame).unwrap();
    assert_eq!(frame[3], SETTINGS, "{frame:?}");
}

/// A caller that has sent its greeting and waits.
fn caller(path: &Path) -> UnixStream {
    let mut caller = UnixStream::connect(path).unwrap();
    caller.write_all(HELLO).unwrap();
    caller
}

fn serves(address: &str) {
    let listed = phalanx(&["team", "list", "--control", address]);
    assert!(listed.status.success(), "{address}: {}", stderr(&listed));
}

#[test]
fn a_socket_units_callers_wait_for_the_daemon_and_its_file_stays() {
    let bench = Bench::new();
    let path = bench.path().join("unit.sock");
    let unit = UnixListener::bind(&path).unwrap();
    let early = caller(&path);
    let mut manager = Double::at(&bench.path().join("notify"));
    let given = unit.try_clone().unwrap().into();
    let daemon = handed(bench.path(), &manager, "control", vec![given]);
    is_greeted(early);
    manager.until(|notice| notice.says("READY=1"));
    serves(&format!("unix:{}", path.display()));
    assert!(!bench.path().join("control.sock").exists(), "the unit says where");
    daemon.terminate();
    let (log, code) = daemon.finish();
    assert_eq!(code, Some(0), "{log}");
    manager.until(|notice| notice.says("STOPPING=1"));
    // The manager still listens: its next caller starts the daemon again.
    drop(UnixStream::connect(&path).unwrap());
    assert_eq!(Notice::count(manager.heard(), "FDSTORE=1"), 0, "the unit keeps it");
}

#[test]
fn a_tcp_socket_of_the_manager_is_served_where_the_settings_allow_it() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let loopback = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = loopback.local_addr().unwrap();
    let own = UnixListener::bind(bench.path().join("unit.sock")).unwrap();
    let given = vec![own.into(), loopback.into()];
    let daemon = handed(bench.path(), &manager, "control:control-tcp", given);
    manager.until(|notice| notice.says("READY=1"));
    serves(&address.to_string());
    serves(&format!("unix:{}/unit.sock", bench.path().display()));
    daemon.terminate();
    assert_eq!(daemon.finish().1, Some(0));

    // It does not matter which process bound it: without TLS only this machine may connect.
    let anywhere = TcpListener::bind("0.0.0.0:0").unwrap();
    let daemon = handed(bench.path(), &manager, "control-tcp", vec![anywhere.into()]);
    let failed = manager.until(|notice| notice.value("ERRNO").is_some());
    assert!(failed.value("STATUS").unwrap().contains("loopback"), "{failed:?}");
    assert_eq!(daemon.finish().1, Some(1));
}

#[test]
fn a_descriptor_that_is_something_else_is_an_error_and_an_unknown_one_a_warning() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let daemon = handed(bench.path(), &manager, "control", vec![tcp.into()]);
    let failed = manager.until(|notice| notice.value("ERRNO").is_some());
    assert!(failed.value("STATUS").unwrap().contains("\"control\""), "{failed:?}");
    assert_eq!(daemon.finish().1, Some(1));

    let other = UnixListener::bind(bench.path().join("unit.sock")).unwrap();
    let mut daemon = handed(bench.path(), &manager, "phalanxd.socket", vec![other.into()]);
    let line = daemon.line_with("is not used");
    assert!(line.contains("phalanxd.socket") && line.contains("control-tcp"), "{line}");
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
}

#[test]
fn over_a_restart_the_manager_keeps_the_socket_and_callers_wait() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let first = manager.start(bench.path(), &[]);
    let kept = manager.descriptor("kept-control");
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
    first.terminate();
    let (log, code) = first.finish();
    assert_eq!(code, Some(0), "{log}");

    // No daemon runs, but callers are not refused.
    let waiting = caller(&bench.path().join("control.sock"));
    let second = handed(bench.path(), &manager, "kept-control", vec![kept]);
    is_greeted(waiting);
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
    second.terminate();
    assert_eq!(second.finish().1, Some(0));
    manager.until(|notice| notice.says("STOPPING=1"));
    let stored = Notice::count(manager.heard(), "FDSTORE=1");
    assert_eq!(stored, 1, "the manager has it already");
}

#[test]
fn a_kept_socket_that_the_settings_put_elsewhere_is_let_go() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let first = manager.start(bench.path(), &[]);
    let kept = manager.descriptor("kept-control");
    manager.until(|notice| notice.says("READY=1"));
    first.terminate();
    assert_eq!(first.finish().1, Some(0));

    let config = bench.path().join("phalanxd.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("/control.sock", "/moved.sock")).unwrap();
    let second = handed(bench.path(), &manager, "kept-control", vec![kept]);
    let removed = manager.until(|notice| notice.says("FDSTOREREMOVE=1"));
    assert_eq!(removed.value("FDNAME"), Some("kept-control"));
    drop(manager.descriptor("kept-control"));
    manager.until(|notice| notice.says("READY=1"));
    serves(&format!("unix:{}/moved.sock", bench.path().display()));
    second.terminate();
    assert_eq!(second.finish().1, Some(0));
}

#[test]
fn variables_for_another_process_are_not_ours() {
    let bench = Bench::new();
    let mut manager = Double::at(&bench.path().join("notify"));
    let environment = [("LISTEN_FDS", "1"), ("LISTEN_FDNAMES", "control"), ("LISTEN_PID", "1")];
    let _daemon = manager.start(bench.path(), &environment);
    manager.until(|notice| notice.says("READY=1"));
    bench.clients_can_call();
}
