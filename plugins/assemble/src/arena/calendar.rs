//! Wall-clock dates from milliseconds since the epoch, for names of files.

const DAY_MS: u64 = 86_400_000;

/// `yyyy-MM-dd-HH-mm-ss`.
pub(super) fn stamp(unix_ms: u64) -> String {
    let seconds = unix_ms % DAY_MS / 1000;
    let (year, month, day) = date(unix_ms / DAY_MS);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}-{hour:02}-{minute:02}-{second:02}")
}

/// The Gregorian date of a day since 1970-01-01, counted in eras of 400 years that begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_dates() {
        assert_eq!(stamp(0), "1970-01-01-00-00-00");
        assert_eq!(stamp(951_825_599_999), "2000-02-29-11-59-59");
        assert_eq!(stamp(1_615_895_311_163), "2021-03-16-11-48-31");
    }
}
