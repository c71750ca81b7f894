//! Mistakes in strategies, as terminals and control clients show them.

use miette::{LabeledSpan, NamedSource, SourceCode, SourceSpan};
use std::fmt;
use std::sync::Arc;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The strategy plays, but probably not as meant.
    Warning,
    /// The strategy is refused.
    Error,
}

/// One mistake in a strategy.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// File inside the strategy, or the strategy's folder.
    pub file: String,
    /// Line from 1, where known.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do instead.
    pub help: Option<String>,
    source: Option<NamedSource<Arc<str>>>,
}

impl Diagnostic {
    /// An error without a line.
    pub(crate) fn error(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            line: None,
            message: message.into(),
            help: None,
            source: None,
        }
    }

    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// At a line of a source, which terminals then show.
    pub(crate) fn at(mut self, line: u32, source: Option<Arc<str>>) -> Self {
        self.line = Some(line);
        self.source = source.map(|source| NamedSource::new(&self.file, source));
        self
    }

    fn span(&self) -> Option<SourceSpan> {
        let text = self.source.as_ref()?.inner();
        let index = usize::try_from(self.line?).ok()?.checked_sub(1)?;
        let before: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
        let line = text.get(before..)?.lines().next()?;
        let indent = line.len() - line.trim_start().len();
        Some((before + indent, line.trim().len()).into())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".into()), span))))
    }
}

/// Why a strategy cannot play: all mistakes at once, at least one of them an error.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The mistakes, in order of file and line.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    pub(crate) fn new(mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Self { diagnostics }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the strategy cannot play")?;
        for diagnostic in &self.diagnostics {
            write!(f, "\n  {diagnostic}")?;
            if let Some(help) = &diagnostic.help {
                write!(f, " ({help})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

impl miette::Diagnostic for LoadError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.diagnostics.iter().map(|one| one as &dyn miette::Diagnostic)))
    }
}
