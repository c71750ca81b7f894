//! The values of parameters that a team's settings give its strategy.

use phalanx_engine::ParamSpec;
use phalanx_games::shipped;
use phalanx_lua::{Bundle, Diagnostic, Limits, LoadError, Tuned, declared_params, similar};
use phalanx_settings::TeamSettings;
use phalanx_strategy::{Complete, ReadFolder};
use std::sync::Arc;

/// A strategy with the parameters of its team's settings in the place of those of its `tuned.toml`.
///
/// # Errors
/// Each parameter that no script declares, and each value that its declaration does not allow.
pub fn with_params(bundle: Bundle, team: &TeamSettings) -> Result<Bundle, LoadError> {
    if team.params.is_empty() {
        return Ok(bundle);
    }
    let game = phalanx_games::game(&team.game).ok();
    // The settings refuse unknown games.
    let Some(api) = game.and_then(phalanx_games::api) else { return Ok(bundle) };
    let place = format!("teams[{}].params", team.name);
    let mistake = |what: String| Diagnostic::error(&place, what);
    let given = Tuned::default().with_values(&team.params);
    let given = given.map_err(|what| LoadError { diagnostics: vec![mistake(what)] })?;
    // Without the file: its own mistakes are reported under its name.
    let specs = declared_params(api, bundle.with_tuned(None)?.into(), Limits::default())?;
    let mut diagnostics = Vec::new();
    for (name, value) in &given.values {
        let checked = match specs.iter().find(|spec| spec.name == *name) {
            Some(spec) => spec.check(value).map(drop).map_err(|error| error.to_string()),
            None => Err(unknown(name, &specs)),
        };
        diagnostics.extend(checked.err().map(mistake));
    }
    if !diagnostics.is_empty() {
        return Err(LoadError { diagnostics });
    }
    let merged = bundle.tuned().with_values(&team.params);
    let merged = merged.map_err(|what| LoadError { diagnostics: vec![mistake(what)] })?;
    bundle.with_tuned(Some(&merged))
}

fn unknown(name: &str, specs: &[ParamSpec]) -> String {
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let meant = similar(name, names.iter().copied());
    let hint = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
    format!("no script declares the parameter {name:?}; there are: {all}{hint}")
}

/// The function with which the keeper of such a team reads its folder again.
#[must_use]
pub fn reader(team: &TeamSettings, tuned: bool) -> ReadFolder {
    let team = team.clone();
    Arc::new(move |folder| {
        with_params(shipped::with_tuned_values(shipped::read(folder)?, tuned)?, &team)
    })
}

/// The function with which it completes files that came without a folder.
#[must_use]
pub fn completer(team: &TeamSettings) -> Complete {
    let team = team.clone();
    Arc::new(move |bundle| with_params(shipped::complete(&bundle)?, &team))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: &str = r#"
param("greed", { default = 0.5, min = 0, max = 1 })
param("patience", { default = 10, min = 1, max = 99, kind = "int" })
return { decide = function() return act.skip() end }
"#;

    /// A team with these values, and its strategy, whose `tuned.toml` sets both.
    fn read(values: &str) -> Result<Bundle, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("worker.luau"), WORKER).unwrap();
        let tuned = "[values]\ngreed = 0.75\npatience = 20\n";
        std::fs::write(folder.path().join("tuned.toml"), tuned).unwrap();
        let file = folder.path().join("phalanx.toml");
        let text = format!(
            "[[teams]]\nname = \"A\"\ngame = \"assemble\"\nstrategy = \".\"\n\
             agents = [{{ name = \"a1\", password = \"one\" }}]\nparams = {{ {values} }}\n"
        );
        std::fs::write(&file, text).unwrap();
        let games = phalanx_games::keys();
        let environment = [("HOME", "/home/u")].into_iter().collect();
        let sources = phalanx_settings::Sources {
            file: &file,
            environment: &environment,
            overrides: &[],
            games: &games,
        };
        let settings = phalanx_settings::load(&sources).map_err(|errors| errors.to_string())?;
        let team = settings.teams.first().unwrap();
        let again = reader(team, true);
        let bundle = crate::plans::bundle(team, &settings).map_err(|error| error.to_string())?;
        // What the keeper reads later is the same.
        assert_eq!(again(folder.path()).unwrap().hash(), bundle.hash());
        Ok(bundle)
    }

    fn values(bundle: Bundle) -> Vec<(String, phalanx_game::Value)> {
        let api = phalanx_games::api(phalanx_games::game("assemble").unwrap()).unwrap();
        let specs = declared_params(api, Arc::new(bundle), Limits::default()).unwrap();
        specs.into_iter().map(|spec| (spec.name, spec.default)).collect()
    }

    #[test]
    fn the_settings_count_more_than_the_file_of_found_values() {
        let expected = |greed: f64, patience: f64| {
            vec![("greed".to_owned(), greed.into()), ("patience".to_owned(), patience.into())]
        };
        assert_eq!(values(read("").unwrap()), expected(0.75, 20.0));
        assert_eq!(values(read("patience = 7").unwrap()), expected(0.75, 7.0));
        assert_eq!(values(read("greed = 1, patience = 7").unwrap()), expected(1.0, 7.0));
    }

    #[test]
    fn a_mistake_names_the_parameter_and_what_it_may_be() {
        for (values, told) in [
            (
                "gred = 1",
                "no script declares the parameter \"gred\"; there are: greed, patience; did you \
                 mean \"greed\"?",
            ),
            ("greed = 7", "parameter greed: expected a number from 0 to 1, got 7"),
            ("patience = 2.5", "parameter patience: expected a whole number from 1 to 99, got 2.5"),
            ("greed = \"much\"", "parameter greed: expected a number from 0 to 1, got"),
            ("greed = [1]", "teams[0].params.greed"),
        ] {
            let error = read(values).unwrap_err();
            assert!(error.contains(told), "{values}: {error}");
            assert!(error.contains("params"), "{error}");
        }
    }
}
