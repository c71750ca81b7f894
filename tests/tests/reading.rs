//! How the code reads: plain words, and names that say what something is.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use phalanx_e2e::{files, is, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words that make texts hard to read: each has an ordinary word that says it better.
const DIALECT: &[&str] = &["told", "nobody", "stands", "so many", "whoever"];
/// How often each of them may occur in ten thousand words of documents.
const DOCUMENTS_MAX: usize = 1;
/// The same for the comments of all sources together.
const COMMENTS_MAX: usize = 1;
/// Longest list of files that a failure names.
const SHOWN_MAX: usize = 10;
/// How many of a thousand type names may be defined more than once.
const NAMES_TWICE_MAX: usize = 100;
/// Every game has these, named for what they are to the daemon.
const OF_EACH_GAME: &[&str] = &[
    "Action",
    "ArenaConfig",
    "ArenaOptions",
    "Briefing",
    "ConfigError",
    "Game",
    "Percept",
    "ServerConfig",
    "Session",
    "World",
];

#[test]
fn documents_are_in_plain_english() {
    let changelog = Path::new("CHANGELOG.md");
    let pages = files().into_iter().filter(|path| is(path, &["md"]) && path != changelog);
    let pages = pages.map(|path| (words(&text(&path)), path)).collect();
    assert_eq!(dialect(pages, DOCUMENTS_MAX), "");
}

#[test]
fn comments_are_in_plain_english() {
    let sources = files().into_iter().filter_map(|path| {
        let marks = if is(&path, &["rs", "ts", "tsx", "proto"]) {
            "//"
        } else if is(&path, &["luau", "lua"]) {
            "--"
        } else {
            return None;
        };
        Some((words(&comments(&text(&path), marks)), path))
    });
    assert_eq!(dialect(sources.collect(), COMMENTS_MAX), "");
}

#[test]
fn the_words_of_the_dialect_are_found() {
    let page = |text: &str| vec![(words(text), PathBuf::from("page"))];
    let found = dialect(page("Whoever is told so, many times."), 1);
    assert_eq!(found.lines().count(), 3, "{found}");
    assert!(found.starts_with("told: 1 times in 6 words: page 1"), "{found}");
    assert_eq!(dialect(page("The seat understands; `stand`s."), 1), "");
    assert_eq!(
        comments("let told = 1; // Plain, so\n    /// many times\n", "//"),
        " Plain, so  many times "
    );
}

/// A line for each word that occurs more than `max` times in ten thousand words of all texts.
fn dialect(texts: Vec<(String, PathBuf)>, max: usize) -> String {
    let total: usize = texts.iter().map(|(text, _)| text.split_whitespace().count()).sum();
    let mut lines = String::new();
    for phrase in DIALECT {
        let found =
            texts.iter().map(|(text, path)| (text.matches(&format!(" {phrase} ")).count(), path));
        let mut found: Vec<_> = found.filter(|(count, _)| *count > 0).collect();
        let count: usize = found.iter().map(|(count, _)| count).sum();
        if count * 10_000 <= max * total {
            continue;
        }
        found.sort_by(|a, b| b.cmp(a));
        let shown = found.iter().take(SHOWN_MAX);
        let shown: Vec<_> =
            shown.map(|(count, path)| format!("{} {count}", path.display())).collect();
        lines
            .push_str(&format!("{phrase}: {count} times in {total} words: {}\n", shown.join(", ")));
    }
    lines
}

/// What follows the first mark of each line, which for this count is comment enough.
fn comments(source: &str, mark: &str) -> String {
    let of_line = |line: &str| {
        let (_, comment) = line.split_once(mark)?;
        Some(comment.trim_start_matches(['/', '!', '-']).to_owned() + " ")
    };
    source.lines().filter_map(of_line).collect()
}

/// The words of a text in lower case, with a space before and behind each.
fn words(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).fold(" ".to_owned(), |all, word| all + word + " ")
}

#[test]
fn a_type_name_means_one_thing() {
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files().into_iter().filter(|path| is_product(path)) {
        for name in types(&text(&path)) {
            places.entry(name).or_default().push(path.clone());
        }
    }
    let all = places.len();
    let of_game: BTreeSet<_> = OF_EACH_GAME.iter().map(|name| (*name).to_owned()).collect();
    places.retain(|name, places| places.len() > 1 && !of_game.contains(name));
    let show = |(name, places): (&String, &Vec<PathBuf>)| {
        let places: Vec<_> = places.iter().map(|path| path.display().to_string()).collect();
        format!("\n  {name}: {}", places.join(", "))
    };
    let twice = places.len();
    let shown: String = places.iter().map(show).collect();
    assert!(twice * 1_000 <= NAMES_TWICE_MAX * all, "{twice} of {all} names:{shown}");
}

#[test]
fn types_are_found_in_sources() {
    let source = "
        pub struct One<T>(T);
        pub(crate) enum Two {}
        trait Three {
            type Associated;
        }
        type Four = u8;
        #[cfg(test)]
        mod tests { struct Five; }";
    let source = source.replace("\n        ", "\n");
    assert_eq!(types(&source), ["One", "Two", "Three", "Four"]);
}

/// Whether a file is product code that people wrote.
fn is_product(path: &Path) -> bool {
    let other = ["gen", "benches", "tests"];
    let skipped = path.iter().any(|part| other.iter().any(|other| part == *other));
    is(path, &["rs"]) && !skipped && !path.ends_with("tests.rs")
}

/// The types that a source defines outside its tests; associated types are indented.
fn types(source: &str) -> Vec<String> {
    let product = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let of_line = |line: &str| {
        let inner = line.trim_start();
        let rest = match inner.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.trim_start(),
            None => inner,
        };
        let (keyword, rest) = rest.split_once(' ')?;
        let is_associated = keyword == "type" && inner.len() < line.len();
        if is_associated || !["struct", "enum", "trait", "type"].contains(&keyword) {
            return None;
        }
        let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        let name = rest.get(..end)?;
        name.starts_with(char::is_uppercase).then(|| name.to_owned())
    };
    product.lines().filter_map(of_line).collect()
}
