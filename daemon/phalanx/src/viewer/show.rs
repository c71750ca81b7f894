//! The terminal: keys in, pictures out, and everything as it was when we leave.

use super::draw::draw;
use super::player::{Flow, Player};
use super::reel::Reel;
use crate::terminal::{Held, Told};
use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// While it plays, the picture is drawn so often.
const FRAME: Duration = Duration::from_millis(50);
/// While nothing happens, we look for signals so often.
const IDLE: Duration = Duration::from_millis(250);

/// Until somebody leaves, or we are told to.
pub(super) fn show(reel: &Reel, player: Player) -> Result<()> {
    let told = told_to_leave()?;
    let mut held = Held::take()?;
    let shown = run(&mut held, reel, player, &told);
    let restored = held.give_back();
    shown.and(restored)
}

fn run(held: &mut Held, reel: &Reel, mut player: Player, told: &AtomicBool) -> Result<()> {
    let mut before = Instant::now();
    let mut stale = true;
    while !told.load(Ordering::Relaxed) {
        if stale {
            held.draw(|frame| draw(frame, reel, &player))?;
        }
        let patience = if player.plays { FRAME } else { IDLE };
        let pressed = event::poll(patience).context("the terminal failed")?;
        stale = pressed || player.plays;
        if pressed {
            match event::read().context("the terminal failed")? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if player.press(key, reel) == Flow::Leave {
                        return Ok(());
                    }
                }
                Event::Key(_)
                | Event::Resize(..)
                | Event::FocusGained
                | Event::FocusLost
                | Event::Mouse(_)
                | Event::Paste(_) => {}
            }
        }
        let now = Instant::now();
        player.tick(now.saturating_duration_since(before), reel);
        before = now;
    }
    Ok(())
}

/// Becomes true when somebody ends us from outside: the terminal is to be given back then, too.
fn told_to_leave() -> Result<Arc<AtomicBool>> {
    let leaves = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tell = Arc::clone(&leaves);
    let guard = runtime.enter();
    let mut told = Told::listen()?;
    drop(guard);
    // It waits for signals until the process ends.
    std::thread::spawn(move || {
        runtime.block_on(told.leave());
        tell.store(true, Ordering::Relaxed);
    });
    Ok(leaves)
}
