//! After a match on a terminal: the demo waits for a key.

use super::browser;
use super::live::{Encore, Venue};
use anyhow::Result;
use phalanx_cli::remote::say;
use phalanx_cli::terminal::{KeyPresses, ending};

/// What follows a match.
#[derive(Debug)]
pub(super) enum Next {
    /// Another match.
    Match {
        /// With the next seed, not the same one.
        other_seed: bool,
        /// Who asked through the control API.
        caller: Option<Encore>,
    },
    End,
}

/// Waits until the user decides. The page, the teams' final state and the recordings stay.
pub(super) async fn wait(venue: &mut Venue<'_>, keys: &mut KeyPresses) -> Result<Next> {
    say(&prompt(venue));
    loop {
        let key = tokio::select! {
            key = keys.next() => key?,
            Some(encore) = venue.encores.recv() => {
                let other_seed = encore.other_seed;
                return Ok(Next::Match { other_seed, caller: Some(encore) });
            }
            () = ending::left() => return Ok(Next::End),
        };
        match key {
            'r' => return Ok(Next::Match { other_seed: false, caller: None }),
            'n' => return Ok(Next::Match { other_seed: true, caller: None }),
            'q' => return Ok(Next::End),
            'w' => say(&venue.films.describe()),
            key => press(venue, key),
        }
    }
}

/// The keys that work during a match, too.
pub(super) fn press(venue: &Venue<'_>, key: char) {
    if let ('o', Some(page)) = (key, venue.page()) {
        browser::open(page);
    }
}

fn prompt(venue: &Venue<'_>) -> String {
    let open = if venue.page().is_some() { "o open the page, " } else { "" };
    format!("r play again, n another seed, {open}w where the recording is, ctrl-C end")
}
