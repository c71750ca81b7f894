//! Which callers get in, by token, role and certificate; and the audit log.

use crate::support::fake::{FakeDirectory, FakeTeam, socket};
use phalanx_control::client::{Address, Credentials, Link, connect, connect_as};
use phalanx_control::{
    Access, Audit, Certificates, ControlHandle, Denials, Options, Role, TlsOptions, build,
};
use phalanx_proto::v1;
use phalanx_proto::v1::access_client::AccessClient;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// How long a daemon may take to stop.
const GRACE: std::time::Duration = std::time::Duration::from_secs(5);
/// Rounds of denied calls, two each.
const FLOOD: u64 = 500;

/// A daemon with tokens, an audit log and, if requested, certificates.
struct Daemon {
    folder: tempfile::TempDir,
    tcp: SocketAddr,
    handle: ControlHandle,
}

impl Daemon {
    fn start(loopback: Option<Role>, tls: Option<Arc<Certificates>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            socket: Some(socket(folder.path().join("control.sock"))),
            tcp: Some("127.0.0.1:0".parse().unwrap()),
            tls,
            ..Options::default()
        };
        let mut access = Access::open(&folder.path().join("tokens.json"), loopback).unwrap();
        access.audit = Some(Arc::new(Audit::open(&folder.path().join("audit.jsonl")).unwrap()));
        access.denials = Arc::new(Denials::open(&folder.path().join("denied.jsonl")).unwrap());
        let teams = Arc::new(FakeDirectory(vec![FakeTeam::new("A")]));
        let control = build(&options, teams, Arc::new(access)).unwrap();
        Self { tcp: control.tcp().unwrap(), folder, handle: control.spawn() }
    }

    async fn local(&self) -> Link {
        connect(&Address::Unix(self.folder.path().join("control.sock"))).await.unwrap()
    }

    async fn with(&self, token: &str) -> Link {
        let credentials = Credentials::default().with_token(&token.to_owned().into()).unwrap();
        connect_as(&Address::Http(format!("http://{}", self.tcp)), credentials).await.unwrap()
    }

    /// A token made at the Unix socket: its id and its text.
    async fn token(&self, name: &str, role: v1::Role) -> (String, String) {
        let request = v1::CreateTokenRequest {
            display_name: name.to_owned(),
            role: role.into(),
            life: None,
            ..Default::default()
        };
        let made = AccessClient::new(self.local().await).create_token(request).await.unwrap();
        let made = made.into_inner();
        (made.token.unwrap().name, made.text)
    }

    fn audit(&self) -> Vec<(String, String, String, String)> {
        let text = std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap();
        let line = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let word = |key: &str| {
                let value = line.get(key).and_then(serde_json::Value::as_str);
                value.unwrap_or_default().to_owned()
            };
            (word("who"), word("what"), word("on"), word("result"))
        };
        text.lines().map(line).collect()
    }
}

async fn look(link: &Link) -> Result<usize, Status> {
    let listed = TeamsClient::new(link.clone()).list_teams(v1::ListTeamsRequest::default()).await;
    listed.map(|listed| listed.into_inner().teams.len())
}

