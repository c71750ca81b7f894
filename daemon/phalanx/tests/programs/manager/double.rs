//! A test double of the service manager: its notification socket, and the messages it received.

use crate::support::{PHALANXD, Running, quiet};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use serde_json::{Value, json};
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Timeout of everything that the tests wait for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest message that is read, in bytes.
const MESSAGE_BYTES_MAX: usize = 4096;

/// One message to the manager.
#[derive(Debug, Default)]
pub(crate) struct Notice {
    text: String,
    descriptors: Vec<OwnedFd>,
}

impl Notice {
    /// Whether it contains this assignment.
    pub(crate) fn says(&self, assignment: &str) -> bool {
        self.text.lines().any(|line| line == assignment)
    }

    /// The value assigned to that name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut assigned = self.text.lines().filter_map(|line| line.split_once('='));
        assigned.find(|(assigned, _)| *assigned == name).map(|(_, value)| value)
    }

    /// The number of notices with this assignment.
    pub(crate) fn count(all: &[Self], assignment: &str) -> usize {
        all.iter().filter(|notice| notice.says(assignment)).count()
    }

    /// Whether a reload begins, or the daemon is ready (again).
    pub(crate) fn phase(&self) -> Option<&'static str> {
        let phases = ["RELOADING=1", "READY=1"];
        phases.into_iter().find(|phase| self.says(phase))
    }
}

/// The manager.
pub(crate) struct Double {
    socket: UnixDatagram,
    name: String,
    heard: Vec<Notice>,
}

impl Double {
    /// A manager whose socket is a file.
    pub(crate) fn at(path: &Path) -> Self {
        Self::over(UnixDatagram::bind(path).unwrap(), path.display().to_string())
    }

    /// A manager whose socket is in the abstract namespace: `@name`.
    pub(crate) fn abstractly(name: &str) -> Self {
        let address = SocketAddr::from_abstract_name(name.strip_prefix('@').unwrap()).unwrap();
        Self::over(UnixDatagram::bind_addr(&address).unwrap(), name.to_owned())
    }

    fn over(socket: UnixDatagram, name: String) -> Self {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, name, heard: Vec::new() }
    }

    /// Starts the daemon of these settings as its service.
    pub(crate) fn start(&self, dir: &Path, environment: &[(&str, &str)]) -> Running {
        let more: Vec<_> =
            environment.iter().copied().chain([("NOTIFY_SOCKET", self.name.as_str())]).collect();
        daemon(dir, &more)
    }

    /// The name of its socket.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reads until a descriptor with that name is stored, and takes it.
    pub(crate) fn descriptor(&mut self, name: &str) -> OwnedFd {
        loop {
            let mut notice = self.receive();
            let found = notice.says("FDSTORE=1") && notice.value("FDNAME") == Some(name);
            let descriptors = std::mem::take(&mut notice.descriptors);
            self.heard.push(notice);
            if found {
                let [descriptor] = <[OwnedFd; 1]>::try_from(descriptors).expect("exactly one");
                return descriptor;
            }
        }
    }

    /// Reads until a notice matches; keeps all notices.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Notice) -> bool) -> &Notice {
        let begun = Instant::now();
        loop {
            let notice = self.receive();
            let found = wanted(&notice);
            self.heard.push(notice);
            if found {
                return self.heard.last().unwrap();
            }
            assert!(begun.elapsed() < PATIENCE, "it only says {:?}", self.statuses());
        }
    }

    /// The status lines so far.
    fn statuses(&self) -> Vec<&str> {
        self.heard.iter().filter_map(|notice| notice.value("STATUS")).collect()
    }

    /// Everything that was read so far.
    pub(crate) fn heard(&self) -> &[Notice] {
        &self.heard
    }

    fn receive(&self) -> Notice {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut bytes)];
        let received = recvmsg(&self.socket, &mut into, &mut control, RecvFlags::CMSG_CLOEXEC);
        let length = received.expect("the daemon says something in time").bytes;
        let mut descriptors = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                descriptors.extend(rights);
            }
        }
        let text = std::str::from_utf8(&bytes[..length]).unwrap().to_owned();
        Notice { text, descriptors }
    }
}

/// A daemon with these settings and more environment variables; its log can be read as if it were
/// its standard output. The shell replaces itself, so that both are one process.
pub(crate) fn daemon(dir: &Path, environment: &[(&str, &str)]) -> Running {
    let mut shell = quiet(Command::new("sh"));
    shell.arg("-c").arg(r#"exec "$0" "$@" 2>&1"#).arg(PHALANXD);
    shell.arg("--config").arg(dir.join("phalanxd.toml")).envs(environment.iter().copied());
    Running::start(shell)
}

/// The clock of `MONOTONIC_USEC`.
pub(crate) fn monotonic_usec() -> u64 {
    let sd_notify::NotifyState::MonotonicUsec(now) =
        sd_notify::NotifyState::monotonic_usec_now().unwrap()
    else {
        panic!("it is the clock's own state");
    };
    u64::try_from(now).unwrap()
}

/// The smallest request for action that the protocol allows.
pub(crate) fn request(id: i64) -> Value {
    let percept = json!({ "lastAction": "skip" });
    let content =
        json!({ "id": id, "time": 1000, "deadline": 60_000, "step": id, "percept": percept });
    json!({ "type": "request-action", "content": content })
}
