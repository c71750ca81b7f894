//! Where files are read, and where they may be written.

use crate::sandbox::Sandbox;
use anyhow::{Context, Result, bail};
use phalanx_games::shipped::{SHIPPED, is_word};
use std::path::{Path, PathBuf};

/// The folders of a server.
#[derive(Debug)]
pub(crate) struct Places {
    /// Where relative paths begin.
    base: PathBuf,
    /// Where tools may write.
    sandbox: Option<Sandbox>,
}

impl Places {
    /// # Errors
    /// When the folder does not exist or cannot be opened.
    pub(crate) fn new(allow_write: Option<&Path>) -> Result<Self> {
        let sandbox = allow_write.map(Sandbox::open).transpose()?;
        let base = match &sandbox {
            Some(sandbox) => sandbox.root().to_owned(),
            None => std::env::current_dir().context("cannot find the current folder")?,
        };
        Ok(Self { base, sandbox })
    }

    /// A path to read.
    ///
    /// # Errors
    /// When it is empty.
    pub(crate) fn path(&self, text: &str) -> Result<PathBuf> {
        if text.trim().is_empty() {
            bail!("the path is empty; name a folder or a file, below {}", self.base.display());
        }
        Ok(self.base.join(text))
    }

    /// A path to a folder that is there.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn folder(&self, text: &str) -> Result<PathBuf> {
        let path = self.path(text)?;
        if !path.is_dir() {
            bail!("{}: no such folder; relative paths begin in {}", path.display(), self.base());
        }
        Ok(path)
    }

    /// A strategy's name and source: a folder, `shipped` or `idle`, as `NAME=` may be before it.
    ///
    /// # Errors
    /// When the folder is not there.
    pub(crate) fn strategy(&self, text: &str) -> Result<(String, String)> {
        let (name, source) = phalanx_cli::args::league::named(text)?;
        if is_word(&source) {
            return Ok((name, source));
        }
        let folder = self.folder(&source)?;
        Ok((name, folder.display().to_string()))
    }

    /// The game of this name, or the one that a strategy is for.
    ///
    /// # Errors
    /// When the game is unknown, or its folder has mistakes.
    pub(crate) fn game(&self, name: Option<&str>) -> Result<Option<&'static str>> {
        let Some(name) = name else { return Ok(None) };
        if phalanx_games::is_path(name) {
            return Ok(Some(phalanx_games::load_folder(&self.folder(name)?)?));
        }
        Ok(Some(phalanx_games::game(name)?))
    }

    /// The game of a strategy: the one that was asked for, or the one of the folder.
    pub(crate) fn game_of(&self, name: Option<&str>, source: &str) -> Result<&'static str> {
        let folder = (source != SHIPPED).then(|| Path::new(source));
        Ok(phalanx_games::game_of(self.game(name)?, folder))
    }

    /// Where tools may write.
    ///
    /// # Errors
    /// When they may not.
    pub(crate) fn sandbox(&self) -> Result<&Sandbox> {
        self.sandbox.as_ref().context(
            "this server is read-only; start it with `phalanx mcp --allow-write DIR` to write below \
             DIR",
        )
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.sandbox.is_some()
    }

    pub(crate) fn base(&self) -> std::path::Display<'_> {
        self.base.display()
    }
}
