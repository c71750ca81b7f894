//! Orders as people write them on a command line.

use phalanx_game::{Api, Kind};

/// Words of the script language that are no text.
const VALUES: [&str; 3] = ["true", "false", "nil"];
/// Where the arrow keys lead: up, right, down, left.
const COMPASS: [&[&str; 4]; 2] = [&["n", "e", "s", "w"], &["up", "right", "down", "left"]];

/// An order as the daemon reads it, from one as tables show it: `move(n)` becomes `move("n")`.
pub(super) fn written(order: &str) -> String {
    let mut written = String::with_capacity(order.len() + 8);
    let (mut depth, mut quote) = (0_usize, None);
    let mut rest = order.chars().peekable();
    while let Some(letter) = rest.next() {
        if quote.is_some() {
            written.push(letter);
            match letter {
                '\\' => written.extend(rest.next()),
                _ if Some(letter) == quote => quote = None,
                _ => {}
            }
            continue;
        }
        if !letter.is_ascii_alphabetic() && letter != '_' {
            match letter {
                '"' | '\'' => quote = Some(letter),
                '(' | '{' => depth += 1,
                ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            written.push(letter);
            continue;
        }
        let mut word = String::from(letter);
        while let Some(next) = rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
            word.push(next);
        }
        let after = rest.clone().find(|next| !next.is_whitespace());
        // What stands before `=` is a key, before `(` an action.
        let is_text = depth > 0 && !matches!(after, Some('=' | '(' | '.'));
        if is_text && !VALUES.contains(&word.as_str()) {
            written.push_str(&format!("{word:?}"));
        } else {
            written.push_str(&word);
        }
    }
    written
}

/// A direction in which an arrow key leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Right,
    Down,
    Left,
}

/// The directions of a game whose agents move by `move(direction)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compass {
    words: &'static [&'static str; 4],
}

impl Compass {
    /// That of a game; `None` where its agents do not move so.
    pub(super) fn of(api: &Api) -> Option<Self> {
        let moves = api.action("move")?;
        let Kind::Word(known) = moves.params.first()?.kind else { return None };
        let fits = |words: &&&[&str; 4]| words.iter().all(|word| known.contains(word));
        COMPASS.iter().find(fits).map(|words| Self { words })
    }

    /// The order that goes this way.
    pub(super) fn order(self, way: Way) -> String {
        let [up, right, down, left] = self.words;
        let word = match way {
            Way::Up => up,
            Way::Right => right,
            Way::Down => down,
            Way::Left => left,
        };
        format!("move({word:?})")
    }

    /// The order of a line that is a direction and nothing else.
    pub(super) fn read(self, line: &str) -> Option<String> {
        self.words.contains(&line).then(|| format!("move({line:?})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_quotes_are_text() {
        for (typed, read) in [
            ("move(n)", "move(\"n\")"),
            ("move(\"n\")", "move(\"n\")"),
            ("act.move(n)", "act.move(\"n\")"),
            ("skip", "skip"),
            ("skip()", "skip()"),
            ("clear(1, -2)", "clear(1, -2)"),
            ("go({ x = 1, to = home }, true, nil)", "go({ x = 1, to = \"home\" }, true, nil)"),
            ("say('a b', \"it's \\\" c\")", "say('a b', \"it's \\\" c\")"),
            ("submit(task0)", "submit(\"task0\")"),
        ] {
            assert_eq!(written(typed), read, "{typed}");
        }
    }

    #[test]
    fn the_arrow_keys_speak_the_words_of_each_game() {
        let compass = |game| Compass::of(crate::wire::api(game).unwrap());
        let ways = |game| compass(game).map(|compass| compass.order(Way::Up));
        let known: Vec<_> = crate::wire::GAMES.iter().map(|game| ways(game)).collect();
        assert!(known.contains(&Some("move(\"n\")".to_owned())), "{known:?}");
        let compass = Compass { words: COMPASS[1] };
        assert_eq!(compass.order(Way::Left), "move(\"left\")");
        assert_eq!(compass.read("up"), Some("move(\"up\")".to_owned()));
        assert_eq!(compass.read("skip"), None);
    }
}
