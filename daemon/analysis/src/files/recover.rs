//! `phalanx recording recover`.

use super::{progress, shown};
use crate::args::recording::RecoverArgs;
use crate::extracts::file_only;
use anyhow::Result;
use phalanx_cli::remote::counted;
use phalanx_record::{EXTENSION, recover};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Inserted before the extension of the new file.
const RECOVERED: &str = "recovered";
/// Damaged places that are listed in the text, at most.
const LISTED_MAX: usize = 10;

pub(super) fn run(args: &RecoverArgs) -> Result<()> {
    file_only(&args.file)?;
    let out = args.out.clone().unwrap_or_else(|| beside(&args.file));
    let what = format!("reading {}", args.file.display());
    let recovered = progress::meanwhile(&args.print, what, || recover(&args.file, &out))?;
    let json = json!({
        "file": out.display().to_string(),
        "messages": recovered.messages,
        "damage": recovered.damage.iter().map(shown::damage_json).collect::<Vec<_>>(),
    });
    args.print.tell(&json, || {
        let mut text = format!("{}: {}\n", out.display(), counted(recovered.messages, "message"));
        for damage in recovered.damage.iter().take(LISTED_MAX) {
            text.push_str(&format!("  skipped: {damage}\n"));
        }
        let more = recovered.damage.len().saturating_sub(LISTED_MAX);
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
        text
    })
}

/// Default path of the new file.
fn beside(file: &Path) -> PathBuf {
    file.with_extension(format!("{RECOVERED}.{EXTENSION}"))
}
