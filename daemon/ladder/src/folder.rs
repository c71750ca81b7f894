//! A log in a folder: a file with one entry a line, and the strategies beside it.

use crate::error::LadderError;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Rights of folders that we make: the owner's alone.
const FOLDER_MODE: u32 = 0o700;
/// The file with the entries.
const LOG: &str = "ladder.jsonl";
/// The file that the process holds that plays.
const PLAYER: &str = "player";
/// The folder with the strategies.
const STRATEGIES: &str = "strategies";
/// Largest log, in bytes: that of a million matches.
const LOG_BYTES_MAX: u64 = 512 << 20;
/// Longest name of a process that is read.
const HOLDER_BYTES_MAX: u64 = 300;

#[derive(Debug)]
pub(crate) struct FolderLog {
    folder: PathBuf,
    /// Bytes that were read.
    read: u64,
    /// Held while this process plays.
    player: Option<File>,
}

impl FolderLog {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), read: 0, player: None }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(LOG)
    }

    /// The size of the log, in bytes; 0 if there is none.
    pub(crate) fn bytes(&self) -> u64 {
        self.path().metadata().map_or(0, |data| data.len())
    }

    /// The lines that came since the last call. Half a line at the end is somebody's who is writing
    /// it, or who was killed.
    pub(crate) fn read(&mut self) -> Result<Vec<String>, LadderError> {
        match File::open(self.path()) {
            Ok(mut file) => self.rest(&mut file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed(&self.path(), "open it")(error)),
        }
    }

    /// Lets the next call read from the beginning.
    pub(crate) fn restart(&mut self) {
        self.read = 0;
    }

    /// Appends a line, unless another process appended one that was not read; then `false`.
    pub(crate) fn append(&mut self, line: &str) -> Result<bool, LadderError> {
        self.make(&self.folder)?;
        let path = self.path();
        let failed = |what| failed(&path, what);
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed("open it"))?;
        // Held for the two requests below.
        file.lock().map_err(failed("hold it"))?;
        let before = self.read;
        let missed = !self.rest(&mut file)?.is_empty();
        if missed {
            self.read = before;
            return Ok(false);
        }
        // What is left behind the last whole line was cut off when its writer was killed.
        file.set_len(self.read).map_err(failed("cut off half a line"))?;
        file.seek(SeekFrom::Start(self.read)).map_err(failed("find its end"))?;
        let line = format!("{line}\n");
        file.write_all(line.as_bytes()).map_err(failed("append an entry"))?;
        self.read += line.len() as u64;
        Ok(true)
    }

    /// The process that plays; `None`: none does.
    pub(crate) fn player(&self) -> Option<String> {
        let mut file = File::open(self.folder.join(PLAYER)).ok()?;
        phalanx_files::is_held(&file).then(|| holder(&mut file))
    }

    /// Keeps other processes from playing.
    pub(crate) fn lead(&mut self, me: &str) -> Result<(), LadderError> {
        if self.player.is_some() {
            return Ok(());
        }
        self.make(&self.folder)?;
        let path = self.folder.join(PLAYER);
        let failed = |what| failed(&path, what);
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options.map_err(failed("open it"))?;
        if !phalanx_files::hold(&file).map_err(failed("hold it"))? {
            let (place, holder) = (self.folder.display().to_string(), holder(&mut file));
            return Err(LadderError::InUse { place, holder });
        }
        file.set_len(0).map_err(failed("write it"))?;
        file.write_all(me.as_bytes()).map_err(failed("write it"))?;
        self.player = Some(file);
        Ok(())
    }

    pub(crate) fn keep(&self, hash: &str, bytes: &[u8]) -> Result<(), LadderError> {
        let path = self.strategy(hash);
        if path.exists() {
            return Ok(());
        }
        self.make(&self.folder.join(STRATEGIES))?;
        // Beside its place first: it is there whole, or not at all.
        let beside = path.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&beside, bytes).map_err(failed(&beside, "write it"))?;
        std::fs::rename(&beside, &path).map_err(failed(&path, "put it in its place"))
    }

    pub(crate) fn fetch(&self, hash: &str, most: usize) -> Result<Vec<u8>, LadderError> {
        let path = self.strategy(hash);
        let file = File::open(&path).map_err(failed(&path, "open it"))?;
        let mut bytes = Vec::new();
        file.take(most as u64).read_to_end(&mut bytes).map_err(failed(&path, "read it"))?;
        Ok(bytes)
    }

    fn strategy(&self, hash: &str) -> PathBuf {
        self.folder.join(STRATEGIES).join(format!("{hash}.json"))
    }

    fn make(&self, folder: &Path) -> Result<(), LadderError> {
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder);
        made.map_err(failed(folder, "make the folder"))
    }

    fn rest(&mut self, file: &mut File) -> Result<Vec<String>, LadderError> {
        let path = self.path();
        let failed = |what| failed(&path, what);
        let bytes = file.metadata().map_err(failed("look at it"))?.len();
        if bytes > LOG_BYTES_MAX {
            return Err(self.unfit(format!("{bytes} bytes; at most {LOG_BYTES_MAX} are read")));
        }
        if bytes < self.read {
            return Err(self.unfit("it was cut off while this process used it".to_owned()));
        }
        file.seek(SeekFrom::Start(self.read)).map_err(failed("find its end"))?;
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).map_err(failed("read it"))?;
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        rest.truncate(whole);
        let text = String::from_utf8(rest).map_err(|_| self.unfit("no text".to_owned()))?;
        self.read += whole as u64;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn unfit(&self, problem: String) -> LadderError {
        LadderError::Malformed { place: self.path().display().to_string(), number: 1, problem }
    }
}

/// The process that a file names.
fn holder(file: &mut File) -> String {
    let mut name = String::new();
    // A name that cannot be read is none.
    drop(file.take(HOLDER_BYTES_MAX).read_to_string(&mut name));
    let name = name.trim();
    if name.is_empty() { "another process".to_owned() } else { name.to_owned() }
}

fn failed(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> LadderError + use<> {
    let path = path.to_owned();
    move |why| LadderError::File { path, what, why }
}
