//! `phalanx recording export`: converts a recording for other programs.

use super::{open, replays, turns, warn};
use crate::args::recorded::{ExportArgs, ExportForm};
use anyhow::{Context, Result};
use phalanx_cli::remote::say;
use phalanx_exchange::{DecisionRow, rows};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};

/// `phalanx recording export`.
///
/// # Errors
/// When the recording cannot be read, or nothing can be written.
pub fn export(args: &ExportArgs) -> Result<()> {
    let is_csv = match args.to {
        ExportForm::Csv => true,
        ExportForm::Jsonl => false,
        ExportForm::Replay(form) => return replays::export(args, form),
    };
    let file = open(&args.file)?;
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => {
            let made = File::create_new(path);
            Box::new(BufWriter::new(made.with_context(|| format!("{}", path.display()))?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let mut turns = turns(&file);
    let begin_ms = i64::try_from(file.begin_nanos() / 1_000_000).unwrap_or(i64::MAX);
    let mut written = 0_u64;
    let mut table = || -> std::io::Result<()> {
        if is_csv {
            writeln!(out, "{}", DecisionRow::csv_head())?;
        }
        for turn in turns.by_ref() {
            for row in rows(file.info(), begin_ms, &turn) {
                writeln!(out, "{}", if is_csv { row.csv() } else { row.json() })?;
                written += 1;
            }
        }
        out.flush()
    };
    match table() {
        // `| head` closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe && args.out.is_none() => return Ok(()),
        done => done.context("cannot write the table")?,
    }
    warn(&args.file, turns.damage());
    if let Some(path) = &args.out {
        say(&format!("{}: {}", path.display(), phalanx_cli::remote::counted(written, "decision")));
    }
    Ok(())
}
