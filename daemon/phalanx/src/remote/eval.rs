//! One piece of script, run as an agent.

use super::{print, run, say, split_team, strategies, team_of_words};
use crate::cli::agent::EvalArgs;
use crate::failure::{misused, refused};
use crate::paint::{Ink, Paint};
use anyhow::Result;
use phalanx_proto::v1::{EvalScriptRequest, EvalScriptResponse};
use serde_json::json;
use std::process::ExitCode;

const USAGE: &str = "phalanx agent eval [TEAM] AGENT CODE";

/// `phalanx agent eval`; the exit code tells whether the script failed.
///
/// # Errors
/// When no daemon answers, or there is no such agent.
pub(super) fn eval(args: &EvalArgs) -> Result<ExitCode> {
    let (team, rest) = split_team(&args.words, 2);
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
            let told = json!({
                "text": answer.text, "lines": answer.lines, "error": answer.error,
                "step": answer.step, "generation": answer.generation,
            });
            args.remote.print.tell(&told, String::new)?;
        }
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

/// What the script printed, what it gave, how it failed.
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
