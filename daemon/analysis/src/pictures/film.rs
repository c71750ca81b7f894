//! Films of recordings. A recording is read twice: first for the extent of its worlds, so that all
//! frames have the same one, then for the frames, one after the other.

use super::out::{self, Written};
use super::recorded::Cast;
use crate::args::map::MapArgs;
use crate::extracts::{game_turn, open, turns_with_pictures, warn};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use phalanx_cli::failure::misused;
use phalanx_cli::remote::counted;
use phalanx_exchange::PlayedTurn;
use phalanx_picture::{Film, Reach, Unfit, VectorScene, scene};
use phalanx_record::RecordingFile;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Frames per film, at most.
const FRAMES_MAX: u32 = 10_000;
/// Suffix of a film's file until it is complete.
const UNFINISHED: &str = "part";

/// `phalanx map --animate`.
pub(super) fn film(args: &MapArgs, recording: &Path, path: &Path) -> Result<()> {
    in_order(args)?;
    let file = open(recording)?;
    let (reach, cast, count) = reach(args, &file)?;
    let Some(frames) = NonZeroU32::new(count) else {
        bail!("{}: these turns contain no picture of the world", recording.display());
    };
    let reel = Reel { args, file: &file, reach: &reach, cast: &cast, frames };
    if out::is_stdout(path) {
        return match reel.write(std::io::stdout().lock()) {
            // `| head` closed the pipe.
            Err(error) if error.downcast_ref().is_some_and(Unfit::is_unread) => Ok(()),
            written => written,
        };
    }
    let unfinished = unfinished(path);
    let said = || format!("cannot write {}", unfinished.display());
    let written = File::create(&unfinished).with_context(said);
    let written = written.and_then(|file| reel.write(BufWriter::new(file)));
    if let Err(error) = written {
        // The first error is the one to report.
        drop(std::fs::remove_file(&unfinished));
        return Err(error);
    }
    std::fs::rename(&unfinished, path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let bytes = path.metadata().map(|it| it.len()).unwrap_or_default();
    tell(args, count, &Written { path: path.to_owned(), bytes })
}

/// Refuses a film whose last turn is before its first one.
fn in_order(args: &MapArgs) -> Result<()> {
    let (Some(from), Some(to)) = (args.from, args.to) else { return Ok(()) };
    // A step without a round may be in any round.
    let backwards =
        from.round.is_some() == to.round.is_some() && (from.round, from.step) > (to.round, to.step);
    if backwards {
        return Err(misused(format!(
            "--from {from} --to {to}: the first turn is after the last one; expected, for example, \
             --from {to} --to {from}"
        )));
    }
    Ok(())
}

/// The path of the incomplete film.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(UNFINISHED);
    name.into()
}

/// The extent of all frames, the agents in them, and the number of frames.
fn reach(args: &MapArgs, file: &RecordingFile) -> Result<(Reach, Cast, u32)> {
    let bar = bar(args, "looking", None);
    let mut reach = Reach::new(args.layers.clone());
    let mut turns = turns_with_pictures(file);
    let (mut cast, mut count) = (Cast::default(), 0);
    for turn in drawn(args, turns.by_ref().inspect(|turn| cast.saw(turn))) {
        if count == FRAMES_MAX {
            let more = "skip some with --every, or select a part with --from and --to";
            return Err(misused(format!(
                "the film would have more than {FRAMES_MAX} frames; {more}"
            )));
        }
        let world = turn.world.as_deref();
        world.map_or(Ok(()), |world| reach.see(world)).map_err(super::refused)?;
        count += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    warn(args.file.as_deref().unwrap_or(Path::new("")), turns.damage());
    Ok((reach, cast, count))
}

/// The turns that become frames.
fn drawn<'a>(
    args: &'a MapArgs,
    turns: impl Iterator<Item = PlayedTurn> + 'a,
) -> impl Iterator<Item = PlayedTurn> + 'a {
    let before =
        |turn: &PlayedTurn| args.from.is_some_and(|from| !from.is_reached(game_turn(turn.turn)));
    let within = |turn: &PlayedTurn| {
        let turn = game_turn(turn.turn);
        args.to.is_none_or(|to| to.is_at(turn) || !to.is_reached(turn))
    };
    let part = turns.skip_while(before).take_while(within);
    let mut every = EveryNth { turns: args.every.get(), number: 0, due: 0 };
    part.filter(move |turn| every.takes(turn.world.is_some()))
}

