//! Tools that write files, below one folder.

use crate::answer::Answer;
use crate::arguments::arguments;
use crate::call::Work;
use crate::places::Places;
use crate::sandbox::Existing;
use anyhow::{Result, bail};
use phalanx_games::DEFAULT_GAME;
use phalanx_play::strategy::new_files;
use std::path::{Component, Path};

/// Longest file, in bytes.
const FILE_BYTES_MAX: usize = 1 << 20;
/// The files of strategies.
const ENDINGS: [&str; 4] = ["luau", "lua", "toml", "md"];

pub(super) const NEW: &str = "\
Make a strategy that plays at once, in a new folder: role files, specs, type definitions, README.";

arguments! {
    pub(super) struct NewArgs {
        /// The strategy's name, and that of its folder: letters, digits, _ and -.
        name: String,
        /// The game that it plays [default: assemble].
        game: Option<String>,
    }
}

pub(super) fn new(places: &Places, args: NewArgs, _work: &Work) -> Result<Answer> {
    let sandbox = places.sandbox()?;
    let game = places.game(args.game.as_deref())?.unwrap_or(DEFAULT_GAME);
    let files = new_files(&args.name, game)?;
    let folder = Path::new(&args.name);
    if sandbox.is_taken(folder)? {
        bail!("{} exists already; choose another name", sandbox.root().join(folder).display());
    }
    for (path, text) in &files {
        sandbox.write(&folder.join(path), &mut text.as_bytes(), Existing::Refuse)?;
    }
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    Ok(Answer::text(format!(
        "made {} for {game}:\n  {}\nnext: strategy_check, strategy_test, demo",
        sandbox.root().join(folder).display(),
        names.join("\n  ")
    )))
}

pub(super) const FILE: &str = "\
Write a file of a strategy as a whole, with the folders above it: *.luau, *.lua, *.toml or *.md. A \
running daemon or demo that watches the folder tries the change within a second.";

arguments! {
    pub(super) struct FileArgs {
        /// The file, relative to the folder that may be written, for example `mine/worker.luau`.
        path: String,
        /// Its whole new text, at most 1 MiB.
        text: String,
    }
}

pub(super) fn file(places: &Places, args: FileArgs, _work: &Work) -> Result<Answer> {
    let sandbox = places.sandbox()?;
    let path = Path::new(&args.path);
    let below = sandbox.inside(path)?;
    let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
    if below.components().any(is_hidden) {
        bail!("{}: a name that begins with a dot is no file of a strategy", args.path);
    }
    let ending = below.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !ENDINGS.contains(&ending) {
        bail!("{}: expected a file *.{}", args.path, ENDINGS.join(", *."));
    }
    let bytes = args.text.len();
    if bytes > FILE_BYTES_MAX {
        bail!("{}: {bytes} bytes; expected at most {FILE_BYTES_MAX}", args.path);
    }
    let path = sandbox.write(path, &mut args.text.as_bytes(), Existing::Replace)?;
    Ok(Answer::text(format!("wrote {} ({bytes} bytes)", path.display())))
}
