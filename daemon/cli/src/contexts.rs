//! Contexts: named daemons, in a file of the user.

use crate::failure::misused;
use anyhow::{Context as _, Result, bail};
use phalanx_files::Readers;
use phalanx_game::sorted::SortedMap;
use phalanx_settings::Environment;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The context that always exists: this machine's usual sockets.
pub const LOCAL: &str = "local";
/// Mode of the folders that we create: access for the owner only.
const FOLDER_MODE: u32 = 0o700;
/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 10;
/// Most contexts in a file.
const CONTEXTS_MAX: usize = 200;
/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// A daemon's address and credentials. The file names token files and contains no token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Its address; `None`: this machine's usual sockets.
    pub control: Option<String>,
    pub token_file: Option<PathBuf>,
    /// Certificate authority of its certificate.
    pub ca: Option<PathBuf>,
    /// Client certificate with its key.
    pub certificate: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The context in use; `None`: [`LOCAL`].
    current: Option<String>,
    #[serde(default)]
    contexts: SortedMap<String, Context>,
}

/// All contexts of a user.
#[derive(Clone, Debug)]
pub struct Contexts {
    path: Option<PathBuf>,
    written: Written,
}

impl Contexts {
    /// Reads the user's file; without one there is only [`LOCAL`].
    ///
    /// # Errors
    /// When the file cannot be read, is too large or malformed. The error has the line's number but
    /// not its text, which may contain a token.
    pub fn load(environment: &Environment) -> Result<Self> {
        let path = place(environment);
        let written = path.as_deref().map_or_else(|| Ok(Written::default()), read)?;
        Ok(Self { path, written })
    }

    /// Name of the context in use.
    #[must_use]
    pub fn current(&self) -> &str {
        self.written.current.as_deref().unwrap_or(LOCAL)
    }

    /// All contexts by name, [`LOCAL`] first.
    #[must_use]
    pub fn all(&self) -> Vec<(String, Context)> {
        let named = self.written.contexts.iter().map(|(name, one)| (name.clone(), one.clone()));
        std::iter::once((LOCAL.to_owned(), Context::default())).chain(named).collect()
    }

    /// The context of that name, or the one in use.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn find(&self, name: Option<&str>) -> Result<Context> {
        let name = name.unwrap_or_else(|| self.current());
        if name == LOCAL {
            return Ok(Context::default());
        }
        self.written.contexts.get(name).cloned().ok_or_else(|| self.unknown(name))
    }

    /// Adds a context or replaces it.
    ///
    /// # Errors
    /// When the name is invalid, there are too many, or the file cannot be written.
    pub fn add(&mut self, name: &str, context: Context) -> Result<()> {
        check(name)?;
        self.written.contexts.insert(name.to_owned(), context);
        if self.written.contexts.len() > CONTEXTS_MAX {
            bail!("there are {CONTEXTS_MAX} contexts already; `phalanx context remove` makes room");
        }
        self.save()
    }

    /// Uses that context from now on.
    ///
    /// # Errors
    /// When there is none of that name, or the file cannot be written.
    pub fn choose(&mut self, name: &str) -> Result<()> {
        self.find(Some(name))?;
        self.written.current = (name != LOCAL).then(|| name.to_owned());
        self.save()
    }

    /// Removes a context; if it was in use, [`LOCAL`] is used from now on.
    ///
    /// # Errors
    /// When there is none of that name, or the file cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        if self.written.contexts.remove(name).is_none() {
            return Err(self.unknown(name));
        }
        if self.current() == name {
            self.written.current = None;
        }
        self.save()
    }

    fn unknown(&self, name: &str) -> anyhow::Error {
        let known: Vec<_> = self.all().into_iter().map(|(name, _)| name).collect();
        let meant = known
            .iter()
            .filter(|known| strsim::jaro_winkler(known, name) > 0.8)
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let meant = meant.map(|meant| format!("; did you mean {meant:?}?")).unwrap_or_default();
        misused(format!("there is no context {name:?}; there are {}{meant}", known.join(", ")))
    }

    fn save(&self) -> Result<()> {
        let path = self.path.as_deref();
        let path = path.context("contexts need a folder: set XDG_CONFIG_HOME or HOME")?;
        let text = toml::to_string(&self.written)?;
        replace(path, &text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Path of the file with the contexts.
fn place(environment: &Environment) -> Option<PathBuf> {
    let below = |name| environment.get(name).filter(|folder| folder.starts_with('/'));
    let folder = match below("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(below("HOME")?).join(".config"),
    };
    Some(folder.join("phalanx/contexts.toml"))
}

fn check(name: &str) -> Result<()> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if name == LOCAL {
        return Err(misused(format!(
            "{LOCAL:?} is this machine's usual sockets; take another name"
        )));
    }
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(plain) {
        return Err(misused(format!(
            "a context's name has 1 to {NAME_BYTES_MAX} letters, digits, '-', '_' and '.'"
        )));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Written> {
    let said = || format!("cannot read {}", path.display());
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Written::default()),
        opened => opened.with_context(said)?,
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).with_context(said)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
        bail!("{}: expected at most {FILE_BYTES_MAX} bytes", path.display());
    }
    toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        // The error's own text shows the line, which may contain a token.
        let what = match error.message() {
            other if other.contains("string \"") => "expected another kind of value",
            other => other,
        };
        anyhow::anyhow!("{}:{line}: {what}", path.display())
    })
}

