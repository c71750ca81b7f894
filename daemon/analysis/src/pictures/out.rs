//! Writes pictures to files or standard output.

use crate::args::map::MapArgs;
use anyhow::{Context, Result};
use phalanx_cli::args::OutputArgs;
use phalanx_cli::failure::misused;
use phalanx_cli::remote::counted;
use phalanx_proto::v1::World;
use serde_json::json;
use std::ffi::OsStr;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The path that means standard output.
const STDOUT: &str = "-";

/// A file that was written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == OsStr::new(STDOUT)
}

/// Refuses wrong combinations of options before anything is drawn.
pub(super) fn check(args: &MapArgs) -> Result<()> {
    // Checked here, since the parser's `requires` has no effect beside the team's name.
    for (flag, is_there) in [("--turn", args.turn.is_some()), ("--animate", args.animate.is_some())]
    {
        if is_there && args.file.is_none() {
            return Err(misused(format!("{flag} needs a recording: --file FILE")));
        }
    }
    let all = [&args.png, &args.svg, &args.animate];
    let count = all.into_iter().flatten().filter(|path| is_stdout(path)).count();
    if count > 1 {
        return Err(misused("standard output takes one picture, not two"));
    }
    let pixels = [&args.png, &args.animate];
    let shown = pixels.into_iter().flatten().any(|path| is_stdout(path));
    if shown && std::io::stdout().is_terminal() {
        return Err(misused("a terminal does not show pictures; write to a file or a pipe"));
    }
    match args.animate.as_deref().filter(|path| !is_stdout(path)) {
        Some(path) if !path.extension().is_some_and(|it| it.eq_ignore_ascii_case("png")) => {
            let path = path.display();
            Err(misused(format!("{path}: films are animated PNGs; use a file name with .png")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Writes the whole picture to the file, or to standard output (`None`).
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<Option<Written>> {
    if is_stdout(path) {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Ok(()) => Ok(None),
            // `| head` closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(None),
            Err(error) => Err(error).context("cannot write the picture to standard output"),
        };
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    let bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Ok(Some(Written { path: path.to_owned(), bytes }))
}

/// Prints which turn was drawn into which files.
pub(super) fn tell(print: &OutputArgs, world: &World, written: &[Written]) -> Result<()> {
    let turn = world.turn.unwrap_or_default();
    let files = written
        .iter()
        .map(|it| json!({ "file": it.path.display().to_string(), "bytes": it.bytes }));
    let json = json!({
        "game": world.game, "turn": { "round": turn.round, "step": turn.step },
        "files": files.collect::<Vec<_>>(),
    });
    print.tell(&json, || {
        let line = |it: &Written| {
            let (path, bytes) = (it.path.display(), counted(it.bytes, "byte"));
            format!("{path}: turn {}:{}, {bytes}", turn.round, turn.step)
        };
        written.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}
