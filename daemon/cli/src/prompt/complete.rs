//! Completion at the prompt: names of the script API, and whether an input is complete.

use phalanx_game::Api;
use phalanx_lua::Bundle;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use std::sync::Arc;

/// The names that a script can use; known without asking the daemon.
#[derive(Debug)]
pub(super) struct Assistant {
    names: Vec<String>,
}

impl Assistant {
    pub(super) fn new(game: &str, commands: &[&str]) -> Self {
        let commands = [":help", ":quit"].iter().chain(commands);
        let mut names: Vec<String> = commands.map(|word| (*word).to_owned()).collect();
        if let Some(api) = phalanx_games::api(game) {
            names.extend(callable(api));
            names.extend(fields(game, api));
        }
        names.sort();
        names.dedup();
        Self { names }
    }

    /// The names that complete the text before the cursor, and where that text begins.
    fn matching(&self, line: &str, cursor: usize) -> (usize, Vec<&str>) {
        let typed = line.get(..cursor).unwrap_or_default();
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
        let begin = typed
            .char_indices()
            .rev()
            .take_while(|(_, c)| part(*c))
            .last()
            .map_or(typed.len(), |(index, _)| index);
        let word = typed.get(begin..).unwrap_or_default();
        let depth = word.matches('.').count();
        let fits = |name: &&String| {
            name.starts_with(word) && name.matches('.').count() == depth && name.as_str() != word
        };
        if word.is_empty() {
            return (begin, Vec::new());
        }
        (begin, self.names.iter().filter(fits).map(String::as_str).collect())
    }
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (begin, names) = self.matching(line, cursor);
        let pair = |name: &str| Pair { display: name.to_owned(), replacement: name.to_owned() };
        Ok((begin, names.into_iter().map(pair).collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, ctx: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let input = ctx.input();
        let sent = input.ends_with('\n') || input.trim_start().starts_with(':');
        let open = !sent && is_open(input);
        Ok(if open { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

/// Every function and constant, with their tables.
fn callable(api: &Api) -> Vec<String> {
    let mut names = Vec::new();
    for module in phalanx_lua::modules(api) {
        if module.name.is_empty() {
            names.extend(module.names().map(str::to_owned));
        } else {
            names.push(module.name.to_owned());
            names.extend(module.names().map(|name| format!("{}.{name}", module.name)));
        }
    }
    names
}

/// The fields of `me` and of its percept, from the JSON reference.
fn fields(game: &str, api: &Api) -> Vec<String> {
    let reference = phalanx_lua::reference_json(game, api);
    let reference: serde_json::Value = serde_json::from_str(&reference).unwrap_or_default();
    let list = |value: &serde_json::Value, key| {
        value.get(key).and_then(serde_json::Value::as_array).cloned().unwrap_or_default()
    };
    let name = |value: &serde_json::Value| {
        value.get("name").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let classes = list(&reference, "classes");
    let me = classes.iter().find(|class| name(class) == "Me").cloned().unwrap_or_default();
    let mut names = vec!["me".to_owned()];
    names.extend(list(&me, "fields").iter().map(|field| format!("me.{}", name(field))));
    names.extend(api.percept.iter().map(|field| format!("me.percept.{}", field.name)));
    names
}

/// Whether more input is needed: it is neither an expression nor statements, and the error is at
/// its end.
fn is_open(code: &str) -> bool {
    let ends_early = |text: String| -> Option<bool> {
        let bundle = Bundle::from_files([("input.luau", text)]).ok()?;
        let (_, findings) = phalanx_lua::Program::compile(Arc::new(bundle));
        let errors = findings.iter().filter(|one| one.severity == phalanx_lua::Severity::Error);
        let texts: Vec<_> = errors.map(|one| one.message.as_str()).collect();
        if texts.is_empty() {
            return None;
        }
        Some(texts.iter().any(|text| text.contains("got <eof>")))
    };
    match (ends_early(format!("return {code}")), ends_early(code.to_owned())) {
        (None, _) | (_, None) => false,
        (Some(expression), Some(statements)) => expression || statements,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn an_input_goes_on_while_its_end_is_missing() {
        for open in ["if me then", "for i = 1, 3 do", "local t = {", "1 +", "f(", "function f()"] {
            assert!(is_open(open), "{open}");
        }
        for closed in ["me.name", "local x = 1", "1 + 1", "x = )", "print('a')", "for"] {
            assert_eq!(is_open(closed), closed == "for", "{closed}");
        }
    }

    #[test]
    fn names_of_the_api_are_completed_member_by_member() {
        let assistant = Assistant::new("assemble", &[":live"]);
        let names = |line: &str| assistant.matching(line, line.len());
        assert_eq!(names("return act.mo"), (7, vec!["act.move"]));
        assert!(names("wor").1.contains(&"world"), "{:?}", names("wor"));
        assert!(names("me.percept.last_").1.contains(&"me.percept.last_result"));
        assert!(names("board.").1.contains(&"board.claim"));
        assert!(names("me.").1.contains(&"me.memory"));
        assert_eq!(names("x = ").1, Vec::<&str>::new());
        assert_eq!(names(":he").1, [":help"]);
    }
}