/// Replaces the file, readable for its owner only; readers see the old text or the new one.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // If it is a link, the file that it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
    }
    phalanx_files::replace(&path, text.as_bytes(), Readers::Owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn environment(dir: &Path) -> Environment {
        [("XDG_CONFIG_HOME".into(), dir.as_os_str().to_owned())].into_iter().collect()
    }

    fn write(dir: &Path, text: &str) -> PathBuf {
        let path = dir.join("phalanx/contexts.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn room() -> Context {
        let token_file = Some("/run/room.token".into());
        Context { control: Some("https://room:7420".into()), token_file, ..Context::default() }
    }

    #[test]
    fn what_is_added_and_chosen_is_there_next_time_and_only_for_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let environment = environment(dir.path());
        let mut contexts = Contexts::load(&environment).unwrap();
        assert_eq!(contexts.find(None).unwrap(), Context::default());
        contexts.add("room", room()).unwrap();
        contexts.choose("room").unwrap();
        let path = dir.path().join("phalanx/contexts.toml");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut contexts = Contexts::load(&environment).unwrap();
        assert_eq!((contexts.current(), contexts.find(None).unwrap()), ("room", room()));
        assert_eq!(contexts.find(Some(LOCAL)).unwrap(), Context::default());
        contexts.remove("room").unwrap();
        assert_eq!(Contexts::load(&environment).unwrap().current(), LOCAL);
        let beside = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1, "nothing is left beside it");
    }

    #[test]
    fn a_name_that_is_none_is_refused_and_a_near_one_guessed() {
        let dir = tempfile::tempdir().unwrap();
        let mut contexts = Contexts::load(&environment(dir.path())).unwrap();
        for name in ["", "a/b", "local", "a b", &"x".repeat(65)] {
            assert!(contexts.add(name, room()).is_err(), "{name:?}");
        }
        contexts.add("room", room()).unwrap();
        let said = contexts.choose("romo").unwrap_err().to_string();
        assert_eq!(
            said,
            "there is no context \"romo\"; there are local, room; did you mean \"room\"?"
        );
        assert!(contexts.remove("nothing").is_err());
    }

    #[test]
    fn a_mistake_in_the_file_is_told_by_its_line_and_a_token_in_it_is_not_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let text = "current = \"room\"\n\n[contexts.room]\ntoken = \"phx_secret\"\n";
        let path = write(dir.path(), text);
        let said = format!("{:#}", Contexts::load(&environment(dir.path())).unwrap_err());
        assert!(
            said.starts_with(&format!("{}:4: unknown field `token`", path.display())),
            "{said}"
        );
        assert!(!said.contains("phx_secret"), "{said}");
        let huge = "#".repeat(usize::try_from(FILE_BYTES_MAX).unwrap() + 1);
        write(dir.path(), &huge);
        let said = format!("{:#}", Contexts::load(&environment(dir.path())).unwrap_err());
        assert!(said.contains("expected at most 262144 bytes"), "{said}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let said = format!("{:#}", Contexts::load(&environment(dir.path())).unwrap_err());
        assert!(said.contains("is a directory") || said.contains("Is a directory"), "{said}");
    }
}
