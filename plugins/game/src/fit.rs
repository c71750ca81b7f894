//! Whether data of others, such as what a referee sent, has its declared type.

use crate::order::describe_value;
use crate::{Kind, Value, expectation};

/// Where a value does not have a type; `None`: it has. Absent values have every type, and fields
/// that the type does not declare are ignored.
#[must_use]
pub fn misfit(kind: &Kind, value: &Value) -> Option<String> {
    let mismatch =
        || Some(format!("expected {}, got {}", expectation(kind), describe_value(value)));
    if *value == Value::Nil {
        return None;
    }
    let fits = match kind {
        Kind::Any => true,
        Kind::Bool => value.as_bool().is_some(),
        Kind::Int { min, max } => value.as_int().is_some_and(|int| (*min..=*max).contains(&int)),
        Kind::Num => value.as_num().is_some_and(f64::is_finite),
        Kind::Str | Kind::Agent => value.as_str().is_some(),
        Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Cell => value.as_cell().is_some(),
        Kind::List(of) => {
            let Some(items) = value.as_list() else { return mismatch() };
            let mut items = (1_usize..).zip(items);
            return items
                .find_map(|(index, item)| Some(format!("item {index}: {}", misfit(of, item)?)));
        }
        Kind::Table(fields) => {
            // An empty table may be a list or a map.
            if !matches!(value, Value::Map(_)) && value.as_list() != Some(&[]) {
                return mismatch();
            }
            return fields.iter().find_map(|field| {
                let problem = misfit(&field.kind, value.get(field.name)?)?;
                Some(format!("field '{}': {problem}", field.name))
            });
        }
    };
    if fits { None } else { mismatch() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldDoc;

    const THING: Kind = Kind::Table(&[
        FieldDoc { name: "at", kind: Kind::Cell, doc: "" },
        FieldDoc { name: "kind", kind: Kind::Word(&["gold", "wall"]), doc: "" },
        FieldDoc { name: "owner", kind: Kind::Agent, doc: "" },
    ]);

    fn thing(kind: &'static str) -> Value {
        Value::map([("at", Value::cell(1, 2)), ("kind", kind.into()), ("new", 7.into())])
    }

    #[test]
    fn data_of_the_type_fits_and_more_fields_do_not_matter() {
        let things = Value::List(vec![thing("gold"), thing("wall"), Value::List(Vec::new())]);
        assert_eq!(misfit(&Kind::List(&THING), &things), None);
        assert_eq!(misfit(&THING, &Value::Nil), None);
        assert_eq!(misfit(&Kind::Int { min: 1, max: 3 }, &Value::Num(3.0)), None);
    }

    #[test]
    fn the_place_and_the_type_are_named() {
        let things = Value::List(vec![thing("gold"), thing("golf")]);
        for (kind, value, why) in [
            (
                Kind::List(&THING),
                things,
                "item 2: field 'kind': expected one of gold, wall, got \"golf\"",
            ),
            (THING, 5.into(), "expected a table with the fields at, kind, owner, got 5"),
            (
                Kind::List(&THING),
                "x".into(),
                "expected a list, each item a table with the fields at, kind, owner, got \"x\"",
            ),
            (Kind::Int { min: 1, max: 3 }, 4.into(), "expected a whole number from 1 to 3, got 4"),
            (Kind::Bool, "yes".into(), "expected true or false, got \"yes\""),
        ] {
            assert_eq!(misfit(&kind, &value).as_deref(), Some(why));
        }
    }
}
