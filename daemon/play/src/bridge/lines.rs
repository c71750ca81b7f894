//! Lines of bounded length: a longer line is cut, and the rest of it is skipped.

use phalanx_games::bridge::LINE_BYTES_MAX;
use std::io::{self, BufRead, BufReader, Read};

/// Bytes per read.
const READ_BYTES: usize = 64 << 10;

/// The lines of a stream.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(READ_BYTES, reader) }
    }

    /// The next line without its line end; `None` at the end of the stream, even after half a line.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok([]) => return Ok(None),
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            // One byte more than allowed marks a line that was cut.
            let room = (LINE_BYTES_MAX + 1).saturating_sub(line.len()).min(piece.len());
            line.extend_from_slice(piece.get(..room).unwrap_or_default());
            let used = end.map_or(bytes.len(), |end| end + 1);
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_half_a_line_at_the_end_is_none() {
        let mut lines = Lines::new(&b"{}\n\n{\"a\": 1}\r\nhalf"[..]);
        assert_eq!(lines.next().unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(lines.next().unwrap().as_deref(), Some(&b""[..]));
        assert_eq!(lines.next().unwrap().as_deref(), Some(&b"{\"a\": 1}\r"[..]));
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn a_line_without_measure_is_cut_and_the_next_one_is_found() {
        let mut bytes = vec![b'x'; LINE_BYTES_MAX * 2];
        bytes.extend_from_slice(b"\n{}\n");
        let mut lines = Lines::new(&*bytes);
        assert_eq!(lines.next().unwrap().map(|line| line.len()), Some(LINE_BYTES_MAX + 1));
        assert_eq!(lines.next().unwrap().as_deref(), Some(&b"{}"[..]));
    }
}
