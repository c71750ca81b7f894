//! Writing JSON by hand: percepts and replays are most of what the arena does.

/// JSON text under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct JsonText(pub(super) Vec<u8>);

impl JsonText {
    pub(super) fn raw(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    pub(super) fn int(&mut self, number: impl Into<i64>) -> &mut Self {
        let number = number.into();
        if number < 0 {
            self.0.push(b'-');
        }
        let mut digits = [0u8; 20];
        let mut rest = number.unsigned_abs();
        let mut length = 0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
            length += 1;
            if rest == 0 {
                break;
            }
        }
        let (_, used) = digits.split_at(digits.len() - length);
        self.0.extend_from_slice(used);
        self
    }

    /// A quoted and escaped text.
    pub(super) fn quoted(&mut self, text: &str) -> &mut Self {
        let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
        if text.bytes().all(plain) {
            self.0.push(b'"');
            self.0.extend_from_slice(text.as_bytes());
            self.0.push(b'"');
        } else {
            self.0.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
        }
        self
    }

    /// Items with commas between them.
    pub(super) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        self.0.push(b'[');
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.0.push(b',');
            }
            write(self, item);
        }
        self.0.push(b']');
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_valid_json() {
        for number in [0, 7, -7, 10, 1_795_245_816_726, i64::MAX, i64::MIN] {
            let mut text = JsonText::default();
            text.int(number);
            assert_eq!(String::from_utf8(text.0).ok(), Some(number.to_string()));
        }
        let mut text = JsonText::default();
        text.list(["a", "\"\\\n\u{1}ü"], |text, item| {
            text.quoted(item);
        });
        let read: Vec<String> = serde_json::from_slice(&text.0).unwrap();
        assert_eq!(read, ["a", "\"\\\n\u{1}ü"]);
    }
}
