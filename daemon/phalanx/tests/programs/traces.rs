//! A collector receives spans of turns, in builds with exports; other builds report the missing
//! feature.

use crate::support::settings;
use std::path::{Path, PathBuf};

fn exporting(dir: &Path, server: std::net::SocketAddr, endpoint: &str) -> PathBuf {
    let strategy = "return { decide = function() return act.skip() end }";
    let config = settings(dir, server, 2, strategy);
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("[otel]\nendpoint = \"{endpoint}\"\n{text}")).unwrap();
    config
}

#[cfg(not(feature = "otel"))]
#[test]
fn a_build_without_traces_says_so() {
    use crate::support::{PHALANXD, quiet, stderr};
    let dir = tempfile::tempdir().unwrap();
    let server = "127.0.0.1:1".parse().unwrap();
    let config = exporting(dir.path(), server, "http://127.0.0.1:4317");
    let output =
        quiet(std::process::Command::new(PHALANXD)).arg("--config").arg(config).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("otel.endpoint") && said.contains("--features otel"), "{said}");
}

#[cfg(feature = "otel")]
mod exported {
    use super::exporting;
    use crate::support::{Plain, arena, arena_config, daemon};
    use axum::Router;
    use axum::body::Bytes;
    use axum::routing::post;
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::time::Duration;

    const PATH: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

    /// A collector that keeps the requests, and answers with an empty success.
    fn collector() -> (SocketAddr, mpsc::Receiver<Bytes>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, receiver) = mpsc::channel();
        let keep = move |body: Bytes| {
            sender.send(body).unwrap();
            async { [("content-type", "application/grpc"), ("grpc-status", "0")] }
        };
        std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_all().build().unwrap().block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, Router::new().route(PATH, post(keep))).await.unwrap();
            });
        });
        (address, receiver)
    }

    fn has(body: &[u8], text: &str) -> bool {
        body.windows(text.len()).any(|window| window == text.as_bytes())
    }

    #[test]
    fn spans_of_turns_reach_a_collector() {
        let dir = tempfile::tempdir().unwrap();
        let (collector, exports) = collector();
        let (arena, address) = arena(&arena_config(dir.path(), 2, 5, 4_000));
        let config = exporting(dir.path(), address, &format!("http://{collector}"));
        let mut daemon = daemon(&config);
        daemon.line_with("control API");
        for number in 1..=2 {
            let mut opponent = Plain::connect(address);
            opponent.login(&format!("agentB{number}"), "secret-b");
            std::thread::spawn(move || opponent.skip_to_the_end());
        }
        assert_eq!(arena.finish().1, Some(0));
        let (log, code) = daemon.finish();
        assert_eq!(code, Some(0), "{log}");
        // The last spans are sent at the end.
        let turn = |body: &Bytes| has(body, "turn") && has(body, "script_us");
        loop {
            let export = exports.recv_timeout(Duration::from_secs(30)).expect("spans of turns");
            if turn(&export) {
                assert!(has(&export, "phalanxd"), "the service is named");
                break;
            }
        }
    }
}
