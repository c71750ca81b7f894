//! What the simulator knows of the games' wire formats: which message of a referee asks for an
//! answer, which message of ours answers it, and how to change a message so that it keeps its form.

mod json;
mod xml;

use memchr::memmem;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// How a game's messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireForm {
    /// JSON that ends with a byte of zero, a line end, or nothing.
    Json,
    /// XML that ends with a byte of zero.
    Xml,
    /// Fields of fixed sizes.
    Binary,
}

/// What tells that a player owes an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Requests have ids and deadlines.
    Ids,
    /// Each line of the referee is answered by a line.
    Lines,
    /// Nothing on the wire: what was decided has to leave.
    Decisions,
}

/// The wire format of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    pub(crate) form: WireForm,
    pub(crate) asks: Asks,
    /// Messages are whole: they cannot be split or merged.
    pub(crate) is_message: bool,
    marks: Option<Marks>,
    /// Names that the referee uses, for messages that say something else.
    words: &'static [&'static str],
}

/// Texts that identify requests and answers.
#[derive(Clone, Copy, Debug)]
struct Marks {
    request: &'static str,
    request_id: &'static str,
    deadline: &'static str,
    answer: &'static str,
    answer_id: &'static str,
}

/// A referee's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireRequest {
    /// The answer names it.
    pub(crate) id: i64,
    /// The referee's deadline, in milliseconds since the Unix epoch.
    pub(crate) deadline_ms: i64,
}

/// Names of messages and results in both contests that use the MASSim server.
const MASSIM_WORDS: &[&str] =
    &["sim-start", "sim-end", "request-action", "auth-response", "ok", "fail"];

const ASSEMBLE: Wire = Wire {
    form: WireForm::Json,
    asks: Asks::Ids,
    is_message: false,
    marks: Some(Marks {
        request: "\"type\":\"request-action\"",
        request_id: "\"id\":",
        deadline: "\"deadline\":",
        answer: "\"type\":\"action\"",
        answer_id: "\"id\":",
    }),
    words: MASSIM_WORDS,
};

const MARS: Wire = Wire {
    form: WireForm::Xml,
    asks: Asks::Ids,
    is_message: false,
    marks: Some(Marks {
        request: "type=\"request-action\"",
        request_id: " id=\"",
        deadline: "deadline=\"",
        answer: "type=\"action\"",
        answer_id: " id=\"",
    }),
    words: MASSIM_WORDS,
};

const BOMBERLAND: Wire = Wire {
    form: WireForm::Json,
    asks: Asks::Decisions,
    is_message: true,
    marks: None,
    words: &["tick", "game_state", "info"],
};

const COLOSSEUM: Wire = Wire {
    form: WireForm::Json,
    asks: Asks::Lines,
    is_message: false,
    marks: None,
    words: &["ping", "config", "state"],
};

const ASIMULATOR: Wire = Wire {
    form: WireForm::Binary,
    asks: Asks::Decisions,
    is_message: false,
    marks: None,
    words: &[],
};

impl Wire {
    /// The wire format of a game.
    pub(crate) fn of(game: &str) -> Self {
        match game {
            "assemble" => ASSEMBLE,
            "mars" => MARS,
            "bomberland" => BOMBERLAND,
            "colosseum" => COLOSSEUM,
            _ => ASIMULATOR,
        }
    }

    /// Requests can be told from other messages.
    pub(crate) fn has_requests(&self) -> bool {
        self.marks.is_some()
    }

    /// The request in a message of the referee, in games whose requests have ids and deadlines.
    pub(crate) fn request(&self, message: &[u8]) -> Option<WireRequest> {
        let marks = self.marks.as_ref()?;
        memmem::find(message, marks.request.as_bytes())?;
        let id = number_after(message, marks.request_id)?;
        Some(WireRequest { id, deadline_ms: number_after(message, marks.deadline)? })
    }

    /// Whether a message is the answer to a login that says when it was sent.
    pub(crate) fn shows_clock(&self, message: &[u8]) -> bool {
        let login = memmem::find(message, b"auth-response").is_some();
        login && number_after(message, "timestamp=\"").is_some()
    }

    /// The id of the request that a message of ours answers.
    pub(crate) fn answer(&self, message: &[u8]) -> Option<i64> {
        let marks = self.marks.as_ref()?;
        memmem::find(message, marks.answer.as_bytes())?;
        number_after(message, marks.answer_id)
    }

