//! `phalanx agent eval`.

use super::{print, run, say, split_agent, split_team, strategies, team_of_words};
use crate::args::Remote;
use crate::failure::{misused, refused};
use crate::paint::{Ink, Paint};
use anyhow::Result;
use clap::Args;
use phalanx_proto::v1::{EvalScriptRequest, EvalScriptResponse};
use serde_json::json;
use std::process::ExitCode;

const USAGE: &str = "phalanx agent eval TEAM/AGENT CODE";

/// `phalanx agent eval`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "phalanx agent eval [OPTIONS] TEAM/AGENT CODE",
    after_help = "\
Examples:
  phalanx agent eval A/agentA1 'world.here()'
  phalanx agent eval A/agentA1 'me.memory.plan = nil' --live

You can omit TEAM when the daemon has one team. Exit code: 1 when the script failed."
)]
pub struct EvalArgs {
    /// The agent and the code.
    #[arg(num_args = 2..=3, required = true, value_name = "WORD", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// Run it in the live VM, between turns, where it can change memory and board.
    #[arg(long)]
    pub live: bool,
    #[command(flatten)]
    pub remote: Remote,
}

/// The exit code is 1 if the script failed.
///
/// # Errors
/// When no daemon answers, or there is no such agent.
pub(super) fn eval(args: &EvalArgs) -> Result<ExitCode> {
    let words = split_agent(&args.words);
    let (team, rest) = split_team(&words, 2);
    let [agent, code] = rest else { return Err(misused(USAGE)) };
    run(&args.remote, async |channel| {
        let request = EvalScriptRequest {
            team: team_of_words(&channel, team, rest, USAGE).await?,
            agent: agent.clone(),
            code: code.clone(),
            live: args.live,
            session: String::new(),
            ..Default::default()
        };
        let answer =
            strategies(channel).eval_script(request).await.map_err(|status| refused(&status))?;
        let answer = answer.into_inner();
        let failed = !answer.error.is_empty();
        if args.remote.print.is_text() {
            tell(&answer)?;
        } else {
            let output = json!({
                "text": answer.text, "lines": answer.lines, "error": answer.error,
                "step": answer.step, "generation": answer.generation,
            });
            args.remote.print.tell(&output, String::new)?;
        }
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

/// Prints the script's output, its value, and its error.
pub(super) fn tell(answer: &EvalScriptResponse) -> Result<()> {
    for line in &answer.lines {
        print(&Paint::stdout().ink(Ink::Dim, line))?;
    }
    if !answer.text.is_empty() {
        print(&answer.text)?;
    }
    if !answer.error.is_empty() {
        say(&Paint::stderr().ink(Ink::Red, &answer.error));
    }
    Ok(())
}
