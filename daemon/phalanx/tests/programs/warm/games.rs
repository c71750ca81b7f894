//! The other games: each continues in its own way after its daemon was killed.

use super::bench::{Bench, number};
use crate::colosseum::{Referee, bridge};
use crate::more_games::{self, MARS, Resting, WORLDS};
use crate::support::daemon;
use crate::web::{self, Web};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};

/// Counts its decisions in memory, and writes the count to the board.
fn counting(action: &str) -> String {
    format!(
        "return {{ decide = function(me)\n    me.memory.turns = (me.memory.turns or 0) + 1\n    \
         board.set(\"turns/\" .. me.name, me.memory.turns)\n    \
         log.info(`decided {{me.memory.turns}}`)\n    {action}\nend }}\n"
    )
}

fn team(game: &str, server: &str, agents: &str) -> String {
    format!("name = \"A\"\ngame = \"{game}\"\nserver = \"{server}\"\nagents = {{ {agents} }}\n")
}

#[test]
fn on_mars_the_graph_outlives_the_daemon_in_both_simulations() {
    let bench = Bench::new(&counting("return act.survey()"));
    let (mut arena, address) = more_games::arena(bench.path(), "mars", MARS);
    let agents = "prefix = \"a\", count = 4, password = \"1\"";
    let mut bench = bench.settled(&team("mars", &address.to_string(), agents));
    bench.start();
    let (may, guests): (Vec<Sender<()>>, Vec<_>) = (1..=4)
        .map(|number| {
            let (may, turns) = channel();
            let guest = Resting::login(address, &format!("b{number}"));
            let play = move || guest.play_when(|| turns.recv().unwrap());
            (may, std::thread::spawn(play))
        })
        .unzip();
    let play = || may.iter().for_each(|may| may.send(()).unwrap());
    // Two simulations of twelve steps, one turn at a time.
    for tick in 1..=24 {
        let kept = bench.kept(|found| found.tick >= tick);
        if [2, 4, 6, 9, 11, 13, 15, 18, 20, 22].contains(&tick) {
            let before = (bench.world(), bench.board());
            bench.kill();
            bench.start();
            assert_eq!((bench.world(), bench.board()), before);
            bench.seated();
        }
        assert_eq!(kept.tick, tick);
        if tick == 24 {
            let counters = bench.shown()["counters"].clone();
            assert_eq!([&counters["asked"], &counters["decided"]], [96; 2], "{counters}");
        }
        play();
    }
    for guest in guests {
        assert_eq!(guest.join().unwrap().0, 24);
    }
    arena.line_with("A [");
    let (log, code) = bench.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(number(&log, "resumed", "missed"), Some(0), "{log}");
    assert!(!log.contains("DEFAULTED") && log.contains("decided 24"), "{log}");
}

#[test]
fn in_bomberland_a_killed_daemon_finds_its_game_again() {
    let bench = Bench::new(&counting("return act.move('up')"));
    let config = "TRAINING_MODE_ENABLED=1\nTICK_RATE_HZ=1\nWORLD_SEED=9\nPRNG_SEED=9\n";
    let (_arena, address) = web::arena(bench.path(), config);
    let agents = "prefix = \"a\", count = 3";
    let options = "options = { agent_id = \"agentA\" }\n";
    let team = team("bomberland", &address.to_string(), agents) + options;
    let mut bench = bench.settled(&team);
    bench.start();
    let _opponent = Web::connect(address, "role=agent&agentId=agentB&name=test");
    let mut admin = Web::connect(address, "role=admin");
    bench.seated();
    let mut watcher = Web::connect(address, "role=spectator");
    watcher.next("game_state");
    let mut last = 0;
    let mut ticks = |count: u32| {
        for _ in 0..count {
            admin.send(&json!({ "type": "request_tick" }));
            last = u32::try_from(watcher.next("tick")["tick"].as_u64().unwrap()).unwrap();
        }
        last
    };
    // In training no tick passes while players are missing.
    for _ in 0..10 {
        let last = ticks(3);
        bench.kept(|found| found.turn.step >= last);
        let before = bench.board();
        bench.kill();
        bench.start();
        bench.seated();
        ticks(1);
        let line = bench.line_with("resumed");
        assert_eq!(number(&line, "resumed", "missed"), Some(0), "{line}");
        bench.kept(|found| found.turn.step > last);
        let turns = bench.board();
        assert!(before.iter().all(|(key, count)| turns[key].as_u64() > count.as_u64()));
    }
}

