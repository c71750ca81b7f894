//! Reads passwords from files or a prompt, never from a command line.

use crate::failure::misused;
use anyhow::{Context, Result};
use console::Term;
use std::io::Read;
use std::path::Path;

/// Longest password, in bytes.
const PASSWORD_BYTES_MAX: u64 = 1_024;

/// Reads the password from the file or the prompt, or returns an empty one. A line end is removed.
pub(super) fn password(file: Option<&Path>, ask: bool, whose: &str) -> Result<String> {
    match file {
        Some(path) if path == Path::new("-") => first_line(std::io::stdin().lock(), path),
        Some(path) => {
            let file = std::fs::File::open(path);
            first_line(file.with_context(|| format!("cannot read {}", path.display()))?, path)
        }
        None if ask => ask_for(whose),
        None => Ok(String::new()),
    }
}

fn first_line(source: impl Read, path: &Path) -> Result<String> {
    let said = || format!("cannot read {}", path.display());
    let mut text = String::new();
    source.take(PASSWORD_BYTES_MAX + 1).read_to_string(&mut text).with_context(said)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > PASSWORD_BYTES_MAX {
        let most = format!("a password has at most {PASSWORD_BYTES_MAX} bytes");
        return Err(misused(format!("{}: {most}", path.display())));
    }
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn ask_for(whose: &str) -> Result<String> {
    let term = Term::stderr();
    if !term.is_term() {
        return Err(misused("there is no terminal for a prompt; name a file with --password-file"));
    }
    term.write_str(&format!("password of {whose}: "))?;
    Ok(term.read_secure_line()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_the_text_of_its_file_without_the_end_of_its_line() {
        let path = Path::new("a.secret");
        assert_eq!(first_line(&b"hunter2\n"[..], path).unwrap(), "hunter2");
        assert_eq!(first_line(&b"hunter 2\r\n"[..], path).unwrap(), "hunter 2");
        assert_eq!(first_line(&b""[..], path).unwrap(), "");
        let said = first_line(&[b'x'; 2_000][..], path).unwrap_err().to_string();
        assert_eq!(said, "a.secret: a password has at most 1024 bytes");
    }
}
