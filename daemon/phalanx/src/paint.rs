//! Colours on terminals, and none elsewhere.

use clap::ValueEnum;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// What the command line says; it is read once and counts for the whole program.
static CHOICE: OnceLock<Color> = OnceLock::new();

/// Takes the command line's word on colours, for us and for the libraries that colour; later words
/// change nothing.
pub fn choose(color: Color) {
    if CHOICE.set(color).is_err() || color == Color::Auto {
        return;
    }
    let on = color == Color::Always;
    console::set_colors_enabled(on);
    console::set_colors_enabled_stderr(on);
    let handler = move |_: &_| -> Box<dyn miette::ReportHandler> {
        Box::new(miette::MietteHandlerOpts::new().color(on).build())
    };
    // It can only be set once, and nobody else does.
    drop(miette::set_hook(Box::new(handler)));
}

/// Colours texts where somebody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

/// A colour or a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// What is wrong or gone.
    Red,
    /// What is new or well.
    Green,
    /// What deserves a look.
    Yellow,
    /// Places.
    Cyan,
    /// Headings.
    Bold,
    /// What matters least.
    Dim,
}

impl Paint {
    /// For standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self { on: wanted(std::io::stdout().is_terminal()) }
    }

    /// For standard error.
    #[must_use]
    pub fn stderr() -> Self {
        Self { on: wanted(std::io::stderr().is_terminal()) }
    }

    /// Never.
    #[must_use]
    pub fn none() -> Self {
        Self { on: false }
    }

    /// Always.
    #[cfg(test)]
    pub(crate) fn always() -> Self {
        Self { on: true }
    }

    /// Whether anything is coloured.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.on
    }

    /// The text in that ink.
    #[must_use]
    pub fn ink(self, ink: Ink, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Red => "31",
            Ink::Green => "32",
            Ink::Yellow => "33",
            Ink::Cyan => "36",
            Ink::Bold => "1",
            Ink::Dim => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// Whether there are colours: the command line's word, then the environment's.
fn wanted(is_terminal: bool) -> bool {
    match CHOICE.get() {
        Some(Color::Always) => true,
        Some(Color::Never) => false,
        Some(Color::Auto) | None => {
            is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_a_text_stays_as_it_is() {
        assert_eq!(Paint::none().ink(Ink::Red, "no"), "no");
        assert_eq!(Paint::always().ink(Ink::Red, "no"), "\u{1b}[31mno\u{1b}[0m");
        assert_eq!(Paint::always().ink(Ink::Red, ""), "");
    }
}
