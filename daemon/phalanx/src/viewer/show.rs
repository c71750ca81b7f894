//! The terminal: keys in, pictures out, and everything as it was when we leave.

use super::draw::draw;
use super::player::{Flow, Player};
use super::reel::Reel;
use crate::terminal::{Held, Keyboard, ending};
use anyhow::Result;
use std::pin::pin;
use std::time::{Duration, Instant};

/// While it plays, the picture is drawn so often.
const FRAME: Duration = Duration::from_millis(50);

/// Until somebody leaves, or the terminal goes.
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
