//! selene's findings in the words of the script API.

use phalanx_lua::{Diagnostic, Module, similar};
use selene_lib::CheckerDiagnostic;
use selene_lib::lints::Severity;
use std::sync::Arc;

/// Longest text of a script that a finding repeats, in characters.
const TEXT_CHARS_MAX: usize = 60;

/// One finding.
pub(super) fn finding(
    found: &CheckerDiagnostic,
    path: &str,
    source: &Arc<str>,
    modules: &[Module],
) -> Diagnostic {
    let (from, to) = found.diagnostic.primary_label.range;
    let size = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    let place = size(from)..size(to);
    let code = source.get(place.clone()).unwrap_or_default();
    let said = LintText::of(&found.diagnostic.message, || label(found), code, modules);
    let mut finding = Diagnostic::error(path, said.message).at_bytes(place, source);
    if said.harmless || found.severity == Severity::Warning {
        finding = finding.warning();
    }
    finding.help = said.help.or_else(|| found.diagnostic.notes.first().cloned());
    finding
}

/// What selene wrote beside the place.
fn label(found: &CheckerDiagnostic) -> String {
    found.diagnostic.primary_label.message.clone().unwrap_or_default()
}

#[derive(Debug, Default)]
struct LintText {
    message: String,
    help: Option<String>,
    harmless: bool,
}

impl LintText {
    /// `label`: what selene wrote beside the place; `code`: the code at the place.
    fn of(message: &str, label: impl FnOnce() -> String, code: &str, modules: &[Module]) -> Self {
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let is = |part: &str| message.contains(part);
        match quoted.as_slice() {
            [name] if message.ends_with("is not defined") => Self::undefined(name, modules),
            [global, field] if is("does not contain the field") => {
                Self::no_member(global, field, modules)
            }
            [name] if is("parameters,") || is("use of the vararg") => {
                let got = message.rsplit(", ").next().and_then(|rest| rest.split(' ').next());
                Self::count(name, got.and_then(|got| got.parse().ok()), modules)
            }
            [name] if is("is not a method") => {
                let dotted = name.replace(':', ".");
                let message = format!("{name}: it is a function, not a method");
                Self {
                    message,
                    help: Some(format!("call it with a dot: {dotted}(…)")),
                    harmless: false,
                }
            }
            [name] if is("is incorrect") => {
                let label = mistyped(&label().replace('`', ""), code);
                Self { message: format!("{name}: {label}"), ..signature(name, modules) }
            }
            [name] if is("unused return value") => {
                let help = name.starts_with("act.").then(|| "return it from decide".to_owned());
                let message = format!("the result of {name} is not used");
                Self { message, help, harmless: true }
            }
            [name] if is("not overridable") => {
                let message = format!("{name} is the API's; here it means something else now");
                Self { message, help: Some("choose another name".into()), harmless: true }
            }
            [name] if is("not writable") => {
                let message = format!("{name} is read-only: writing it fails when it runs");
                Self { message, ..Self::default() }
            }
            _other => Self { message: message.to_owned(), ..Self::default() },
        }
    }

    fn undefined(name: &str, modules: &[Module]) -> Self {
        let names = modules.iter().flat_map(|module| {
            let members = module.names().filter(|_| module.name.is_empty());
            members.chain(Some(module.name).filter(|name| !name.is_empty()))
        });
        let help = similar(name, names).map(|meant| format!("did you mean {meant}?"));
        Self { message: format!("{name} is not defined"), help, harmless: false }
    }

    fn no_member(global: &str, field: &str, modules: &[Module]) -> Self {
        let members = members(global, modules);
        let help = similar(field, members).map(|meant| format!("did you mean {global}.{meant}?"));
        Self { message: format!("{global} has no {field}"), help, harmless: false }
    }

    fn count(name: &str, got: Option<usize>, modules: &[Module]) -> Self {
        let Some((module, function)) = function(name, modules) else {
            return Self {
                message: format!("{name}: wrong number of arguments"),
                ..Self::default()
            };
        };
        let (least, most) = function.arity();
        let takes = match most {
            Some(most) if most == least => plural(most),
            Some(most) => format!("{least} to {}", plural(most)),
            None => format!("at least {}", plural(least)),
        };
        let got = got.map(|got| format!(", got {got}")).unwrap_or_default();
        let help = Some(format!("write {}", function.signature(module.name)));
        Self { message: format!("{name} takes {takes}{got}"), help, harmless: false }
    }
}

/// `expected one of "n", "s", got "north"`.
fn mistyped(label: &str, code: &str) -> String {
    let Some((expected, got)) = label.split_once(", received ") else { return label.to_owned() };
    let expected = match expected.strip_prefix("expected \"") {
        Some(words) if words.contains(", ") => format!("expected one of \"{words}"),
        Some(_) | None => expected.to_owned(),
    };
    // A text that is written out says more than its type.
    let is_text = code.starts_with(['"', '\'']) && code.chars().count() <= TEXT_CHARS_MAX;
    format!("{expected}, got {}", if is_text { code } else { got })
}

fn plural(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

fn signature(name: &str, modules: &[Module]) -> LintText {
    let found = function(name, modules);
    let help = found.map(|(module, function)| format!("write {}", function.signature(module.name)));
    LintText { help, ..LintText::default() }
}

fn function<'a>(
    name: &str,
    modules: &'a [Module],
) -> Option<(&'a Module, &'a phalanx_lua::Function)> {
    let (module, name) = name.split_once('.').unwrap_or(("", name));
    let found = modules.iter().filter(|known| known.name == module);
    found.filter_map(|known| Some((known, known.function(name)?))).next()
}

/// The names of a module's members.
pub(super) fn members<'a>(
    module: &'a str,
    modules: &'a [Module],
) -> impl Iterator<Item = &'static str> + 'a {
    modules.iter().filter(move |known| known.name == module).flat_map(Module::names)
}
