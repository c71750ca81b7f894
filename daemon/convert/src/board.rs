//! Entries of boards, and their names.

use crate::team::{TEAMS, resource_name};
use crate::{turn, value};
use phalanx_engine::BoardItem;
use phalanx_proto::v1;
use std::fmt::Write;

/// Separates a team's name from a key in an entry's resource name.
const BOARD: &str = "/board/";

/// The resource name of a key. Everything but plain letters is escaped, so that the key is one
/// segment.
#[must_use]
pub fn name(team: &str, key: &str) -> String {
    let mut name = format!("{}{BOARD}", resource_name(team));
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            name.push(byte.into());
        } else {
            write!(name, "%{byte:02X}").expect("a text takes everything");
        }
    }
    name
}

/// The team's resource name and the key in the name of an entry.
#[must_use]
pub fn split(name: &str) -> Option<(&str, String)> {
    let (team, escaped) = name.split_once(BOARD)?;
    let plain = team.starts_with(TEAMS) && !escaped.is_empty() && !escaped.contains(['/', '\0']);
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' { hex(rest.next()?)? * 16 + hex(rest.next()?)? } else { byte });
    }
    let key = String::from_utf8(bytes).ok()?;
    plain.then_some((team, key))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// An entry of a board.
#[must_use]
pub fn entry(team: &str, item: &BoardItem) -> v1::BoardEntry {
    let entry = item.entry.as_ref();
    v1::BoardEntry {
        name: name(team, &item.key),
        key: item.key.clone(),
        value: entry.map(|entry| value::whole_to_api(&entry.value)),
        author: entry.map(|entry| entry.author.clone()).unwrap_or_default(),
        turn: entry.map(|entry| turn(entry.turn)),
        turns_left: item.turns_left,
        claim_holder: item.holder.clone().unwrap_or_default(),
        etag: item.etag(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_key_is_one_segment_and_comes_back(key in "\\PC{1,40}|[\\x00-\\x7f]{1,20}") {
            let name = name("A", &key);
            prop_assert_eq!(name.matches('/').count(), 3);
            prop_assert_eq!(split(&name), Some(("teams/A", key)));
        }

        #[test]
        fn any_name_is_split_or_refused(rest in "[%/0-9a-g\\x00]{0,12}") {
            let name = format!("teams/A/board/{rest}");
            let expected = !rest.is_empty() && !rest.contains(['/', '\0']);
            prop_assert!(expected || split(&name).is_none(), "{}", name);
        }
    }

    #[test]
    fn a_name_that_is_no_entrys_is_refused() {
        for bad in [
            "",
            "teams/A",
            "teams/A/board",
            "teams/A/board/",
            "x/board/k",
            "teams/A/board/%",
            "teams/A/board/%4",
            "teams/A/board/%GG",
            "teams/A/board/%FF",
        ] {
            assert_eq!(split(bad), None, "{bad}");
        }
        assert_eq!(split("teams/A/board/seen%2F1"), Some(("teams/A", "seen/1".to_owned())));
        // Names whose characters need no escape are accepted unescaped too.
        assert_eq!(split("teams/A/board/ziel ü"), Some(("teams/A", "ziel ü".to_owned())));
    }
}
