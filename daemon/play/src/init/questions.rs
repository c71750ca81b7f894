//! What `phalanx init` has to know: from flags, from a terminal, or by default.

use crate::args::InitArgs;
use anyhow::{Context, Result, bail};
use console::Term;
use phalanx_cli::failure::misused;
use phalanx_games::samples::{SampleTeam, sample};
use phalanx_games::{GAMES, game_of};
use std::fmt;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The server of a team whose referee starts the agents itself.
const BRIDGE: &str = "bridge";
/// Most agents of a team.
const AGENTS_MAX: u16 = 1000;
/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 64;

/// All answers.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) game: &'static str,
    pub(super) server: String,
    pub(super) team: String,
    pub(super) prefix: String,
    pub(super) agents: u16,
    pub(super) password: Password,
    /// The options that only this game has, as TOML.
    pub(super) options: Option<String>,
}

/// Where the password is.
pub(super) enum Password {
    /// The accounts have none.
    None,
    /// In a file of the user.
    File(PathBuf),
    /// In a file that is made.
    New(String),
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::File(_) => "File",
            Self::New(_) => "New",
        })
    }
}

impl Answers {
    /// The team's name with characters that file names have.
    pub(super) fn team_in_a_path(&self) -> String {
        let fine = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        self.team.chars().map(fine).collect()
    }
}

/// Collects the answers.
///
/// # Errors
/// When one is missing and there is no terminal to ask at, or a flag is malformed.
pub(super) fn answers(args: &InitArgs) -> Result<Answers> {
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let missing = missing(args);
    if !args.yes && !asks && !missing.is_empty() {
        return Err(misused(format!(
            "there is no terminal to ask at: add {}, or --yes for the defaults",
            missing.join(", ")
        )));
    }
    let asker = (!args.yes).then(|| Asker { term: Term::stderr() });
    let asker = asker.as_ref();
    let default = game_of(None, args.strategy.as_deref());
    let games = format!("Game ({})", GAMES.join(", "));
    let game = match args.game {
        Some(game) => game,
        None => known_game(&ask(asker, &games, None, default, |name| known_game(name).map(drop))?)?,
    };
    let sample = sample(game).with_context(|| format!("there is no sample for {game}"))?;
    let server = args.server.as_deref();
    let server = ask(asker, "Address of the referee", server, &sample.server, is_server)?;
    let team = ask(asker, "Name of the team", args.team.as_deref(), &sample.name, is_name)?;
    let prefix = args.prefix.as_deref();
    let prefix =
        ask(asker, "Accounts: the name before the number", prefix, &sample.prefix, is_name)?;
    let count = args.agents.map(|count| count.to_string());
    let default = sample.agents.to_string();
    let agents = ask(asker, "Number of agents", count.as_deref(), &default, |text| {
        is_count(text).map(drop)
    })?;
    let password = password(asker, args, &sample)?;
    let agents = is_count(&agents)?;
    Ok(Answers { game, server, team, prefix, agents, password, options: sample.options })
}

/// The flags that would answer what is not known.
fn missing(args: &InitArgs) -> Vec<&'static str> {
    let has_password = args.game.and_then(sample).is_none_or(|team| team.password.is_some());
    let flags = [
        ("--game", args.game.is_none()),
        ("--server", args.server.is_none()),
        ("--team", args.team.is_none()),
        ("--prefix", args.prefix.is_none()),
        ("--agents", args.agents.is_none()),
        ("--password-file", has_password && args.password_file.is_none()),
    ];
    flags.into_iter().filter(|(_, missing)| *missing).map(|(flag, _)| flag).collect()
}

fn password(asker: Option<&Asker>, args: &InitArgs, sample: &SampleTeam) -> Result<Password> {
    if let Some(file) = &args.password_file {
        return Ok(Password::File(file.clone()));
    }
    let Some(default) = &sample.password else { return Ok(Password::None) };
    let Some(asker) = asker else { return Ok(Password::New(default.clone())) };
    asker.say(&format!("Password of the accounts, not shown [{default}]: "))?;
    let typed = asker.term.read_secure_line().context("cannot read the password")?;
    Ok(Password::New(if typed.is_empty() { default.clone() } else { typed }))
}

/// A flag's value, or an answer at the terminal, or the default.
fn ask(
    asker: Option<&Asker>,
    question: &str,
    flag: Option<&str>,
    default: &str,
    check: impl Fn(&str) -> Result<()>,
) -> Result<String> {
    if let Some(text) = flag {
        check(text).map_err(misused)?;
        return Ok(text.to_owned());
    }
    let Some(asker) = asker else { return Ok(default.to_owned()) };
    loop {
        asker.say(&format!("{question} [{default}]: "))?;
        let Some(typed) = asker.line()? else { bail!("nothing was written: the input ended") };
        let answer = if typed.is_empty() { default } else { &typed };
        match check(answer) {
            Ok(()) => return Ok(answer.to_owned()),
            Err(error) => asker.say(&format!("{error}\n"))?,
        }
    }
}

/// Asks at the terminal.
struct Asker {
    term: Term,
}

impl Asker {
    fn say(&self, text: &str) -> Result<()> {
        self.term.write_str(text).context("cannot ask")
    }

    /// A line; `None` at the end of the input.
    fn line(&self) -> Result<Option<String>> {
        let mut line = String::new();
        let count = std::io::stdin().read_line(&mut line).context("cannot read the answer")?;
        Ok((count > 0).then(|| line.trim().to_owned()))
    }
}

fn known_game(name: &str) -> Result<&'static str> {
    Ok(phalanx_games::game(name)?)
}

fn is_server(text: &str) -> Result<()> {
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    if text == BRIDGE || port.is_some_and(|(_, port)| port.parse().is_ok_and(|port: u16| port > 0))
    {
        return Ok(());
    }
    bail!("{text:?} is no address: expected host:port, for example 127.0.0.1:12300, or {BRIDGE}")
}

fn is_name(text: &str) -> Result<()> {
    if text.is_empty() || text.chars().count() > NAME_CHARS_MAX || text.contains('/') {
        bail!("{text:?} is no name: expected 1 to {NAME_CHARS_MAX} characters without /");
    }
    Ok(())
}

fn is_count(text: &str) -> Result<u16> {
    let count = text.parse().ok().filter(|count| (1..=AGENTS_MAX).contains(count));
    count.with_context(|| format!("{text:?} is no number from 1 to {AGENTS_MAX}"))
}
