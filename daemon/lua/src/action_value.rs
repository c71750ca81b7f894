//! An action as scripts hold it.

use mlua::{UserData, UserDataFields, UserDataMethods};
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
    fn add_fields<F: UserDataFields<Self>>(fields: &mut F) {
        fields.add_meta_field("__type", phalanx_luau::plain::ACTION_TYPE);
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method("__tostring", |_, this, ()| Ok(this.said.to_string()));
    }
}
