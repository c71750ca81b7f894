//! An operator's order: an action in the words of scripts, parsed from text and checked against the
//! game's declaration, like the actions of scripts.

use crate::words::{expectation, similar};
use crate::{Api, FieldDoc, Kind, ParamDoc, Roster, Said, Value, excerpt};
use std::borrow::Cow;

mod text;

pub use text::{read_order, write_order, write_value};

/// Longest text of an order, in bytes.
pub const ORDER_BYTES_MAX: usize = 4_096;

/// Why a text is not an order, or an order is not an action of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The text cannot be read.
    #[error(
        "column {column}: expected {expected}, got {got}; an order is written like move(\"n\")"
    )]
    Text {
        /// Where, in bytes from 1.
        column: usize,
        /// What was expected there.
        expected: &'static str,
        /// An excerpt of the text there.
        got: String,
    },
    /// The game has no such action.
    #[error("there is no action {action:?}{}; there are {}", did_you_mean(.meant), .known.join(", "))]
    Action {
        /// The given name.
        action: String,
        /// The most similar name.
        meant: Option<String>,
        /// The names of all actions.
        known: Vec<String>,
    },
    /// An argument does not fit its declaration.
    #[error("{action}: {problem}")]
    Argument {
        /// The action's name.
        action: String,
        /// The parameter, what it expects and what was given.
        problem: String,
    },
    /// The world refuses the action for this agent now.
    #[error("{reason}")]
    World {
        /// The reason.
        reason: String,
    },
}

/// The hint of a message about an unknown name.
#[must_use]
pub fn did_you_mean(meant: &Option<String>) -> String {
    meant.as_ref().map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default()
}

/// Checks an order against the game's declaration, as the arguments of scripts are checked. Returns
/// what a script's constructor would have made of it.
///
/// # Errors
/// When the game has no such action, or an argument does not fit.
pub fn check_order(api: &Api, roster: &Roster, said: &Said) -> Result<Said, OrderError> {
    let Some(doc) = api.action(&said.action) else {
        let known = || api.actions.iter().map(|action| action.name);
        return Err(OrderError::Action {
            action: excerpt(said.action.as_bytes()),
            meant: similar(&said.action, known()).map(str::to_owned),
            known: known().map(str::to_owned).collect(),
        });
    };
    let wrong = |problem| OrderError::Argument { action: doc.name.to_owned(), problem };
    let most = doc.params.len();
    if said.args.iter().skip(most).any(|extra| *extra != Value::Nil) {
        let plural = if most == 1 { "" } else { "s" };
        return Err(wrong(format!("takes {most} argument{plural}, got {}", said.args.len())));
    }
    let mut args = Vec::with_capacity(most);
    for (index, param) in doc.params.iter().enumerate() {
        let given = said.args.get(index).unwrap_or(&Value::Nil);
        args.push(argument(param, given, roster).map_err(wrong)?);
    }
    while args.last() == Some(&Value::Nil) {
        args.pop();
    }
    Ok(Said::new(doc.name, args))
}

fn argument(param: &ParamDoc, given: &Value, roster: &Roster) -> Result<Value, String> {
    let named = |problem: String| format!("parameter '{}': {problem}", param.name);
    if *given != Value::Nil {
        fitting(&param.kind, given, roster).map_err(named)
    } else if param.optional {
        Ok(Value::Nil)
    } else {
        Err(named(format!("expected {}, got nothing", expectation(&param.kind))))
    }
}

