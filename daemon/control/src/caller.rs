//! Who calls: the name for logs and journals, and the caller's deadline.

use phalanx_access::Role;
use std::time::Duration;
use tonic::Request;
use tonic::codegen::http::HeaderMap;
use tonic::metadata::MetadataMap;
use tonic::transport::server::UdsConnectInfo;

/// Request metadata in which clients add a person's name.
pub(crate) const USER_KEY: &str = "x-phalanx-user";
/// Longest such name that is shown, in characters.
const USER_CHARS_MAX: usize = 40;
/// The file with the users.
const USERS: &str = "/etc/passwd";
/// Request metadata with the deadline of a gRPC call.
const TIMEOUT_KEY: &str = "grpc-timeout";
/// Most digits of that deadline in gRPC.
const TIMEOUT_DIGITS_MAX: usize = 8;

/// The caller, as the gate identified it.
#[derive(Clone, Debug)]
pub(crate) struct IdentifiedCaller {
    /// The name for people.
    pub(crate) who: String,
    /// Stays the same for a caller, however often it connects and whatever name it gives itself.
    pub(crate) identity: String,
    pub(crate) role: Role,
    pub(crate) from: String,
}

/// The caller, as the gate identified it: the user at the Unix socket, the token over the network.
/// If the client also named a person, that name comes first: `Anna (kuno)`.
pub(crate) fn name<T>(request: &Request<T>) -> String {
    let caller = request.extensions().get::<IdentifiedCaller>();
    caller.map_or_else(|| "unknown".to_owned(), |caller| caller.who.clone())
}

/// The user at the other end of the Unix socket, as the system reports it: `kuno`, or `uid 1000` if
/// the user has no name here.
pub(crate) async fn user_at(peer: &UdsConnectInfo) -> String {
    match peer.peer_cred {
        Some(peer) => user(peer.uid()).await,
        None => "unknown".to_owned(),
    }
}

/// The proven name, after the name that the client gave itself.
pub(crate) fn shown(headers: &HeaderMap, proven: &str) -> String {
    match headers.get(USER_KEY).map(|given| readable(given.as_bytes())) {
        Some(given) if !given.is_empty() && given != proven => format!("{given} ({proven})"),
        Some(_) | None => proven.to_owned(),
    }
}

/// The user's name here, read on a thread that may block.
async fn user(uid: u32) -> String {
    let find = move || user_of(&std::fs::read_to_string(USERS).unwrap_or_default(), uid);
    let found = tokio::task::spawn_blocking(find).await.ok().flatten();
    found.unwrap_or_else(|| format!("uid {uid}"))
}

fn user_of(users: &str, uid: u32) -> Option<String> {
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut names = fields.filter_map(|fields| match fields.as_slice() {
        [name, _, id, ..] if id.parse() == Ok(uid) => Some(readable(name.as_bytes())),
        _ => None,
    });
    names.next().filter(|name| !name.is_empty())
}

/// Letters, digits and few other characters, so that no name imitates the brackets, a line or a
/// colour.
fn readable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '@');
    let name: String = name.chars().filter(plain).take(USER_CHARS_MAX).collect();
    name.trim().to_owned()
}

/// The caller's deadline; `None`: there is none.
pub(crate) fn patience(metadata: &MetadataMap) -> Option<Duration> {
    let text = metadata.get(TIMEOUT_KEY)?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > TIMEOUT_DIGITS_MAX || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count * 3_600),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_id_and_only_by_id() {
        let users = "root:x:0:0:root:/root:/bin/sh\nbroken\nkuno:x:1000:1000::/home/kuno:/bin/sh\n";
        assert_eq!(user_of(users, 1000).as_deref(), Some("kuno"));
        assert_eq!(user_of(users, 0).as_deref(), Some("root"));
        assert_eq!(user_of(users, 1), None);
        assert_eq!(user_of("", 0), None);
    }

    #[test]
    fn a_given_name_keeps_nothing_that_could_deceive() {
        for (given, shown) in [
            ("Anna", "Anna"),
            ("  Jörg B. ", "Jörg B."),
            ("eve (kuno)\n\u{1b}[31m", "eve kuno31m"),
            ("\u{202e}\u{200b}\0", ""),
            (&"x".repeat(1_000), &"x".repeat(USER_CHARS_MAX)),
        ] {
            assert_eq!(readable(given.as_bytes()), shown);
        }
        assert_eq!(readable(b"a\xff\xfeb"), "ab");
    }

    #[test]
    fn patience_is_read_in_every_unit_or_not_at_all() {
        let read = |text: &'static str| {
            let mut metadata = MetadataMap::new();
            metadata.insert(TIMEOUT_KEY, text.parse().unwrap());
            patience(&metadata)
        };
        assert_eq!(read("2S"), Some(Duration::from_secs(2)));
        assert_eq!(read("99999999H"), Some(Duration::from_secs(99_999_999 * 3_600)));
        assert_eq!(read("150m"), Some(Duration::from_millis(150)));
        for bad in ["", "S", "5", "-5S", "+5S", "999999999S", "5x", "1.5S"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(patience(&MetadataMap::new()), None);
    }
}
