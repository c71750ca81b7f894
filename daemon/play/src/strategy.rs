//! The verbs of `phalanx strategy` that need no daemon: new, check, test, params.

mod check;
mod new;
mod params;
mod test;

pub use check::check;
pub(crate) use new::fill_folder;
pub use new::new;
pub use params::params;
pub use test::test;
