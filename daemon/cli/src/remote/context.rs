//! The verbs around contexts. None of them calls a daemon.

use super::{Table, link};
use crate::args::context::{AddArgs, ContextVerb};
use crate::args::{OutputArgs, Remote};
use crate::contexts::{Context as Place, Contexts};
use anyhow::{Context, Result};
use phalanx_control::client::Address;
use phalanx_settings::Environment;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// `phalanx context …`.
///
/// # Errors
/// When there is no such context, or the file that keeps them cannot be read or written.
pub fn context(verb: ContextVerb) -> Result<()> {
    let environment: Environment = std::env::vars_os().collect();
    match verb {
        ContextVerb::Add(args) => add(args, &environment),
        ContextVerb::Ls(print) => list(&print, &Contexts::load(&environment)?),
        ContextVerb::Use { name, print } => {
            let mut contexts = Contexts::load(&environment)?;
            contexts.choose(&name)?;
            print.tell(&json!({ "current": name }), || format!("context {name} is in use"))
        }
        ContextVerb::Show(remote) => show(&remote, &environment),
        ContextVerb::Remove { name, print } => {
            let mut contexts = Contexts::load(&environment)?;
            contexts.remove(&name)?;
            let output = json!({ "removed": name, "current": contexts.current() });
            print.tell(&output, || format!("context {name} is removed"))
        }
    }
}

fn add(args: AddArgs, environment: &Environment) -> Result<()> {
    // Report a mistake in the address now, not at the first call.
    let address: Address = args.control.parse()?;
    let place = Place {
        control: Some(address.to_string()),
        token_file: absolute(args.token_file.as_deref())?,
        ca: absolute(args.ca.as_deref())?,
        certificate: absolute(args.certificate.as_deref())?,
    };
    let mut contexts = Contexts::load(environment)?;
    contexts.add(&args.name, place.clone())?;
    if args.choose {
        contexts.choose(&args.name)?;
    }
    let chosen = contexts.current() == args.name;
    args.print.tell(&json(&args.name, &place, chosen), || {
        let next = match chosen {
            true => String::new(),
            false => format!("; `phalanx context use {}` uses it", args.name),
        };
        format!("context {}: {address}{next}", args.name)
    })
}

/// The absolute form of a path, so that it works from every folder.
fn absolute(path: Option<&Path>) -> Result<Option<PathBuf>> {
    let whole = |path: &Path| {
        std::path::absolute(path).with_context(|| format!("not a valid path: {}", path.display()))
    };
    path.map(whole).transpose()
}

fn list(print: &OutputArgs, contexts: &Contexts) -> Result<()> {
    let all = contexts.all();
    let is_current = |name: &str| contexts.current() == name;
    let each = all.iter().map(|(name, place)| json(name, place, is_current(name)));
    let output = json!({ "contexts": each.collect::<Vec<_>>() });
    print.tell(&output, || {
        let mut table = Table::new(&["CONTEXT", "USED", "CONTROL", "TOKEN FILE", "CA"]);
        for (name, place) in &all {
            let used = if is_current(name) { "now" } else { "" };
            table.row([
                name.clone(),
                used.to_owned(),
                place.control.clone().unwrap_or_else(|| "this machine's sockets".to_owned()),
                text(place.token_file.as_deref()),
                text(place.ca.as_deref()),
            ]);
        }
        table.shown()
    })
}

fn show(remote: &Remote, environment: &Environment) -> Result<()> {
    let place = link::place(remote, environment)?;
    let sockets: Vec<_> = match place.control {
        Some(_) => Vec::new(),
        None => link::sockets(environment),
    };
    let sockets: Vec<_> = sockets.iter().map(|path| text(Some(path))).collect();
    let name = match (&remote.context, &remote.control) {
        (Some(name), _) => name.clone(),
        (None, Some(_)) => String::new(),
        (None, None) => Contexts::load(environment)?.current().to_owned(),
    };
    let mut output = json(&name, &place, false);
    if let Some(fields) = output.as_object_mut() {
        fields.remove("current");
        fields.insert("sockets".into(), json!(sockets));
    }
    remote.print.tell(&output, || {
        let from = if name.is_empty() { "no context" } else { &name };
        let control = place.control.clone().unwrap_or_else(|| sockets.join(", "));
        let mut lines = vec![format!("context: {from}"), format!("control: {control}")];
        let files = [
            ("token file", &place.token_file),
            ("ca", &place.ca),
            ("certificate", &place.certificate),
        ];
        for (what, path) in files {
            if let Some(path) = path {
                lines.push(format!("{what}: {}", path.display()));
            }
        }
        lines.join("\n")
    })
}

fn json(name: &str, place: &Place, current: bool) -> Value {
    json!({
        "name": name, "current": current, "control": place.control,
        "token_file": place.token_file, "ca": place.ca, "certificate": place.certificate,
    })
}

fn text(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}
