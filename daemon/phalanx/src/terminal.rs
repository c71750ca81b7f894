//! What verbs share that fill a terminal: taking it over and giving it back, what ends them from
//! outside, the pieces that their pictures are made of, the world in letters.

pub(crate) mod ending;
pub(crate) mod map;

mod hold;
mod keyboard;
mod pieces;

pub(crate) use hold::Held;
pub(crate) use keyboard::Keyboard;
pub(crate) use pieces::{
    around, bold, dim, fit, framed, help, inner, plain, popup, signs, style, too_small, trouble,
};

/// Whether somebody sees what is drawn and can press keys.
pub(crate) fn is_there() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal()
}
