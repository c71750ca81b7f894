//! Short constructors for the tables that declare a game's script interface ([`Api`](crate::Api)).

use crate::{FieldDoc, Kind, ParamDoc, QueryDoc};

/// A parameter that a script must give.
#[must_use]
pub const fn required(name: &'static str, kind: Kind, doc: &'static str) -> ParamDoc {
    ParamDoc { name, kind, optional: false, doc }
}

/// A parameter that a script may leave out.
#[must_use]
pub const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> ParamDoc {
    ParamDoc { name, kind, optional: true, doc }
}

/// A field of a percept or of a table.
#[must_use]
pub const fn field(name: &'static str, kind: Kind, doc: &'static str) -> FieldDoc {
    FieldDoc { name, kind, doc }
}

/// A query on the world.
#[must_use]
pub const fn query(
    name: &'static str,
    doc: &'static str,
    params: &'static [ParamDoc],
    returns: Kind,
) -> QueryDoc {
    QueryDoc { name, doc, params, returns }
}

/// A whole number from 0.
#[must_use]
pub const fn count() -> Kind {
    Kind::Int { min: 0, max: i32::MAX as i64 }
}

/// A whole number.
#[must_use]
pub const fn whole() -> Kind {
    Kind::Int { min: i32::MIN as i64, max: i32::MAX as i64 }
}
