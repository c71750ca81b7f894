//! Runs spec files one after the other.

use super::stage::{Failed, SpecStage, place_of};
use super::{CASES_MAX, SPEC_ENDING, SpecCase, SpecOptions, SpecOutcome, SpecReport, SpecSetting};
use super::{coverage, expectations, fakes};
use crate::failure::{Failure, cut};
use crate::spec_files::is_spec_file;
use crate::timer::Timer;
use crate::{Bundle, Diagnostic, Program, Severity};
use cpu_time::ThreadTime;
use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, Table, Value as LuaValue};
use phalanx_game::Api;
use phalanx_game::sorted::Order;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LAYER: &str = include_str!("../specs.luau");
/// Longest name of a `describe` or `it`, in characters.
const NAME_CHARS_MAX: usize = 200;
/// How much more of the clock's time a case gets at most whose processor others had.
const PATIENCE: u32 = 16;

/// File and line.
type Place = (String, u32);

/// A run of all spec files.
struct SpecRun<'a> {
    setting: &'a SpecSetting,
    options: &'a SpecOptions,
    program: Arc<Program>,
    timer: Timer,
    due: Instant,
    /// Specs declared by now.
    declared: usize,
    report: SpecReport,
}

pub(super) fn run(
    setting: &SpecSetting,
    program: &Arc<Program>,
    options: &SpecOptions,
) -> SpecReport {
    let began = Instant::now();
    let mut report = SpecReport::default();
    let bundle = program.bundle();
    let own = |(path, source): (&str, &Arc<str>)| (path.to_owned(), Arc::clone(source));
    report.sources = bundle.files().map(own).collect();
    let timer = match Timer::start() {
        Ok(timer) => timer,
        Err(error) => {
            let what = format!("cannot start a thread: {error}");
            report.load_failures.push(Diagnostic::error("strategy", what));
            return report;
        }
    };
    let program = if options.coverage {
        Arc::new(Program::compile_with(Arc::clone(bundle), true).0)
    } else {
        Arc::clone(program)
    };
    let due = began + options.time;
    let mut run = SpecRun { setting, options, program, timer, due, declared: 0, report };
    for path in spec_files(bundle) {
        run.file(path);
    }
    if options.coverage {
        coverage::add_unloaded(&mut run.report.coverage, &run.program);
    }
    run.report.spent = began.elapsed();
    run.report
}

/// The spec files of a bundle, in order of their paths.
fn spec_files(bundle: &Bundle) -> impl Iterator<Item = &str> {
    bundle.files().map(|(path, _)| path).filter(|path| {
        let stem = path.rsplit_once('.').map_or(*path, |(stem, _)| stem);
        is_spec_file(path) && stem.ends_with(SPEC_ENDING)
    })
}

