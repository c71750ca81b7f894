//! Runs the viewer: reads keys, draws frames, restores the terminal at the end.

use super::draw::draw;
use super::player::{Flow, Player};
use super::reel::Reel;
use anyhow::Result;
use phalanx_cli::terminal::{Held, Keyboard, ending};
use std::pin::pin;
use std::time::{Duration, Instant};

/// Interval between frames while it plays.
const FRAME: Duration = Duration::from_millis(50);

/// Runs until the user quits, or the terminal is gone.
pub(super) fn show(reel: &Reel, player: Player) -> Result<()> {
    ending::listen(&std::io::stdin())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut held = Held::take()?;
    let shown = runtime.block_on(run(&mut held, reel, player));
    let restored = held.give_back();
    shown.and(restored)
}

async fn run(held: &mut Held, reel: &Reel, mut player: Player) -> Result<()> {
    let mut keys = Keyboard::open();
    let mut left = pin!(ending::left());
    let mut before = Instant::now();
    loop {
        held.draw(|frame| draw(frame, reel, &player))?;
        tokio::select! {
            key = keys.next() => {
                if let Some(key) = key?
                    && player.press(key, reel) == Flow::Leave
                {
                    return Ok(());
                }
            }
            () = tokio::time::sleep(FRAME), if player.plays => {}
            () = &mut left => return Ok(()),
        }
        let now = Instant::now();
        player.tick(now.saturating_duration_since(before), reel);
        before = now;
    }
}
