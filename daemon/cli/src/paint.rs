//! Colours on terminals, and none elsewhere.

use clap::ValueEnum;
use phalanx_proto::v1::EventSeverity;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// The command line's choice; it is set once for the whole program.
static CHOICE: OnceLock<Color> = OnceLock::new();

/// Sets the choice of the command line, also for the libraries that print colours. Only the first
/// call has an effect.
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
    // It can be set only once, and this is the only place that does.
    drop(miette::set_hook(Box::new(handler)));
}

/// Colours text if the output supports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    on: bool,
}

/// A colour or a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Errors and losses.
    Red,
    /// Success and additions.
    Green,
    /// Warnings.
    Yellow,
    /// Places.
    Cyan,
    Bold,
    /// Details.
    Dim,
}

impl Paint {
    /// Colours as standard output supports them.
    #[must_use]
    pub fn stdout() -> Self {
        Self { on: wanted(std::io::stdout().is_terminal()) }
    }

    /// Colours as standard error supports them.
    #[must_use]
    pub fn stderr() -> Self {
        Self { on: wanted(std::io::stderr().is_terminal()) }
    }

    /// No colours.
    #[must_use]
    pub fn none() -> Self {
        Self { on: false }
    }

    #[cfg(test)]
    pub(crate) fn always() -> Self {
        Self { on: true }
    }

    #[must_use]
    pub fn is_on(self) -> bool {
        self.on
    }

    /// The text in that colour or weight.
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

    /// An event's text in the colour of its severity, with its details in lines below it.
    #[must_use]
    pub fn event(self, severity: EventSeverity, text: &str, details: &[String]) -> String {
        let mut text = match severity {
            EventSeverity::Error => self.ink(Ink::Red, text),
            EventSeverity::Warning => self.ink(Ink::Yellow, text),
            EventSeverity::Unspecified | EventSeverity::Debug | EventSeverity::Info => {
                text.to_owned()
            }
        };
        for line in details.iter().flat_map(|detail| detail.lines()) {
            text.push_str(&format!("\n    {line}"));
        }
        text
    }
}

/// Decides by the command line first, then by the environment.
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
