//! The web page: what was built from `daemon/dashboard`, served as it was built to whoever comes
//! over the network. It holds no secret and decides nothing; what it shows it asks for as every
//! other client does.

use crate::listener::NetPeer;
use crate::web::WHAT_THIS_IS;
use axum::Router;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::fmt::Write;

/// Files of the page; their names hold a hash of their content, but for the first one.
#[derive(RustEmbed)]
#[folder = "../dashboard/dist"]
struct Built;

/// The file that a browser asks for first.
const FIRST: &str = "index.html";
/// What the page may do: use its own files and call its own daemon, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
/// A file whose name changes with its content is never asked for again.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// The first file is asked for each time, and answered only if it changed.
const ASK_AGAIN: &str = "no-cache";

/// Where the page and its files are.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(page)).route("/assets/{name}", get(asset))
}

/// The page.
async fn page(request: Request) -> Response {
    answer(FIRST, ASK_AGAIN, &request)
}

/// A file that the page is made of.
async fn asset(Path(name): Path<String>, request: Request) -> Response {
    answer(&format!("assets/{name}"), FOR_EVER, &request)
}

fn answer(path: &str, keep: &'static str, request: &Request) -> Response {
    let from_network = request.extensions().get::<NetPeer>().is_some();
    let Some(file) = from_network.then(|| Built::get(path)).flatten() else {
        return (StatusCode::NOT_FOUND, WHAT_THIS_IS).into_response();
    };
    let tag = tag(&file);
    let known = request.headers().get(header::IF_NONE_MATCH);
    let mut answer = if known.is_some_and(|known| *known == *tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, kind(path))], file.data).into_response()
    };
    guard(answer.headers_mut(), keep);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(header::ETAG, tag);
    }
    answer
}

fn guard(headers: &mut HeaderMap, keep: &'static str) {
    let rules: [(HeaderName, &'static str); 5] = [
        (header::CACHE_CONTROL, keep),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in rules {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The hash of the content, in the form that HTTP wants.
fn tag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let mut text = String::from("\"");
    for byte in hash.iter().take(16) {
        // Writing into a text never fails.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text.push('"');
    text
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
