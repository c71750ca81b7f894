//! What a game offers to scripts, declared once: constructors, checks, type definitions and the
//! reference page all come from here.

use crate::{Framing, LayerDoc};

/// What a game declares of itself.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The name on command lines and in settings.
    pub name: &'static str,
    /// How the transport cuts bytes.
    pub framing: Framing,
    /// What scripts may say and ask.
    pub api: Api,
    /// Keys with which a person drives an agent; empty: orders are typed.
    pub keys: &'static [KeyDoc],
    /// The layers of its pictures whose values have a meaning: the game's palette.
    pub layers: &'static [LayerDoc],
    /// Why agents can neither be added to a running team nor be removed from it; `None`: they can.
    /// Then each of them has a seat of its own.
    pub fixed: Option<&'static str>,
}

/// A game's whole script interface.
#[derive(Clone, Copy, Debug)]
pub struct Api {
    /// `act.<name>(…)`.
    pub actions: &'static [ActionDoc],
    /// `me.percept.<name>`, converted when read.
    pub percept: &'static [FieldDoc],
    /// `world.<name>(…)`, answered by [`World::query`](crate::World::query).
    pub queries: &'static [QueryDoc],
}

impl Api {
    /// The action of that name.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<&'static ActionDoc> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// The query of that name.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<&'static QueryDoc> {
        self.queries.iter().find(|query| query.name == name)
    }

    /// The percept field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static FieldDoc> {
        self.percept.iter().find(|field| field.name == name)
    }
}

/// One action of the game.
#[derive(Clone, Copy, Debug)]
pub struct ActionDoc {
    /// Name after `act.`.
    pub name: &'static str,
    /// What it does and what it costs, in one or two sentences.
    pub doc: &'static str,
    /// Its parameters, required ones first.
    pub params: &'static [ParamDoc],
}

/// A key that gives an order to an agent that a person drives.
#[derive(Clone, Copy, Debug)]
pub struct KeyDoc {
    /// The key as browsers name it (`KeyboardEvent.key`): `ArrowUp`, `c`, a space.
    pub key: &'static str,
    /// The order as scripts write it: `move("n")`.
    pub order: &'static str,
}

impl KeyDoc {
    /// The four arrow keys with these orders: up, down, left, right.
    #[must_use]
    pub const fn arrows(orders: [&'static str; 4]) -> [Self; 4] {
        let [up, down, left, right] = orders;
        [
            Self { key: "ArrowUp", order: up },
            Self { key: "ArrowDown", order: down },
            Self { key: "ArrowLeft", order: left },
            Self { key: "ArrowRight", order: right },
        ]
    }
}

/// One parameter of an action or a query.
#[derive(Clone, Copy, Debug)]
pub struct ParamDoc {
    /// Name in error messages and type definitions.
    pub name: &'static str,
    /// What is accepted.
    pub kind: Kind,
    /// May be left out or nil.
    pub optional: bool,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// The type of a parameter, a field or a result.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `boolean`.
    Bool,
    /// A whole number in the range, both ends included.
    Int {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// Any finite number.
    Num,
    /// Text.
    Str,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `{ x = integer, y = integer }`.
    Cell,
    /// The name of an agent of the own team.
    Agent,
    /// A list of these.
    List(&'static Kind),
    /// A table with these fields (all may be nil).
    Table(&'static [FieldDoc]),
    /// Anything plain.
    Any,
}

/// One field of a percept or of a table.
#[derive(Clone, Copy, Debug)]
pub struct FieldDoc {
    /// Name of the field.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// One native query on the world.
#[derive(Clone, Copy, Debug)]
pub struct QueryDoc {
    /// Name after `world.`.
    pub name: &'static str,
    /// What it answers, in one or two sentences.
    pub doc: &'static str,
    /// Its parameters, required ones first.
    pub params: &'static [ParamDoc],
    /// What comes back; absent answers are nil.
    pub returns: Kind,
}
