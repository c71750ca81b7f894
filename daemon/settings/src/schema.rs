//! The keys as a JSON schema, for editors that check and complete TOML.

use crate::key::{KeyDoc, Kind, children, find};
use crate::keys::KEYS;
use crate::section::{documented, join};
use serde_json::{Map, Value, json};

/// The schema of a settings file.
#[must_use]
pub fn schema() -> String {
    let mut schema = table("");
    schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".to_owned(), json!("Settings of phalanxd"));
    format!("{:#}\n", Value::Object(schema))
}

/// The table whose keys are directly under `parent`.
fn table(parent: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for name in children(&KEYS, parent) {
        let path = join(parent, name);
        let doc = find(&KEYS, &path);
        if doc.is_some_and(|doc| doc.doc.starts_with("Required.")) {
            required.push(name);
        }
        properties.insert(name.to_owned(), Value::Object(property(&path, doc)));
    }
    let mut table = Map::new();
    table.insert("type".to_owned(), json!("object"));
    table.insert("properties".to_owned(), Value::Object(properties));
    table.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        table.insert("required".to_owned(), json!(required));
    }
    table
}

/// A value, a table, a list of tables, or whichever of them the key accepts.
fn property(path: &str, doc: Option<&KeyDoc>) -> Map<String, Value> {
    let has = |parent: &str| KEYS.iter().any(|doc| doc.path.starts_with(parent));
    let list = format!("{path}[]");
    let as_list =
        has(&format!("{list}.")).then(|| json!({ "type": "array", "items": table(&list) }));
    let as_table = has(&format!("{path}.")).then(|| Value::Object(table(path)));
    let as_value = || doc.map(|doc| value(doc.kind));
    let mut forms: Vec<Value> = as_table.or_else(as_value).into_iter().chain(as_list).collect();
    let mut property = match forms.len() {
        0 | 1 => forms.pop().unwrap_or_default(),
        _ => json!({ "anyOf": forms }),
    };
    if let (Some(doc), Some(property)) = (doc, property.as_object_mut()) {
        property.insert("description".to_owned(), json!(documented(doc)));
    }
    property.as_object().cloned().unwrap_or_default()
}

fn value(kind: Kind) -> Value {
    match kind {
        Kind::Text(max) | Kind::Name(max) => {
            json!({ "type": "string", "minLength": 1, "maxLength": max })
        }
        Kind::Word(words) if !words.is_empty() => json!({ "enum": words }),
        Kind::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Origins | Kind::Hosts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Table => json!({ "type": "object" }),
        Kind::Word(_)
        | Kind::Duration(..)
        | Kind::Size(..)
        | Kind::Path
        | Kind::PathOrOff
        | Kind::Server
        | Kind::AddressOrOff
        | Kind::Mode
        | Kind::Filter
        | Kind::Secret => json!({ "type": "string" }),
    }
}
