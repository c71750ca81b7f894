//! The report for build servers.

use super::{SpecCase, SpecOutcome, SpecReport, text};
use crate::Diagnostic;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;
use std::time::Duration;

type Xml = Writer<Vec<u8>>;

pub(super) fn render(report: &SpecReport, name: &str) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 4);
    // Only a writer that fails could make this fail.
    if write_report(report, name, &mut xml).is_err() {
        return String::new();
    }
    String::from_utf8(xml.into_inner()).unwrap_or_default()
}

fn write_report(report: &SpecReport, name: &str, xml: &mut Xml) -> io::Result<()> {
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let failures = report.cases.iter().filter(|case| case.outcome.failed()).count();
    let errors = report.load_failures.len();
    let suites = xml
        .create_element("testsuites")
        .with_attribute(("name", legal(name).as_str()))
        .with_attribute(("tests", (report.cases.len() + errors).to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("errors", errors.to_string().as_str()))
        .with_attribute(("time", seconds(report.spent).as_str()));
    suites.write_inner_content(|xml| {
        for failure in &report.load_failures {
            write_load_failure(failure, xml)?;
        }
        for cases in report.cases.chunk_by(|a, b| a.file == b.file) {
            write_suite(cases, xml)?;
        }
        Ok(())
    })?;
    xml.write_indent()
}

fn write_load_failure(failure: &Diagnostic, xml: &mut Xml) -> io::Result<()> {
    let suite = xml
        .create_element("testsuite")
        .with_attribute(("name", legal(&failure.file).as_str()))
        .with_attributes([("tests", "1"), ("disabled", "0"), ("errors", "1"), ("failures", "0")]);
    suite.write_inner_content(|xml| {
        let case = xml.create_element("testcase").with_attribute(("name", "loads"));
        case.write_inner_content(|xml| {
            write_trouble("error", "load", &failure.message, &failure.to_string(), xml)
        })?;
        Ok(())
    })?;
    Ok(())
}

/// The cases of one file.
fn write_suite(cases: &[SpecCase], xml: &mut Xml) -> io::Result<()> {
    let Some(first) = cases.first() else { return Ok(()) };
    let failures = cases.iter().filter(|case| case.outcome.failed()).count();
    let skipped = cases.iter().filter(|case| matches!(case.outcome, SpecOutcome::Skipped)).count();
    let spent = cases.iter().map(|case| case.spent).sum();
    let suite = xml
        .create_element("testsuite")
        .with_attribute(("name", legal(&first.file).as_str()))
        .with_attribute(("tests", cases.len().to_string().as_str()))
        .with_attribute(("disabled", skipped.to_string().as_str()))
        .with_attribute(("errors", "0"))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("time", seconds(spent).as_str()));
    suite.write_inner_content(|xml| cases.iter().try_for_each(|case| write_case(case, xml)))?;
    Ok(())
}

fn write_case(case: &SpecCase, xml: &mut Xml) -> io::Result<()> {
    let test = xml
        .create_element("testcase")
        .with_attribute(("name", legal(&case.name()).as_str()))
        .with_attribute(("classname", legal(&case.file).as_str()))
        .with_attribute(("time", seconds(case.spent).as_str()));
    test.write_inner_content(|xml| {
        match &case.outcome {
            SpecOutcome::Passed => {}
            SpecOutcome::Skipped => drop(xml.create_element("skipped").write_empty()?),
            SpecOutcome::Failed { message, place, diff, more, .. } => {
                let (file, line) = place.clone().unwrap_or_else(|| (case.file.clone(), case.line));
                let mut lines = vec![format!("{file}:{line}: {message}")];
                lines.extend(text::differences(diff, *more));
                write_trouble("failure", "expectation", message, &lines.join("\n"), xml)?;
            }
        }
        if !case.lines.is_empty() {
            let lines = legal(&case.lines.join("\n"));
            xml.create_element("system-out").write_text_content(BytesText::new(&lines))?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_trouble(
    tag: &str,
    kind: &str,
    message: &str,
    what: &str,
    xml: &mut Xml,
) -> io::Result<()> {
    xml.create_element(tag)
        .with_attribute(("message", legal(message).as_str()))
        .with_attribute(("type", kind))
        .write_text_content(BytesText::new(&legal(what)))?;
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// The text without the characters that no XML document may contain, not even escaped.
fn legal(text: &str) -> String {
    let allowed = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::legal;

    #[test]
    fn characters_that_no_document_may_contain_are_left_out() {
        assert_eq!(legal("a\u{1b}[2J\u{0}\tb\u{fffe}\u{1f600}"), "a[2J\tb\u{1f600}");
    }
}
