//! What there is to read: the script API of each game, types for editors, guides and the manual.

use include_dir::{Dir, include_dir};
use phalanx_games::GAMES;
use serde_json::{Value, json};
use std::borrow::Cow;

const SCHEME: &str = "phalanx://";
const MARKDOWN: &str = "text/markdown";

/// The user's manual.
static MANUAL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../deploy/manual");

/// Guides that are outside the manual: their names, and their pages.
const GUIDES: [(&str, &str); 2] = [
    ("new-game", include_str!("../../../plugins/README.md")),
    ("shipped-strategies", include_str!("../../../scripts/README.md")),
];

/// All resources.
pub(crate) fn list() -> Vec<Value> {
    let page = |place: String, title: String, size: usize, kind: &str| {
        json!({
            "uri": format!("{SCHEME}{place}"),
            "name": place,
            "title": title,
            "mimeType": kind,
            "size": size,
        })
    };
    let mut all = Vec::new();
    for game in GAMES {
        let Some(api) = phalanx_games::api(game) else { continue };
        let text = phalanx_lua::reference(game, api);
        let title = format!("The script API of {game}");
        all.push(page(format!("api/{game}"), title, text.len(), MARKDOWN));
        for (file, text) in phalanx_games::definitions(game, api) {
            let title = format!("Type definitions of {game} for editors");
            all.push(page(format!("types/{game}/{file}"), title, text.len(), kind(file)));
        }
    }
    let specs = phalanx_lua::SPEC_REFERENCE;
    all.push(page("specs".to_owned(), "Functions of specs".to_owned(), specs.len(), MARKDOWN));
    for (name, text) in GUIDES {
        all.push(page(format!("guide/{name}"), title(text), text.len(), MARKDOWN));
    }
    for file in MANUAL.files() {
        let Some(text) = file.contents_utf8() else { continue };
        let place = format!("manual/{}", file.path().display());
        all.push(page(place, title(text), text.len(), MARKDOWN));
    }
    all
}

/// The resource at this address.
pub(crate) fn read(uri: &str) -> Option<Value> {
    let place = uri.strip_prefix(SCHEME)?;
    let (shelf, rest) = place.split_once('/').unwrap_or((place, ""));
    let (text, file): (Cow<'_, str>, _) = match shelf {
        "api" => (phalanx_lua::reference(rest, phalanx_games::api(rest)?).into(), ""),
        "types" => {
            let (game, file) = rest.split_once('/')?;
            let all = phalanx_games::definitions(game, phalanx_games::api(game)?);
            (all.into_iter().find(|(name, _)| *name == file)?.1.into(), file)
        }
        "specs" if rest.is_empty() => (phalanx_lua::SPEC_REFERENCE.into(), ""),
        "guide" => (GUIDES.iter().find(|(name, _)| *name == rest)?.1.into(), ""),
        "manual" => (MANUAL.get_file(rest)?.contents_utf8()?.into(), ""),
        _ => return None,
    };
    Some(json!({ "uri": uri, "mimeType": kind(file), "text": text }))
}

/// The media type of a file, by its name.
fn kind(file: &str) -> &'static str {
    if file.is_empty() { MARKDOWN } else { "text/x-lua" }
}

/// The first heading of a page.
fn title(text: &str) -> String {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_resource_can_be_read_and_has_a_title_and_its_size() {
        let all = list();
        assert!(all.len() > 30, "{}", all.len());
        for resource in all {
            let uri = resource["uri"].as_str().unwrap();
            let contents = read(uri).expect(uri);
            for key in ["uri", "mimeType"] {
                assert_eq!(contents[key], resource[key], "{uri}");
            }
            assert_eq!(contents["text"].as_str().unwrap().len(), resource["size"], "{uri}");
            assert_ne!(resource["title"], "", "{uri}");
        }
    }

    #[test]
    fn what_is_not_listed_is_not_read() {
        for uri in ["phalanx://api/chess", "phalanx://manual/../README.md", "file:///etc/passwd"] {
            assert_eq!(read(uri), None, "{uri}");
        }
    }
}
