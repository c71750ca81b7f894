//! As much of JSON Schema as the engine's schema uses.

use serde_json::Value;

/// A schema with definitions.
pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(serde_json::from_slice(bytes).unwrap())
    }

    /// What is wrong with a value of a definition.
    pub(crate) fn fault(&self, definition: &str, value: &Value) -> Option<String> {
        let rule = &self.0["definitions"][definition];
        assert!(rule.is_object(), "there is a definition of {definition}");
        self.check(rule, value, definition).err()
    }

    fn check(&self, rule: &Value, value: &Value, at: &str) -> Result<(), String> {
        let rule = rule.as_object().unwrap();
        for (keyword, wanted) in rule {
            let fits = match keyword.as_str() {
                "$ref" => {
                    let name = wanted.as_str().unwrap().strip_prefix("#/definitions/").unwrap();
                    self.check(&self.0["definitions"][name], value, at)?;
                    true
                }
                "anyOf" => {
                    let all = wanted.as_array().unwrap();
                    let faults: Vec<String> =
                        all.iter().filter_map(|one| self.check(one, value, at).err()).collect();
                    if faults.len() == all.len() {
                        return Err(format!("{at}: none of {faults:?}"));
                    }
                    true
                }
                "type" => {
                    let kinds =
                        wanted.as_array().map_or(std::slice::from_ref(wanted), Vec::as_slice);
                    kinds.iter().any(|kind| is(value, kind))
                }
                "const" => value == wanted,
                "enum" => wanted.as_array().unwrap().contains(value),
                "minItems" => value
                    .as_array()
                    .is_none_or(|list| list.len() as u64 >= wanted.as_u64().unwrap()),
                "maxItems" => value
                    .as_array()
                    .is_none_or(|list| list.len() as u64 <= wanted.as_u64().unwrap()),
                "required" => wanted
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|key| value.get(key.as_str().unwrap()).is_some()),
                "items" => {
                    for item in value.as_array().into_iter().flatten() {
                        self.check(wanted, item, &format!("{at}[]"))?;
                    }
                    true
                }
                "properties" => {
                    for (key, rule) in wanted.as_object().unwrap() {
                        if let Some(value) = value.get(key) {
                            self.check(rule, value, &format!("{at}.{key}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => self.others(rule, wanted, value, at)?,
                other => panic!("the schema uses {other}"),
            };
            if !fits {
                return Err(format!("{at}: {keyword} {wanted}, got {value}"));
            }
        }
        Ok(())
    }

    fn others(
        &self,
        rule: &serde_json::Map<String, Value>,
        wanted: &Value,
        value: &Value,
        at: &str,
    ) -> Result<bool, String> {
        let known = rule.get("properties").and_then(Value::as_object);
        let others = value.as_object().into_iter().flatten();
        for (key, other) in
            others.filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)))
        {
            match wanted.as_bool() {
                Some(false) => return Ok(false),
                Some(true) => {}
                None => self.check(wanted, other, &format!("{at}.{key}"))?,
            }
        }
        Ok(true)
    }
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the schema uses the type {other}"),
    }
}
