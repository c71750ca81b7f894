//! Messages that each end in a NUL, cut from the pieces in which a stream brings them.

use crate::ProtocolError;
use std::ffi::CStr;

/// The beginning of a message whose end has not come yet. Whole messages are not copied.
#[derive(Debug, Default)]
pub struct NulFrames {
    partial: Vec<u8>,
}

impl NulFrames {
    /// Forgets what has come of a message.
    pub fn clear(&mut self) {
        self.partial.clear();
    }

    /// What has come of a message.
    #[must_use]
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }

    /// Hands out every message that these bytes complete, without its NUL.
    ///
    /// # Errors
    /// When more than `bytes_max` bytes have come without a NUL; they are dropped.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        bytes_max: usize,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), ProtocolError> {
        let mut rest = bytes;
        while let Some((frame, behind)) = split(rest) {
            rest = behind;
            if self.partial.is_empty() {
                each(frame);
            } else {
                self.partial.extend_from_slice(frame);
                each(&self.partial);
                self.partial.clear();
            }
        }
        if self.partial.len() + rest.len() > bytes_max {
            let head = if self.partial.is_empty() { rest } else { &self.partial };
            let expected = format!("a NUL within {bytes_max} bytes");
            let error = ProtocolError::new("the end of a message", expected, head);
            self.partial = Vec::new();
            return Err(error);
        }
        self.partial.extend_from_slice(rest);
        Ok(())
    }
}

/// Splits at the first NUL: the frame before it and the rest after it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = CStr::from_bytes_until_nul(bytes).ok()?.count_bytes();
    let (frame, rest) = bytes.split_at_checked(length)?;
    Some((frame, rest.get(1..)?))
}
