//! The last minutes, from memory.

use crate::game::{Kept, info, options, play};
use phalanx_game::SeatId;
use phalanx_net::{Recorder, SeatAct, Taped};
use phalanx_record::{FlightRecorder, Loader, Recorded, RecordingFile};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn all(path: &std::path::Path, begin: Instant) -> Vec<Recorded> {
    let file = RecordingFile::open(path).unwrap();
    file.entries(begin, &Loader::default()).map(|entry| entry.unwrap().what).collect()
}

#[test]
fn what_fits_into_memory_is_written_whole_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let info = info();
    let kept = Arc::new(Kept::default());
    play(5, kept.clone());
    let entries = std::mem::take(&mut *kept.entries.lock().unwrap());
    let flight = FlightRecorder::new(options(folder.path()), info.clone(), 64 << 20);
    for (at, what) in entries.clone() {
        flight.put(at, what);
    }
    let path = flight.write("an error storm").unwrap();
    let file = RecordingFile::open(&path).unwrap();
    assert_eq!(file.info().cause, "an error storm");
    assert_eq!(file.by_reading().obstacles(), Vec::<String>::new());
    assert_eq!(all(&path, info.begun.instant).len(), entries.len() + 1);
    // It continues: the second file has the content of the first, and what came after it.
    let act = SeatAct::Received(vec![1].into());
    flight.put(info.begun.instant, Taped::Seat { seat: SeatId(0), act });
    let second = flight.write("asked for").unwrap();
    assert_ne!(path, second);
    assert_eq!(all(&second, info.begun.instant).len(), entries.len() + 2);
}

#[test]
fn what_is_too_old_goes_but_what_made_the_team_stays() {
    let folder = tempfile::tempdir().unwrap();
    let info = info();
    let begin = info.begun.instant;
    let kept = Arc::new(Kept::default());
    play(1, kept.clone());
    let entries = std::mem::take(&mut *kept.entries.lock().unwrap());
    let flight = FlightRecorder::new(options(folder.path()), info.clone(), 1 << 20);
    for (at, what) in entries {
        flight.put(at, what);
    }
    for nth in 0..20_000_u32 {
        let act = SeatAct::Received(nth.to_le_bytes().as_slice().into());
        let at = begin + Duration::from_millis(nth.into());
        flight.put(at, Taped::Seat { seat: SeatId(3), act });
        assert!(flight.bytes() <= (1 << 20) + 200);
    }
    let found = all(&flight.write("asked for").unwrap(), begin);
    let kinds: Vec<_> = found
        .iter()
        .map(|it| match it {
            Recorded::Info(_) => "info",
            Recorded::Taped(Taped::Began(_)) => "began",
            Recorded::Taped(Taped::SeatOpened(_)) => "seat",
            Recorded::Gap(gap) => {
                assert!(gap.channels.iter().any(|it| it.channel == "/seat/3/received"));
                "gap"
            }
            Recorded::Taped(_) => "taped",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds[..2], ["info", "began"]);
    assert_eq!(kinds[2..17], ["seat"; 15]);
    assert_eq!(kinds[17], "gap");
    let Some(Recorded::Taped(Taped::Seat { act: SeatAct::Received(last), .. })) = found.last()
    else {
        panic!("{kinds:?}")
    };
    assert_eq!(**last, 19_999_u32.to_le_bytes());
    assert!(kinds.len() > 1_000 && kinds.len() < 12_000, "{}", kinds.len());
}