impl SpecRun<'_> {
    fn file(&mut self, path: &str) {
        if self.program.code(path).is_none() {
            let bundle = Arc::clone(self.program.bundle());
            let (_, findings) = Program::compile(bundle);
            let own = findings
                .into_iter()
                .filter(|finding| finding.file == path && finding.severity == Severity::Error);
            return self.report.load_failures.extend(own);
        }
        if self.is_late() {
            return self.unreached(path);
        }
        let room = CASES_MAX.saturating_sub(self.declared);
        let opened = SpecStage::new(self.setting, &self.program, self.timer.flag(), room)
            .and_then(|stage| Ok((layer(&stage)?, stage)));
        match opened {
            Ok((layer, stage)) => self.play(path, &stage, &layer),
            Err(error) => {
                let what = format!("cannot build a VM: {error}");
                self.report.load_failures.push(Diagnostic::error(path, what));
            }
        }
    }

    fn play(&mut self, path: &str, stage: &Rc<SpecStage>, layer: &Table) {
        match self.declare(path, stage, layer) {
            Ok(cases) => {
                let base = stage.outfit.loaded.borrow().len();
                for (index, case) in cases.into_iter().enumerate() {
                    self.case(stage, layer, index + 1, case);
                    self.collect(stage, base);
                }
            }
            Err(finding) => self.report.load_failures.push(*finding),
        }
        self.collect(stage, 0);
    }

    /// Whether the time for all specs is over.
    fn is_late(&self) -> bool {
        Instant::now() >= self.due
    }

    /// Reports a file whose specs are not known: one case has its name.
    fn unreached(&mut self, file: &str) {
        let outcome = late(self.options.time, None);
        let path = vec![file.to_owned()];
        self.report.cases.push(SpecCase { outcome, ..SpecCase::new(file, path, 1) });
    }

    /// Loads a spec file, which declares its cases; none if the time for all is over meanwhile.
    fn declare(
        &mut self,
        path: &str,
        stage: &SpecStage,
        layer: &Table,
    ) -> Result<Vec<(SpecCase, bool)>, Box<Diagnostic>> {
        let limit = self.setting.limits.load;
        let due = (Instant::now() + limit).min(self.due);
        stage.host.loading(due);
        self.timer.arm(due);
        let loaded = stage.vm.load_root(&stage.host, path);
        self.timer.disarm();
        if stage.vm.take_stop().is_some() {
            if self.is_late() {
                self.unreached(path);
                return Ok(Vec::new());
            }
            let what = format!("declaring its specs took longer than {limit:?}");
            return Err(Diagnostic::error(path, what).into());
        }
        match loaded {
            Ok(_) => {}
            Err(Some(failure)) => return Err(stage.vm.diagnose(path, failure).into()),
            Err(None) => return Err(Diagnostic::error(path, "does not compile").into()),
        }
        stage.keep_params();
        let read = || -> mlua::Result<Vec<(SpecCase, bool)>> {
            let count: usize = layer.raw_get::<Function>("close")?.call(())?;
            let describe: Function = layer.raw_get("case")?;
            (1..=count).map(|index| case(path, describe.call(index)?)).collect()
        };
        let cases = read().map_err(|error| Diagnostic::error(path, error.to_string()))?;
        self.declared += cases.len();
        Ok(cases)
    }

    fn case(
        &mut self,
        stage: &SpecStage,
        layer: &Table,
        index: usize,
        (mut case, skipped): (SpecCase, bool),
    ) {
        let wanted = self.options.filter.as_deref();
        if wanted.is_some_and(|part| !case.name().contains(part) && !case.file.contains(part)) {
            self.report.left_out += 1;
            return;
        }
        let began = Instant::now();
        case.outcome = if skipped {
            SpecOutcome::Skipped
        } else if self.is_late() {
            late(self.options.time, None)
        } else {
            self.outcome(stage, layer, index)
        };
        stage.drain();
        if !skipped {
            case.lines = stage.lines();
            case.spent = began.elapsed();
        }
        self.report.cases.push(case);
    }

    /// Runs a case. Its time is processor time: where other programs have the processor, it runs
    /// again with more of the clock's time, so that no strategy is refused on a busy machine. That
    /// time is doubled, so that what never ends is soon known.
    fn outcome(&self, stage: &SpecStage, layer: &Table, index: usize) -> SpecOutcome {
        let limit = self.options.case_time;
        let (mut ran, mut used) = self.attempt(stage, layer, index, limit);
        let mut times = 1;
        while ran.is_err() && was_starved(used, limit) && times < PATIENCE && !self.is_late() {
            times *= 2;
            (ran, used) = self.attempt(stage, layer, index, limit * times);
        }
        if times > 1 && used > limit {
            ran = ran.and(Err(None));
        }
        ran.unwrap_or_else(|place| {
            if lacked_time(used, limit, self.is_late()) {
                late(self.options.time, place)
            } else {
                failed(format!("took longer than {limit:?}"), place)
            }
        })
    }

    /// Runs a case from its beginning. Gives its outcome, or where it was stopped, and the
    /// processor time that it used.
    fn attempt(
        &self,
        stage: &SpecStage,
        layer: &Table,
        index: usize,
        limit: Duration,
    ) -> (Result<SpecOutcome, Option<Place>>, Duration) {
        let due = (Instant::now() + limit).min(self.due);
        if let Err(error) = stage.reset(due) {
            let what = format!("the VM cannot go on: {error}");
            return (Ok(failed(what, None)), Duration::ZERO);
        }
        let begun = ThreadTime::try_now();
        self.timer.arm(due);
        let ran = layer
            .raw_get::<Function>("run")
            .and_then(|run| run.call::<(bool, LuaValue)>(place_of(index)));
        self.timer.disarm();
        // Without this clock, the time of the wall counts.
        let used = begun.map_or(limit, |begun| begun.elapsed());
        let chars = self.setting.limits.message_chars;
        let stop = stage.vm.take_stop();
        let outcome = match (stop, stage.failure.take(), ran) {
            (Some(place), _, _) => Err(place),
            (None, Some(failure), _) => Ok(SpecOutcome::from(failure)),
            (None, None, Ok((true, _))) => Ok(SpecOutcome::Passed),
            (None, None, Ok((false, raised))) => {
                let failure = Failure::from_value(&raised, chars).or_at(stage.note.take());
                Ok(self.raised(failure))
            }
            (None, None, Err(error)) => Ok(self.raised(Failure::from_error(&error, chars))),
        };
        // What this spec left behind must not fail the next one.
        if stage.vm.lua.used_memory() > self.setting.limits.memory_bytes / 2
            && let Err(error) = stage.vm.lua.gc_collect()
        {
            return (Ok(failed(format!("the VM cannot go on: {error}"), None)), used);
        }
        (outcome, used)
    }

    fn raised(&self, failure: Failure) -> SpecOutcome {
        if failure.memory {
            let mib = self.setting.limits.memory_bytes >> 20;
            return failed(format!("used up the memory of {mib} MiB"), failure.place);
        }
        failed(failure.message, failure.place)
    }

    /// Takes what was loaded since the first `base` files.
    fn collect(&mut self, stage: &SpecStage, base: usize) {
        let gone = stage.outfit.loaded.borrow_mut().split_off(base);
        if !self.options.coverage {
            return;
        }
        for (path, chunk) in gone {
            coverage::add(&mut self.report.coverage, &path, &chunk);
        }
    }
}

