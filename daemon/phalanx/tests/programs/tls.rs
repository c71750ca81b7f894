//! `phalanx tls create`: what it makes is accepted by callers, and what they would not accept is
//! refused before a match.

use crate::support::{
    PHALANX, PHALANXD, Running, daemon, phalanx, quiet, refused, said, stderr, text,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Settings of a daemon without teams that serves with these certificates.
fn settings(folder: &Path, tls: &Path) -> PathBuf {
    let config = folder.join("phalanxd.toml");
    let written = format!(
        "[control]\nsocket = \"off\"\ntcp = \"127.0.0.1:0\"\n[control.tls]\n\
         certificate = \"{0}/server.pem\"\nkey = \"{0}/server.key\"\n",
        tls.display()
    );
    std::fs::write(&config, written).unwrap();
    config
}

fn serve(config: &Path) -> (Running, SocketAddr) {
    let mut daemon = daemon(config);
    let line: Value = serde_json::from_str(&daemon.line_with("control API")).unwrap();
    let address = line["fields"]["address"].as_str().unwrap().parse().unwrap();
    (daemon, address)
}

/// What a browser does: one request over TLS, as HTTP/1.1.
fn page(address: SocketAddr, name: &str, ca: &Path) -> Result<String, std::io::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address)?);
    write!(stream, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn callers_and_browsers_accept_what_tls_create_makes() {
    let dir = tempfile::tempdir().unwrap();
    let tls = dir.path().join("tls");
    let told = said(&["tls", "create", "room.example", "--out", text(&tls)]);
    for part in ["[control.tls]", "phalanx context add", "https://room.example:7420", "--ca"] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&tls), 0o700);
    for name in ["ca.pem", "ca.key", "server.pem", "server.key"] {
        assert_eq!(mode(&tls.join(name)), 0o600, "{name}");
    }
    let ca = tls.join("ca.pem");
    let config = settings(dir.path(), &tls);
    let (daemon, address) = serve(&config);
    let https = format!("https://{address}");
    said(&["team", "list", "--control", &https, "--ca", text(&ca)]);
    let localhost = format!("https://localhost:{}", address.port());
    said(&["team", "list", "--control", &localhost, "--ca", text(&ca)]);
    for name in ["room.example", "localhost", "127.0.0.1"] {
        let answer = page(address, name, &ca).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{name}: {answer}");
    }
    assert!(page(address, "other.example", &ca).is_err());

    let plain = format!("http://{address}");
    let told = refused(&["team", "list", "--control", &plain], 1);
    assert!(told.contains("use https:// instead of http://"), "{told}");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("https://"), "{answer}");
    drop(daemon);

    let told = refused(&["tls", "create", "room.example", "--out", text(&tls)], 1);
    assert!(told.contains("exists") && told.contains("--renew"), "{told}");
    let before = std::fs::read(tls.join("server.pem")).unwrap();
    said(&["tls", "create", "other.example", "--renew", "--out", text(&tls)]);
    assert_ne!(before, std::fs::read(tls.join("server.pem")).unwrap());
    let (_daemon, address) = serve(&config);
    assert!(page(address, "other.example", &ca).unwrap().starts_with("HTTP/1.1 200"));
}

#[test]
fn an_authority_that_serves_itself_is_refused_everywhere_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    std::fs::write(dir.path().join("server.pem"), certificate.pem()).unwrap();
    std::fs::write(dir.path().join("server.key"), key.serialize_pem()).unwrap();
    let config = settings(dir.path(), dir.path());
    let config = text(&config);
    let ways: [(&str, &[&str], i32); 4] = [
        (PHALANX, &["check", "--config", config], 64),
        (PHALANX, &["doctor", "--config", config, "--load-seconds", "0"], 1),
        (PHALANXD, &["--check", "--config", config], 64),
        (PHALANXD, &["--config", config], 1),
    ];
    for (program, args, code) in ways {
        let output = quiet(Command::new(program)).args(args).output().unwrap();
        let told = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        for part in ["certificate authority", "phalanx tls create"] {
            assert!(told.contains(part), "{args:?}: {part} is missing in\n{told}");
        }
    }
}

#[test]
fn a_host_that_is_none_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let tls = dir.path().join("tls");
    let output = phalanx(&["tls", "create", "https://room:7420", "--out", text(&tls)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("leave out https://"), "{}", stderr(&output));
    assert!(!tls.exists());
}
