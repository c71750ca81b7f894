//! `phalanx strategy new`: a strategy that plays at once.

use crate::cli::strategy::NewArgs;
use crate::{shipped, wire};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 64;
/// Where a template has the strategy's name.
const NAME: &str = "{{name}}";
/// Where a template has the game's name.
const GAME: &str = "{{game}}";

/// Makes the folder and says how to go on.
///
/// # Errors
/// When the name is odd, the folder is not empty, or a file cannot be written.
pub fn new(args: &NewArgs) -> Result<()> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if args.name.is_empty() || args.name.len() > NAME_CHARS_MAX || !args.name.chars().all(good) {
        bail!(
            "{:?} is no name for a strategy: 1 to {NAME_CHARS_MAX} letters, digits, _ and -; \
             --dir says where it goes",
            args.name
        );
    }
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let files = files(&args.name, args.game)?;
    write(&dir, &files)?;
    let shown = dir.display();
    let text = format!(
        "made {shown} with {} files; go on with\n  phalanx strategy check {shown}\n  \
         phalanx strategy test {shown}\n  phalanx demo --strategy {shown}\n",
        files.len()
    );
    crate::remote::print(&text)
}

/// The files of a new strategy, by path.
fn files(name: &str, game: &str) -> Result<BTreeMap<String, String>> {
    let api = wire::api(game).context("the game has no script interface")?;
    let fill = |text: &str| text.replace(NAME, name).replace(GAME, game);
    let mut files: BTreeMap<String, String> =
        shipped::template(game).into_iter().map(|(path, text)| (path, fill(&text))).collect();
    if files.is_empty() {
        bail!("there is no template for {game} yet; copy scripts/{game} instead");
    }
    for (path, text) in crate::script::definitions(game, api) {
        files.insert(format!("{}/{path}", phalanx_lua::TYPES_FOLDER), text);
    }
    Ok(files)
}

fn write(dir: &Path, files: &BTreeMap<String, String>) -> Result<()> {
    let taken = match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(error).with_context(|| format!("cannot use {}", dir.display())),
    };
    if taken {
        bail!("{} is not empty; choose another place with --dir", dir.display());
    }
    for (path, text) in files {
        let path = dir.join(path);
        let folder = path.parent().unwrap_or(dir);
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_template_is_left_to_fill_in() {
        let filled = |game: &&&str| !shipped::template(game).is_empty();
        for game in wire::GAMES.iter().filter(filled) {
            for (path, text) in files("mine", game).unwrap() {
                assert!(!text.contains("{{"), "{game}: {path}");
            }
        }
    }
}
