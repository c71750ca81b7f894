//! `phalanx recording export`: converts a recording for other programs.

use super::{open, replays, turns, warn};
use crate::args::recorded::{ExportArgs, ExportForm};
use anyhow::{Context, Result};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::say;
use phalanx_exchange::{COLUMNS, DecisionRow, ParquetTable, rows};
use phalanx_games::replays::create;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// `phalanx recording export`.
///
/// # Errors
/// When the recording cannot be read, or nothing can be written.
pub fn export(args: &ExportArgs) -> Result<()> {
    let write = match args.to {
        ExportForm::Csv => csv,
        ExportForm::Jsonl => json_lines,
        ExportForm::Parquet if args.out.is_none() && io::stdout().is_terminal() => {
            return Err(misused("Parquet is not for terminals: name a file with --out"));
        }
        ExportForm::Parquet => parquet,
        ExportForm::Replay(form) => return replays::export(args, form),
    };
    let file = open(&args.file)?;
    let out: Box<dyn Write + Send> = match &args.out {
        Some(path) => Box::new(BufWriter::new(create(path)?)),
        None => Box::new(BufWriter::new(io::stdout())),
    };
    let mut turns = turns(&file);
    let begin_ms = i64::try_from(file.begin_nanos() / 1_000_000).unwrap_or(i64::MAX);
    let mut written = 0_u64;
    let of_turn = |turn| rows(file.info(), begin_ms, &turn).collect::<Vec<_>>();
    let mut decisions = turns.by_ref().flat_map(of_turn).inspect(|_| written += 1);
    match write(out, &mut decisions) {
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

type Out = Box<dyn Write + Send>;
type Decisions<'a> = &'a mut dyn Iterator<Item = DecisionRow>;

fn csv(mut out: Out, decisions: Decisions<'_>) -> io::Result<()> {
    writeln!(out, "{}", DecisionRow::csv_head())?;
    for row in decisions {
        writeln!(out, "{}", row.csv())?;
    }
    out.flush()
}

fn json_lines(mut out: Out, decisions: Decisions<'_>) -> io::Result<()> {
    for row in decisions {
        writeln!(out, "{}", row.json())?;
    }
    out.flush()
}

fn parquet(out: Out, decisions: Decisions<'_>) -> io::Result<()> {
    let mut table = ParquetTable::new(out, COLUMNS.to_vec(), &[])?;
    for row in decisions {
        table.push(row.into_values().into())?;
    }
    table.finish()
}
