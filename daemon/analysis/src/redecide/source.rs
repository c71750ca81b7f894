//! The recording that is decided again, and the strategy that decides.

use anyhow::{Context, Result, bail};
use phalanx_engine::{Generation, Staged, StrategyOrigin};
use phalanx_game::sorted::SortedMap;
use phalanx_games::shipped;
use phalanx_lua::{Bundle, Program, stage};
use phalanx_record::{EXTENSION, Loader, RecordingFile};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Characters of a hash that are printed.
const HASH_CHARS: usize = 12;
/// The generation number of a strategy that was not recorded.
const OTHER: u32 = 0;

/// Opens a recording by one of its files, or the newest one in a folder.
///
/// # Errors
/// When there is none, or none of that team.
pub(crate) fn open(path: &Path, team: Option<&str>) -> Result<RecordingFile> {
    if path.is_dir() {
        return newest(path, team);
    }
    let file = RecordingFile::open(path)?;
    match team {
        Some(team) if file.info().team != team => bail!(
            "{} is a recording of the team {}, not of {team}",
            path.display(),
            file.info().team
        ),
        Some(_) | None => Ok(file),
    }
}

fn newest(folder: &Path, team: Option<&str>) -> Result<RecordingFile> {
    let is_recording = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_recording);
    // Files that cannot be opened as recordings are skipped.
    let files = paths.filter_map(|path| RecordingFile::open(path).ok());
    let mut by_team: SortedMap<String, RecordingFile> = SortedMap::new();
    for file in files.filter(|file| team.is_none_or(|team| file.info().team == team)) {
        let known = by_team.get(&file.info().team).map_or(0, RecordingFile::begin_nanos);
        if file.begin_nanos() > known {
            by_team.insert(file.info().team.clone(), file);
        }
    }
    let of_team = team.map(|team| format!(" of the team {team}")).unwrap_or_default();
    match (by_team.len(), by_team.pop_last()) {
        (_, None) => bail!("there is no recording{of_team} in {}", folder.display()),
        (1, Some((_, file))) => Ok(file),
        (_, Some((last, _))) => {
            let names = by_team.into_keys().chain([last]).collect::<Vec<_>>().join(", ");
            bail!("{} has recordings of the teams {names}; choose with --team", folder.display())
        }
    }
}

/// The strategy of a folder, or the game's `shipped` one, as the generation that decides.
///
/// # Errors
/// All mistakes in the folder.
pub(super) fn other(folder: &Path, game: &str) -> Result<Staged> {
    let bundle = match folder.to_str() {
        Some(shipped::SHIPPED) => shipped::strategy(game)?,
        Some(_) | None => shipped::read(folder)?,
    };
    let generation = Generation {
        number: OTHER,
        hash: bundle.hash().to_owned(),
        accepted: SystemTime::UNIX_EPOCH,
        origin: StrategyOrigin::Start,
    };
    Ok(stage(Arc::new(bundle), Arc::new(generation))?)
}

/// Compiles recorded strategies, and notes the missing ones.
#[derive(Debug, Default, Clone)]
pub(super) struct Strategies(Arc<Mutex<Vec<String>>>);

impl Strategies {
    pub(super) fn loader(&self) -> Loader {
        let missing = Arc::clone(&self.0);
        Loader::new(move |generation, files| match code(generation, files) {
            Ok(code) => code,
            Err(why) => {
                let (number, hash) = (generation.number, generation.hash.as_str());
                let hash: String = hash.chars().take(HASH_CHARS).collect();
                let what = format!("the strategy of generation {number} ({hash}) {why}");
                let mut missing = missing.lock().unwrap_or_else(PoisonError::into_inner);
                if !missing.contains(&what) {
                    missing.push(what);
                }
                Arc::new(())
            }
        })
    }

    /// The generations that could not be compiled, and why.
    pub(super) fn missing(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

type Code = Arc<dyn Any + Send + Sync>;

fn code(generation: &Generation, files: Option<&[(String, String)]>) -> Result<Code, String> {
    let Some(files) = files else { return Err("is not in the recording".into()) };
    let files = files.iter().map(|(path, source)| (path.clone(), Arc::from(source.as_str())));
    let bundle = Bundle::from_files(files).map_err(|error| error.to_string())?;
    if bundle.hash() != generation.hash {
        return Err("is not what decided: its files have another hash".into());
    }
    // It compiled when it was recorded, so its warnings do not matter.
    let (program, _) = Program::compile(Arc::new(bundle));
    Ok(Arc::new(program))
}
