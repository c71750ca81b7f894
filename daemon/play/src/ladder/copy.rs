//! `phalanx ladder copy`: a ladder at another place.

use crate::args::LadderCopyArgs;
use crate::league::stop_at_interrupt;
use anyhow::Result;
use phalanx_ladder::LadderCopy;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the copy is brought up to date.
const LOOK: Duration = Duration::from_secs(2);
/// How often ctrl-C is noticed meanwhile.
const BLINK: Duration = Duration::from_millis(100);

pub(super) fn copy(args: &LadderCopyArgs) -> Result<()> {
    let place = |words: &str| args.server.place(words);
    let mut copy = LadderCopy::open(&place(&args.ladder)?, &place(&args.copy)?)?;
    let mut entries = copy.update()?;
    if args.follow {
        entries = follow(&mut copy, args, entries)?;
    }
    let value = json!({ "ladder": args.ladder, "copy": args.copy, "entries": entries });
    args.print.tell(&value, || format!("{} has {entries} entries\n", args.copy))
}

/// Goes on until ctrl-C. A server that is away for a while ends nothing.
#[expect(clippy::disallowed_methods, reason = "the main thread, which has nothing else to do")]
fn follow(copy: &mut LadderCopy, args: &LadderCopyArgs, mut entries: u64) -> Result<u64> {
    let stop = Arc::new(AtomicBool::new(false));
    stop_at_interrupt(&stop);
    crate::say(&format!("{} has {entries} entries; ctrl-C ends the copying", args.copy));
    let (mut waited, mut trouble) = (Duration::ZERO, String::new());
    while !stop.load(Ordering::Relaxed) {
        if waited < LOOK {
            std::thread::sleep(BLINK);
            waited += BLINK;
            continue;
        }
        waited = Duration::ZERO;
        match copy.update() {
            Ok(now) => {
                if now != entries || !trouble.is_empty() {
                    crate::say(&format!("{} has {now} entries", args.copy));
                }
                (entries, trouble) = (now, String::new());
            }
            Err(phalanx_ladder::LadderError::Server(why)) => {
                // Said once, until it changes.
                if trouble != why.to_string() {
                    trouble = why.to_string();
                    crate::say(&trouble);
                }
            }
            Err(why) => return Err(why.into()),
        }
    }
    Ok(entries)
}
