//! Orders that the arrow keys give.

use phalanx_game::{Api, Kind};

/// Directions of the arrow keys: up, right, down, left.
const COMPASS: [&[&str; 4]; 2] = [&["n", "e", "s", "w"], &["up", "right", "down", "left"]];

/// The direction of an arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Right,
    Down,
    Left,
}

/// The directions of a game whose agents move with `move(direction)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compass {
    words: &'static [&'static str; 4],
}

impl Compass {
    /// The directions of a game; `None` if its agents move in another way.
    pub(super) fn of(api: &Api) -> Option<Self> {
        let moves = api.action("move")?;
        let Kind::Word(known) = moves.params.first()?.kind else { return None };
        let fits = |words: &&&[&str; 4]| words.iter().all(|word| known.contains(word));
        COMPASS.iter().find(fits).map(|words| Self { words })
    }

    /// The order to move this way.
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

    /// The order for a line that consists of a direction.
    pub(super) fn read(self, line: &str) -> Option<String> {
        self.words.contains(&line).then(|| format!("move({line:?})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrow_keys_speak_the_words_of_each_game() {
        let compass = |game| Compass::of(phalanx_games::api(game).unwrap());
        let ways = |game| compass(game).map(|compass| compass.order(Way::Up));
        let known: Vec<_> = phalanx_games::GAMES.iter().map(|game| ways(game)).collect();
        assert!(known.contains(&Some("move(\"n\")".to_owned())), "{known:?}");
        let compass = Compass { words: COMPASS[1] };
        assert_eq!(compass.order(Way::Left), "move(\"left\")");
        assert_eq!(compass.read("up"), Some("move(\"up\")".to_owned()));
        assert_eq!(compass.read("skip"), None);
    }
}
