//! The referee: whole matches on a virtual clock, and what it does with agents that fail.

pub(crate) mod host;

use host::{Does, Played, Player, good, odd, play};
use phalanx_colosseum::Colosseum;
use phalanx_colosseum::arena::{ArenaOptions, ColosseumArena, GameName, Mode};
use phalanx_game::{
    AgentId, Arena as _, ConnectionId, Event, Game as _, MarginLimits, Origin, Outgoing, Seat,
    SeatId, Session as _,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn options(epochs: u32) -> ArenaOptions {
    ArenaOptions { epochs: Some(epochs), seed: 5, ..ArenaOptions::default() }
}

fn dummy() -> Player {
    good(|_, _| "\"actions\": []".to_owned())
}

/// The first player fails in its way, the second is a good one.
fn against_dummy(options: ArenaOptions, mut first: impl FnMut() -> Player) -> Played {
    play(options, move |player| if player == 0 { first() } else { dummy() })
}

/// The reason of the agent that is out, and the ticks that were played.
fn verdict(played: &Played) -> (Value, usize) {
    let scores = played.result["scores"].as_array().expect("scores");
    let out = scores.iter().find(|row| row["tainted"] == true);
    if let Some(row) = out {
        assert_eq!(row["score"], -10);
        assert_eq!(played.result["outcome"]["termination"], "TAINTED");
    }
    (out.map_or(Value::Null, |row| row["tainted_reason"].clone()), played.replay.len())
}

#[test]
fn a_crash_in_tick_three_ends_the_match_after_tick_thirteen() {
    // As recorded in food_catcher_crash.
    let played = against_dummy(options(20), || odd(|epoch| (epoch == 3).then_some(Does::Exits)));
    assert_eq!(verdict(&played), (json!("TOO_MANY_ERRORS"), 13));
}

#[test]
fn a_foreign_id_disqualifies_and_none_too() {
    // As recorded in food_catcher_spoof.
    let says = |text: &'static str| {
        move || odd(move |epoch| (epoch == 3).then(|| Does::Says(text.to_owned())))
    };
    let played = against_dummy(options(12), says(r#"{"agent_id": "x", "actions": []}"#));
    assert_eq!(verdict(&played), (json!("AGENT_ID_SPOOFING"), 3));
    let played = against_dummy(options(12), says(r#"{"actions": []}"#));
    assert_eq!(verdict(&played), (json!("MISSING_AGENT_ID"), 3));
}

#[test]
fn what_hangs_or_kills_the_original_names_its_culprit() {
    for text in [
        "Traceback (most recent call last):",
        "",
        "[1]",
        "\"text\"",
        "7",
        "true",
        r#"{"agent_id": OWN, "actions": null}"#,
        r#"{"agent_id": OWN, "actions": [7]}"#,
        r#"{"agent_id": OWN, "actions": [{"action": "spawn", "base_id": "nope"}]}"#,
        r#"{"agent_id": OWN, "actions": [{"action": "make_base", "actor_id": "nope"}]}"#,
    ] {
        let failing = move || -> Player {
            let mut usual = good(|_, _| "\"actions\": []".to_owned());
            Box::new(move |line| {
                let does = usual(line);
                let own = line["agent_ids"][0].to_string();
                let says = Does::Says(text.replace("OWN", &own));
                if line["epoch"] == 2 { says } else { does }
            })
        };
        let played = against_dummy(options(9), failing);
        assert_eq!(verdict(&played), (json!("INVALID_PAYLOAD"), 2), "{text}");
        let troubles = played.result["troubles"].as_object().expect("troubles");
        assert_eq!(troubles.len(), 1, "{text}: {troubles:?}");
    }
}

#[test]
fn null_is_no_answer_and_no_error() {
    let played = against_dummy(options(15), || odd(|_| Some(Does::Says("null".to_owned()))));
    assert_eq!(verdict(&played), (Value::Null, 15));
}

/// The epochs that the recorded replies of the first agent were made for.
fn answered_epochs() -> Vec<Value> {
    let late = || {
        let mut usual = good(|_, epoch| format!("\"actions\": [], \"epoch_seen\": {epoch}"));
        let player: Player = Box::new(move |line| match (usual(line), line["epoch"].as_u64()) {
            (Does::Says(text), Some(3)) => Does::SaysLate(text, Duration::from_secs(6)),
            (does, _) => does,
        });
        player
    };
    let played = against_dummy(options(6), late);
    let seen = played.replay.iter().map(|line| line["agent_actions"][0]["epoch_seen"].clone());
    seen.collect()
}

#[test]
fn a_late_reply_answers_the_next_message() {
    // As recorded in food_catcher_late_reply: from then on every answer is one state old.
    let (one, none) = (|n: u32| json!(n), Value::Null);
    let lagging = [one(1), one(2), none, one(3), one(4), one(5)];
    assert_eq!(answered_epochs(), lagging);
}

#[test]
fn silence_costs_five_seconds_each_and_the_eleventh_time_disqualifies() {
    let played = against_dummy(options(30), || odd(|_| Some(Does::Waits)));
    assert_eq!(verdict(&played), (json!("TOO_MANY_ERRORS"), 11));
    assert_eq!(played.lasted, Duration::from_secs(5) * 11);
}

#[test]
fn the_handshake_is_judged_and_one_tick_is_played() {
    let failing = |key: &'static str, says: &'static str| {
        move || -> Player {
            let mut usual = dummy();
            Box::new(move |line| {
                let does = usual(line);
                if line.get(key).is_some() { Does::Says(says.to_owned()) } else { does }
            })
        }
    };
    for (key, says, reason) in [
        ("set_agent_id", "{}", "STARTUP_FAIL"),
        ("set_agent_id", "null", "STARTUP_FAIL"),
        ("set_agent_id", r#"{"agent_id": "other"}"#, "SET_AGENT_ID_FAIL"),
        ("set_agent_id", "[1]", "INVALID_PAYLOAD"),
        ("ping", r#"{"pong": null}"#, "PING_FAIL"),
        ("config", "null", "SET_CONFIG_FAIL"),
    ] {
        let played = against_dummy(options(9), failing(key, says));
        assert_eq!(verdict(&played), (json!(reason), 1), "{key} {says}");
    }
    let played = against_dummy(options(2), failing("ping", r#"{"pong": false}"#));
    assert_eq!(verdict(&played), (Value::Null, 2));
    let played = against_dummy(options(2), failing("config", "[]"));
    assert_eq!(verdict(&played), (Value::Null, 2));
}

/// One payload with two moves of the own actor, and one of the enemy's.
fn greedy_with_orders() -> Player {
    good(|line, _| {
        let orders: Vec<Value> = line["actors"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|actor| {
                let order = json!({"action": "move", "actor_id": actor["id"], "target": [20, 20]});
                [order.clone(), order]
            })
            .collect();
        format!("\"actions\": {}", Value::from(orders))
    })
}

#[test]
fn strict_rules_allow_one_action_to_own_units_only() {
    let travelled = |options: ArenaOptions| {
        let played = against_dummy(options, greedy_with_orders);
        let at = |tick: usize, actor: usize| -> [f64; 2] {
            let place = &played.replay[tick]["world_state"]["actors"][actor]["position"];
            serde_json::from_value(place.clone()).expect("a place")
        };
        [0, 1].map(|actor| {
            let ([x, y], [u, v]) = (at(0, actor), at(1, actor));
            ((x - u).hypot(y - v) * 1000.0).round() / 1000.0
        })
    };
    assert_eq!(travelled(options(3)), [2.0, 2.0]);
    assert_eq!(travelled(options(3).strict()), [1.0, 0.0]);
}

#[test]
fn overtime_disqualifies_when_it_is_enforced() {
    let slow = || -> Player {
        let mut usual = dummy();
        Box::new(move |line| match (usual(line), line.get("epoch")) {
            (Does::Says(text), Some(_)) => Does::SaysLate(text, Duration::from_millis(700)),
            (does, _) => does,
        })
    };
    // Half a second over the limit each: the fifth goes beyond two seconds.
    let played = against_dummy(options(20).strict(), slow);
    assert_eq!(verdict(&played), (json!("TIMEOUT"), 5));
    let played = against_dummy(options(20), slow);
    assert_eq!(verdict(&played), (Value::Null, 20));
}

/// An agent with our own session behind it, which lets the fallback answer.
fn ours() -> Player {
    let seat = Seat {
        id: SeatId(0),
        agents: vec![(AgentId(0), "ours".to_owned())],
        user: String::new(),
        password: String::new(),
        turn_limit: Duration::from_millis(100),
        margin: MarginLimits::default(),
    };
    let (mut session, now) = (Colosseum.session(&seat), Instant::now());
    session.handle_connected(now);
    Box::new(move |line| {
        session.handle_input(format!("{line}\n").as_bytes(), now).expect("well-formed");
        let mut over = false;
        while let Some(event) = session.poll_event() {
            assert!(!matches!(event, Event::Notice(_)), "{event:?}");
            over |= matches!(event, Event::MatchOver);
        }
        if let Some(due) = session.poll_timeout() {
            session.handle_timeout(due);
        }
        let reply = session.poll_transmit().expect("a reply");
        if over {
            return Does::Exits;
        }
        Does::Says(String::from_utf8(reply).expect("UTF-8").trim_end().to_owned())
    })
}

#[test]
fn our_sessions_play_every_game_to_its_end_and_equal_seeds_play_equal_matches() {
    for game in GameName::ALL {
        let epochs = Some(60).filter(|_| game != GameName::Chess);
        let options = ArenaOptions { game, epochs, seed: 3, ..ArenaOptions::default() };
        let played = play(options.clone(), |_| ours());
        assert_eq!(verdict(&played).0, Value::Null, "{game:?}: {}", played.result);
        assert!(!played.replay.is_empty());
        let again = play(options.clone(), |_| ours());
        assert_eq!(played.results, again.results);
        assert_eq!(played.replay, again.replay);
        if game == GameName::Chess {
            // Only the colours are by chance, and equal players draw.
            assert_eq!(played.result["outcome"]["winner"], "DRAW", "{}", played.result);
            let table = played.arena.summary();
            let rows: Vec<_> = table.lines().skip(1).collect();
            assert!(rows.len() == 2 && rows.iter().all(|row| row.ends_with(" 0.5")), "{table}");
            continue;
        }
        let other = play(ArenaOptions { seed: 4, ..options }, |_| ours());
        assert_ne!(played.results, other.results);
    }
}

#[test]
fn an_illegal_move_loses_the_game_of_chess() {
    let options = ArenaOptions { game: GameName::Chess, ..ArenaOptions::default() };
    let cheat = || good(|_, _| "\"move\": \"e1e8\"".to_owned());
    let played = play(options, |player| if player == 0 { cheat() } else { ours() });
    assert_eq!(verdict(&played).0, json!("INVALID_PAYLOAD"));
    let best = &played.result["scores"][0];
    assert_eq!((&best["score"], &best["tainted"]), (&json!(1), &json!(false)));
    assert_ne!(played.result["outcome"]["winner"], "DRAW");
}

#[test]
fn a_round_robin_plays_every_pair_and_rates() {
    let options = ArenaOptions {
        game: GameName::Snake,
        mode: Mode::RoundRobin(2),
        players: ["a", "b", "c"].map(str::to_owned).to_vec(),
        ..ArenaOptions::default()
    };
    let played = play(options, |_| ours());
    assert_eq!(played.results.len(), 6);
    let matches: u32 =
        played.arena.standings().iter().map(|row| row.wins + row.draws + row.losses).sum();
    assert_eq!(matches, 12);
    let elo: i32 = played.arena.standings().iter().map(|row| row.elo).sum();
    assert!((3597..=3603).contains(&elo), "{elo}");
    assert!(played.artifacts.contains_key("standings.json"));
    assert_eq!(played.artifacts.keys().filter(|name| name.starts_with("replay_snake_")).count(), 6);
}

#[test]
fn options_that_do_not_fit_are_refused_with_the_reason() {
    let origin = phalanx_game::Origin { instant: Instant::now(), unix_ms: 0 };
    let five = vec!["x".to_owned(); 5];
    let refused = |options: ArenaOptions| {
        let refused = phalanx_colosseum::arena::ColosseumArena::new(options, origin);
        refused.expect_err("a refusal").to_string()
    };
    assert_eq!(
        refused(ArenaOptions { players: five, ..ArenaOptions::default() }),
        "players: food_catcher is for 1 to 4, not for 5"
    );
    assert!(refused(options(0)).starts_with("epochs:"));
}

#[test]
fn a_player_is_wanted_when_the_one_before_has_answered_its_settings() {
    let start = Instant::now();
    let origin = Origin { instant: start, unix_ms: 0 };
    let mut arena = ColosseumArena::new(options(1), origin).expect("options that fit");
    let (first, second, late) = (ConnectionId(1), ConnectionId(2), ConnectionId(3));
    assert_eq!(arena.wanted(), [0, 1]);
    arena.handle_join(first, start);
    let said = |arena: &mut ColosseumArena| -> Vec<(ConnectionId, String)> {
        let out = std::iter::from_fn(|| arena.poll_transmit());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        out.map(|out| match out {
            Outgoing::Bytes(to, bytes) => (to, text(bytes)),
            Outgoing::Close(to) => (to, "closed".to_owned()),
        })
        .filter(|(_, text)| text != "\n")
        .collect()
    };
    let line = said(&mut arena).remove(0).1;
    let id = serde_json::from_str::<Value>(&line).expect("JSON")["set_agent_id"].to_string();
    // The referee introduces one player at a time; a player that connects early waits.
    assert_eq!(arena.wanted(), [0_usize; 0]);
    arena.handle_join(second, start);
    arena.handle_join(late, start);
    assert_eq!(said(&mut arena), [(late, "closed".to_owned())]);
    for message in ["ping", "config", "set_agent_id"] {
        let reply = format!("{{\"agent_id\": {id}, \"pong\": 1}}\n");
        arena.handle_input(first, reply.as_bytes(), start);
        let heard = said(&mut arena);
        assert!(heard.len() == 1 && heard[0].1.contains(message), "{message}: {heard:?}");
    }
    arena.handle_leave(second, start);
    let notice = arena.poll_notice().expect("somebody is out");
    assert!(notice.contains("2: out, STARTUP_FAIL"), "{notice}");
}

#[test]
fn notices_name_the_culprit_and_the_table_the_best() {
    let mut options = options(9);
    options.mode = Mode::RoundRobin(1);
    let mut played = play(options, |player| match player {
        0 => odd(|epoch| (epoch == 3).then(|| Does::Says("oops".to_owned()))),
        _ => dummy(),
    });
    let notices: Vec<_> = std::iter::from_fn(|| played.arena.poll_notice()).collect();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("match 1, tick 3: 1: out, INVALID_PAYLOAD"), "{notices:?}");
    assert!(notices[0].contains("oops"), "{notices:?}");
    let summary = played.arena.summary();
    let rows: Vec<Vec<&str>> =
        summary.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["2", "1212", "1.0", "1", "0", "0", "0"], "{summary}");
    assert_eq!(rows[2], ["1", "1188", "0.0", "0", "0", "1", "-10"], "{summary}");
}
