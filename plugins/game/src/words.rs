//! Words for messages about names and parameters, shared by all checks.

use crate::Kind;

/// The most words that a message lists.
const WORDS_SHOWN_MAX: usize = 20;
/// The similarity from which a name is suggested (Jaro-Winkler, 0 to 1).
const SIMILAR_MIN: f64 = 0.8;
/// Longer than any name; longer inputs are not compared, since the cost is the product of both
/// lengths.
const SIMILAR_BYTES_MAX: usize = 100;

/// What a parameter accepts, as text for a message.
#[must_use]
pub fn expectation(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "true or false".into(),
        Kind::Int { min, max } => match (*min, *max) {
            (i64::MIN, i64::MAX) => "a whole number".into(),
            (min, i64::MAX) => format!("a whole number from {min}"),
            (i64::MIN, max) => format!("a whole number up to {max}"),
            (min, max) => format!("a whole number from {min} to {max}"),
        },
        Kind::Num => "a finite number".into(),
        Kind::Str => "a text".into(),
        Kind::Word(words) if words.len() > WORDS_SHOWN_MAX => {
            format!("one of {} words", words.len())
        }
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Cell => "a cell like { x = 1, y = 2 }".into(),
        Kind::Agent => "the name of an agent of the own team".into(),
        Kind::List(of) => format!("a list, each item {}", expectation(of)),
        Kind::Table(fields) => {
            let names: Vec<_> = fields.iter().map(|field| field.name).collect();
            format!("a table with the fields {}", names.join(", "))
        }
        Kind::Any => "plain data".into(),
    }
}

/// The known name that is most similar to an unknown one.
#[must_use]
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > SIMILAR_BYTES_MAX {
        return None;
    }
    // In short names, two swapped letters are already half of the name.
    let score = |word: &str| match strsim::osa_distance(name, word) {
        1 if word.len() > 2 => 1.0,
        _more => strsim::jaro_winkler(name, word),
    };
    let scored = known.into_iter().map(|word| (score(word), word));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 >= SIMILAR_MIN).then_some(best.1)
}
