//! `phalanx init`: settings, a password file and a strategy, from flags or from questions.

mod questions;

use crate::args::InitArgs;
use crate::files::{Mode, make_folder, write_new};
use crate::strategy::fill_folder;
use anyhow::{Context, Result, bail};
use phalanx_cli::failure::EXIT_USAGE;
use phalanx_cli::remote;
use phalanx_games::shipped;
use phalanxd::casting::main_role;
use questions::{Answers, Password};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toml::Value;

/// The files in the folder.
const SETTINGS: &str = "phalanx.toml";
const SECRET: &str = "phalanx.secret";
const STRATEGY: &str = "strategy";

/// Asks, writes, and checks what it wrote; the exit code is that of the check.
///
/// # Errors
/// When an answer is missing, a file exists already, or one cannot be written.
pub fn run(args: &InitArgs) -> Result<ExitCode> {
    let (settings, secret) = (args.dir.join(SETTINGS), args.dir.join(SECRET));
    // Before any question.
    refuse_existing(&settings)?;
    let answers = questions::answers(args)?;
    if matches!(answers.password, Password::New(_)) {
        refuse_existing(&secret)?;
    }
    make_folder(&args.dir)?;
    let strategy = args.strategy.clone().unwrap_or_else(|| args.dir.join(STRATEGY));
    let mut written = Vec::new();
    if is_empty(&strategy)? {
        let count = fill_folder(&strategy, &answers.team_in_a_path(), answers.game)?;
        written.push(format!("{}, a new strategy ({count} files)", strategy.display()));
    }
    let bundle = shipped::read(&strategy).context("the strategy")?;
    let role = main_role(&bundle).context("the strategy has no role file")?;
    if let Password::New(password) = &answers.password {
        write_new(&secret, &format!("{password}\n"), Mode::Private)?;
        written.push(secret.display().to_string());
    }
    write_new(&settings, &text(args, &answers, role)?, Mode::Private)?;
    written.push(settings.display().to_string());
    finish(&settings, &written)
}

fn refuse_existing(path: &Path) -> Result<()> {
    if path.exists() {
        bail!("{} exists; name another folder: `phalanx init DIR`", path.display());
    }
    Ok(())
}

fn is_empty(folder: &Path) -> Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("cannot use {}", folder.display())),
    }
}

/// The settings as TOML; paths are relative to the settings' folder, or absolute.
fn text(args: &InitArgs, answers: &Answers, role: &str) -> Result<String> {
    let quoted = |text: &str| Value::from(text).to_string();
    let full = |path: &PathBuf| -> Result<String> {
        let path = std::path::absolute(path)?;
        Ok(quoted(path.to_str().context("a path that is not UTF-8")?))
    };
    let strategy = args.strategy.as_ref().map_or_else(|| Ok(quoted(STRATEGY)), full)?;
    let password = match &answers.password {
        Password::None => String::new(),
        Password::New(_) => format!("password_file = {}\n", quoted(SECRET)),
        Password::File(path) => format!("password_file = {}\n", full(path)?),
    };
    let options = answers.options.as_ref();
    let options = options
        .map(|options| format!("# Only this game has these.\noptions = {options}\n"))
        .unwrap_or_default();
    Ok(format!(
        "# Settings of phalanxd, made by `phalanx init`. The manual's page on settings explains \
         all keys.\n\n\
         # The folder for what must survive the daemon: recordings, checkpoints, tokens.\n\
         state_dir = \"state\"\n\n\
         # The web page is at http://127.0.0.1:7420/.\n\
         [control]\ntcp = \"127.0.0.1:7420\"\n\n\
         [[teams]]\nname = {}\ngame = {}\nserver = {}\nstrategy = {strategy}\nrole = {}\n\
         {password}agents = {{ prefix = {}, count = {} }}\n{options}",
        quoted(&answers.team),
        quoted(answers.game),
        quoted(&answers.server),
        quoted(role),
        quoted(&answers.prefix),
        answers.agents,
    ))
}

/// Checks the settings as `phalanx check` does, and prints the next steps.
fn finish(settings: &Path, written: &[String]) -> Result<ExitCode> {
    let mut findings = phalanxd::check::load(settings, &[]);
    findings.try_all();
    remote::print(&format!("wrote {}", written.join(", ")))?;
    if findings.playable().is_none() {
        findings.print();
        let shown = settings.display();
        remote::say(&format!("correct it, then check it: phalanx check --config {shown}"));
        return Ok(ExitCode::from(EXIT_USAGE));
    }
    let shown = settings.display();
    remote::print(&format!(
        "next steps:\n  phalanx doctor --config {shown}\n  phalanxd --config {shown}\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