async fn steer(link: &Link) -> Status {
    let request = v1::PinStrategyRequest { team: "teams/A".to_owned(), ..Default::default() };
    StrategiesClient::new(link.clone()).pin_strategy(request).await.unwrap_err()
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

#[tokio::test]
async fn each_role_may_what_the_table_says_and_nobody_more() {
    let daemon = Daemon::start(None, None);
    let anonymous = connect(&Address::Http(format!("http://{}", daemon.tcp))).await.unwrap();
    let refused = look(&anonymous).await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::Unauthenticated, "TOKEN_MISSING")
    );
    assert!(refused.message().contains("phalanx token create"), "{refused}");

    let (_, viewer) = daemon.token("dash", v1::Role::Viewer).await;
    let viewer = daemon.with(&viewer).await;
    assert_eq!(look(&viewer).await.unwrap(), 1);
    let refused = steer(&viewer).await;
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::PermissionDenied, "ROLE_TOO_SMALL")
    );
    let info = refused.get_details_error_info().unwrap();
    let told = |key: &str| info.metadata.get(key).cloned().unwrap_or_default();
    assert_eq!((told("has").as_str(), told("needs").as_str()), ("viewer", "operator"));

    // It runs in the team's VM.
    let request = v1::ProfileStrategyRequest { team: "teams/A".to_owned(), turns: 1 };
    let refused = StrategiesClient::new(viewer).profile_strategy(request).await.unwrap_err();
    assert_eq!(reason(&refused), "ROLE_TOO_SMALL");

    // The fake team keeps no strategy: a caller that gets this far was let in.
    let (_, operator) = daemon.token("kim", v1::Role::Operator).await;
    let operator = daemon.with(&operator).await;
    assert_eq!(reason(&steer(&operator).await), "NO_STRATEGY");
    let listed = AccessClient::new(operator).list_tokens(v1::ListTokensRequest::default()).await;
    assert_eq!(listed.unwrap_err().code(), Code::PermissionDenied);

    let (_, admin) = daemon.token("root", v1::Role::Admin).await;
    let mut admin = AccessClient::new(daemon.with(&admin).await);
    let caller = admin.get_caller(v1::GetCallerRequest {}).await.unwrap().into_inner();
    assert!(caller.who.starts_with("root (token "), "{}", caller.who);
    assert_eq!(caller.role(), v1::Role::Admin);
    let request = v1::ListTokensRequest { page_size: 2, page_token: String::new() };
    let page = admin.list_tokens(request).await.unwrap().into_inner();
    let names: Vec<_> = page.tokens.iter().map(|token| token.display_name.as_str()).collect();
    assert_eq!(names, ["dash", "kim"]);
    let request = v1::ListTokensRequest { page_size: 2, page_token: page.next_page_token };
    let page = admin.list_tokens(request).await.unwrap().into_inner();
    assert_eq!((page.tokens.len(), page.next_page_token.as_str()), (1, ""));
}

#[tokio::test]
async fn this_machine_has_the_role_that_the_settings_give_it() {
    let daemon = Daemon::start(Some(Role::Viewer), None);
    let here = connect(&Address::Http(format!("http://{}", daemon.tcp))).await.unwrap();
    assert_eq!(look(&here).await.unwrap(), 1);
    assert_eq!(reason(&steer(&here).await), "ROLE_TOO_SMALL");
    // A wrong token does not count as no token.
    assert_eq!(reason(&look(&daemon.with("phx_x").await).await.unwrap_err()), "TOKEN_MALFORMED");
}

#[tokio::test]
async fn a_revoked_token_is_told_so_and_guesses_end_in_waiting() {
    let daemon = Daemon::start(None, None);
    let (name, text) = daemon.token("kim", v1::Role::Operator).await;
    let link = daemon.with(&text).await;
    assert!(look(&link).await.is_ok());
    let mut admin = AccessClient::new(daemon.local().await);
    let request = v1::RevokeTokenRequest { name: name.clone(), ..Default::default() };
    admin.revoke_token(request.clone()).await.unwrap();
    assert_eq!(reason(&look(&link).await.unwrap_err()), "TOKEN_REVOKED");
    assert_eq!(reason(&admin.revoke_token(request).await.unwrap_err()), "TOKEN_ENDED");
    for name in ["tokens/", "tokens/a/b", "7k2m9qxa", "tokens/\0"] {
        let request = v1::RevokeTokenRequest { name: name.to_owned(), ..Default::default() };
        let refused = reason(&admin.revoke_token(request).await.unwrap_err());
        assert!(refused == "NAME_MALFORMED" || refused == "TOKEN_NOT_FOUND", "{name}: {refused}");
    }
    // Longer than any header may be: the call fails before the token is checked.
    assert!(look(&daemon.with(&"phx_".repeat(5_000)).await).await.is_err());
    let guess = daemon.with("phx_guess").await;
    let (_, valid) = daemon.token("dash", v1::Role::Viewer).await;
    let mut last = String::new();
    for _ in 0..12 {
        last = reason(&look(&guess).await.unwrap_err());
    }
    assert_eq!(last, "TOO_MANY_FAILURES");
    assert!(look(&daemon.with(&valid).await).await.is_ok(), "a valid token always passes");
    assert!(look(&daemon.local().await).await.is_ok(), "the Unix socket asks for no token");
}