/// A proxy to a simulator that blocks `clients` connections after `bytes` of their bytes.
fn narrow(simulator: SocketAddr, clients: usize, bytes: usize) -> SocketAddr {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = door.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, client) in door.incoming().enumerate() {
            let left = if number < clients { bytes } else { usize::MAX };
            carry(client.unwrap(), TcpStream::connect(simulator).unwrap(), left);
        }
    });
    address
}

/// Copies everything to the client, and `left` bytes to the server.
fn carry(mut client: TcpStream, mut server: TcpStream, mut left: usize) {
    let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let back = std::thread::spawn(move || {
        drop(std::io::copy(&mut from, &mut to));
        drop(to.shutdown(Shutdown::Both));
    });
    let mut byte = [0];
    while client.read(&mut byte).is_ok_and(|read| read > 0) {
        if left > 0 {
            left -= 1;
            server.write_all(&byte).unwrap();
        }
    }
    // The other side may be closed already.
    drop(server.shutdown(Shutdown::Both));
    back.join().unwrap();
}

#[test]
fn in_asimulator_what_simulations_have_in_common_outlives_the_daemon() {
    let script = "local option = world.best()\n    return act[option.action]()";
    let bench = Bench::new(&counting(script));
    let (arena, address) = more_games::arena(bench.path(), "asimulator", WORLDS);
    // The info byte, and three actions.
    let door = narrow(address, 10, 4).to_string();
    let mut bench = bench.settled(&team("asimulator", &door, "prefix = \"a\", count = 1"));
    bench.start();
    for kill in 1..=10 {
        bench.kept(|found| found.tick >= 4 * kill);
        bench.kill();
        if kill < 10 {
            bench.start();
        }
    }
    bench.runs(daemon(&bench.config()));
    let (said, code) = arena.finish();
    assert_eq!(code, Some(0), "{said}");
    let (log, code) = bench.ended();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(number(&log, "resumed", "missed"), Some(0), "{log}");
    assert!(log.contains("decided 41") && !log.contains("decided 40\""), "{log}");
}

#[test]
fn in_colosseum_the_bridge_holds_the_seat_until_the_daemon_is_back_with_what_it_knew() {
    let bench = Bench::new(&counting("return act.play('d2d4')"));
    let mut bench = bench.settled(&team("colosseum", "bridge", "prefix = \"a\", count = 1"));
    bench.start();
    let mut referee = Referee::start(&bridge(bench.path(), "a1"));
    referee.introduce("x");
    bench.line_with("seated");
    let mut epoch = 1;
    for missed in [0, 1, 2, 0, 1, 2, 0, 1, 2, 0] {
        assert_eq!(referee.moves(epoch), "d2d4");
        bench.kept(|found| found.turn.step >= epoch);
        let before = (bench.world(), bench.board());
        bench.kill();
        for epoch in epoch + 1..=epoch + missed {
            assert_eq!(referee.moves(epoch), "e2e4", "its own, since nobody else answers");
        }
        bench.start();
        assert_eq!((bench.world(), bench.board()), before);
        bench.line_with("seated");
        assert_eq!(referee.moves(epoch + missed + 1), "d2d4");
        let line = bench.line_with("resumed");
        assert_eq!(number(&line, "resumed", "missed"), Some(missed.into()), "{line}");
        epoch += missed + 2;
    }
    referee.ask(&json!({ "stop": { "reason": "end_of_game" } }));
    bench.line_with("round over");
}
