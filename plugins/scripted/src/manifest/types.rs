//! The types of parameters, fields and answers, as manifests write them.

use super::leak::{leak_list, leak_text};
use super::read::{Mistakes, Section};
use phalanx_game::{FieldDoc, Kind, ParamDoc};
use std::ops::Range;
use toml::de::DeTable;

/// Deepest nesting of lists and tables.
const DEPTH_MAX: usize = 8;

/// What a manifest can write for a type.
const EXPECTED: &str = "bool, int, int MIN..MAX, number, text, cell, agent, any, table, \
    a word list like n|s|e|w, or `list of` one of these";

/// The type under `key`; anything if it is missing or wrong.
pub(super) fn kind(section: &Section<'_, '_>, key: &str, mistakes: &Mistakes<'_>) -> Kind {
    nested(section, key, mistakes, DEPTH_MAX)
}

fn nested(section: &Section<'_, '_>, key: &str, mistakes: &Mistakes<'_>, depth: usize) -> Kind {
    let Some((text, span)) = section.text(key) else { return Kind::Any };
    let read = depth.checked_sub(1).and_then(|depth| {
        let fields = || fields(section, mistakes, depth);
        parse(text.trim(), &fields)
    });
    read.unwrap_or_else(|| {
        mistakes.add(&span, format!("{text:?} is no type; expected {EXPECTED}"));
        Kind::Any
    })
}

fn parse(text: &str, fields: &dyn Fn() -> &'static [FieldDoc]) -> Option<Kind> {
    if let Some(item) = text.strip_prefix("list of ") {
        let item = parse(item.trim(), fields)?;
        return Some(Kind::List(Box::leak(Box::new(item))));
    }
    Some(match text {
        "bool" => Kind::Bool,
        "int" => Kind::Int { min: i64::MIN, max: i64::MAX },
        "number" => Kind::Num,
        "text" => Kind::Str,
        "cell" => Kind::Cell,
        "agent" => Kind::Agent,
        "any" => Kind::Any,
        "table" => Kind::Table(fields()),
        range if range.starts_with("int ") => int_range(range)?,
        words if words.contains('|') => {
            let words: Vec<_> = words.split('|').map(str::trim).collect();
            let good = words.iter().all(|word| !word.is_empty());
            good.then(|| Kind::Word(leak_list(words.into_iter().map(leak_text))))?
        }
        _unknown => return None,
    })
}

fn int_range(text: &str) -> Option<Kind> {
    let (min, max) = text.strip_prefix("int ")?.split_once("..")?;
    let (min, max) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
    (min <= max).then_some(Kind::Int { min, max })
}

/// The key `fields` of a type `table`.
fn fields(section: &Section<'_, '_>, mistakes: &Mistakes<'_>, depth: usize) -> &'static [FieldDoc] {
    let all = section.list("fields").into_iter();
    leak_list(all.filter_map(|item| {
        let keys = ["name", "type", "doc", "unit", "fields"];
        let field = Section::new((item.0, &item.1), "a field", &keys, mistakes);
        let name = name(&field, mistakes)?;
        let kind = nested(&field, "type", mistakes, depth);
        Some(FieldDoc { name, kind, doc: doc(&field) })
    }))
}

/// The key `params` of an action or a query.
pub(super) fn params(section: &Section<'_, '_>, mistakes: &Mistakes<'_>) -> &'static [ParamDoc] {
    let mut is_optional = false;
    let items = section.list("params").into_iter();
    leak_list(items.filter_map(|item: (&DeTable<'_>, Range<usize>)| {
        let keys = ["name", "type", "doc", "optional", "fields"];
        let param = Section::new((item.0, &item.1), "a parameter", &keys, mistakes);
        let name = name(&param, mistakes)?;
        let kind = kind(&param, "type", mistakes);
        let optional = param.flag("optional", false);
        if is_optional && !optional {
            param
                .mistake(format!("the parameter {name:?} is required but follows an optional one"));
        }
        is_optional |= optional;
        Some(ParamDoc { name, kind, optional, doc: doc(&param) })
    }))
}

/// The key `name`, a word that scripts can write.
fn name(section: &Section<'_, '_>, mistakes: &Mistakes<'_>) -> Option<&'static str> {
    let (name, span) = section.required("name")?;
    checked_name(name, &span, mistakes)
}

/// A word of letters, digits and `_` that does not begin with a digit.
pub(super) fn checked_name(
    name: &str,
    span: &Range<usize>,
    mistakes: &Mistakes<'_>,
) -> Option<&'static str> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if begins && name.bytes().all(letter) {
        return Some(leak_text(name));
    }
    let what = "a name has letters, digits and _, and does not begin with a digit";
    mistakes.add(span, format!("{name:?}: {what}"));
    None
}

/// The key `doc`, with the unit behind it.
pub(super) fn doc(section: &Section<'_, '_>) -> &'static str {
    let text = section.text("doc").map_or("", |(text, _)| text.trim());
    let unit = section.get("unit").and_then(|unit| unit.get_ref().as_str()).unwrap_or("");
    if unit.is_empty() { leak_text(text) } else { leak_text(&format!("{text} Unit: {unit}.")) }
}