    /// The message with other content; its form stays right.
    pub(crate) fn wrong(&self, message: &[u8], seed: u64) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let changes = 1 + rng.random_range(0..3);
        match self.form {
            WireForm::Json => json::change(message, self.words, changes, &mut rng),
            WireForm::Xml => xml::change(message, self.words, changes, &mut rng),
            WireForm::Binary => bytes(message, changes, &mut rng),
        }
    }
}

/// The number that follows the first occurrence of a text.
fn number_after(message: &[u8], word: &str) -> Option<i64> {
    let at = memmem::find(message, word.as_bytes())? + word.len();
    let rest = message.get(at..)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-');
    let digits = rest.get(..end.unwrap_or(rest.len()))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Other values in some of the bytes: as many fields of fixed size.
fn bytes(message: &[u8], changes: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut message = message.to_vec();
    let len = message.len();
    for _ in 0..changes {
        if let Some(byte) = message.get_mut(rng.random_range(0..len.max(1))) {
            *byte = match rng.random_range(0..4) {
                0 => 0,
                1 => 0xFF,
                2 => byte.wrapping_add(1),
                _ => rng.random(),
            };
        }
    }
    message
}

/// A place in a message with this number of places. Half of the changes are among the first `head`: types, ids
/// and times.
fn near_or_far(count: usize, head: usize, rng: &mut ChaCha8Rng) -> usize {
    let limit = if rng.random_bool(0.5) { count.min(head) } else { count };
    rng.random_range(0..limit.max(1))
}

/// A number that is wrong in a way that referees' defects are.
fn wrong_number(number: i64, rng: &mut ChaCha8Rng) -> i64 {
    match rng.random_range(0..8) {
        0 => 0,
        1 => -1,
        2 => number.wrapping_add(1),
        3 => number.wrapping_sub(1),
        4 => number.wrapping_add(rng.random_range(-1_000..=1_000)),
        5 => number.wrapping_add(rng.random_range(-40_000_000_000..=40_000_000_000)),
        6 => i64::MAX,
        _ => rng.random_range(-100..=100),
    }
}

/// Another text.
fn wrong_text(text: &str, words: &[&str], others: &[String], rng: &mut ChaCha8Rng) -> String {
    let other = |rng: &mut ChaCha8Rng| {
        let other = others.get(rng.random_range(0..others.len().max(1)));
        other.cloned().unwrap_or_default()
    };
    match rng.random_range(0..6) {
        0 => String::new(),
        1 => words.get(rng.random_range(0..words.len().max(1))).copied().unwrap_or("").to_owned(),
        2 | 3 => other(rng),
        4 => format!("{text}x"),
        _ => "é".repeat(rng.random_range(1..=400)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = "{\"type\":\"request-action\",\"content\":{\"id\":12,\"time\":5,\
                           \"deadline\":4005,\"step\":11,\"percept\":{\"score\":0}}}\0";
    const MARS_REQUEST: &str = "<message type=\"request-action\" timestamp=\"5\"><perception \
                                deadline=\"4005\" id=\"12\"><simulation step=\"11\"/>\
                                </perception></message>\0";

    #[test]
    fn requests_and_answers_are_matched_by_id() {
        let wanted = Some(WireRequest { id: 12, deadline_ms: 4005 });
        assert_eq!(ASSEMBLE.request(REQUEST.as_bytes()), wanted);
        assert_eq!(MARS.request(MARS_REQUEST.as_bytes()), wanted);
        let answer = b"{\"type\":\"action\",\"content\":{\"id\":12,\"type\":\"skip\",\"p\":[]}}\0";
        assert_eq!(ASSEMBLE.answer(answer), Some(12));
        assert_eq!(ASSEMBLE.answer(REQUEST.as_bytes()), None);
    }

    #[test]
    fn wrong_content_keeps_its_form_and_is_the_same_for_the_same_seed() {
        for seed in 0..2_000 {
            let wrong = ASSEMBLE.wrong(REQUEST.as_bytes(), seed);
            assert_eq!(wrong, ASSEMBLE.wrong(REQUEST.as_bytes(), seed));
            let json = wrong.strip_suffix(b"\0").unwrap();
            serde_json::from_slice::<serde_json::Value>(json).unwrap();
            let xml = MARS.wrong(MARS_REQUEST.as_bytes(), seed);
            let text = String::from_utf8(xml).unwrap();
            assert!(text.starts_with("<message") && text.ends_with("</message>\0"), "{text}");
        }
        let differs = |seed| ASSEMBLE.wrong(REQUEST.as_bytes(), seed) != REQUEST.as_bytes();
        assert!((0..100).filter(|seed| differs(*seed)).count() > 90);
    }
}
