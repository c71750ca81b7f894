//! A real nats-server on this machine, with a store of its own.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the server may take to answer.
const START_MAX: Duration = Duration::from_secs(60);

/// A running server; killed when it is dropped.
pub(crate) struct NatsServer {
    folder: tempfile::TempDir,
    address: SocketAddr,
    settings: String,
    child: Option<Child>,
}

impl NatsServer {
    /// A server with JetStream, or `None`, with a line, where none is installed.
    pub(crate) fn start() -> Option<Self> {
        Self::with("jetstream { store_dir: \"STORE\" }")
    }

    /// A server with these settings; STORE stands for its folder.
    #[allow(clippy::print_stdout, reason = "the reader of a test's output wants to know")]
    pub(crate) fn with(settings: &str) -> Option<Self> {
        if Command::new("nats-server").arg("--version").output().is_err() {
            assert!(std::env::var_os("PHALANX_DEMAND_NATS").is_none(), "nats-server is missing");
            println!("skipped: nats-server is not installed");
            return None;
        }
        // The port is free for a moment; the server takes it at each restart.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let settings = settings.replace("STORE", folder.path().to_str().unwrap());
        let mut server = Self { folder, address, settings, child: None };
        server.restart();
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends it without a chance to tidy up.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Kills it, and starts it at the same address with an empty store.
    #[allow(dead_code, reason = "not every target of tests loses a store")]
    pub(crate) fn lose_store(&mut self) {
        self.kill();
        std::fs::remove_dir_all(self.folder().join("jetstream")).unwrap();
        self.restart();
    }

    /// Kills it if it runs, and starts it at the same address with the same store.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let path: PathBuf = self.folder().join("nats.conf");
        let listen = format!("listen: \"{}\"\n", self.address);
        std::fs::write(&path, listen + &self.settings).unwrap();
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(command.spawn().unwrap());
        let begun = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            assert!(begun.elapsed() < START_MAX, "the nats-server does not start");
            std::thread::yield_now();
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
