//! A demo in real time: the page, the control API and the recordings stay while matches come and
//! go. On a terminal it ends with ctrl-C, otherwise after one match.

use super::browser;
use super::cast::Cast;
use super::finale::{self, Next};
use super::summary::Summary;
use super::takes::Films;
use crate::args::DemoArgs;
use anyhow::{Context, Result};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_cli::failure::MatchInterrupted;
use phalanx_cli::remote::say;
use phalanx_cli::terminal::KeyPresses;
use phalanx_control::{
    Access, ArenaDirectory, Control, ControlHandle, Options, RecordingDirectory, Role, ServedTeam,
    SocketOptions, TeamDirectory,
};
use phalanx_metrics::Metrics;
use phalanx_settings::{Environment, FoxgloveSettings, socket_candidates};
use phalanxd::arenas::ShownArena;
use phalanxd::directory::Directory;
use phalanxd::followers::Followers;
use phalanxd::live::Live;
use phalanxd::recordings::Recordings;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long teams and clients may take to leave.
pub(super) const LEAVE: Duration = Duration::from_secs(2);
/// Rights of the control socket: a demo is its user's own.
const SOCKET_MODE: u32 = 0o600;
/// Callers that may wait for the next match.
const ENCORES_MAX: usize = 16;

/// A caller of the control API who asks for the next match.
#[derive(Debug)]
pub(super) struct Encore {
    /// With another seed.
    pub(super) other_seed: bool,
    /// Hears when the match is there.
    there: oneshot::Sender<()>,
}

/// Everything that outlives a match.
pub(super) struct Venue<'a> {
    pub(super) args: &'a DemoArgs,
    pub(super) films: &'a Films,
    pub(super) directory: Directory,
    pub(super) followers: Followers,
    pub(super) foxglove: Option<Live>,
    /// The arena of the match.
    pub(super) arena: ShownArena,
    /// Requests for the next match.
    pub(super) encores: mpsc::Receiver<Encore>,
    /// Another match may follow: somebody sits at the terminal.
    pub(super) stays: bool,
    /// Bound; it serves from the first match on.
    bound: Option<Control>,
    control: Option<ControlHandle>,
    page: Option<String>,
}