/// Takes one picture out of each `turns` turns. Most turns of a recording have none: then the next
/// one that has.
struct EveryNth {
    turns: usize,
    number: usize,
    /// The number of the first turn whose picture is taken next.
    due: usize,
}

impl EveryNth {
    fn takes(&mut self, has_picture: bool) -> bool {
        let number = self.number;
        self.number += 1;
        let taken = has_picture && number >= self.due;
        if taken {
            self.due = (number / self.turns + 1) * self.turns;
        }
        taken
    }
}

/// A film that is ready to be written.
struct Reel<'a> {
    args: &'a MapArgs,
    file: &'a RecordingFile,
    reach: &'a Reach,
    cast: &'a Cast,
    frames: NonZeroU32,
}

impl Reel<'_> {
    fn write(&self, out: impl Write) -> Result<()> {
        let bar = bar(self.args, "drawing", Some(self.frames));
        let (mut out, mut film) = (Some(out), None);
        for turn in drawn(self.args, turns_with_pictures(self.file)) {
            let Some(frame) = self.frame(&turn)? else { continue };
            if let Some(out) = out.take() {
                let pixels = self.args.look().pixels();
                film = Some(Film::new(out, &frame, pixels, self.frames, self.args.fps)?);
            }
            film.as_mut().map_or(Ok(()), |film| film.add(&frame))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        film.map_or(Ok(()), Film::finish)?;
        Ok(())
    }

    fn frame(&self, turn: &PlayedTurn) -> Result<Option<VectorScene>> {
        let Some(world) = &turn.world else { return Ok(None) };
        Ok(Some(scene(world, &self.cast.caption(turn), self.reach, self.args.look())?))
    }
}

/// A progress bar; `None`: the number of frames is not known yet.
fn bar(args: &MapArgs, what: &'static str, frames: Option<NonZeroU32>) -> ProgressBar {
    if !std::io::stderr().is_terminal() || args.remote.print.is_json_asked() {
        return ProgressBar::hidden();
    }
    let (bar, style) = match frames {
        Some(frames) => {
            (ProgressBar::new(frames.get().into()), "{msg} {pos}/{len} frames {bar:24} {eta} left")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {msg} {pos} frames"),
    };
    let style = ProgressStyle::with_template(style);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message(what)
}

fn tell(args: &MapArgs, frames: u32, written: &Written) -> Result<()> {
    let path = written.path.display().to_string();
    let json = serde_json::json!({
        "files": [{ "file": path, "bytes": written.bytes }], "frames": frames, "fps": args.fps,
    });
    args.remote.print.tell(&json, || {
        let (frames, bytes) = (counted(frames, "frame"), counted(written.bytes, "byte"));
        format!("{path}: {frames}, {} a second, {bytes}", args.fps)
    })
}

#[cfg(test)]
mod tests {
    use super::EveryNth;

    /// A recording with a picture in every tenth turn.
    fn taken(turns: usize) -> Vec<usize> {
        let mut every = EveryNth { turns, number: 0, due: 0 };
        (0..70).filter(|turn| every.takes(turn % 10 == 0)).collect()
    }

    #[test]
    fn every_counts_turns_and_not_pictures() {
        assert_eq!(taken(1), [0, 10, 20, 30, 40, 50, 60]);
        assert_eq!(taken(10), [0, 10, 20, 30, 40, 50, 60]);
        assert_eq!(taken(20), [0, 20, 40, 60]);
        assert_eq!(taken(25), [0, 30, 50]);
        assert_eq!(taken(100), [0]);
    }
}