#[tokio::test]
async fn every_change_leaves_a_line_and_every_denial_is_counted_without_secrets() {
    let daemon = Daemon::start(None, None);
    let (name, text) = daemon.token("dash", v1::Role::Viewer).await;
    let viewer = daemon.with(&text).await;
    look(&viewer).await.unwrap();
    steer(&viewer).await;
    steer(&daemon.local().await).await;
    // A request that is only checked changes nothing.
    let checked =
        v1::StopTeamRequest { name: "teams/A".into(), validate_only: true, ..Default::default() };
    TeamsClient::new(daemon.local().await).stop_team(checked).await.unwrap();
    AccessClient::new(daemon.local().await)
        .revoke_token(v1::RevokeTokenRequest { name: name.clone(), ..Default::default() })
        .await
        .unwrap();
    let lines = daemon.audit();
    let told: Vec<_> = lines
        .iter()
        .map(|(_, what, on, result)| (what.as_str(), on.as_str(), result.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("Access/CreateToken", "dash", "ok"),
            ("Strategies/PinStrategy", "teams/A", "FailedPrecondition"),
            ("Access/RevokeToken", name.as_str(), "ok"),
        ]
    );
    daemon.handle.stop(GRACE).await;
    let denied = std::fs::read_to_string(daemon.folder.path().join("denied.jsonl")).unwrap();
    let denied: serde_json::Value = serde_json::from_str(&denied).unwrap();
    assert!(denied["who"].as_str().unwrap().starts_with("dash (token "), "{denied}");
    assert_eq!(
        (&denied["what"], &denied["reason"], &denied["count"], &denied["from"]),
        (
            &"Strategies/PinStrategy".into(),
            &"ROLE_TOO_SMALL".into(),
            &1.into(),
            &"127.0.0.1".into()
        )
    );
    // A secret may contain underscores.
    let secret = text.splitn(3, '_').nth(2).unwrap();
    for file in ["audit.jsonl", "denied.jsonl", "tokens.json"] {
        let kept = std::fs::read_to_string(daemon.folder.path().join(file)).unwrap();
        assert!(!kept.contains(secret), "{file}");
    }
}

#[tokio::test]
async fn a_flood_of_denied_calls_pushes_nothing_out_of_the_audit_log() {
    let daemon = Daemon::start(None, None);
    let (_, token) = daemon.token("dash", v1::Role::Viewer).await;
    let size = |name: &str| std::fs::metadata(daemon.folder.path().join(name)).unwrap().len();
    let before = size("audit.jsonl");
    let anonymous = connect(&Address::Http(format!("http://{}", daemon.tcp))).await.unwrap();
    let (guess, valid) = (daemon.with("phx_guess").await, daemon.with(&token).await);
    let begun = std::time::Instant::now();
    for round in 0..FLOOD {
        assert_eq!(steer(&anonymous).await.code(), Code::Unauthenticated);
        steer(&guess).await;
        if round % 50 == 0 {
            look(&valid).await.unwrap();
        }
    }
    let took = begun.elapsed();
    assert_eq!(size("audit.jsonl"), before);
    let folder = daemon.folder;
    daemon.handle.stop(GRACE).await;
    let denied = std::fs::read_to_string(folder.path().join("denied.jsonl")).unwrap();
    println!("{} denied calls in {took:?}: {} bytes", 2 * FLOOD, denied.len());
    let lines = denied.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let count = |line: &serde_json::Value| line["count"].as_u64().unwrap();
    assert_eq!(lines.iter().map(count).sum::<u64>(), 2 * FLOOD);
    // Three reasons, in each of the minutes that it took.
    let minutes = usize::try_from(took.as_secs() / 60).unwrap() + 2;
    assert!(lines.len() <= 3 * minutes, "{denied}");
}

