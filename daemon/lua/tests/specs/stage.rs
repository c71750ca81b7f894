//! A small game, and runs of specs for it.

use phalanx_game::{ActionDoc, Api, FieldDoc, Kind, ParamDoc, QueryDoc};
use phalanx_lua::{Bundle, Program, SpecCase, SpecOptions, SpecOutcome, SpecReport, SpecSetting};
use std::sync::Arc;
use std::time::Duration;

const fn param(name: &'static str, kind: Kind, optional: bool) -> ParamDoc {
    ParamDoc { name, kind, optional, doc: "" }
}

const fn field(name: &'static str, kind: Kind) -> FieldDoc {
    FieldDoc { name, kind, doc: "" }
}

const FOUND: &[FieldDoc] = &[
    field("x", Kind::Int { min: -99, max: 99 }),
    field("y", Kind::Int { min: -99, max: 99 }),
    field("type", Kind::Str),
];

pub(crate) static API: Api = Api {
    actions: &[
        ActionDoc { name: "skip", doc: "", params: &[] },
        ActionDoc {
            name: "move",
            doc: "",
            params: &[param("dir", Kind::Word(&["n", "s", "e", "w"]), false)],
        },
        ActionDoc { name: "goto", doc: "", params: &[param("cell", Kind::Cell, false)] },
        ActionDoc { name: "greet", doc: "", params: &[param("who", Kind::Agent, false)] },
    ],
    percept: &[
        field("energy", Kind::Int { min: 10, max: 100 }),
        field("heat", Kind::Num),
        field("alive", Kind::Bool),
        field("name", Kind::Str),
        field("side", Kind::Word(&["home", "away"])),
        field("cell", Kind::Cell),
        field("friend", Kind::Agent),
        field("things", Kind::List(&Kind::Table(FOUND))),
        field("sight", Kind::Table(FOUND)),
        field("extra", Kind::Any),
    ],
    queries: &[
        QueryDoc { name: "here", doc: "", params: &[], returns: Kind::Cell },
        QueryDoc {
            name: "nearest",
            doc: "",
            params: &[param("kind", Kind::Str, false), param("detail", Kind::Str, true)],
            returns: Kind::Table(FOUND),
        },
    ],
};

/// Long enough for every honest spec on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_secs(20);

pub(crate) fn options() -> SpecOptions {
    SpecOptions { case_time: AMPLE, time: AMPLE * 4, ..SpecOptions::default() }
}

pub(crate) fn run_with(files: &[(&str, &str)], options: &SpecOptions) -> SpecReport {
    let bundle = Bundle::from_files(files.iter().copied()).expect("the test's bundle is in order");
    let (program, _) = Program::compile(Arc::new(bundle));
    phalanx_lua::run_specs(&SpecSetting::new(&API), &Arc::new(program), options)
}

pub(crate) fn run(files: &[(&str, &str)]) -> SpecReport {
    run_with(files, &options())
}

/// The body of the only `it` of a strategy with a worker; it begins in line 2.
pub(crate) fn check(worker: &str, body: &str) -> SpecCase {
    let spec = format!("it('holds', function()\n{body}\nend)");
    let report = run(&[("worker.luau", worker), ("spec/worker_spec.luau", &spec)]);
    let failures: Vec<_> = report.load_failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{failures:?}");
    report.cases.into_iter().next().expect("there is one spec")
}

/// `passed`, or `file:line: message` and the differences.
pub(crate) fn told(case: &SpecCase) -> String {
    match &case.outcome {
        SpecOutcome::Passed => "passed".into(),
        SpecOutcome::Skipped => "skipped".into(),
        SpecOutcome::Failed { message, place, diff, more, .. } => {
            let mut text = match place {
                Some((file, line)) => format!("{file}:{line}: {message}"),
                None => message.clone(),
            };
            for one in diff {
                text.push_str(&format!(" | {}: {} / {}", one.path, one.expected, one.got));
            }
            if *more > 0 {
                text.push_str(&format!(" | +{more}"));
            }
            text
        }
    }
}
