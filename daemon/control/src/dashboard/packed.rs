//! Files of the page as they travel, compressed once each.

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderMap};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// What is smaller than this gains nothing, in bytes.
const WORTH: usize = 1 << 10;

/// Compressed files by path. There are no more than the program has in it.
static PACKED: Mutex<BTreeMap<String, Bytes>> = Mutex::new(BTreeMap::new());

/// The name of the form, as HTTP has it.
pub(super) const GZIP: &str = "gzip";

/// Whether who asks takes this file in that form.
pub(super) fn wanted(headers: &HeaderMap, data: &[u8]) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut forms = accepted.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    data.len() >= WORTH && forms.any(is_gzip)
}

/// `gzip`, and not `gzip;q=0`, by which it is declined.
fn is_gzip(form: &str) -> bool {
    let (name, weight) = form.split_once(';').unwrap_or((form, ""));
    let weight = weight.trim().strip_prefix("q=").map(str::parse);
    name.trim().eq_ignore_ascii_case(GZIP) && !matches!(weight, Some(Ok(0.0_f32)))
}

/// The compressed file; none if that fails.
pub(super) async fn packed(path: &str, data: Cow<'static, [u8]>) -> Option<Bytes> {
    let known = || PACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = known().get(path) {
        return Some(bytes.clone());
    }
    // It takes some milliseconds, which are not the runtime's.
    let made = tokio::task::spawn_blocking(move || pack(&data)).await.ok()?.ok()?;
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
