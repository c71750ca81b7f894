//! Tokens as their users meet them: made, shown, expired, revoked, guessed, kept on disk.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use phalanx_access::throttle::{FAILURES_MAX, WINDOW};
use phalanx_access::{AccessToken, Authenticator, Denied, Role, TokenStore, TokenStoreError};
use proptest::prelude::*;
use rand::SeedableRng;
use rstest::rstest;
use secrecy::ExposeSecret;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const NOW: u64 = 1_800_000_000;

fn random() -> rand_chacha::ChaCha8Rng {
    rand_chacha::ChaCha8Rng::seed_from_u64(7)
}

fn authenticator(path: &Path) -> Authenticator {
    Authenticator::new(TokenStore::open(path).unwrap())
}

fn text(token: &AccessToken) -> String {
    token.text().expose_secret().to_owned()
}

#[test]
fn a_token_opens_until_it_is_revoked_and_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let gate = authenticator(&path);
    let (token, made) = gate.create("dashboard", Role::Viewer, None, NOW, &mut random()).unwrap();
    let text = text(&token);
    let now = Instant::now();
    assert!(gate.is_quick(&text), "no check costs an argon2 hash");
    assert_eq!(gate.check(&text, HOME, now, NOW), Ok(made.clone()));

    let again = authenticator(&path);
    assert!(again.is_quick(&text));
    assert_eq!(again.check(&text, HOME, now, NOW), Ok(made.clone()));
    let revoked = again.revoke(&made.id, NOW + 5).unwrap();
    assert_eq!(revoked.revoked, Some(NOW + 5));
    assert_eq!(again.check(&text, HOME, now, NOW + 6), Err(Denied::Revoked));
    assert!(matches!(again.revoke(&made.id, NOW + 6), Err(TokenStoreError::Revoked(_))));
    assert!(matches!(again.revoke("nobody00", NOW), Err(TokenStoreError::Unknown(_))));
}

#[test]
fn a_token_ends_when_its_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let gate = authenticator(&folder.path().join("tokens.json"));
    let life = Some(Duration::from_secs(60));
    let (token, _) = gate.create("day", Role::Operator, life, NOW, &mut random()).unwrap();
    let (text, now) = (text(&token), Instant::now());
    assert!(gate.check(&text, HOME, now, NOW + 59).is_ok());
    assert_eq!(gate.check(&text, HOME, now, NOW + 60), Err(Denied::Expired));
}

#[test]
fn the_file_holds_no_secret_and_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let gate = authenticator(&path);
    let (token, _) = gate.create("x", Role::Admin, None, NOW, &mut random()).unwrap();
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(!kept.contains(token.secret().expose_secret()));
    assert!(kept.contains("$argon2id$"), "{kept}");
    assert!(!format!("{gate:?} {token:?}").contains(token.secret().expose_secret()));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let opened = TokenStore::open(&path);
    assert!(matches!(opened, Err(TokenStoreError::OpenToOthers { .. })), "{opened:?}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&path, "{\"tokens\": [{}]}").unwrap();
    let opened = TokenStore::open(&path);
    assert!(matches!(opened, Err(TokenStoreError::Damaged { .. })), "{opened:?}");
}

#[test]
fn a_token_that_cannot_be_written_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let gate = authenticator(&path);
    let (_, first) = gate.create("first", Role::Viewer, None, NOW, &mut random()).unwrap();
    // A folder in the place of the file cannot be replaced.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let made = gate.create("second", Role::Viewer, None, NOW, &mut random());
    assert!(matches!(made, Err(TokenStoreError::Io { .. })), "{made:?}");
    assert!(matches!(gate.revoke(&first.id, NOW), Err(TokenStoreError::Io { .. })));
    assert_eq!(gate.list(), [first]);
}

#[rstest]
#[case::nothing("")]
#[case::no_prefix("abc")]
#[case::no_secret("phx_01234567")]
#[case::short_secret("phx_01234567_abc")]
#[case::strange_id("phx_0123456!_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
#[case::long(&"phx_".repeat(100_000))]
fn what_is_no_token_is_turned_away_at_once(#[case] text: &str) {
    let gate = Authenticator::new(TokenStore::in_memory());
    assert!(gate.is_quick(text));
    assert_eq!(gate.check(text, HOME, Instant::now(), NOW), Err(Denied::Malformed));
}

