//! A referee that somebody else started and that only is shown: the one of a demo.

use super::hosted::Hosted;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use phalanx_control::{ArenaAsk, ArenaDirectory, ArenaRefusal, ArenaView, Started};
use phalanx_net::{ArenaHandle, HostFeed};
use std::sync::{Arc, Mutex, PoisonError};

/// Its name.
const NAME: &str = "demo";

/// The arena of the running match. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ShownArena {
    shown: Arc<Mutex<Option<Arc<Hosted>>>>,
}

impl ShownArena {
    /// Shows this arena in the place of the one before. `repeats`: somebody may ask for a next match,
    /// with the same seed or another one.
    pub fn show(&self, game: &str, handle: ArenaHandle, feed: HostFeed, repeats: bool) {
        let (name, by) = (NAME.to_owned(), "the demo".to_owned());
        let mut hosted = Hosted::new(name, game, by, None, Vec::new(), None);
        hosted.runs(handle, feed);
        if repeats {
            hosted.offers_seeds();
        }
        // The only statement that holds it: nothing can be half changed.
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hosted));
    }
}

impl ArenaDirectory for ShownArena {
    fn arenas(&self) -> Vec<Arc<dyn ArenaView>> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        shown.into_iter().map(|arena| arena as Arc<dyn ArenaView>).collect()
    }

    fn start(&self, _ask: ArenaAsk, _check: bool) -> BoxFuture<'static, Started> {
        let message = "a demo has only the arena of its match; ask a phalanxd for others";
        std::future::ready(Err(ArenaRefusal::Setup(message.to_owned()))).boxed()
    }
}
