//! The standard error of a player, if it is separate from the standard output: lines for the log.

use tokio::io::{AsyncRead, AsyncReadExt};

/// Lines of one process that are logged; the rest is counted.
const LINES_MAX: u64 = 20;
/// Bytes of a line that are kept.
const LINE_BYTES_MAX: usize = 400;
/// Bytes that are read at once.
const READ_BYTES_MAX: usize = 4096;

/// Logs the player's standard error until it ends. It reads everything, so that the player never
/// blocks on a full pipe.
pub(super) async fn report(mut errors: impl AsyncRead + Unpin, player: String) {
    let (mut lines, mut buffer) = (StderrLines::default(), [0; READ_BYTES_MAX]);
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        lines.take(buffer.get(..count).unwrap_or_default(), |line| {
            tracing::warn!(player, line, "standard error");
        });
    }
    lines.finish(|line| tracing::warn!(player, line, "standard error"));
    let unsaid = lines.count.saturating_sub(LINES_MAX);
    if unsaid > 0 {
        tracing::warn!(player, unsaid, "more lines on standard error");
    }
}

#[derive(Default)]
struct StderrLines {
    rest: Vec<u8>,
    count: u64,
}

impl StderrLines {
    fn take(&mut self, bytes: &[u8], mut say: impl FnMut(&str)) {
        for byte in bytes {
            if *byte == b'\n' {
                self.finish(&mut say);
            } else if self.rest.len() < LINE_BYTES_MAX {
                self.rest.push(*byte);
            }
        }
    }

    /// Ends an unfinished line.
    fn finish(&mut self, mut say: impl FnMut(&str)) {
        let line = std::mem::take(&mut self.rest);
        if line.is_empty() {
            return;
        }
        self.count += 1;
        if self.count <= LINES_MAX {
            say(&phalanx_game::excerpt(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_counted() {
        let (mut lines, mut said) = (StderrLines::default(), Vec::new());
        lines.take(b"one\n\ntw", |line| said.push(line.to_owned()));
        lines.take(b"o\n", |line| said.push(line.to_owned()));
        lines.take(&[b'x'; 2 * LINE_BYTES_MAX], |_| panic!("no end yet"));
        assert_eq!(lines.rest.len(), LINE_BYTES_MAX);
        for _ in 0..LINES_MAX {
            lines.take(b"\nmore", |line| said.push(line.to_owned()));
        }
        assert_eq!((lines.count, said.len()), (LINES_MAX + 2, 20));
        assert_eq!(said.get(..2), Some(&["one".to_owned(), "two".to_owned()][..]));
    }
}
