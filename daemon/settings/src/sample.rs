//! The commented sample: every key with its meaning, bounds and default.

use crate::change::Change;
use crate::key::KeyDoc;
use crate::keys::{KEYS, change};
use crate::section::documented;

/// Width of comment lines, in characters.
const WIDTH: usize = 96;

/// A settings file that lists every key. It loads as it is: the lines without a comment are the
/// smallest working team.
#[must_use]
pub fn sample() -> String {
    let mut out = String::from(
        "# Settings of phalanxd. Lines that begin with `#key` show a key with its default or an\n\
         # example; remove the `#` to change it. Files in `<this file>.d/` ending in `.toml` are\n\
         # read after it; PHALANX__LIMITS__DECIDE_MAX=200ms in the environment and\n\
         # `--set limits.decide_max=200ms` win over all files. SIGHUP and `phalanx daemon reload` read\n\
         # them again; what a reload cannot change is refused, and then nothing changes.\n",
    );
    let mut table = String::new();
    for doc in KEYS.iter() {
        let (parent, name) = doc.path.rsplit_once('.').unwrap_or(("", doc.path));
        if parent != table {
            table = parent.to_owned();
            out.push_str(&heading(parent));
        }
        out.push('\n');
        out.push_str(&comment(doc));
        out.push_str(&line(doc, parent, name));
    }
    out
}

fn heading(parent: &str) -> String {
    match parent {
        "teams[]" => "\n[[teams]]\n".to_owned(),
        "teams[].agents" => "\n# The keys of the pattern in `agents`:\n".to_owned(),
        "teams[].agents[]" => "\n# The keys of each table of the list in `agents`:\n".to_owned(),
        "teams[].roles[]" => "\n# The keys of each table of the list in `roles`:\n".to_owned(),
        parent => format!("\n[{parent}]\n"),
    }
}

fn comment(doc: &KeyDoc) -> String {
    let change = match change(doc.path) {
        Some(Change::Live) => " A reload changes it.".to_owned(),
        Some(Change::Restart(reason)) => format!(" Not by a reload: it {reason}."),
        None => String::new(),
    };
    wrap(&format!("{}{change}", documented(doc)))
}

fn line(doc: &KeyDoc, parent: &str, name: &str) -> String {
    let nested = parent.starts_with("teams[].");
    let minimal = matches!(name, "name" | "game" | "strategy" | "agents") && !nested;
    match (minimal, nested) {
        (true, _) => format!("{name} = {}\n", doc.example),
        (false, true) => format!("# {name} = {}\n", doc.example),
        (false, false) => format!("#{name} = {}\n", doc.example),
    }
}

fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut width = WIDTH;
    for word in text.split(' ') {
        if width + word.chars().count() + 1 > WIDTH {
            out.push_str(if out.is_empty() { "#" } else { "\n#" });
            width = 1;
        }
        out.push(' ');
        out.push_str(word);
        width += word.chars().count() + 1;
    }
    out.push('\n');
    out
}
