//! Live viewers get what a recording has, and without viewers nothing is copied.

use crate::game::{Kept, PATIENCE, info, options, play};
use phalanx_game::SeatId;
use phalanx_game::sorted::{SortedMap, SortedSet};
use phalanx_net::{Appetite, Recorder, SeatAct, Taped};
use phalanx_proto::v1;
use phalanx_record::{
    Audience, Channel, LiveFeed, LiveMessage, QueueLimits, Recording, RecordingFile,
};
use prost::Message;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Keeps the messages that it gets; the test can block it.
#[derive(Debug)]
struct Onlooker {
    opened: Mutex<SortedSet<Channel>>,
    shown: Mutex<Vec<LiveMessage>>,
    missed: Mutex<u64>,
    over: Sender<()>,
    /// Before each message it waits for a permit, or for the end of the sender.
    may: Mutex<Receiver<()>>,
}

impl Audience for Onlooker {
    fn opened(&self, channels: &[Channel]) {
        self.opened.lock().unwrap().extend(channels);
    }

    fn show(&self, message: &LiveMessage) {
        self.may.lock().unwrap().recv().unwrap_or_default();
        self.shown.lock().unwrap().push(message.clone());
    }

    fn missed(&self, entries: u64) {
        *self.missed.lock().unwrap() += entries;
    }

    fn over(&self) {
        self.over.send(()).unwrap();
    }
}

/// A viewer, the sender of its permits, and the signal for its end.
fn onlooker() -> (Arc<Onlooker>, Sender<()>, Receiver<()>) {
    let (over, ended) = channel();
    let (hold, may) = channel();
    let onlooker = Onlooker {
        opened: Mutex::default(),
        shown: Mutex::default(),
        missed: Mutex::default(),
        over,
        may: Mutex::new(may),
    };
    (Arc::new(onlooker), hold, ended)
}

/// The entries of a match and its end.
fn happened(steps: u32) -> Vec<(Instant, Taped)> {
    let kept = Arc::new(Kept::default());
    play(steps, kept.clone());
    let mut entries = std::mem::take(&mut *kept.entries.lock().unwrap());
    let last = entries.last().unwrap().0;
    entries.push((last, Taped::Ended));
    entries
}

fn all_channels() -> SortedSet<Channel> {
    let seats = (0..15).flat_map(|seat| Channel::of_seat(SeatId(seat)));
    Channel::of_every_team().chain(seats).collect()
}

/// Time and bytes of each message, by the name of its channel.
type Shown = SortedMap<String, Vec<(i128, Vec<u8>)>>;

#[test]
fn who_looks_on_from_the_begin_gets_every_message_of_the_recording() {
    let (info, entries) = (info(), happened(3));
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::begin(options(folder.path()), info.clone()).unwrap();
    let (onlooker, go, over) = onlooker();
    drop(go);
    let feed = LiveFeed::begin(info.clone(), QueueLimits::default(), onlooker.clone()).unwrap();
    assert_eq!(feed.want(all_channels(), &[Channel::Life]), [], "nothing is known yet");
    for (at, what) in entries {
        feed.see(at, &what);
        recording.put(at, what);
    }
    over.recv_timeout(PATIENCE).unwrap();
    let mut shown = Shown::new();
    for message in onlooker.shown.lock().unwrap().iter() {
        let LiveMessage { channel, log_time, data } = message;
        let list = shown.entry(channel.topic()).or_default();
        list.push((i128::from(*log_time), data.to_vec()));
    }
    let begin = i128::from(info.begun.unix_ms) * 1_000_000;
    let mut recorded = Shown::new();
    let file = RecordingFile::open(&recording.finish(PATIENCE).path).unwrap();
    for message in file.raw_messages(0) {
        let message = message.unwrap();
        let time = begin + i128::from(message.nanos);
        recorded.entry(message.channel).or_default().push((time, message.data));
    }
    // The file's own description is not a channel.
    recorded.remove("/recording");
    assert!(recorded.len() >= 7 + 3 * 15, "{:?}", recorded.keys());
    assert_eq!(shown, recorded);
    assert_eq!(*onlooker.opened.lock().unwrap(), all_channels());
}

#[test]
fn nothing_is_made_of_channels_that_nobody_wants_and_late_comers_learn_what_made_the_team() {
    let (info, entries) = (info(), happened(2));
    let (onlooker, go, over) = onlooker();
    drop(go);
    let feed = LiveFeed::begin(info, QueueLimits::default(), onlooker.clone()).unwrap();
    assert_eq!(feed.appetite(), Appetite::Needed);
    feed.want([Channel::Sent(SeatId(3))].into(), &[]);
    assert_eq!(feed.appetite(), Appetite::Needed);
    let sent =
        |what: &Taped| matches!(what, Taped::Seat { seat, act: SeatAct::Sent(_) } if seat.0 == 3);
    let expected = entries.iter().filter(|(_, what)| sent(what)).count();
    for (at, what) in entries {
        feed.put(at, what);
    }
    over.recv_timeout(PATIENCE).unwrap();
    let shown = std::mem::take(&mut *onlooker.shown.lock().unwrap());
    assert!(shown.iter().all(|message| message.channel == Channel::Sent(SeatId(3))));
    assert_eq!((shown.len(), expected > 2), (expected, true));
    let fresh = [Channel::Recording, Channel::Life, Channel::Seat(SeatId(7)), Channel::World];
    let kept = feed.want([Channel::World].into(), &fresh);
    assert_eq!(feed.appetite(), Appetite::Everything);
    let [recording, life, seat] = kept.as_slice() else { panic!("{kept:?}") };
    let told = v1::RecordingInfo::decode(recording.data.clone()).unwrap();
    assert_eq!((told.team.as_str(), told.seed), ("A", 7));
    let begun = v1::TeamLife::decode(life.data.clone()).unwrap();
    assert!(matches!(begun.event, Some(v1::team_life::Event::Began(_))), "{begun:?}");
    assert_eq!(seat.channel, Channel::Seat(SeatId(7)));
    assert!(recording.log_time <= life.log_time && life.log_time <= seat.log_time);
}

#[test]
fn whoever_holds_up_the_feed_misses_messages_and_is_told_how_many() {
    let info = info();
    let begin = info.begun.instant;
    let (onlooker, go, over) = onlooker();
    let limits = QueueLimits { entries_max: 8, bytes_max: 1 << 20 };
    let feed = LiveFeed::begin(info, limits, onlooker.clone()).unwrap();
    feed.want([Channel::Received(SeatId(0)), Channel::Gaps].into(), &[]);
    for nth in 0..1_000_u32 {
        let act = SeatAct::Received(nth.to_le_bytes().as_slice().into());
        let at = begin + Duration::from_millis(nth.into());
        feed.put(at, Taped::Seat { seat: SeatId(0), act });
    }
    drop((go, feed));
    over.recv_timeout(PATIENCE).unwrap();
    let shown = onlooker.shown.lock().unwrap();
    let gaps = shown.iter().filter(|message| message.channel == Channel::Gaps);
    let told: u64 = gaps
        .map(|gap| v1::Gap::decode(gap.data.clone()).unwrap().channels)
        .map(|channels| channels.iter().map(|channel| channel.count).sum::<u64>())
        .sum();
    let missed = *onlooker.missed.lock().unwrap();
    let came = shown.iter().filter(|message| message.channel != Channel::Gaps).count() as u64;
    assert_eq!((told, came + missed), (missed, 1_000));
    assert!(missed > 900, "{missed}");
}
