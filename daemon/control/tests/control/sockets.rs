//! The sockets themselves, as an operator sees them.

use crate::support::fake::{Daemon, FakeDirectory, local, socket};
use phalanx_control::client::{Address, connect, connect_first};
use phalanx_control::{Control, ControlError, Options, SocketOptions, build};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7420"] {
        let tcp: SocketAddr = address.parse().unwrap();
        let error = try_build(None, Some(tcp)).unwrap_err();
        assert!(matches!(error, ControlError::NotLoopback { .. }), "{error}");
        assert!(error.to_string().contains("without TLS"), "{error}");
    }
}

#[tokio::test]
async fn the_socket_has_its_mode_and_only_the_owner_enters_new_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/control.sock");
    for mode in [0o600, 0o660] {
        let options = SocketOptions { mode, ..socket(path.clone()) };
        let control = try_build(Some(options), None).unwrap();
        assert_eq!(mode_of(&path), mode);
        assert_eq!(mode_of(path.parent().unwrap()), 0o700);
        drop(control);
    }
}

#[tokio::test]
async fn an_unknown_group_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let group = Some("no-such-group-here".to_owned());
    let options = SocketOptions { group, ..socket(folder.path().join("c.sock")) };
    let error = try_build(Some(options), None).unwrap_err();
    assert!(error.to_string().contains("no-such-group-here"), "{error}");
}

#[tokio::test]
async fn a_second_daemon_is_refused_and_names_the_first() {
    let daemon = Daemon::start(&[]);
    let error = try_build(Some(socket(daemon.path())), None).unwrap_err();
    assert!(matches!(error, ControlError::InUse { .. }), "{error}");
    let holder = format!("process {}", std::process::id());
    assert!(error.to_string().contains(&holder), "{error}");
    assert!(connect(&Address::Unix(daemon.path())).await.is_ok(), "the first serves on");
}

#[tokio::test]
async fn a_socket_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sock");
    let _alive = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let error = try_build(Some(socket(path.clone())), None).unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
    assert!(path.exists());
}

#[tokio::test]
async fn the_socket_file_of_a_dead_daemon_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let handle = try_build(Some(socket(path.clone())), None).unwrap().spawn();
    assert!(connect(&Address::Unix(path)).await.is_ok());
    drop(handle);
}

#[tokio::test]
async fn a_file_that_is_no_socket_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "precious").unwrap();
    let error = try_build(Some(socket(path.clone())), None).unwrap_err();
    assert!(matches!(error, ControlError::NotASocket { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[tokio::test]
async fn a_client_tries_each_place_and_says_where_it_looked() {
    let daemon = Daemon::start(&[]);
    let nowhere = daemon.folder.path().join("nowhere.sock");
    let (found, _) = connect_first(&[nowhere.clone(), daemon.path()]).await.unwrap();
    assert_eq!(found, Address::Unix(daemon.path()));
    let error = connect_first(std::slice::from_ref(&nowhere)).await.unwrap_err();
    assert!(error.to_string().contains("nowhere.sock"), "{error}");
    let error = connect(&Address::Unix(nowhere)).await.unwrap_err();
    assert!(error.to_string().contains("is phalanxd running?"), "{error}");
}

#[test]
fn addresses_are_read_in_each_form() {
    let unix = |path: &str| Some(Address::Unix(path.into()));
    let http = |uri: &str| Some(Address::Http(uri.to_owned()));
    let cases = [
        ("unix:/run/c.sock", unix("/run/c.sock")),
        ("unix:///run/c.sock", unix("/run/c.sock")),
        ("/run/c.sock", unix("/run/c.sock")),
        ("./c.sock", unix("./c.sock")),
        ("http://127.0.0.1:7420", http("http://127.0.0.1:7420")),
        ("http://127.0.0.1:7420/", http("http://127.0.0.1:7420")),
        ("localhost:7420", http("http://localhost:7420")),
        ("[::1]:7420", http("http://[::1]:7420")),
        ("localhost", None),
        ("localhost:99999", None),
        ("unix:", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<Address>().ok(), expected, "{text}");
    }
}

fn try_build(
    socket: Option<SocketOptions>,
    tcp: Option<SocketAddr>,
) -> Result<Control, ControlError> {
    let options = Options { socket, tcp, ..Options::default() };
    build(&options, Arc::new(FakeDirectory(Vec::new())), local())
}

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
