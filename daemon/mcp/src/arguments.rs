//! The arguments of tools: a struct that is read from JSON is also their schema.

use crate::protocol::with;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A struct of arguments, made by [`arguments!`].
pub(crate) trait Arguments: DeserializeOwned {
    /// Its JSON Schema.
    fn schema() -> Value;
}

/// The type of one argument.
pub(crate) trait Kind {
    /// It may be left out.
    const IS_OPTIONAL: bool = false;

    /// Its JSON Schema.
    fn schema() -> Value;
}

impl Kind for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Kind for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl Kind for u32 {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
    }
}

impl Kind for u64 {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl Kind for f64 {
    fn schema() -> Value {
        json!({ "type": "number" })
    }
}

impl<T: Kind> Kind for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl<T: Kind> Kind for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn schema() -> Value {
        T::schema()
    }
}

/// One argument, for the schema of all.
#[derive(Debug)]
pub(crate) struct Property {
    name: &'static str,
    schema: Value,
    is_required: bool,
}

impl Property {
    pub(crate) fn new<T: Kind>(name: &'static str, about: &str, has_default: bool) -> Self {
        let schema = with(T::schema(), "description", about.trim());
        Self { name, schema, is_required: !has_default && !T::IS_OPTIONAL }
    }
}

/// The schema of an object with these properties and no others.
pub(crate) fn object<const N: usize>(properties: [Property; N]) -> Value {
    let required: Vec<_> =
        properties.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    let properties: Map<_, _> =
        properties.into_iter().map(|it| (it.name.to_owned(), it.schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Makes a struct of arguments. The line above a field is what the client reads of it;
/// `#[serde(default)]` and `Option` make it optional.
macro_rules! arguments {
    ($visible:vis struct $name:ident { $(
        #[doc = $about:literal]
        $(#[serde($default:ident)])?
        $field:ident: $kind:ty,
    )* }) => {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $visible struct $name { $(
            #[doc = $about]
            $(#[serde($default)])?
            $field: $kind,
        )* }

        impl $crate::arguments::Arguments for $name {
            fn schema() -> serde_json::Value {
                $crate::arguments::object([$(
                    $crate::arguments::Property::new::<$kind>(
                        stringify!($field),
                        $about,
                        !<[&str]>::is_empty(&[$(stringify!($default))?]),
                    ),
                )*])
            }
        }
    };
}

pub(crate) use arguments;

#[cfg(test)]
mod tests {
    use super::*;

    arguments! {
        struct Example {
            /// A folder.
            dir: String,
            /// Many numbers.
            #[serde(default)]
            numbers: Vec<f64>,
            /// A seed.
            seed: Option<u64>,
        }
    }

    #[test]
    fn the_schema_says_what_is_read() {
        assert_eq!(
            Example::schema(),
            json!({
                "type": "object",
                "properties": {
                    "dir": { "type": "string", "description": "A folder." },
                    "numbers": {
                        "type": "array", "items": { "type": "number" },
                        "description": "Many numbers."
                    },
                    "seed": { "type": "integer", "minimum": 0, "description": "A seed." },
                },
                "required": ["dir"],
                "additionalProperties": false,
            })
        );
        let Example { dir, numbers, seed } = serde_json::from_str(r#"{ "dir": "a" }"#).unwrap();
        assert_eq!((dir.as_str(), &numbers[..], seed), ("a", &[][..], None));
        for bad in ["{}", r#"{ "dir": "a", "other": 1 }"#, r#"{ "dir": "a", "seed": -1 }"#] {
            assert!(serde_json::from_str::<Example>(bad).is_err(), "{bad}");
        }
    }
}