#[tokio::test]
async fn the_word_before_a_token_is_read_in_any_case() {
    let daemon = Daemon::start(None, None);
    let (_, token) = daemon.token("dash", v1::Role::Viewer).await;
    let tcp = daemon.tcp;
    let call = async |header: String| {
        let channel = tonic::transport::Endpoint::from_shared(format!("http://{tcp}")).unwrap();
        let mut teams = TeamsClient::new(channel.connect().await.unwrap());
        let mut request = tonic::Request::new(v1::ListTeamsRequest::default());
        request.metadata_mut().insert("authorization", header.parse().unwrap());
        teams.list_teams(request).await.map(drop).map_err(|status| reason(&status))
    };
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(call(format!("{scheme} {token}")).await, Ok(()));
    }
    assert_eq!(call(format!("Basic {token}")).await, Err("TOKEN_MALFORMED".to_owned()));
    assert_eq!(call(token.clone()).await, Err("TOKEN_MALFORMED".to_owned()));
}

#[tokio::test]
async fn wrong_wishes_for_tokens_are_told_by_field() {
    let daemon = Daemon::start(None, None);
    let mut admin = AccessClient::new(daemon.local().await);
    let second = Some(prost_types::Duration { seconds: 1, nanos: 0 });
    let cases = [
        ("", v1::Role::Viewer, second, "TOKEN_NAME"),
        ("a\nb", v1::Role::Viewer, second, "TOKEN_NAME"),
        ("a", v1::Role::Unspecified, second, "TOKEN_ROLE"),
        ("a", v1::Role::Viewer, Some(prost_types::Duration::default()), "TOKEN_LIFE"),
        (
            "a",
            v1::Role::Viewer,
            Some(prost_types::Duration { seconds: -5, nanos: 0 }),
            "TOKEN_LIFE",
        ),
    ];
    for (name, role, life, expected) in cases {
        let request = v1::CreateTokenRequest {
            display_name: name.to_owned(),
            role: role.into(),
            life,
            ..Default::default()
        };
        let refused = admin.create_token(request).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, expected));
    }
}

/// An authority, and what it signs.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// A certificate and its key, in PEM.
    pub fn sign(&self) -> (String, String) {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let key = KeyPair::generate().unwrap();
        let signed = CertificateParams::new(names).unwrap().signed_by(&key, &self.0).unwrap();
        (signed.pem(), key.serialize_pem())
    }

    pub fn serve(&self, folder: &Path) -> TlsOptions {
        let (certificate, key) = self.sign();
        let write = |name: &str, text: &str| -> PathBuf {
            std::fs::write(folder.join(name), text).unwrap();
            folder.join(name)
        };
        TlsOptions {
            certificate: write("server.pem", &certificate),
            key: write("server.key", &key),
            client_ca: None,
        }
    }
}

async fn over_tls(tcp: SocketAddr, credentials: Credentials) -> Result<usize, String> {
    let address = Address::Https(format!("https://127.0.0.1:{}", tcp.port()));
    let link = connect_as(&address, credentials).await.map_err(|error| error.to_string())?;
    look(&link).await.map_err(|status| status.to_string())
}

#[tokio::test]
async fn certificates_are_believed_by_their_authority_and_change_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (Authority::new(), Authority::new());
    let options = old.serve(folder.path());
    let certificates = Arc::new(Certificates::load(options).unwrap());
    let daemon = Daemon::start(Some(Role::Viewer), Some(Arc::clone(&certificates)));
    let believing = |authority: &Authority| Credentials::default().with_authority(authority.pem());
    assert_eq!(over_tls(daemon.tcp, believing(&old)).await, Ok(1));
    assert!(over_tls(daemon.tcp, believing(&new)).await.is_err());

    new.serve(folder.path());
    certificates.reload().unwrap();
    assert_eq!(over_tls(daemon.tcp, believing(&new)).await, Ok(1));
    assert!(over_tls(daemon.tcp, believing(&old)).await.is_err());

    std::fs::write(folder.path().join("server.key"), "no key").unwrap();
    let error = certificates.reload().unwrap_err().to_string();
    assert!(error.contains("server.key") && error.contains("no private key in PEM"), "{error}");
    assert_eq!(over_tls(daemon.tcp, believing(&new)).await, Ok(1), "the good ones stay in use");
}

