//! Results of tools: text for the assistant, JSON for programs, both bounded.

use crate::protocol::with;
use phalanx_cli::paint::Paint;
use phalanx_cli::remote::ResultSink;
use serde_json::{Value, json};

/// Most bytes of a result's text, and of its JSON.
pub(crate) const BYTES_MAX: usize = 64 << 10;

/// Room for a summary.
const SUMMARY_BYTES: usize = 4 << 10;

/// What a tool found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) json: Option<Value>,
}

impl Answer {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), json: None }
    }

    pub(crate) fn with(text: impl Into<String>, json: Value) -> Self {
        Self { text: text.into(), json: Some(json) }
    }

    /// Adds a line at the end.
    pub(crate) fn note(mut self, line: &str) -> Self {
        self.text = format!("{}\n{line}", self.text.trim_end());
        self
    }

    /// The result for the client.
    pub(crate) fn result(self) -> Value {
        let result = outcome(self.text, false);
        // JSON cannot be cut; the text says the same.
        let fits = |json: &Value| json.is_object() && json.to_string().len() <= BYTES_MAX;
        match self.json.filter(fits) {
            Some(json) => with(result, "structuredContent", json),
            None => result,
        }
    }
}

/// The result of a tool that failed.
pub(crate) fn failure(text: String) -> Value {
    outcome(text, true)
}

fn outcome(text: String, is_error: bool) -> Value {
    json!({ "content": [{ "type": "text", "text": bounded(text) }], "isError": is_error })
}

/// A text of at most [`BYTES_MAX`] bytes, with a last line that says what was cut.
fn bounded(mut text: String) -> String {
    if text.len() > BYTES_MAX {
        let cut = text.floor_char_boundary(BYTES_MAX);
        let rest = text.len() - cut;
        text.truncate(cut);
        text.push_str(&format!("\n… {rest} more bytes were left out; ask for a smaller part"));
    }
    text
}

/// Collects results one by one, until there are enough.
#[derive(Debug)]
pub(crate) struct Collected<F> {
    text: String,
    items: u64,
    /// Most items.
    most: u64,
    /// Items are longer than there is room for, or more than wanted.
    is_cut: bool,
    /// Items that do not fit are left out, since a summary follows.
    has_summary: bool,
    /// Hears how far it is; false ends it.
    progress: F,
}

impl<F: FnMut(u64, u64) -> bool> Collected<F> {
    pub(crate) fn new(most: u64, progress: F) -> Self {
        Self { text: String::new(), items: 0, most, is_cut: false, has_summary: false, progress }
    }

    /// The last item is a summary, which always has a place.
    pub(crate) fn with_summary(self) -> Self {
        Self { has_summary: true, ..self }
    }

    /// The collected lines, and whether there would be more.
    pub(crate) fn into_text(self) -> (String, bool) {
        (self.text, self.is_cut)
    }
}

impl<F: FnMut(u64, u64) -> bool> ResultSink for Collected<F> {
    fn item(&mut self, json: &Value, text: &dyn Fn(Paint) -> String) -> anyhow::Result<bool> {
        let item = text(Paint::none());
        if !(self.has_summary && json["kind"] == "summary") {
            let room = BYTES_MAX.saturating_sub(SUMMARY_BYTES + self.text.len());
            if self.items >= self.most || (item.len() >= room && self.items > 0) {
                self.is_cut = true;
                return Ok(self.has_summary);
            }
        }
        self.items += 1;
        self.text.push_str(item.trim_end());
        self.text.push('\n');
        Ok((self.progress)(self.items, self.most))
    }

    fn warn(&mut self, text: &str) {
        if self.text.len() < BYTES_MAX {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    fn went_on(&mut self, done: u64, total: u64) -> bool {
        (self.progress)(done, total)
    }

    fn limit(&self) -> Option<u64> {
        Some(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters_and_says_so() {
        let text = format!("{}ä{}", "x".repeat(BYTES_MAX - 1), "y".repeat(99));
        let cut = bounded(text);
        assert!(cut.starts_with("xxx") && !cut.contains('ä'), "{}", cut.len());
        assert!(cut.ends_with("… 101 more bytes were left out; ask for a smaller part"));
        assert_eq!(bounded("short".to_owned()), "short");
    }

    #[test]
    fn json_that_is_too_large_is_left_out() {
        let answer = |bytes: usize| Answer::with("text", json!({ "long": "x".repeat(bytes) }));
        let is_there = |answer: Answer| answer.result().get("structuredContent").is_some();
        assert!(is_there(answer(10)));
        assert!(!is_there(answer(BYTES_MAX)));
        assert!(!is_there(Answer::with("text", json!([1]))));
    }

    #[test]
    fn items_are_collected_until_there_are_enough_or_there_is_no_room() {
        let mut few = Collected::new(2, |_, _| true);
        let mut item = |text: &str| few.item(&Value::Null, &|_| text.to_owned()).unwrap();
        assert_eq!((item("a"), item("b"), item("c")), (true, true, false));
        assert_eq!(few.into_text(), ("a\nb\n".to_owned(), true));
        let mut large = Collected::new(9, |_, _| true);
        let mut item = |text: String| large.item(&Value::Null, &|_| text.clone()).unwrap();
        assert!(item("x".repeat(BYTES_MAX - SUMMARY_BYTES - 10)));
        assert!(!item("x".repeat(20)));
        assert!(large.into_text().1);
    }

    #[test]
    fn a_summary_has_a_place_behind_items_that_do_not_fit() {
        let mut collected = Collected::new(2, |_, _| true).with_summary();
        let mut item =
            |kind: &str| collected.item(&json!({ "kind": kind }), &|_| kind.to_owned()).unwrap();
        assert!(["one", "two", "three", "summary"].into_iter().all(&mut item));
        assert_eq!(collected.into_text(), ("one\ntwo\nsummary\n".to_owned(), true));
    }
}