/// The trusted layer in a VM; the names that specs see are in the stage's outfit then.
fn layer(stage: &Rc<SpecStage>) -> mlua::Result<Table> {
    let lua = &stage.vm.lua;
    let host = lua.create_table()?;
    fakes::add(stage, &host)?;
    expectations::add(stage, &host)?;
    // Without lines, so that errors show the line of the spec that called.
    let code = Compiler::new().set_optimization_level(2).set_debug_level(0).compile(LAYER)?;
    let chunk = lua.load(code).set_mode(ChunkMode::Binary).set_name("=phalanx");
    let layer: Table = chunk.into_function()?.call(host)?;
    let names: Table = layer.raw_get("names")?;
    names.for_each(|name: LuaValue, value: LuaValue| stage.outfit.names.raw_set(name, value))?;
    Ok(layer)
}

/// The names of the layer, read from the layer itself.
pub(super) fn names() -> mlua::Result<Vec<String>> {
    static API: Api = Api { actions: &[], percept: &[], queries: &[] };
    let files: [(&str, &str); 0] = [];
    let bundle = Bundle::from_files(files).map_err(mlua::Error::external)?;
    let program = Arc::new(Program::compile(Arc::new(bundle)).0);
    let timer = Timer::start().map_err(mlua::Error::external)?;
    let stage = SpecStage::new(&SpecSetting::new(&API), &program, timer.flag(), 0)?;
    let layer = layer(&stage)?;
    let mut names = Vec::new();
    let mut walk = |table: &str, prefix: &str| {
        let table: Table = layer.raw_get(table)?;
        table.for_each(|name: String, _: LuaValue| {
            names.push(format!("{prefix}{name}"));
            Ok(())
        })
    };
    for (table, prefix) in [
        ("names", ""),
        ("matchers", "."),
        ("fake", "fake."),
        ("read", "agent."),
        ("methods", "agent:"),
        ("team_methods", "team:"),
    ] {
        walk(table, prefix)?;
    }
    names.order();
    Ok(names)
}

/// A declared case, and whether it is skipped.
fn case(file: &str, declared: (Vec<String>, u32, bool)) -> mlua::Result<(SpecCase, bool)> {
    let (path, line, skipped) = declared;
    let path = path.iter().map(|name| cut(name, NAME_CHARS_MAX)).collect();
    Ok((SpecCase::new(file, path, line), skipped))
}

/// A case that was stopped at this limit did not have the processor for most of the time.
fn was_starved(used: Duration, limit: Duration) -> bool {
    used < limit.mul_f64(0.9)
}

/// Whether a stopped case only lacked time: the time for all is over, and its own is not.
fn lacked_time(used: Duration, limit: Duration, is_late: bool) -> bool {
    is_late && was_starved(used, limit)
}

fn failed(message: String, place: Option<Place>) -> SpecOutcome {
    SpecOutcome::Failed { message, place, diff: Vec::new(), more: 0, late: false }
}

/// The outcome of a spec that did not end within the time for all.
fn late(all: Duration, place: Option<Place>) -> SpecOutcome {
    let message = format!("the time for all specs, {all:?}, was over before it ended");
    SpecOutcome::Failed { message, place, diff: Vec::new(), more: 0, late: true }
}

impl From<Failed> for SpecOutcome {
    fn from(failed: Failed) -> Self {
        let Failed { message, place, diff, more } = failed;
        Self::Failed { message, place, diff, more, late: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case::it_had_the_processor(990, false)]
    #[case::one_other_program_ran(500, true)]
    #[case::it_hardly_ran(10, true)]
    fn a_stopped_case_runs_again_where_it_did_not_have_the_processor(
        #[case] used_ms: u64,
        #[case] again: bool,
    ) {
        let used = Duration::from_millis(used_ms);
        assert_eq!(was_starved(used, Duration::from_secs(1)), again);
    }

    #[rstest::rstest]
    #[case::it_had_its_time(990, true, false)]
    #[case::it_had_more(4_000, true, false)]
    #[case::it_had_half(500, true, true)]
    #[case::it_had_half_and_there_is_more(500, false, false)]
    fn a_case_that_used_its_own_time_up_fails_also_where_the_time_for_all_is_over(
        #[case] used_ms: u64,
        #[case] is_late: bool,
        #[case] lacked: bool,
    ) {
        let used = Duration::from_millis(used_ms);
        assert_eq!(lacked_time(used, Duration::from_secs(1), is_late), lacked);
    }
}
