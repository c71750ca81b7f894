//! Templates of the caller, filled with the fields of a verb's JSON output.

use minijinja::value::Serde;
use minijinja::{Environment, Error, UndefinedBehavior};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Largest template, in bytes.
const SOURCE_BYTES_MAX: usize = 64 << 10;
/// The name of the only template in its environment.
const NAME: &str = "template";

/// A template that compiles.
#[derive(Clone)]
pub struct Template {
    environment: Arc<Environment<'static>>,
    source: Arc<str>,
}

/// A template's error with its place.
#[derive(Debug, thiserror::Error)]
#[error("template, line {line}, column {column}: {what}")]
pub struct TemplateError {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub what: String,
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(source: &str) -> Result<Self, TemplateError> {
        if source.len() > SOURCE_BYTES_MAX {
            let what = format!("expected at most {SOURCE_BYTES_MAX} bytes, got {}", source.len());
            return Err(TemplateError { line: 1, column: 1, what });
        }
        let mut environment = Environment::new();
        // An unknown field is an error, not an empty text.
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment
            .add_template_owned(NAME, source.to_owned())
            .map_err(|error| located(&error, source))?;
        Ok(Self { environment: Arc::new(environment), source: source.into() })
    }
}

impl Template {
    /// Fills the template with these fields.
    ///
    /// # Errors
    /// When it uses an unknown field, or an operation that a field does not support.
    pub fn render(&self, fields: &Value) -> Result<String, TemplateError> {
        let template = self.environment.get_template(NAME);
        let rendered = template.and_then(|template| template.render(Serde(fields)));
        rendered.map_err(|error| {
            let mut error = located(&error, &self.source);
            if let Some(fields) = fields.as_object() {
                let names: Vec<_> = fields.keys().map(String::as_str).collect();
                error.what.push_str(&format!("; the fields are {}", names.join(", ")));
            }
            error
        })
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.source).finish()
    }
}

fn located(error: &Error, source: &str) -> TemplateError {
    let start = error.range().map_or(0, |range| range.start);
    let before = source.get(..start).unwrap_or_default();
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    let line = error.line().unwrap_or(1);
    let what = match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    };
    TemplateError { line, column, what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rendered(source: &str, fields: &Value) -> Result<String, String> {
        let template: Template =
            source.parse().map_err(|error: TemplateError| error.to_string())?;
        template.render(fields).map_err(|error| error.to_string())
    }

    #[test]
    fn a_template_reads_the_fields_of_the_answer() {
        let fields = json!({ "name": "A", "agents": [{ "name": "a1" }, { "name": "a2" }] });
        let source = "{{ name }}:{% for agent in agents %} {{ agent.name|upper }}{% endfor %}";
        assert_eq!(rendered(source, &fields).unwrap(), "A: A1 A2");
        // The output is for terminals and shells, so nothing is escaped for HTML.
        assert_eq!(rendered("{{ a }}", &json!({ "a": "<&>" })).unwrap(), "<&>");
    }

    #[test]
    fn mistakes_are_told_with_line_and_column() {
        let fields = json!({ "name": "A", "state": "playing" });
        let said = rendered("{{ name }}\n  {{ nmae }}", &fields).unwrap_err();
        assert!(said.starts_with("template, line 2, column 6: undefined value"), "{said}");
        assert!(said.ends_with("; the fields are name, state"), "{said}");
        let said = rendered("a\n{% for x %}", &fields).unwrap_err();
        assert!(said.starts_with("template, line 2, column "), "{said}");
        let said = rendered(&"x".repeat(SOURCE_BYTES_MAX + 1), &fields).unwrap_err();
        assert!(said.contains("65536 bytes, got 65537"), "{said}");
    }
}
