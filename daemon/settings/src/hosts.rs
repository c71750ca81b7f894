//! Lists of hosts in settings, and whether they contain an address.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Longest pattern, in bytes: a name of maximal length and a port.
const PATTERN_BYTES_MAX: usize = 260;
/// The prefix of a pattern for all names below one.
const BELOW: &str = "*.";

/// A host, with or without a port: `referee.example`, `10.0.0.5:12300`, `[::1]`,
/// `*.contest.example`.
///
/// Names are compared as text and never resolved: a name in the list does not allow its address,
/// and an address does not allow its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    host: HostName,
    /// `None`: every port.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostName {
    Address(IpAddr),
    Name(String),
    /// Every name below this one, not the name itself.
    Below(String),
}

/// The text is not a pattern for hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host with or without a port, such as referee.example, 10.0.0.5:12300 or *.example.org")]
pub struct NoHost;

impl HostPattern {
    /// Whether the pattern matches a host (without brackets) and a port.
    #[must_use]
    pub fn fits(&self, host: &str, port: u16) -> bool {
        if self.port.is_some_and(|own| own != port) {
            return false;
        }
        match (&self.host, read(host)) {
            (HostName::Address(own), HostName::Address(other)) => *own == other,
            (HostName::Name(own), HostName::Name(other)) => *own == other,
            (HostName::Below(own), HostName::Name(other)) => {
                let rest = other.strip_suffix(own.as_str());
                rest.is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (HostName::Address(_) | HostName::Name(_) | HostName::Below(_), _) => false,
        }
    }
}

/// Normalises case, the last dot of a name, and IPv4 addresses written as IPv6.
fn read(host: &str) -> HostName {
    match host.parse::<IpAddr>() {
        Ok(address) => HostName::Address(address.to_canonical()),
        Err(_) => HostName::Name(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()),
    }
}

impl FromStr for HostPattern {
    type Err = NoHost;

    fn from_str(text: &str) -> Result<Self, NoHost> {
        let (host, port) = split(text).ok_or(NoHost)?;
        let port = port.map(|port| port.parse().ok().filter(|port| *port > 0).ok_or(NoHost));
        let port = port.transpose()?;
        let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let host = match (read(host), host.strip_prefix(BELOW)) {
            (_, Some(parent)) => match read(parent) {
                HostName::Name(parent) => HostName::Below(parent),
                HostName::Address(_) | HostName::Below(_) => return Err(NoHost),
            },
            (host, None) => host,
        };
        let named = match &host {
            HostName::Address(_) => true,
            HostName::Name(name) | HostName::Below(name) => {
                !name.is_empty() && name.chars().all(letter)
            }
        };
        if named { Ok(Self { host, port }) } else { Err(NoHost) }
    }
}

/// Host without brackets, and port.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    if text.len() > PATTERN_BYTES_MAX {
        return None;
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        host.parse::<Ipv6Addr>().ok()?;
        return match rest {
            "" => Some((host, None)),
            rest => Some((host, Some(rest.strip_prefix(':')?))),
        };
    }
    if text.parse::<Ipv6Addr>().is_ok() {
        return Some((text, None));
    }
    Some(text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))))
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            HostName::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
            HostName::Address(IpAddr::V4(address)) => write!(f, "{address}")?,
            HostName::Name(name) => f.write_str(name)?,
            HostName::Below(parent) => write!(f, "{BELOW}{parent}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> HostPattern {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_pattern_fits_what_it_names_and_nothing_that_looks_like_it() {
        for (text, host, port, fits) in [
            ("referee.example", "referee.example", 12300, true),
            ("referee.example", "Referee.Example.", 1, true),
            ("referee.example", "referee.example.evil.org", 1, false),
            ("referee.example", "evil.referee.example", 1, false),
            ("referee.example:12300", "referee.example", 12300, true),
            ("referee.example:12300", "referee.example", 12301, false),
            ("*.contest.example", "a.contest.example", 1, true),
            ("*.contest.example", "a.b.contest.example", 1, true),
            ("*.contest.example", "contest.example", 1, false),
            ("*.contest.example", ".contest.example", 1, false),
            ("*.contest.example", "evilcontest.example", 1, false),
            ("10.0.0.5", "10.0.0.5", 1, true),
            ("10.0.0.5", "::ffff:10.0.0.5", 1, true),
            ("10.0.0.5", "167772165", 1, false),
            ("127.0.0.1", "127.1", 1, false),
            ("127.0.0.1", "localhost", 1, false),
            ("localhost", "127.0.0.1", 1, false),
            ("[::1]:5", "0:0:0:0:0:0:0:1", 5, true),
            ("::1", "::1", 9, true),
            ("[::1]:5", "::1", 6, false),
        ] {
            assert_eq!(pattern(text).fits(host, port), fits, "{text} {host}:{port}");
        }
    }

    #[test]
    fn patterns_are_read_and_written_alike() {
        for text in ["referee.example", "10.0.0.5:1", "[::1]", "[::1]:5", "*.a.b:7"] {
            assert_eq!(pattern(text).to_string(), text);
        }
        for bad in [
            "",
            ":1",
            "a:0",
            "a:b",
            "a b",
            "*",
            "*.",
            "*.10.0.0.1",
            "http://a",
            "[::1",
            "[::1]5",
            "a/b",
        ] {
            assert_eq!(bad.parse::<HostPattern>(), Err(NoHost), "{bad:?}");
        }
        assert!("a".repeat(PATTERN_BYTES_MAX + 1).parse::<HostPattern>().is_err());
    }
}
