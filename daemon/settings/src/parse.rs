//! Parses written values into typed ones. Each function returns what it expected if it fails.

use crate::node::{Data, Node};
use crate::section::{Expected, describe};
use crate::{HostPattern, Kind};
use secrecy::SecretString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The word that switches a listener off.
const OFF: &str = "off";
/// The word for a referee that starts the agents itself.
pub(crate) const BRIDGE: &str = "bridge";
/// Most web origins.
const ORIGINS_MAX: usize = 32;
/// Most hosts of one list.
const HOSTS_MAX: usize = 64;
/// Longest web origin, in bytes.
const ORIGIN_BYTES_MAX: usize = 256;
/// Levels of log directives.
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

pub(crate) fn text(node: &Node, kind: Kind) -> Result<String, Expected> {
    let text = as_text(node).ok_or_else(|| describe(kind))?;
    let name_max = if let Kind::Name(max) = kind { Some(max) } else { None };
    let text_max = if let Kind::Text(max) = kind { max } else { usize::MAX };
    let (max, slash) = name_max.map_or((text_max, true), |max| (max, false));
    let length = (1..=max).contains(&text.chars().count());
    let clean = !text.contains(char::is_control) && (slash || !text.contains('/'));
    if length && clean { Ok(text.to_owned()) } else { Err(describe(kind)) }
}

pub(crate) fn word(node: &Node, kind: Kind) -> Result<String, Expected> {
    let Kind::Word(words) = kind else { return text(node, kind) };
    let word = as_text(node).filter(|word| words.contains(word));
    word.map(str::to_owned).ok_or_else(|| describe(kind))
}

pub(crate) fn secret(node: &Node, kind: Kind) -> Result<SecretString, Expected> {
    as_text(node).map(SecretString::from).ok_or_else(|| describe(kind))
}

pub(crate) fn whole(node: &Node, kind: Kind) -> Result<i64, Expected> {
    let number = match &node.data {
        Data::Whole(whole) => Some(*whole),
        Data::Text(text) if node.is_loose() => text.parse().ok(),
        Data::Text(_) | Data::Num(_) | Data::Bool(_) | Data::List(_) | Data::Table(_) => None,
    };
    let fits = |number: &i64| {
        let Kind::Whole(min, max) = kind else { return true };
        (min..=max).contains(number)
    };
    number.filter(fits).ok_or_else(|| describe(kind))
}

pub(crate) fn share(node: &Node, kind: Kind) -> Result<f64, Expected> {
    let number = match &node.data {
        Data::Num(num) => Some(*num),
        Data::Whole(0) => Some(0.0),
        Data::Whole(1) => Some(1.0),
        Data::Text(text) if node.is_loose() => text.parse().ok(),
        Data::Whole(_) | Data::Text(_) | Data::Bool(_) | Data::List(_) | Data::Table(_) => None,
    };
    number.filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| describe(kind))
}

pub(crate) fn duration(node: &Node, kind: Kind) -> Result<Duration, Expected> {
    let unit = || format!("{}: a duration needs a unit, for example \"400ms\"", describe(kind));
    let written = as_text(node).ok_or_else(unit)?;
    let time = humantime::parse_duration(written).map_err(|_| unit())?;
    let Kind::Duration(min, max) = kind else { return Ok(time) };
    let fits = Duration::from_millis(min) <= time && time <= Duration::from_millis(max);
    if fits { Ok(time) } else { Err(describe(kind)) }
}

pub(crate) fn size(node: &Node, kind: Kind) -> Result<usize, Expected> {
    let unit = || format!("{}: a size needs a unit, for example \"64MiB\"", describe(kind));
    let bytes = as_text(node).and_then(size_of_text).ok_or_else(unit)?;
    let fits = |bytes: &u64| {
        let Kind::Size(min, max) = kind else { return true };
        (min..=max).contains(bytes)
    };
    let size = Some(bytes).filter(fits).and_then(|bytes| usize::try_from(bytes).ok());
    size.ok_or_else(|| describe(kind))
}

