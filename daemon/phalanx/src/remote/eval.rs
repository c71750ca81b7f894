//! One piece of script, run as an agent.

use super::{channel, json_wanted, print, refused, run, split_team, strategies, team_of_words};
use crate::cli::strategy::EvalArgs;
use crate::paint::{Ink, Paint};
use anyhow::{Result, bail};
use phalanx_proto::v1::{EvalScriptRequest, EvalScriptResponse};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "phalanx agent eval [TEAM] AGENT CODE";

/// `phalanx agent eval`; the exit code tells whether the script failed.
///
/// # Errors
/// When no daemon answers, or there is no such agent.
pub fn eval(args: &EvalArgs) -> Result<ExitCode> {
    let (team, rest) = split_team(&args.words, 2);
    let [agent, code] = rest else { bail!("expected an agent and a piece of script") };
    run(async {
        let channel = channel(&args.remote).await?;
        let request = EvalScriptRequest {
            team: team_of_words(&channel, team, rest, USAGE).await?,
            agent: agent.clone(),
            code: code.clone(),
            live: args.live,
            session: String::new(),
        };
        let answer = strategies(channel).eval_script(request).await.map_err(refused)?;
        let answer = answer.into_inner();
        let failed = !answer.error.is_empty();
        if json_wanted(&args.remote) {
            print(&serde_json::to_string(&json!({
                "text": answer.text, "lines": answer.lines, "error": answer.error,
                "step": answer.step, "generation": answer.generation,
            }))?)?;
        } else {
            tell(&answer)?;
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
        let error = Paint::stderr().ink(Ink::Red, &answer.error);
        // A closed standard error only means that nobody reads it.
        writeln!(std::io::stderr(), "{error}").unwrap_or_default();
    }
    Ok(())
}
