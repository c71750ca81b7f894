//! Which files of a strategy belong to its specs.

/// The folder of a strategy in which its specs stand.
pub const SPEC_FOLDER: &str = "spec";

/// Whether a file belongs to the specs: a spec, or a module of specs.
pub(crate) fn is_spec_file(path: &str) -> bool {
    path.strip_prefix(SPEC_FOLDER).is_some_and(|rest| rest.starts_with('/'))
}