/// The value of a kind, or what is wrong with it.
fn fitting(kind: &Kind, value: &Value, roster: &Roster) -> Result<Value, String> {
    let mismatch = || format!("expected {}, got {}", expectation(kind), describe_value(value));
    match kind {
        Kind::Bool => value.as_bool().map(Value::Bool).ok_or_else(mismatch),
        Kind::Int { min, max } => {
            let int = value.as_int().filter(|int| (min..=max).contains(&int));
            int.map(Value::Int).ok_or_else(mismatch)
        }
        Kind::Num => {
            let num = value.as_num().filter(|num| num.is_finite());
            num.map(Value::Num).ok_or_else(mismatch)
        }
        Kind::Str => value.as_str().map(|text| text.to_owned().into()).ok_or_else(mismatch),
        Kind::Word(words) => {
            let word = value.as_str().ok_or_else(mismatch)?;
            let known = words.iter().find(|known| **known == word);
            known.map(|known| Value::from(*known)).ok_or_else(|| {
                let meant = similar(word, words.iter().copied()).map(str::to_owned);
                format!("{}{}", mismatch(), did_you_mean(&meant))
            })
        }
        Kind::Cell => {
            let (x, y) = value.as_cell().ok_or_else(mismatch)?;
            Ok(Value::cell(x, y))
        }
        Kind::Agent => {
            let name = value.as_str().ok_or_else(mismatch)?;
            roster.find(name).map(|_| name.to_owned().into()).ok_or_else(mismatch)
        }
        Kind::List(of) => {
            let items = value.as_list().ok_or_else(mismatch)?.iter().zip(1_usize..);
            let item = |(item, index): (&Value, usize)| {
                fitting(of, item, roster).map_err(|problem| format!("item {index}: {problem}"))
            };
            items.map(item).collect::<Result<_, _>>().map(Value::List)
        }
        Kind::Table(fields) => table(fields, value, roster, &mismatch),
        Kind::Any => Ok(value.clone()),
    }
}