#[test]
fn a_wrong_secret_and_an_unknown_id_look_the_same() {
    let gate = Authenticator::new(TokenStore::in_memory());
    let (token, _) = gate.create("x", Role::Viewer, None, NOW, &mut random()).unwrap();
    let other = AccessToken::generate(&mut rand_chacha::ChaCha8Rng::seed_from_u64(8));
    let wrong = format!("phx_{}_{}", token.id, other.secret().expose_secret());
    let now = Instant::now();
    assert_eq!(gate.check(&wrong, HOME, now, NOW), Err(Denied::Unknown));
    assert_eq!(gate.check(&text(&other), HOME, now, NOW), Err(Denied::Unknown));
    assert!(gate.check(&text(&token), HOME, now, NOW).is_ok());
    // Once the right one is known, a wrong one is still wrong.
    assert_eq!(gate.check(&wrong, HOME, now, NOW), Err(Denied::Unknown));
}

#[test]
fn a_valid_token_passes_whatever_else_comes_from_its_address() {
    let gate = Authenticator::new(TokenStore::in_memory());
    let (token, made) = gate.create("x", Role::Viewer, None, NOW, &mut random()).unwrap();
    let (text, now) = (text(&token), Instant::now());
    let other = AccessToken::generate(&mut rand_chacha::ChaCha8Rng::seed_from_u64(8));
    let wrong = format!("phx_{}_{}", token.id, other.secret().expose_secret());
    for _ in 0..FAILURES_MAX {
        assert_eq!(gate.check(&wrong, HOME, now, NOW), Err(Denied::Unknown));
        assert_eq!(gate.check(&text, HOME, now, NOW), Ok(made.clone()));
    }
    // Failures are answered with "wait" from here on, and none of them costs an argon2 hash.
    for bad in [wrong.as_str(), "guess"] {
        assert!(gate.is_quick(bad));
        assert_eq!(gate.check(bad, HOME, now, NOW), Err(Denied::Throttled(WINDOW)));
    }
    assert_eq!(gate.check(&text, HOME, now, NOW), Ok(made));
    assert_eq!(gate.check("guess", [10, 0, 0, 1].into(), now, NOW), Err(Denied::Malformed));
    assert_eq!(gate.check("guess", HOME, now + WINDOW, NOW), Err(Denied::Malformed));
}

#[test]
fn a_token_of_an_earlier_daemon_is_valid_and_cheap_to_check_once_it_was_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let token = AccessToken::generate(&mut random());
    let params = argon2::Params::new(19 * 1024, 2, 1, None).unwrap();
    let argon = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let salt = SaltString::encode_b64(&[7; 16]).unwrap();
    let hash = argon.hash_password(token.secret().expose_secret().as_bytes(), &salt).unwrap();
    let file = format!(
        r#"{{"tokens": [{{"id": "{}", "name": "old", "role": "admin", "created": 1, "hash": "{hash}"}}]}}"#,
        token.id
    );
    std::fs::write(&path, file).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (gate, text, now) = (authenticator(&path), text(&token), Instant::now());
    assert!(!gate.is_quick(&text));
    assert_eq!(gate.check(&text, HOME, now, NOW).unwrap().name, "old");
    assert!(gate.is_quick(&text));
    let again = authenticator(&path);
    assert!(again.is_quick(&text), "it is kept");
    assert!(again.check(&text, HOME, now, NOW).is_ok());

    // An earlier daemon checks what is kept by argon2 alone.
    let kept = std::fs::read_to_string(&path).unwrap();
    let hash = kept.split('"').find(|part| part.starts_with("$argon2id$")).unwrap();
    let hash = PasswordHash::new(hash).unwrap();
    let secret = token.secret().expose_secret().as_bytes();
    assert!(argon2::Argon2::default().verify_password(secret, &hash).is_ok());
    assert!(argon2::Argon2::default().verify_password(b"another", &hash).is_err());
}

#[rstest]
#[case::empty("")]
#[case::long(&"n".repeat(65))]
#[case::escape("a\u{1b}[31m")]
fn names_are_for_people(#[case] name: &str) {
    let gate = Authenticator::new(TokenStore::in_memory());
    let made = gate.create(name, Role::Viewer, None, NOW, &mut random());
    assert!(matches!(made, Err(TokenStoreError::Name)), "{made:?}");
}

#[test]
fn a_greater_role_may_what_a_smaller_one_may() {
    for (index, role) in Role::ALL.into_iter().enumerate() {
        assert_eq!(role.word().parse(), Ok(role));
        for (other, needed) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role.may(needed), index >= other, "{role} {needed}");
        }
    }
    assert!("root".parse::<Role>().is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_turned_away(text in ".*") {
        if let Ok(token) = AccessToken::parse(&text) {
            let shown = token.text();
            prop_assert_eq!(shown.expose_secret(), &text);
        }
    }

    #[test]
    fn what_is_generated_is_read_back(seed: u64) {
        let token = AccessToken::generate(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
        let read = AccessToken::parse(token.text().expose_secret()).unwrap();
        prop_assert_eq!(&read.id, &token.id);
        prop_assert_eq!(read.secret().expose_secret(), token.secret().expose_secret());
    }
}
