//! Orders that the search excludes, and why: for explanations.

use crate::rules::UnitAction;

/// Why a unit does not try an order that it could carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The cell burns or can burn when the unit is there.
    Danger,
    /// Afterwards the unit or a mate might not get out of the reach of bombs of its own side, or an enemy
    /// could make a new bomb go off at once.
    NoExit,
    /// A bomb of its own side reaches the cell, and can be set off first.
    ArmedBomb,
    /// The blast would hit a unit of its own side.
    OwnUnits,
    /// An enemy may want the same cell, and in one tick of four the unit does something else.
    Contested,
}

impl Refusal {
    /// The words for all reasons.
    pub const WORDS: &[&str] = &[
        Self::Danger.word(),
        Self::NoExit.word(),
        Self::ArmedBomb.word(),
        Self::OwnUnits.word(),
        Self::Contested.word(),
    ];

    /// How scripts read the reason.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Danger => "danger",
            Self::NoExit => "no exit",
            Self::ArmedBomb => "armed bomb",
            Self::OwnUnits => "own units",
            Self::Contested => "contested",
        }
    }
}

/// An order that the search excludes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refused {
    /// The order; `None` is to wait.
    pub act: Option<UnitAction>,
    pub why: Refusal,
}