fn table(
    fields: &'static [FieldDoc],
    value: &Value,
    roster: &Roster,
    mismatch: &dyn Fn() -> String,
) -> Result<Value, String> {
    let pairs: &[(Cow<'static, str>, Value)] = match value {
        Value::Map(pairs) => pairs,
        // An empty table may be a list or a map.
        Value::List(list) if list.is_empty() => &[],
        Value::Nil
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Num(_)
        | Value::Str(_)
        | Value::List(_) => {
            return Err(mismatch());
        }
    };
    if let Some((key, _)) =
        pairs.iter().find(|(key, _)| !fields.iter().any(|field| field.name == key))
    {
        let names = fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
        return Err(format!("unknown field {}; there are {names}", excerpt(key.as_bytes())));
    }
    let mut checked = Vec::new();
    for field in fields {
        let given = pairs.iter().find(|(key, _)| key == field.name).map(|(_, value)| value);
        if let Some(given) = given.filter(|given| **given != Value::Nil) {
            let fits = fitting(&field.kind, given, roster);
            let fits = fits.map_err(|problem| format!("field '{}': {problem}", field.name))?;
            checked.push((field.name.into(), fits));
        }
    }
    Ok(Value::Map(checked))
}

/// A value as text for a message.
pub(crate) fn describe_value(value: &Value) -> String {
    match value {
        Value::Str(text) => format!("\"{}\"", excerpt(text.as_bytes())),
        Value::Int(int) => int.to_string(),
        Value::Num(num) => num.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Nil => "nothing".into(),
        Value::List(_) | Value::Map(_) => format!("a {}", value.kind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActionDoc, RosterEntry};

    const fn param(name: &'static str, kind: Kind, optional: bool) -> ParamDoc {
        ParamDoc { name, kind, optional, doc: "" }
    }

    const CARGO: &[FieldDoc] = &[
        FieldDoc { name: "kind", kind: Kind::Str, doc: "" },
        FieldDoc { name: "count", kind: Kind::Int { min: 0, max: 9 }, doc: "" },
    ];
    const API: Api = Api {
        actions: &[
            ActionDoc { name: "skip", doc: "", params: &[] },
            ActionDoc {
                name: "move",
                doc: "",
                params: &[param("way", Kind::Word(&["north", "south"]), false)],
            },
            ActionDoc {
                name: "go",
                doc: "",
                params: &[
                    param("cell", Kind::Cell, false),
                    param("fast", Kind::Bool, true),
                    param("risk", Kind::Num, true),
                ],
            },
            ActionDoc {
                name: "give",
                doc: "",
                params: &[
                    param("to", Kind::Agent, false),
                    param("cargo", Kind::Table(CARGO), false),
                ],
            },
            ActionDoc {
                name: "sing",
                doc: "",
                params: &[param("notes", Kind::List(&Kind::Int { min: 1, max: 7 }), false)],
            },
            ActionDoc { name: "note", doc: "", params: &[param("data", Kind::Any, true)] },
        ],
        percept: &[],
        queries: &[],
    };

    fn checked(text: &str) -> Result<Said, OrderError> {
        let entry = RosterEntry::new("a1", "worker");
        let roster = Roster { team: "A".into(), agents: vec![entry] };
        check_order(&API, &roster, &read_order(text)?)
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "skip()",
            "move(\"north\")",
            "go({ x = 1, y = -2 }, true, 0.5)",
            "give(\"a1\", { kind = \"b \\\"1\\\" \\\\\", count = 3 })",
            "sing({ 1, 2, 3 })",
            "note({ [\"two words\"] = nil, list = { { 1 }, {  } } })",
            "note({ 2.2e20, 3.0, -0.0 })",
        ] {
            let said = read_order(text).unwrap();
            assert_eq!(write_order(&said), text);
            assert_eq!(checked(text).unwrap().action, said.action, "{text}");
        }
    }

    #[test]
    fn people_may_write_it_as_scripts_do() {
        let said = Said::new("go", vec![Value::cell(1, 2)]);
        for text in
            ["act.go({x=1,y=2})", " go ( { x = 1; [ 'y' ] = 2.0, } , nil ) ", "go({y=2,x=1})"]
        {
            assert_eq!(checked(text), Ok(said.clone()), "{text}");
        }
        assert_eq!(checked("skip"), Ok(Said::new("skip", Vec::new())));
        for (typed, quoted) in [
            ("act.move(north)", "move(\"north\")"),
            ("submit(task0)", "submit(\"task0\")"),
            ("give(a-1, { kind = b2 })", "give(\"a-1\", { kind = \"b2\" })"),
            ("go({ x = 1, to = home }, true, nil)", "go({ x = 1, to = \"home\" }, true, nil)"),
            ("say('a b', \"it's \\\" c\")", "say(\"a b\", \"it's \\\" c\")"),
            ("clear(1, -2)", "clear(1,-2)"),
        ] {
            assert_eq!(read_order(typed).unwrap(), read_order(quoted).unwrap(), "{typed}");
        }
        assert_eq!(checked("act.note('\\n')"), Ok(Said::new("note", vec!["\n".into()])));
    }

    #[test]
    fn what_does_not_fit_its_declaration_tells_why() {
        for (text, why) in [
            (
                "mvoe('north')",
                "there is no action \"mvoe\"; did you mean \"move\"?; there are skip, move, go, give, sing, note",
            ),
            (
                "move('nroth')",
                "move: parameter 'way': expected one of north, south, got \"nroth\"; did you mean \"north\"?",
            ),
            (
                "go({ x = 1.5, y = 2 })",
                "go: parameter 'cell': expected a cell like { x = 1, y = 2 }, got a table",
            ),
            ("go({ x = 1, y = 2 }, 1)", "go: parameter 'fast': expected true or false, got 1"),
            (
                "give('a2', {})",
                "give: parameter 'to': expected the name of an agent of the own team, got \"a2\"",
            ),
            (
                "give('a1', { knid = 'b' })",
                "give: parameter 'cargo': unknown field knid; there are kind, count",
            ),
            (
                "give('a1', { count = 10 })",
                "give: parameter 'cargo': field 'count': expected a whole number from 0 to 9, got 10",
            ),
            (
                "sing({ 1, 8 })",
                "sing: parameter 'notes': item 2: expected a whole number from 1 to 7, got 8",
            ),
            ("skip(1)", "skip: takes 0 arguments, got 1"),
        ] {
            assert_eq!(checked(text).unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn no_text_is_too_strange() {
        let text = "act.give('a\\t', { kind = \"b\", [\"c\"] = -1.5e3, l = { true, nil } })";
        for cut in "act.give(".len()..text.len() {
            assert!(read_order(&text[..cut]).is_err(), "{cut}");
            drop(read_order(&text[cut..]));
        }
        let deep = format!("note({}{})", "{".repeat(1_000), "}".repeat(1_000));
        assert!(read_order(&deep).unwrap_err().to_string().contains("no table as deep"));
        assert!(read_order(&format!("note('{}')", "x".repeat(ORDER_BYTES_MAX))).is_err());
        assert!(read_order("note('ü', \u{0}").is_err());
    }
}
