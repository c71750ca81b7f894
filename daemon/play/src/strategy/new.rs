//! `phalanx strategy new`: a strategy that plays at once.

use crate::args::NewArgs;
use crate::files::{Mode, write_new};
use anyhow::{Context, Result, anyhow, bail};
use phalanx_games::shipped;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 64;
/// The placeholder of the strategy's name in a template.
const NAME: &str = "{{name}}";
/// The placeholder of the game's name in a template.
const GAME: &str = "{{game}}";

/// Creates the folder and prints the next steps.
///
/// # Errors
/// When the name is invalid, the folder is not empty, or a file cannot be written.
pub fn new(args: &NewArgs) -> Result<()> {
    check_name(&args.name).map_err(|error| anyhow!("{error}; --dir says where it goes"))?;
    let dir = args.dir.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    let count = fill_folder(&dir, &args.name, args.game)?;
    let shown = dir.display();
    // Without a flag the game is the one that the type definitions name, which must be a native one.
    let folder = phalanx_games::folder_of(args.game);
    let game = folder.map_or_else(String::new, |folder| format!(" --game {}", folder.display()));
    let text = format!(
        "created {shown} with {count} files; next steps:\n  phalanx strategy check {shown}{game}\n  \
         phalanx strategy test {shown}{game}\n  phalanx demo --strategy {shown}{game}\n",
    );
    phalanx_cli::remote::print(&text)
}

/// Writes a new strategy into a folder that is empty or does not exist; returns the number of files.
pub(crate) fn fill_folder(dir: &Path, name: &str, game: &str) -> Result<usize> {
    let files = files(name, game)?;
    write(dir, &files)?;
    Ok(files.len())
}

/// Refuses a name that could be a path or a flag.
fn check_name(name: &str) -> Result<()> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.chars().all(good) {
        bail!(
            "{name:?} is not a strategy name: expected 1 to {NAME_CHARS_MAX} letters, digits, _ and -"
        );
    }
    Ok(())
}

/// The files of a new strategy, by path.
///
/// # Errors
/// When the name is invalid, or the game has no script API.
pub fn new_files(name: &str, game: &str) -> Result<BTreeMap<String, String>> {
    check_name(name)?;
    files(name, game)
}

fn files(name: &str, game: &str) -> Result<BTreeMap<String, String>> {
    let api = phalanx_games::api(game).context("the game has no script API")?;
    let fill = |text: &str| text.replace(NAME, name).replace(GAME, game);
    let mut files: BTreeMap<String, String> =
        shipped::template(game).into_iter().map(|(path, text)| (path, fill(&text))).collect();
    for (path, text) in phalanx_games::definitions(game, api) {
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
        bail!("{} is not empty; choose another folder with --dir", dir.display());
    }
    for (path, text) in files {
        let path = dir.join(path);
        let folder = path.parent().unwrap_or(dir);
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        write_new(&path, text, Mode::Shared)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_template_is_left_to_fill_in() {
        for game in phalanx_games::GAMES {
            let files = files("mine", game).unwrap();
            assert!(files.contains_key("README.md"), "{game} has no template");
            for (path, text) in files {
                assert!(!text.contains("{{"), "{game}: {path}");
            }
        }
    }
}
