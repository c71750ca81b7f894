//! Messages of the Model Context Protocol: JSON-RPC, one object a line.

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncWriteExt, Stdout};
use tokio::sync::Mutex;

/// Versions of the protocol, oldest first. All but the last begin with `initialize`, and the
/// client keeps to the version that was agreed on.
pub(crate) const VERSIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NO_INITIALIZE];
/// The first version without `initialize`: each request names its version, and each result says
/// that it is complete.
const NO_INITIALIZE: &str = "2026-07-28";
/// Where a request names its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// A message of a client. A request has an id and a method, a notification only a method.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: Option<Value>,
    pub(crate) method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Message {
    /// Reads a line.
    ///
    /// # Errors
    /// The answer, if it is no message.
    pub(crate) fn parse(line: &str) -> Result<Self, ErrorAnswer> {
        let value: Value = serde_json::from_str(line)
            .map_err(|error| ErrorAnswer::new(ErrorAnswer::PARSE, format!("no JSON: {error}")))?;
        serde_json::from_value(value).map_err(|error| {
            ErrorAnswer::new(ErrorAnswer::INVALID, format!("no message of JSON-RPC: {error}"))
        })
    }

    /// A parameter; null when it is not there.
    pub(crate) fn param(&self, name: &str) -> &Value {
        self.params.get(name).unwrap_or(&Value::Null)
    }

    /// What a request says about itself.
    pub(crate) fn meta(&self, key: &str) -> Option<&Value> {
        self.param("_meta").get(key)
    }

    /// The version that a request without `initialize` names; none for older clients.
    ///
    /// # Errors
    /// When this server does not know it.
    pub(crate) fn version(&self) -> Result<Option<&'static str>, ErrorAnswer> {
        let Some(asked) = self.meta(VERSION_KEY) else { return Ok(None) };
        match VERSIONS.iter().find(|version| asked == **version) {
            Some(version) => Ok(Some(version)),
            None => Err(ErrorAnswer {
                data: Some(json!({ "requested": asked, "supported": VERSIONS })),
                ..ErrorAnswer::new(ErrorAnswer::VERSION, "Unsupported protocol version")
            }),
        }
    }
}

/// The version that is agreed on with a client that initializes: its own, or else the newest.
pub(crate) fn agreed(asked: &Value) -> &'static str {
    let with_initialize = || VERSIONS.into_iter().rev().filter(|version| *version < NO_INITIALIZE);
    with_initialize().find(|version| asked == version).or(with_initialize().next()).unwrap_or("")
}

/// Adds to a result what clients of this version expect in it.
pub(crate) fn completed(mut result: Value, version: Option<&str>, is_list: bool) -> Value {
    if version >= Some(NO_INITIALIZE) {
        result = with(result, "resultType", "complete");
        if is_list {
            // Nothing is to be kept: files and games change.
            result = with(result, "ttlMs", 0);
            result = with(result, "cacheScope", "private");
        }
    }
    result
}

/// An object with one more field.
pub(crate) fn with(mut object: Value, key: &str, value: impl Into<Value>) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), value.into());
    }
    object
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ErrorAnswer {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl ErrorAnswer {
    pub(crate) const PARSE: i64 = -32_700;
    pub(crate) const INVALID: i64 = -32_600;
    pub(crate) const NO_METHOD: i64 = -32_601;
    pub(crate) const PARAMS: i64 = -32_602;
    const VERSION: i64 = -32_022;

    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

/// Where messages to the client go.
#[derive(Clone, Debug)]
pub(crate) struct Output(Arc<Mutex<Stdout>>);

impl Output {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(tokio::io::stdout())))
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, id: &Value, result: Result<Value, ErrorAnswer>) {
        let answer = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(ErrorAnswer { code, message, data }) => {
                let mut error = json!({ "code": code, "message": message });
                if let Some(data) = data {
                    error = with(error, "data", data);
                }
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        self.send(&answer).await;
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    async fn send(&self, message: &Value) {
        let mut output = self.0.lock().await;
        // An error only means that the client is gone, which ends its input too.
        output.write_all(format!("{message}\n").as_bytes()).await.ok();
        output.flush().await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_version_is_taken_if_it_begins_with_initialize() {
        for (asked, agreed_on) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("1999-01-01", "2025-11-25"),
        ] {
            assert_eq!(agreed(&asked.into()), agreed_on, "{asked}");
        }
        assert_eq!(agreed(&Value::Null), "2025-11-25");
    }

    #[test]
    fn results_say_that_they_are_complete_only_to_clients_that_know_it() {
        let result = || json!({ "tools": [] });
        assert_eq!(completed(result(), None, true), result());
        assert_eq!(completed(result(), Some("2025-11-25"), true), result());
        assert_eq!(
            completed(result(), Some("2026-07-28"), true),
            json!({ "tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private" })
        );
        assert_eq!(completed(json!({}), Some("2026-07-28"), false)["ttlMs"], Value::Null);
    }
}
