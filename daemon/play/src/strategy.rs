//! The verbs of `phalanx strategy` that need no daemon: new, check, test.

mod check;
mod new;
mod test;

pub use check::check;
pub(crate) use new::fill_folder;
pub use new::new;
pub use test::test;
