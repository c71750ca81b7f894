//! Completions for shells and manual pages, generated from the command lines.

use crate::cli::{Phalanx, Program};
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use phalanxd::args::Phalanxd;
use std::path::Path;

/// `phalanx completions`.
///
/// # Errors
/// When it cannot be printed.
pub fn completions(shell: Shell, program: Program) -> Result<()> {
    if program == Program::Phalanx {
        return phalanx_cli::remote::print(crate::complete::script(shell));
    }
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Phalanxd::command(), "phalanxd", &mut text);
    phalanx_cli::remote::print(&String::from_utf8(text).context("the completions are not UTF-8")?)
}

/// `phalanx man`: pages in section 1 for `phalanx` and its verbs, in section 8 for the daemon.
///
/// # Errors
/// When the folder cannot be written.
pub fn pages(dir: &Path) -> Result<()> {
    let said = || format!("cannot write {}", dir.display());
    std::fs::create_dir_all(dir).with_context(said)?;
    for (command, section) in [(Phalanx::command(), "1"), (Phalanxd::command(), "8")] {
        // Each verb has `--help`.
        let mut command = command.disable_help_subcommand(true);
        command.build();
        write(&command, section, dir).with_context(said)?;
    }
    Ok(())
}

fn write(command: &Command, section: &str, dir: &Path) -> std::io::Result<()> {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        write(verb, section, dir)?;
    }
    Man::new(command.clone()).section(section).manual("Phalanx").generate_to(dir).map(drop)
}
