//! Reads when a certificate expires: it parses the few X.509 fields before that one.
//!
//! ```text
//! Certificate ::= SEQUENCE { tbs SEQUENCE { [0] version?, serial INTEGER, signature SEQUENCE,
//!                            issuer SEQUENCE, validity SEQUENCE { notBefore, notAfter }, … }, … }
//! ```

use std::time::SystemTime;

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;

/// The validity of a certificate in DER; `None` if it is not one.
pub(crate) fn validity(der: &[u8]) -> Option<(SystemTime, SystemTime)> {
    let mut certificate = DerFields(der);
    let mut tbs = DerFields(DerFields(certificate.take(SEQUENCE)?).take(SEQUENCE)?);
    if tbs.0.first() == Some(&VERSION) {
        tbs.take(VERSION)?;
    }
    tbs.take(INTEGER)?;
    tbs.take(SEQUENCE)?;
    tbs.take(SEQUENCE)?;
    let mut validity = DerFields(tbs.take(SEQUENCE)?);
    Some((validity.time()?, validity.time()?))
}

/// The rest of a sequence of fields.
struct DerFields<'a>(&'a [u8]);

impl<'a> DerFields<'a> {
    /// The content of the next field, if it is of this kind.
    fn take(&mut self, kind: u8) -> Option<&'a [u8]> {
        let (found, content) = self.next()?;
        (found == kind).then_some(content)
    }

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&kind, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            // This many bytes hold the length; more than four cannot occur in our files.
            let (bytes, behind) = rest.split_at_checked(usize::from(first & 0x7f))?;
            if bytes.is_empty() || bytes.len() > 4 {
                return None;
            }
            length = bytes.iter().fold(0, |length, byte| (length << 8) | usize::from(*byte));
            rest = behind;
        }
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((kind, content))
    }

    fn time(&mut self) -> Option<SystemTime> {
        let (kind, text) = self.next()?;
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let full = match (kind, text.len()) {
            // Years of two digits: 50 to 99 belong to the last century (RFC 5280).
            (UTC_TIME, 12) if text >= "50" => format!("19{text}"),
            (UTC_TIME, 12) => format!("20{text}"),
            (GENERALIZED_TIME, 14) => text.to_owned(),
            _ => return None,
        };
        let part = |from: usize, to: usize| full.get(from..to);
        let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
        let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
        let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
        humantime::parse_rfc3339(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of DER.
    fn field(kind: u8, content: &[u8]) -> Vec<u8> {
        let mut out = vec![kind, 0x82];
        out.extend_from_slice(&u16::try_from(content.len()).expect("short").to_be_bytes());
        out.extend_from_slice(content);
        out
    }

    fn certificate(before: (u8, &str), after: (u8, &str)) -> Vec<u8> {
        let times = [before, after].map(|(kind, text)| field(kind, text.as_bytes())).concat();
        let tbs = [
            field(VERSION, &field(INTEGER, &[2])),
            field(INTEGER, &[1]),
            field(SEQUENCE, b""),
            field(SEQUENCE, b""),
            field(SEQUENCE, &times),
        ];
        field(SEQUENCE, &field(SEQUENCE, &tbs.concat()))
    }

    #[test]
    fn both_ways_to_write_a_time_are_read() {
        let der = certificate((UTC_TIME, "991231235959Z"), (GENERALIZED_TIME, "20501231000000Z"));
        let (before, after) = validity(&der).expect("a certificate");
        let told = |time| humantime::format_rfc3339_seconds(time).to_string();
        assert_eq!(told(before), "1999-12-31T23:59:59Z");
        assert_eq!(told(after), "2050-12-31T00:00:00Z");
    }

    #[test]
    fn no_bytes_make_it_stumble() {
        let der = certificate((UTC_TIME, "260101000000Z"), (UTC_TIME, "270101000000Z"));
        let (mut tried, mut still) = (0, 0);
        for end in 0..der.len() {
            let cut = der.get(..end).expect("within");
            assert_eq!(validity(cut), None, "cut at {end}");
            for byte in [0, 0x7f, 0x80, 0x84, 0xff] {
                let mut bent = der.clone();
                if let Some(place) = bent.get_mut(end) {
                    *place = byte;
                }
                tried += 1;
                still += usize::from(validity(&bent).is_some());
            }
        }
        // Bytes that the parser skips may have any value; most of the others may not.
        assert!(still > 0 && still < tried / 2, "{still} of {tried}");
    }
}
