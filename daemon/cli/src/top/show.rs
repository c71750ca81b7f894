//! Runs the view: reads keys and messages, draws frames.

use super::cockpit::{Cockpit, Heard, UserRequest};
use super::daemon::Daemon;
use super::draw::draw;
use super::need_terminal;
use crate::args::top::TopArgs;
use crate::failure::refused;
use crate::remote::{all_teams, link, resource};
use crate::terminal::{Held, Keyboard, ending};
use anyhow::{Context, Result, bail};
use phalanx_control::client::Link;
use phalanx_proto::v1::GetTeamRequest;
use phalanx_proto::v1::teams_client::TeamsClient;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Shortest time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// Messages that are handled before keys are read again.
const TAKEN_MAX: usize = 512;

/// Runs until the user quits or a signal arrives.
pub(super) fn show(args: &TopArgs) -> Result<()> {
    // A second thread reads streams while the terminal is written.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let shown = runtime.block_on(async {
        // Before the view opens, errors are reported as by every other verb.
        let link = link::open(&args.remote).await?;
        let mut cockpit = Cockpit::new(begin(&link, args.team.as_deref()).await?);
        cockpit.hear(Heard::Teams(all_teams(link.clone()).await?));
        need_terminal(args)?;
        ending::listen(&std::io::stdin())?;
        let (daemon, heard) = Daemon::begin(link, args.remote.clone());
        let mut held = Held::take()?;
        let shown = run(&mut held, cockpit, (daemon, heard)).await;
        let restored = held.give_back();
        shown.and(restored)
    });
    runtime.shutdown_background();
    shown
}

/// The resource name of the team to begin with, if one is named; it must exist.
async fn begin(link: &Link, team: Option<&str>) -> Result<Option<String>> {
    let Some(name) = team.map(resource) else { return Ok(None) };
    let request = GetTeamRequest { name: name.clone() };
    let asked = TeamsClient::new(link.clone()).get_team(request).await;
    asked.map_err(|status| refused(&status))?;
    Ok(Some(name))
}

async fn run(
    held: &mut Held,
    mut cockpit: Cockpit,
    (mut daemon, mut heard): (Daemon, mpsc::Receiver<Heard>),
) -> Result<()> {
    let mut keys = Keyboard::open();
    let mut left = pin!(ending::left());
    let (mut next, mut stale) = (Instant::now(), true);
    loop {
        while let Some(wish) = cockpit.poll_wish() {
            if wish == UserRequest::Leave {
                return Ok(());
            }
            daemon.wish(wish);
        }
        if stale && Instant::now() >= next {
            held.draw(|frame| draw(frame, &cockpit))?;
            (next, stale) = (Instant::now() + FRAME, false);
        }
        tokio::select! {
            what = heard.recv() => {
                let what = what.context("the task that polls the daemon has ended")?;
                stale |= cockpit.hear(what);
                for _ in 0..TAKEN_MAX {
                    let Ok(what) = heard.try_recv() else { break };
                    stale |= cockpit.hear(what);
                }
            }
            key = keys.next() => {
                if let Some(key) = key? {
                    cockpit.press(key);
                }
                stale = true;
            }
            () = sleep_until(next), if stale => {}
            () = &mut left => return Ok(()),
            failed = daemon.failed() => bail!("this is a defect: {failed}"),
        }
    }
}