/// `64MiB`, `1.5 GB`, `512B`.
fn size_of_text(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

pub(crate) fn path(node: &Node, kind: Kind) -> Result<PathBuf, Expected> {
    let written = as_text(node).filter(|text| !text.is_empty() && !text.contains('\0'));
    written.map(|text| node.origin.folder().join(text)).ok_or_else(|| describe(kind))
}

pub(crate) fn path_or_off(node: &Node, kind: Kind) -> Result<Option<PathBuf>, Expected> {
    if as_text(node) == Some(OFF) { Ok(None) } else { path(node, kind).map(Some) }
}

pub(crate) fn address_or_off(node: &Node, kind: Kind) -> Result<Option<SocketAddr>, Expected> {
    let written = as_text(node).ok_or_else(|| describe(kind))?;
    if written == OFF {
        return Ok(None);
    }
    let local = written.replace("localhost:", "127.0.0.1:");
    let address = local.parse::<SocketAddr>().ok();
    address.map(Some).ok_or_else(|| describe(kind))
}

/// `host:port`, `1.2.3.4:5`, `[::1]:5`, `bridge`.
pub(crate) fn server(node: &Node, kind: Kind) -> Result<String, Expected> {
    let expected = || format!("{}, for example \"127.0.0.1:12300\"", describe(kind));
    let written = as_text(node).ok_or_else(expected)?;
    if written == BRIDGE {
        return Ok(written.to_owned());
    }
    let (host, port) = written.rsplit_once(':').ok_or_else(expected)?;
    let port = port.parse::<u16>().is_ok_and(|port| port > 0);
    let six = host.starts_with('[') && host.ends_with(']') && written.parse::<SocketAddr>().is_ok();
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let named = !host.is_empty() && host.chars().all(letter);
    if port && (named || six) { Ok(written.to_owned()) } else { Err(expected()) }
}

pub(crate) fn mode(node: &Node, kind: Kind) -> Result<u32, Expected> {
    let bits = as_text(node).and_then(|text| u32::from_str_radix(text, 8).ok());
    // The owner must be able to read and write, or the daemon could not use its own socket.
    bits.filter(|bits| (0o600..=0o777).contains(bits) && bits & 0o600 == 0o600)
        .ok_or_else(|| describe(kind))
}

pub(crate) fn log_filter(node: &Node, kind: Kind) -> Result<String, Expected> {
    let example = || format!("{}, for example \"info,phalanx_net=debug\"", describe(kind));
    let written = as_text(node).ok_or_else(example)?;
    let directive = |part: &str| match part.trim().rsplit_once('=') {
        Some((target, level)) => !target.is_empty() && LEVELS.contains(&level),
        None => LEVELS.contains(&part.trim()),
    };
    if written.split(',').all(directive) { Ok(written.to_owned()) } else { Err(example()) }
}

/// Web origins, as browsers send them: `https://dash.example:3000`.
pub(crate) fn origins(node: &Node, kind: Kind) -> Result<Vec<String>, Expected> {
    let expected = || format!("{} such as [\"https://dash.example:3000\"]", describe(kind));
    let texts = texts(node).ok_or_else(expected)?;
    if texts.len() > ORIGINS_MAX {
        return Err(format!("at most {ORIGINS_MAX} origins"));
    }
    let checked = texts.into_iter().map(|text| match text {
        "*" => Err(format!(
            "{}; \"*\" would let any web page that is open in a browser here control the teams",
            expected()
        )),
        text if is_origin(text) => Ok(text.to_owned()),
        text => {
            let shown: String = text.chars().take(ORIGIN_BYTES_MAX).collect();
            Err(format!(
                "{}: scheme, host and port in small letters, nothing behind them; not {shown:?}",
                expected()
            ))
        }
    });
    checked.collect()
}

/// Hosts, each with or without a port: `referee.example:12300`.
pub(crate) fn hosts(node: &Node, kind: Kind) -> Result<Vec<HostPattern>, Expected> {
    let expected = || format!("{} such as [\"referee.example:12300\"]", describe(kind));
    let texts = texts(node).ok_or_else(expected)?;
    if texts.len() > HOSTS_MAX {
        return Err(format!("at most {HOSTS_MAX} hosts"));
    }
    let read = |text: &str| {
        let shown = || text.chars().take(ORIGIN_BYTES_MAX).collect::<String>();
        text.parse().map_err(|error| format!("{error}; not {:?}", shown()))
    };
    texts.into_iter().map(read).collect()
}

/// The texts of a list; flags and the environment separate them by commas.
fn texts(node: &Node) -> Option<Vec<&str>> {
    match &node.data {
        Data::List(list) => list.iter().map(as_text).collect(),
        Data::Text(text) if node.is_loose() => Some(text.split(',').map(str::trim).collect()),
        Data::Text(_) | Data::Whole(_) | Data::Num(_) | Data::Bool(_) | Data::Table(_) => None,
    }
}

fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest.filter(|_| text.len() <= ORIGIN_BYTES_MAX) else { return false };
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !rest.ends_with(']') => (host, Some(port)),
        Some(_) | None => (rest, None),
    };
    let six = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    let named = !host.is_empty() && host.chars().all(letter);
    let host = named || six.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok());
    host && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn as_text(node: &Node) -> Option<&str> {
    match &node.data {
        Data::Text(text) => Some(text),
        Data::Whole(_) | Data::Num(_) | Data::Bool(_) | Data::List(_) | Data::Table(_) => None,
    }
}