#[tokio::test]
async fn where_callers_need_a_certificate_nobody_comes_in_without() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let ca = folder.path().join("clients.pem");
    std::fs::write(&ca, theirs.pem()).unwrap();
    let options = TlsOptions { client_ca: Some(ca), ..ours.serve(folder.path()) };
    let certificates = Arc::new(Certificates::load(options).unwrap());
    let daemon = Daemon::start(Some(Role::Viewer), Some(certificates));
    let believing = Credentials::default().with_authority(ours.pem());
    assert!(over_tls(daemon.tcp, believing.clone()).await.is_err());
    let shown = |authority: &Authority| {
        let (certificate, key) = authority.sign();
        believing.clone().with_identity(certificate.into(), key.into())
    };
    assert_eq!(over_tls(daemon.tcp, shown(&theirs)).await, Ok(1));
    assert!(over_tls(daemon.tcp, shown(&ours)).await.is_err());
}

#[tokio::test]
async fn plain_text_and_garbage_to_the_tls_port_end_and_others_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let certificates = Certificates::load(authority.serve(folder.path())).unwrap();
    let daemon = Daemon::start(Some(Role::Viewer), Some(Arc::new(certificates)));
    let plain = connect(&Address::Http(format!("http://{}", daemon.tcp))).await;
    if let Ok(link) = plain {
        assert!(look(&link).await.is_err());
    }
    let tcp = daemon.tcp;
    let garbage = tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let mut stream = std::net::TcpStream::connect(tcp).unwrap();
        stream.write_all(&[0x47; 4096]).unwrap();
        let mut answer = Vec::new();
        // The connection was closed, properly or not.
        drop(stream.read_to_end(&mut answer));
    });
    garbage.await.unwrap();
    let believing = Credentials::default().with_authority(authority.pem());
    assert_eq!(over_tls(daemon.tcp, believing).await, Ok(1));
}

#[tokio::test]
async fn a_caller_that_mistakes_the_protocol_or_the_authority_gets_advice() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let certificates = Certificates::load(ours.serve(folder.path())).unwrap();
    let secure = Daemon::start(Some(Role::Viewer), Some(Arc::new(certificates)));
    let plain = Daemon::start(Some(Role::Viewer), None);
    let believing = |authority: &Authority| Credentials::default().with_authority(authority.pem());
    let told = over_tls(secure.tcp, believing(&theirs)).await.unwrap_err();
    assert!(told.contains("--ca FILE"), "{told}");
    let told = over_tls(plain.tcp, believing(&ours)).await.unwrap_err();
    assert!(told.contains("use http:// instead of https://"), "{told}");
    let told = connect(&Address::Http(format!("http://{}", secure.tcp))).await.unwrap_err();
    let told = told.to_string();
    assert!(told.contains("use https:// instead of http://"), "{told}");
}

#[tokio::test]
async fn a_crowd_of_silent_callers_is_kept_out_of_the_others_way() {
    let daemon = Daemon::start(Some(Role::Viewer), None);
    let tcp = daemon.tcp;
    let crowd = tokio::task::spawn_blocking(move || {
        (0..600).map(|_| std::net::TcpStream::connect(tcp).unwrap()).collect::<Vec<_>>()
    });
    let mut crowd = crowd.await.unwrap();
    // The first one was closed for later ones.
    let first = crowd.swap_remove(0);
    let hung_up = tokio::task::spawn_blocking(move || {
        let mut first = first;
        matches!(first.read(&mut [0]), Ok(0) | Err(_))
    });
    assert!(hung_up.await.unwrap());
    assert!(look(&daemon.local().await).await.is_ok());
    let here = Address::Http(format!("http://{tcp}"));
    assert!(look(&connect(&here).await.unwrap()).await.is_ok());
    drop(crowd);
    daemon.handle.stop(std::time::Duration::from_secs(1)).await;
}
