//! Names what Luau lacks against Lua 5.4, so that its users need not guess.

use crate::Diagnostic;
use crate::failure::split_place;
use std::sync::Arc;

/// A name that Luau, or the sandbox, does not have, and what to use instead.
const ABSENT: [(&str, &str); 14] = [
    ("__gc", "Luau has no finalizers"),
    ("__close", "Luau has no to-be-closed variables"),
    ("__pairs", "Luau has __iter instead of __pairs"),
    ("__ipairs", "Luau has __iter instead of __ipairs"),
    ("math.type", "Luau has no integer subtype; x % 1 == 0 tells whole numbers"),
    ("math.tointeger", "Luau has no integer subtype; use math.floor"),
    ("math.ult", "Luau has no integer subtype; see bit32"),
    ("loadstring", "scripts cannot load code; use require inside the strategy"),
    ("load", "scripts cannot load code; use require inside the strategy"),
    ("dofile", "scripts cannot load files; use require inside the strategy"),
    ("setfenv", "each file has an environment of its own; setfenv is not there"),
    ("getfenv", "each file has an environment of its own; getfenv is not there"),
    ("os", "scripts have no clock and no system; see me.turn and me.time_left()"),
    ("io", "scripts have no files; use me.memory and board"),
];

/// Something of Lua 5.4 that Luau cannot compile.
const SYNTAX: [(&str, &str); 7] = [
    ("goto", "Luau has no goto; use continue, break or a function"),
    ("::", "Luau has no labels, since it has no goto"),
    ("<const>", "Luau has no <const>; leave it out"),
    ("<close>", "Luau has no <close>; leave it out and close by hand"),
    ("<<", "Luau has no << operator; use bit32.lshift"),
    (">>", "Luau has no >> operator; use bit32.rshift"),
    ("~", "Luau has no ~ operator; use bit32.bnot or bit32.bxor"),
];

/// Operators that are also part of Luau's types: only the line that failed is suspect.
const SYNTAX_AT_ERROR: [(&str, &str); 2] = [
    ("&", "Luau has no & operator; use bit32.band"),
    ("|", "Luau has no | operator; use bit32.bor"),
];

/// The mistakes of a file that does not compile.
pub(crate) fn explain(path: &str, source: &Arc<str>, error: &mlua::Error) -> Vec<Diagnostic> {
    let text = match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    // The compiler does not know the file's name and says `:12: what`.
    let whole = format!("{path}:{}", text.trim_start_matches(':'));
    let (place, message) = split_place(&whole);
    let line = place.map_or(1, |(_, line)| line);
    let tokens = tokens(source);
    let mut findings = Vec::new();
    let mut explained = false;
    for (index, token) in tokens.iter().enumerate() {
        let at_error = token.line == line;
        let known = SYNTAX.iter().chain(SYNTAX_AT_ERROR.iter().filter(|_| at_error));
        let Some((_, help)) = known.into_iter().find(|(word, _)| matches_at(&tokens, index, word))
        else {
            continue;
        };
        explained |= at_error;
        let what = if at_error { message } else { "not in Luau" };
        let found = Diagnostic::error(path, what).with_help(*help);
        findings.push(found.at(token.line, Some(Arc::clone(source))));
    }
    if !explained {
        findings.push(Diagnostic::error(path, message).at(line, Some(Arc::clone(source))));
    }
    findings.dedup_by(|a, b| a.line == b.line && a.help == b.help);
    findings
}

/// What compiles but is not there when it runs.
pub(crate) fn warnings(path: &str, source: &Arc<str>) -> Vec<Diagnostic> {
    let tokens = tokens(source);
    let mut findings = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_field = index > 0
            && tokens.get(index - 1).is_some_and(|before| matches!(before.text, "." | ":"));
        let found = ABSENT.iter().find(|(name, _)| match name.split_once('.') {
            Some((library, member)) => {
                token.text == library
                    && !is_field
                    && tokens.get(index + 1).is_some_and(|dot| dot.text == ".")
                    && tokens.get(index + 2).is_some_and(|field| field.text == member)
            }
            None if name.starts_with("__") => token.text == *name,
            None => token.text == *name && !is_field && is_used(&tokens, index),
        });
        if let Some((name, help)) = found {
            let finding = Diagnostic::error(path, format!("{name} is not in Luau's sandbox"));
            findings
                .push(finding.warning().with_help(*help).at(token.line, Some(Arc::clone(source))));
        }
    }
    findings
}

/// A global name is called or indexed; anything else may be a variable or a field of that name.
fn is_used(tokens: &[SourceToken<'_>], index: usize) -> bool {
    let after = tokens.get(index + 1).map(|token| token.text);
    let declared = index > 0
        && tokens.get(index - 1).is_some_and(|before| matches!(before.text, "local" | "function"));
    !declared && matches!(after, Some("(" | "."))
}

fn matches_at(tokens: &[SourceToken<'_>], index: usize, word: &str) -> bool {
    let text = |offset: usize| tokens.get(index + offset).map_or("", |token| token.text);
    let is_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match word {
        // `goto` is a name like any other in Luau: `goto done` are two names in a row.
        "goto" => text(0) == "goto" && is_name(text(1)),
        // A type cast follows a value; a label is between statements.
        "::" => {
            text(0) == ":" && text(1) == ":" && is_name(text(2)) && text(3) == ":" && text(4) == ":"
        }
        "<const>" => text(0) == "<" && text(1) == "const" && text(2) == ">",
        "<close>" => text(0) == "<" && text(1) == "close" && text(2) == ">",
        "<<" => text(0) == "<" && text(1) == "<",
        // Luau's types may end in >>.
        ">>" => text(0) == ">" && text(1) == ">" && !is_type_line(tokens, index),
        "~" => text(0) == "~" && text(1) != "=",
        other => text(0) == other,
    }
}

fn is_type_line(tokens: &[SourceToken<'_>], index: usize) -> bool {
    let line = tokens.get(index).map_or(0, |token| token.line);
    tokens.iter().any(|token| token.line == line && matches!(token.text, "type" | ":"))
}

/// A name, a number or one other character, outside of comments and texts.
#[derive(Clone, Copy, Debug)]
struct SourceToken<'a> {
    text: &'a str,
    line: u32,
}

fn tokens(source: &str) -> Vec<SourceToken<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (source, 1_u32);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if let Some(comment) = rest.strip_prefix("--") {
            let body = long_bracket(comment)
                .unwrap_or_else(|| comment.find('\n').unwrap_or(comment.len()));
            body + 2
        } else if let Some(length) = long_bracket(rest) {
            length
        } else if matches!(first, '"' | '\'' | '`') {
            quoted(rest, first)
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            found.extend(rest.get(..length).map(|text| SourceToken { text, line }));
            length
        } else {
            let length = first.len_utf8();
            if !first.is_whitespace() {
                found.extend(rest.get(..length).map(|text| SourceToken { text, line }));
            }
            length
        };
        let (done, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let lines = done.bytes().filter(|byte| *byte == b'\n').count();
        line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        rest = left;
    }
    found
}

/// The length of a text or comment in long brackets at the start of `text`.
fn long_bracket(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let level = inner.bytes().take_while(|byte| *byte == b'=').count();
    inner.get(level..)?.strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(level));
    Some(text.find(&close).map_or(text.len(), |at| at + close.len()))
}

/// The length of a quoted text; one that does not end in its line ends there.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if quote != '`' => return at,
            c if c == quote => return at + c.len_utf8(),
            _other => {}
        }
    }
    text.len()
}
