//! Compressed files of the page, each compressed once.

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderMap};
use phalanx_game::sorted::SortedMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Smaller files are not compressed, in bytes.
const WORTH: usize = 1 << 10;

/// Compressed files by path; at most as many as the program contains.
static PACKED: Mutex<SortedMap<String, Bytes>> = Mutex::new(SortedMap::new());

/// The name of the encoding in HTTP.
pub(super) const GZIP: &str = "gzip";

/// Whether the client accepts the encoding and the file is large enough.
pub(super) fn wanted(headers: &HeaderMap, data: &[u8]) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut forms = accepted.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    data.len() >= WORTH && forms.any(is_gzip)
}

/// `gzip`, but not `gzip;q=0`, which refuses it.
fn is_gzip(form: &str) -> bool {
    let (name, weight) = form.split_once(';').unwrap_or((form, ""));
    let weight = weight.trim().strip_prefix("q=").map(str::parse);
    name.trim().eq_ignore_ascii_case(GZIP) && !matches!(weight, Some(Ok(0.0_f32)))
}

/// The compressed file; `None` if compression fails.
pub(super) async fn packed(path: &str, data: &'static [u8]) -> Option<Bytes> {
    let known = || PACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = known().get(path) {
        return Some(bytes.clone());
    }
    // Compression takes some milliseconds, too long for the runtime's threads.
    let made = tokio::task::spawn_blocking(move || pack(data)).await.ok()?.ok()?;
    known().insert(path.to_owned(), made.clone());
    Some(made)
}

fn pack(data: &[u8]) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data)?;
    encoder.finish().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("gzip", true)]
    #[case("gzip, deflate, br, zstd", true)]
    #[case("deflate, GZIP;q=0.5", true)]
    #[case("gzip;q=0", false)]
    #[case("identity;q=1, gzip; q=0.0", false)]
    #[case("x-gzip", false)]
    #[case("", false)]
    fn who_names_the_form_gets_it(#[case] accepted: &str, #[case] gets: bool) {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted.parse().unwrap())]);
        assert_eq!(wanted(&headers, &[b' '; WORTH]), gets);
        assert!(!wanted(&headers, &[b' '; WORTH - 1]), "too small");
        assert!(!wanted(&HeaderMap::new(), &[b' '; WORTH]));
    }
}
