//! An action as scripts hold it.

use mlua::{UserData, UserDataMethods};
use phalanx_game::Said;
use std::sync::Arc;

/// What an action constructor returns: opaque to scripts.
#[derive(Clone, Debug)]
pub(crate) struct ActionValue {
    pub(crate) said: Said,
    /// Where it was made.
    pub(crate) place: Option<(Arc<str>, u32)>,
}

impl UserData for ActionValue {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method("__tostring", |_, this, ()| Ok(this.said.to_string()));
    }
}
