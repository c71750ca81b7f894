//! The report for build servers.

use super::{SpecCase, SpecOutcome, SpecReport, text};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

pub(super) fn render(report: &SpecReport, name: &str) -> String {
    let mut page = Report::new(name);
    page.set_time(report.spent);
    for failure in &report.load_failures {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(failure.message.as_str()).set_type("load");
        status.set_description(failure.to_string());
        let mut suite = TestSuite::new(failure.file.as_str());
        suite.add_test_case(TestCase::new("loads", status));
        page.add_test_suite(suite);
    }
    for cases in report.cases.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = cases.first() else { continue };
        let mut suite = TestSuite::new(first.file.as_str());
        suite.set_time(cases.iter().map(|case| case.spent).sum());
        suite.add_test_cases(cases.iter().map(test_case));
        page.add_test_suite(suite);
    }
    // Only a writer that fails could make this fail.
    page.to_string().unwrap_or_default()
}

fn test_case(case: &SpecCase) -> TestCase {
    let status = match &case.outcome {
        SpecOutcome::Passed => TestCaseStatus::success(),
        SpecOutcome::Skipped => TestCaseStatus::skipped(),
        SpecOutcome::Failed { message, place, diff, more } => {
            let (file, line) = place.clone().unwrap_or_else(|| (case.file.clone(), case.line));
            let mut lines = vec![format!("{file}:{line}: {message}")];
            lines.extend(text::differences(diff, *more));
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(message.as_str()).set_type("expectation");
            status.set_description(lines.join("\n"));
            status
        }
    };
    let mut test = TestCase::new(case.name(), status);
    test.set_classname(case.file.as_str()).set_time(case.spent);
    if !case.lines.is_empty() {
        test.set_system_out(case.lines.join("\n"));
    }
    test
}
