//! Checks whether the control API can be served, to whom, and whether a daemon serves it already.

use super::machine::try_to_write;
use super::report::{Notes, Report};
use phalanx_settings::{ControlSettings, Settings};
use phalanxd::{access, state};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A certificate that ends sooner causes a warning.
const CERTIFICATE_SOON: Duration = Duration::from_secs(14 * 86_400);

/// The daemon that plays with these settings now, if any.
pub(super) fn playing(settings: &Settings) -> Option<String> {
    let holder = settings.state_dir.as_deref().and_then(state::holder_of);
    let socket = settings.control.socket.as_deref();
    let served = || socket.filter(|path| is_served(path)).map(|path| path.display().to_string());
    holder.or_else(|| served().map(|path| format!("a process that serves {path}")))
}

fn is_served(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// Checks socket, address and certificates. `playing` names the daemon that plays already.
pub(super) fn examine(settings: &Settings, playing: Option<&str>) -> Report {
    let mut report = Report::default();
    let mut notes = report.about("control");
    match playing {
        // The running daemon has bound its addresses, so they are not free.
        Some(who) => notes.well("daemon", format!("already runs: {who}")),
        None => {
            socket(&mut notes, settings.control.socket.as_deref());
            if let Some(address) = settings.control.tcp {
                tcp(&mut notes, address);
            }
        }
    }
    certificates(&mut notes, &settings.control);
    report
}

fn socket(notes: &mut Notes<'_>, socket: Option<&Path>) {
    let Some(path) = socket else {
        return notes.doubt(
            "socket",
            "none: users of this machine reach the daemon over TCP only",
            "set control.socket",
        );
    };
    let shown = path.display();
    if let Err(why) = try_to_write(path.parent().unwrap_or(Path::new("/"))) {
        let todo = "give the daemon's user access to the folder, or set another control.socket";
        return notes.fail("socket", format!("{shown} cannot be created: {why}"), todo);
    }
    notes.well("socket", format!("{shown} is free"));
}

fn tcp(notes: &mut Notes<'_>, address: SocketAddr) {
    match TcpListener::bind(address) {
        Ok(_) => notes.well("tcp", format!("{address} is free")),
        Err(error) => notes.fail(
            "tcp",
            format!("{address}: {error}"),
            "end the program that listens there, or set another control.tcp",
        ),
    }
}

fn certificates(notes: &mut Notes<'_>, settings: &ControlSettings) {
    let certificates = match access::certificates(settings) {
        Ok(None) => return,
        Ok(Some(certificates)) => certificates,
        Err(error) => {
            let todo = "correct the files that control.tls names";
            return notes.fail("certificate", format!("{error:#}"), todo);
        }
    };
    let Some((begins, ends)) = certificates.validity() else {
        let todo = "inspect it with `openssl x509 -noout -dates`";
        return notes.doubt("certificate", "its dates cannot be read", todo);
    };
    let now = SystemTime::now();
    let date = |time| humantime::format_rfc3339_seconds(time);
    let days = |left: Duration| left.as_secs() / 86_400;
    let todo = "replace it; a running daemon loads the new one by itself";
    match ends.duration_since(now) {
        _ if begins > now => {
            notes.fail("certificate", format!("valid only from {} on", date(begins)), todo);
        }
        Err(_) => notes.fail("certificate", format!("expired on {}", date(ends)), todo),
        Ok(left) if left < CERTIFICATE_SOON => {
            notes.doubt("certificate", format!("expires in {} days", days(left)), todo);
        }
        Ok(left) => notes.well("certificate", format!("expires in {} days", days(left))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::Verdict;

    #[test]
    fn a_socket_that_cannot_be_created_will_fail() {
        let dir = tempfile::tempdir().expect("a folder");
        // No user can create a folder below a file, or in /proc.
        let file = dir.path().join("file");
        std::fs::write(&file, "").expect("writes");
        for (path, verdict) in [
            (file.join("control.sock"), Verdict::Failing),
            ("/proc/control.sock".into(), Verdict::Failing),
            (dir.path().join("run/control.sock"), Verdict::Well),
        ] {
            let mut report = Report::default();
            socket(&mut report.about("control"), Some(&path));
            assert_eq!(report.verdict(), verdict, "{:?}", report.findings);
        }
    }
}
