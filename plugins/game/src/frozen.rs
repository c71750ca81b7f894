//! Beliefs as bytes: what a daemon that was killed finds again.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What was saved cannot be taken over: it is of another version, or damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RestoreError(String);

impl RestoreError {
    /// An error with its reason, for people.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// A value as bytes, marked with the version of its layout. Equal values give equal bytes, as long
/// as they hold no tables without order.
#[must_use]
pub fn freeze<T: Serialize>(version: u16, value: &T) -> Vec<u8> {
    let bytes = version.to_le_bytes().to_vec();
    // Writing to memory fails for types that do not know their own length; ours do.
    postcard::to_extend(value, bytes).unwrap_or_default()
}

/// The value of [`freeze`]d bytes. Lengths in them are not trusted: nothing larger is allocated
/// than the bytes can hold.
///
/// # Errors
/// When the version differs, the bytes end too early or go on behind the value.
pub fn thaw<T: DeserializeOwned>(version: u16, bytes: &[u8]) -> Result<T, RestoreError> {
    let damaged = |what: &str| RestoreError::new(format!("the saved belief is damaged: {what}"));
    let (head, rest) = bytes.split_first_chunk::<2>().ok_or_else(|| damaged("it is empty"))?;
    let found = u16::from_le_bytes(*head);
    if found != version {
        let text = format!("it was saved in version {found}, this program has version {version}");
        return Err(RestoreError::new(text));
    }
    let (value, left) =
        postcard::take_from_bytes(rest).map_err(|error| damaged(&error.to_string()))?;
    if left.is_empty() { Ok(value) } else { Err(damaged("bytes are left over")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_value_comes_back_and_damage_is_told() {
        let value: BTreeMap<String, Vec<(i32, f64)>> =
            [("a".to_owned(), vec![(-1, 0.5)]), (String::new(), vec![])].into();
        let bytes = freeze(3, &value);
        assert_eq!(thaw::<BTreeMap<String, Vec<(i32, f64)>>>(3, &bytes).unwrap(), value);
        let other = thaw::<BTreeMap<String, Vec<(i32, f64)>>>(4, &bytes).unwrap_err();
        assert!(other.to_string().contains("version 3"), "{other}");
        for cut in 0..bytes.len() {
            assert!(thaw::<BTreeMap<String, Vec<(i32, f64)>>>(3, &bytes[..cut]).is_err(), "{cut}");
        }
        let long = [bytes.as_slice(), &[0]].concat();
        assert!(thaw::<BTreeMap<String, Vec<(i32, f64)>>>(3, &long).is_err());
    }

    #[test]
    fn a_length_of_a_hundred_gigabytes_allocates_nothing() {
        let mut bytes = 1_u16.to_le_bytes().to_vec();
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0x02]);
        assert!(thaw::<Vec<u64>>(1, &bytes).is_err());
    }
}
