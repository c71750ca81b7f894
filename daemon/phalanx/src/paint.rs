//! Colours on terminals, and none elsewhere.

use std::io::IsTerminal;

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
        Self { on: wanted() && std::io::stdout().is_terminal() }
    }

    /// For standard error.
    #[must_use]
    pub fn stderr() -> Self {
        Self { on: wanted() && std::io::stderr().is_terminal() }
    }

    /// Never.
    #[must_use]
    pub fn none() -> Self {
        Self { on: false }
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

/// What the environment says about colours.
fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_a_text_stays_as_it_is() {
        assert_eq!(Paint::none().ink(Ink::Red, "no"), "no");
        assert_eq!(Paint { on: true }.ink(Ink::Red, "no"), "\u{1b}[31mno\u{1b}[0m");
        assert_eq!(Paint { on: true }.ink(Ink::Red, ""), "");
    }
}
