//! `phalanx recording export`: what other programs read of a recording.

use super::{entries, open, replays, warn};
use crate::cli::recorded::{ExportArgs, ExportForm};
use crate::remote::say;
use crate::wire::replays::ReplayForm;
use anyhow::{Context, Result};
use phalanx_exchange::{Row, Turns, rows};
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
        ExportForm::Massim => return replays::export(args, ReplayForm::Massim),
        ExportForm::Bomberland => return replays::export(args, ReplayForm::Bomberland),
        ExportForm::Colosseum => return replays::export(args, ReplayForm::Colosseum),
    };
    let file = open(&args.file)?;
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => {
            let made = File::create_new(path);
            Box::new(BufWriter::new(made.with_context(|| format!("{}", path.display()))?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let mut turns = Turns::new(entries(&file));
    let begin_ms = i64::try_from(file.begin_nanos() / 1_000_000).unwrap_or(i64::MAX);
    let mut written = 0_u64;
    let mut table = || -> std::io::Result<()> {
        if is_csv {
            writeln!(out, "{}", Row::csv_head())?;
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
        // `| head` has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe && args.out.is_none() => return Ok(()),
        done => done.context("cannot write the table")?,
    }
    warn(&args.file, turns.damage());
    if let Some(path) = &args.out {
        say(&format!("{}: {}", path.display(), crate::remote::counted(written, "decision")));
    }
    Ok(())
}
