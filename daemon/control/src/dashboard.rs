//! The web page: the build of `daemon/dashboard`, served unchanged to any client on the network. It
//! holds no secret and decides nothing; it calls the API like every other client.

mod packed;

use crate::connection::NetPeer;
use crate::web::WHAT_THIS_IS;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use include_dir::{Dir, include_dir};
use phalanx_game::sorted::SortedMap;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The files of the page. All names except the first contain a hash of the content.
static PAGE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../dashboard/dist");

/// The start of the SHA-256 of each file in hexadecimal digits, by path.
static HASHES: LazyLock<SortedMap<String, String>> = LazyLock::new(|| {
    let files = PAGE.files().chain(PAGE.dirs().flat_map(Dir::files));
    files.map(|file| (file.path().display().to_string(), hash(file.contents()))).collect()
});

/// The file that a browser requests first.
const FIRST: &str = "index.html";
/// The page's content policy: it may use its own files and call its own daemon, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
/// A file whose name contains its hash never needs a second request.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// The first file is requested each time, but only sent if it changed.
const ASK_AGAIN: &str = "no-cache";

/// The routes of the page and its files.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(page)).route("/assets/{name}", get(asset))
}

/// The page.
async fn page(request: Request) -> Response {
    answer(FIRST, ASK_AGAIN, request).await
}

/// A file of the page.
async fn asset(Path(name): Path<String>, request: Request) -> Response {
    answer(&format!("assets/{name}"), FOR_EVER, request).await
}

async fn answer(path: &str, keep: &'static str, request: Request) -> Response {
    let from_network = request.extensions().get::<NetPeer>().is_some();
    let Some(file) = from_network.then(|| PAGE.get_file(path)).flatten() else {
        return (StatusCode::NOT_FOUND, WHAT_THIS_IS).into_response();
    };
    let data = file.contents();
    let mut packs = packed::wanted(request.headers(), data);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let is_known = |packs| known.is_some() && known == tag(path, packs);
    let mut answer = if is_known(packs) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let form = if packs { packed::packed(path, data).await } else { None };
        packs = form.is_some();
        let body = form.unwrap_or(Bytes::from_static(data)).into_response();
        ([(header::CONTENT_TYPE, kind(path))], body).into_response()
    };
    let headers = answer.headers_mut();
    guard(headers, keep);
    if packs {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(packed::GZIP));
    }
    if let Some(tag) = tag(path, packs) {
        headers.insert(header::ETAG, tag);
    }
    answer
}

fn guard(headers: &mut HeaderMap, keep: &'static str) {
    let rules: [(HeaderName, &'static str); 6] = [
        (header::VARY, "accept-encoding"),
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

/// The ETag: the hash of the content and its encoding.
fn tag(path: &str, packs: bool) -> Option<HeaderValue> {
    let hash = HASHES.get(path)?;
    let encoding = if packs { "-gzip" } else { "" };
    HeaderValue::from_str(&format!("\"{hash}{encoding}\"")).ok()
}

fn hash(data: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(data).iter().take(16) {
        // Writing to a text does not fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
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
