//! Mistakes in strategies, as terminals and control clients show them.

use crate::spec_files::is_spec_file;
use miette::{LabeledSpan, NamedSource, SourceCode, SourceSpan};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Longest line that an excerpt shows, in characters.
const EXCERPT_CHARS_MAX: usize = 160;

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
    /// Column from 1, in characters, where known.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do instead.
    pub help: Option<String>,
    source: Option<NamedSource<Arc<str>>>,
    /// The bytes of the source that are meant; otherwise the whole line.
    range: Option<Range<usize>>,
}

impl Diagnostic {
    /// An error without a line.
    pub fn error(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            line: None,
            column: None,
            message: message.into(),
            help: None,
            source: None,
            range: None,
        }
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// With what to do instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// At a line of a source, which terminals then show.
    #[must_use]
    pub fn at(mut self, line: u32, source: Option<Arc<str>>) -> Self {
        self.line = Some(line);
        self.source = source.map(|source| NamedSource::new(&self.file, source));
        self
    }

    /// At some bytes of a source.
    #[must_use]
    pub fn at_bytes(mut self, range: Range<usize>, source: &Arc<str>) -> Self {
        let start = source.floor_char_boundary(range.start);
        let end = source.ceil_char_boundary(range.end.max(start));
        let before = source.get(..start).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.column = u32::try_from(column).ok();
        self.range = Some(start..end);
        self.at(u32::try_from(line).unwrap_or(u32::MAX), Some(Arc::clone(source)))
    }

    /// The line that is meant and carets below the place; empty without a source.
    #[must_use]
    pub fn excerpt(&self) -> String {
        let place = || {
            let text = self.source.as_ref()?.inner();
            let span = self.span()?;
            let begin = text.get(..span.offset())?.rfind('\n').map_or(0, |at| at + 1);
            let line = text.get(begin..)?.lines().next()?;
            Some((line, span.offset() - begin, span.len()))
        };
        let Some((line, from, length)) = place() else { return String::new() };
        let shown: String = line.chars().take(EXCERPT_CHARS_MAX).collect();
        // Tabs stay, so that the carets stand where they belong.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before = line.get(..from).unwrap_or_default();
        let indent: String = before.chars().take(EXCERPT_CHARS_MAX).map(blank).collect();
        let meant = line.get(from..).unwrap_or_default();
        let meant = meant.char_indices().take_while(|(at, _)| *at < length.max(1)).count();
        let room = EXCERPT_CHARS_MAX.saturating_sub(indent.chars().count());
        format!("{shown}\n{indent}{}", "^".repeat(meant.min(room).max(1)))
    }

    fn span(&self) -> Option<SourceSpan> {
        let text = self.source.as_ref()?.inner();
        if let Some(range) = &self.range {
            return Some((range.start, range.len()).into());
        }
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
    /// The mistakes, in order of file and line, those in specs last.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    /// In order of file, line and column; specs come last, because a mistake in a role makes its
    /// specs fail too.
    #[must_use]
    pub fn new(mut diagnostics: Vec<Diagnostic>) -> Self {
        let place =
            |one: &Diagnostic| (is_spec_file(&one.file), one.file.clone(), one.line, one.column);
        diagnostics.sort_by_cached_key(place);
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