/// Plays until the user ends it.
pub(super) fn play(args: &DemoArgs) -> Result<()> {
    let films = Films::of(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let played = runtime.block_on(play_on_runtime(args, &films));
    // A trial that is running must not delay the exit.
    runtime.shutdown_background();
    played
}

async fn play_on_runtime(args: &DemoArgs, films: &Films) -> Result<()> {
    let mut keys = if args.json { None } else { KeyPresses::open()? };
    // A mistake in the strategy is reported before anything listens.
    let mut cast = Some(Cast::new(args)?);
    let mut venue = Venue::open(args, films, keys.is_some()).await?;
    let played = play_all(&mut venue, &mut cast, keys.as_mut()).await;
    venue.close().await;
    played
}

/// Matches, one after the other.
async fn play_all(
    venue: &mut Venue<'_>,
    cast: &mut Option<Cast>,
    mut keys: Option<&mut KeyPresses>,
) -> Result<()> {
    let (mut seed, mut encore) = (venue.args.seed, None);
    loop {
        let args = DemoArgs { seed, ..venue.args.clone() };
        let ready =
            cast.take().map_or_else(|| tokio::task::block_in_place(|| Cast::new(&args)), Ok);
        let played = match ready {
            Ok(cast) => venue.play(&args, cast, encore.take(), keys.as_deref_mut()).await,
            Err(mistake) => Err(mistake),
        };
        let Some(keys) = keys.as_deref_mut() else {
            return super::print(&args, &played?);
        };
        match played {
            Ok(summary) => super::print(&args, &summary)?,
            Err(error) if error.is::<MatchInterrupted>() => return Err(error),
            // The user may correct the strategy and play again.
            Err(error) => say(&format!("{error:#}")),
        }
        match finale::wait(venue, keys).await? {
            Next::Match { other_seed, caller } => {
                seed = seed.wrapping_add(u64::from(other_seed));
                encore = caller;
            }
            Next::End => return Ok(()),
        }
    }
}

impl<'a> Venue<'a> {
    async fn open(args: &'a DemoArgs, films: &'a Films, stays: bool) -> Result<Self> {
        let metrics = Arc::new(Metrics::new(env!("CARGO_PKG_VERSION")));
        let settings = FoxgloveSettings { listen: args.foxglove, ..FoxgloveSettings::default() };
        let foxglove = Live::open(&settings).await?;
        if let Some(live) = &foxglove {
            live.tell(Arc::clone(&metrics));
        }
        let mut directory = Directory::default();
        if let Some(folder) = films.folder() {
            directory.record(Recordings::of_folder(folder.to_owned(), Arc::clone(&metrics)));
        }
        let (sender, encores) = mpsc::channel(ENCORES_MAX);
        let arena = ShownArena::default();
        let served = Repertoire {
            directory: directory.clone(),
            arena: arena.clone(),
            encores: stays.then_some(sender),
        };
        let bound = open_control(args, Arc::new(served), Arc::clone(&metrics))?;
        let page = bound.page().map(str::to_owned);
        Ok(Self {
            args,
            films,
            directory,
            followers: Followers::new(metrics, None),
            foxglove,
            arena,
            encores,
            stays,
            bound: Some(bound),
            control: None,
            page,
        })
    }

    /// The page's address.
    pub(super) fn page(&self) -> Option<String> {
        self.page.clone()
    }

    /// Serves the teams that are in the directory now.
    pub(super) fn serve(&mut self) {
        if let Some(bound) = self.bound.take() {
            if !self.args.json {
                self.announce(&bound);
            }
            self.control = Some(bound.spawn());
            if let (true, Some(page)) = (self.args.open, self.page()) {
                browser::open(page);
            }
        } else if let Some(control) = &self.control {
            control.follow(&self.directory);
        }
    }

    fn announce(&self, control: &Control) {
        let address = match (control.socket(), control.tcp()) {
            (Some(_), _) => String::new(),
            (None, Some(tcp)) => format!(" --control http://{tcp}"),
            (None, None) => return,
        };
        if let Some(live) = &self.foxglove {
            say(&format!("look on with Foxglove: ws://{}", live.address()));
        }
        if let Some(page) = &self.page {
            say(&format!("see it: {page}"));
        }
        say(&format!("watch it: phalanx match watch A{address}"));
        if let (Some(folder), false) = (&self.args.strategy, self.args.no_watch) {
            say(&format!("edit it: what you save in {} plays at once", folder.display()));
        }
    }

    async fn play(
        &mut self,
        args: &DemoArgs,
        cast: Cast,
        encore: Option<Encore>,
        keys: Option<&mut KeyPresses>,
    ) -> Result<Summary> {
        let running = super::playing::begin(self, args, cast).await?;
        // The callers see the teams of this match.
        let waiting = std::iter::from_fn(|| self.encores.try_recv().ok());
        for caller in encore.into_iter().chain(waiting) {
            // A caller who left does not wait.
            caller.there.send(()).unwrap_or_default();
        }
        running.play(self, args, keys).await
    }

    async fn close(self) {
        if let Some(control) = self.control {
            control.stop(LEAVE).await;
        }
        if let Some(live) = self.foxglove {
            live.close(LEAVE).await;
        }
    }
}

/// The teams of the match, which callers may ask to play again.
struct Repertoire {
    directory: Directory,
    arena: ShownArena,
    encores: Option<mpsc::Sender<Encore>>,
}

impl TeamDirectory for Repertoire {
    fn teams(&self) -> Vec<Arc<ServedTeam>> {
        self.directory.teams()
    }

    fn arenas(&self) -> Option<Arc<dyn ArenaDirectory>> {
        Some(Arc::new(self.arena.clone()))
    }

    fn recordings(&self) -> Option<Arc<dyn RecordingDirectory>> {
        self.directory.recordings()
    }

    fn play_again(&self, other_seed: bool) -> Option<BoxFuture<'static, ()>> {
        let encores = self.encores.clone()?;
        let asked = async move {
            let (there, begun) = oneshot::channel();
            if encores.send(Encore { other_seed, there }).await.is_ok() {
                // The demo may end meanwhile.
                begun.await.ok();
            }
        };
        Some(asked.boxed())
    }
}

/// Listens on loopback TCP, and where `phalanx` looks for a daemon unless one is there.
fn open_control(
    args: &DemoArgs,
    directory: Arc<dyn TeamDirectory>,
    metrics: Arc<Metrics>,
) -> Result<Control> {
    let tcp = Some(([127, 0, 0, 1], args.page.unwrap_or(0)).into());
    let options =
        Options { tcp, page: !args.no_page, metrics: Some(metrics), ..Options::default() };
    let access = Arc::new(Access::on_this_machine(Role::Admin));
    let environment: Environment = std::env::vars_os().collect();
    if let Some(path) = socket_candidates(&environment).into_iter().next() {
        let socket = Some(SocketOptions { path, mode: SOCKET_MODE, group: None });
        let options = Options { socket, ..options.clone() };
        // Somebody serves there, or the folder is not ours: the other address is enough.
        let control = phalanx_control::build(&options, Arc::clone(&directory), Arc::clone(&access));
        if let Ok(control) = control {
            return Ok(control);
        }
    }
    phalanx_control::build(&options, directory, access).context("cannot serve the match")
}
