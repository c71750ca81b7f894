//! `phalanx recording prune`.

use crate::args::recording::PruneArgs;
use anyhow::{Context, Result};
use phalanx_cli::failure::EXIT_FAILED;
use phalanx_cli::remote::{Table, bytes, counted, time};
use phalanx_record::{PrunedRecording, RetentionPolicy, prune};
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

pub(super) fn run(args: &PruneArgs) -> Result<ExitCode> {
    let policy = RetentionPolicy { bytes: args.keep_size, age: args.keep_age };
    let pruned = prune(&args.dir, policy, SystemTime::now(), args.dry_run);
    let pruned = pruned.with_context(|| format!("cannot read {}", args.dir.display()))?;
    let one = |gone: &PrunedRecording| {
        json!({
            "name": gone.name, "bytes": gone.bytes, "age_s": gone.age.as_secs(),
            "files": gone.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "trouble": gone.trouble,
        })
    };
    let json = json!({
        "dry_run": args.dry_run,
        "pruned": pruned.iter().map(one).collect::<Vec<_>>(),
    });
    args.print.tell(&json, || text(&pruned, args.dry_run))?;
    let failed = pruned.iter().any(|gone| gone.trouble.is_some());
    Ok(if failed { ExitCode::from(EXIT_FAILED) } else { ExitCode::SUCCESS })
}

fn text(pruned: &[PrunedRecording], dry_run: bool) -> String {
    if pruned.is_empty() {
        return "nothing to delete".to_owned();
    }
    let mut table = Table::new(&["RECORDING", "SIZE", "AGE", "TROUBLE"]);
    for gone in pruned {
        table.row([
            gone.name.clone(),
            bytes(gone.bytes),
            time(Duration::from_secs(gone.age.as_secs())),
            gone.trouble.clone().unwrap_or_default(),
        ]);
    }
    let freed: u64 = pruned.iter().filter(|gone| gone.trouble.is_none()).map(|it| it.bytes).sum();
    let gone = if dry_run { "would be deleted" } else { "deleted" };
    let (count, size) = (counted(pruned.len() as u64, "recording"), bytes(freed));
    format!("{}\n{count}, {size} {gone}", table.shown())
}
