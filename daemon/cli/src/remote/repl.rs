//! `phalanx agent repl`: a prompt for an agent's scripts in a running daemon.

use super::eval::tell;
use super::{link, say, short, split_agent, split_team, strategies, team_of_words, uncut};
use crate::args::Remote;
use crate::failure::{misused, refused};
use crate::prompt::{Asking, Console, Flow, Partner, read_lines};
use anyhow::{Context, Result};
use clap::Args;
use phalanx_control::client::Link;
use phalanx_proto::v1::strategies_client::StrategiesClient;
use phalanx_proto::v1::teams_client::TeamsClient;
use phalanx_proto::v1::{EvalScriptRequest, EvalScriptResponse, GetTeamRequest};
use std::io::IsTerminal;
use tokio::runtime::Runtime;

const USAGE: &str = "phalanx agent repl TEAM/AGENT";
/// A piece of script without effect, to learn the agent's present turn.
const NOTHING: &str = "nil";
const HELP: &str = "\
an expression prints its values, statements run; TAB completes names
variables without `local` keep their values from line to line
an incomplete input continues on the next line; an empty line sends it as it is
:live, :copy   run in the live VM, which can change memory and board; in a copy of its view
:help          show this help
:quit          quit (also ctrl-d)";

/// `phalanx agent repl`.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "phalanx agent repl [OPTIONS] TEAM/AGENT")]
pub struct ReplArgs {
    /// The agent; without its team, the only team's.
    #[arg(num_args = 1..=2, required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// Run everything in the live VM, between turns, where it can change memory and board.
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// Reads lines until the input ends.
///
/// # Errors
/// When no daemon answers, there is no such agent, or the terminal fails.
pub(super) fn repl(args: &ReplArgs) -> Result<()> {
    let words = split_agent(&args.words);
    let (team, rest) = split_team(&words, 1);
    let [agent] = rest else { return Err(misused(USAGE)) };
    // A second thread answers the daemon's keepalives while the prompt waits.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (client, team, game) = runtime.block_on(async {
        let channel = link::open(&args.remote).await?;
        let team = team_of_words(&channel, team, rest, USAGE).await?;
        let request = GetTeamRequest { name: team.clone() };
        let answer = TeamsClient::new(channel.clone()).get_team(request).await;
        let answer = answer.map_err(|status| refused(&status))?;
        let game = answer.into_inner().team.context("the daemon's answer has no team")?.game;
        anyhow::Ok((strategies(channel), team, game))
    })?;
    let session = format!("repl-{}", std::process::id());
    let is_terminal = std::io::stdin().is_terminal();
    let (agent, live) = (agent.clone(), args.live);
    let seen = EvalScriptResponse::default();
    let mut talk = Talk { runtime, client, team, agent, session, live, is_terminal, seen };
    // Reports at once if there is no such agent.
    talk.seen = talk.ask(NOTHING, false)?;
    if is_terminal { talk.on_terminal(&game) } else { read_lines(&mut talk).map(drop) }
}

struct Talk {
    runtime: Runtime,
    client: StrategiesClient<Link>,
    team: String,
    agent: String,
    session: String,
    live: bool,
    is_terminal: bool,
    /// The last answer.
    seen: EvalScriptResponse,
}

impl Talk {
    fn ask(&mut self, code: &str, live: bool) -> Result<EvalScriptResponse> {
        let request = EvalScriptRequest {
            team: self.team.clone(),
            agent: self.agent.clone(),
            code: code.to_owned(),
            live,
            session: self.session.clone(),
            ..Default::default()
        };
        let ask = async {
            Ok(self
                .client
                .eval_script(request)
                .await
                .map_err(|status| refused(&status))?
                .into_inner())
        };
        // At the prompt ctrl-c cancels the answer, not the session.
        if self.is_terminal {
            self.runtime.block_on(uncut(ask))
        } else {
            self.runtime.block_on(ask)
        }
    }

    fn on_terminal(&mut self, game: &str) -> Result<()> {
        let mut console = Console::open(game, &[":live", ":copy"])?;
        if self.live {
            self.live = confirmed(&mut |question| console.ask(question))?;
        }
        say(&format!(
            "{} of team {}, in {}; :help lists the commands",
            self.agent,
            short(&self.team),
            if self.live { "the live VM" } else { "a copy of its view" },
        ));
        console.converse(self)
    }
}

impl Partner for Talk {
    /// `agentA1 118 g3> `, with `live` when input runs in the live VM.
    fn prompt(&self) -> String {
        let live = if self.live { " live" } else { "" };
        format!("{} {} g{}{live}> ", self.agent, self.seen.step, self.seen.generation)
    }

    fn run(&mut self, code: &str) -> Result<()> {
        self.seen = self.ask(code, self.live)?;
        tell(&self.seen)
    }

    fn command(&mut self, word: &str, ask: Asking<'_>) -> Result<Option<Flow>> {
        match word {
            ":quit" | ":q" => return Ok(Some(Flow::Leave)),
            ":copy" => self.live = false,
            ":live" => self.live = self.live || confirmed(ask)?,
            _ => return Ok(None),
        }
        Ok(Some(Flow::On))
    }

    fn help(&self) -> &'static str {
        HELP
    }
}

/// Asks for confirmation before the first input in the live VM.
fn confirmed(ask: Asking<'_>) -> Result<bool> {
    say("what you type will run in the live VM: it can change memory and board of the match");
    Ok(ask("type `live` to continue: ")?.is_some_and(|word| word == "live"))
}
