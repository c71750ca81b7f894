//! `phalanx strategy profile`: where a running team's scripts spend their time.

use super::values::micros;
use super::{Table, run, say, short, strategies, team_name};
use crate::args::strategy::ProfileArgs;
use crate::failure::refused;
use anyhow::{Context, Result};
use phalanx_game::sorted::SortedMap;
use phalanx_proto::v1::{
    CallProfile, ProfileStrategyRequest, ProfileStrategyResponse, StackSample,
};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Rows of the second table.
const HOTTEST: usize = 12;

/// `phalanx strategy profile`.
///
/// # Errors
/// When no daemon answers, or the file cannot be written.
pub fn profile(args: &ProfileArgs) -> Result<()> {
    // Open the file first, so that a bad path is reported before the measurement.
    let mut file = args.folded.as_deref().map(open).transpose()?;
    run(&args.remote, async |channel| {
        let team = team_name(&channel, args.team.as_deref()).await?;
        say(&format!("measuring {} turns of team {} …", args.turns, short(&team)));
        let request = ProfileStrategyRequest { team, turns: args.turns };
        let answer = strategies(channel).profile_strategy(request).await;
        let profile = answer.map_err(|status| refused(&status))?.into_inner();
        args.remote.print.tell(&json(&profile), || text(&profile))?;
        match &mut file {
            Some((path, file)) => file
                .write_all(folded(&profile.stacks).as_bytes())
                .with_context(|| format!("cannot write {}", path.display())),
            None => Ok(()),
        }
    })
}

fn open(path: &Path) -> Result<(&Path, File)> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok((path, file))
}

/// One line per stack: `role;function;function count`.
fn folded(stacks: &[StackSample]) -> String {
    stacks.iter().map(|stack| format!("{} {}\n", stack.frames.join(";"), stack.count)).collect()
}

/// A percentage with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1_000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn spent(call: &CallProfile) -> u64 {
    micros(call.total).unsigned_abs()
}

fn mean(total: u64, count: u64) -> u64 {
    total.checked_div(count).unwrap_or_default()
}

fn text(profile: &ProfileStrategyResponse) -> String {
    let all: u64 = profile.calls.iter().map(spent).sum();
    let mut calls = Table::new(&[
        "ROLE",
        "CALL",
        "COUNT",
        "MEAN µs",
        "LONGEST µs",
        "SHARE",
        "BYTES A CALL",
        "GC µs",
    ]);
    for call in &profile.calls {
        calls.row([
            call.role.clone(),
            call.call.clone(),
            call.count.to_string(),
            mean(spent(call), call.count).to_string(),
            micros(call.longest).to_string(),
            share(spent(call), all),
            mean(call.allocated_bytes, call.count).to_string(),
            micros(call.collector).to_string(),
        ]);
    }
    let samples: u64 = profile.stacks.iter().map(|stack| stack.count).sum();
    let mut hottest = Table::new(&["SELF", "WITH CALLEES", "FUNCTION"]);
    for (function, own, whole) in functions(&profile.stacks).into_iter().take(HOTTEST) {
        hottest.row([share(own, samples), share(whole, samples), function]);
    }
    let dropped = match profile.samples_dropped {
        0 => String::new(),
        count => format!(", {count} not kept: too many different stacks"),
    };
    format!(
        "{} turns\n{}\n\n{samples} samples, one every {} µs{dropped}\n{}",
        profile.turns,
        calls.shown(),
        micros(profile.sample_every),
        hottest.shown(),
    )
}

/// Each function with its own samples and those of everything that it called, the most expensive
/// first.
fn functions(stacks: &[StackSample]) -> Vec<(String, u64, u64)> {
    let mut all: SortedMap<&str, (u64, u64)> = SortedMap::new();
    for stack in stacks {
        let mut seen: Vec<&str> = stack.frames.iter().skip(1).map(String::as_str).collect();
        if let Some(last) = seen.last() {
            all.entry(last).or_default().0 += stack.count;
        }
        // Count a recursive function once per stack.
        seen.sort_unstable();
        seen.dedup();
        for function in seen {
            all.entry(function).or_default().1 += stack.count;
        }
    }
    let mut all: Vec<_> =
        all.into_iter().map(|(name, (own, whole))| (name.to_owned(), own, whole)).collect();
    all.sort_by(|a, b| (b.1, b.2, &a.0).cmp(&(a.1, a.2, &b.0)));
    all
}

fn json(profile: &ProfileStrategyResponse) -> Value {
    let call = |call: &CallProfile| {
        json!({
            "role": call.role, "call": call.call, "count": call.count,
            "total_us": micros(call.total), "longest_us": micros(call.longest),
            "allocated_bytes": call.allocated_bytes, "collector_us": micros(call.collector),
        })
    };
    let stack = |stack: &StackSample| json!({ "frames": stack.frames, "count": stack.count });
    json!({
        "turns": profile.turns, "calls": profile.calls.iter().map(call).collect::<Vec<_>>(),
        "stacks": profile.stacks.iter().map(stack).collect::<Vec<_>>(),
        "sample_every_us": micros(profile.sample_every),
        "samples_dropped": profile.samples_dropped,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str], count: u64) -> StackSample {
        StackSample { frames: frames.iter().map(|&frame| frame.to_owned()).collect(), count }
    }

    #[test]
    fn a_function_that_calls_itself_is_counted_once_a_sample() {
        let stacks =
            [stack(&["worker", "decide", "walk", "walk"], 3), stack(&["worker", "decide"], 1)];
        assert_eq!(functions(&stacks), [("walk".to_owned(), 3, 3), ("decide".to_owned(), 1, 4)]);
        assert_eq!(folded(&stacks), "worker;decide;walk;walk 3\nworker;decide 1\n");
        assert_eq!(share(3, 4), "75.0 %");
        assert_eq!(share(0, 0), "0.0 %");
    }
}
