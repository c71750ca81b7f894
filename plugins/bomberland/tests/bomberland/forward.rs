//! The engine's own forward model and ours agree, through the packets of both sides.

use crate::common::stage::Stage;
use phalanx_bomberland::action::Action;
use phalanx_bomberland::forward::{self, Unasked};
use phalanx_bomberland::rules::{
    CellEntity, EntityKind, ForwardChance, UnitAction, UnitDirection, UnitOrder,
};
use phalanx_bomberland::world::World;
use phalanx_game::{Arena as _, ConnectionId, Event, Outgoing, Session as _};

#[test]
fn the_answer_is_what_our_own_model_says() {
    let text = "OBJECT_DESTRUCTION_ITEM_DROP_PROBABILITY=0\nINITIAL_HP=9";
    let mut stage = Stage::new(text, 1234, &["agentA", "agentB"]);
    stage.arena.handle_request(ConnectionId(4), forward::TARGET, stage.now);
    while stage.arena.poll_transmit().is_some() {}
    let mut compared = 0;
    for number in 0..120_u32 {
        for told in stage.until_asked(0) {
            let Event::Asked { turn, agent, .. } = told else { continue };
            let roll = usize::try_from(number).unwrap() + agent.index() * 5;
            let action = if roll % 6 == 0 {
                Action::Bomb
            } else {
                Action::Move(UnitDirection::ALL[roll % 4])
            };
            stage.clients[0].handle_action(turn, agent, &action).ok();
        }
        stage.settle();
        let mut scene = stage.clients[0].scene().unwrap();
        let own = (0..6_u8).filter(|unit| scene.state.unit(*unit).unwrap().agent == 0);
        let orders: Vec<UnitOrder> = own
            .filter(|unit| scene.state.unit(*unit).unwrap().alive())
            .map(|unit| UnitOrder { agent: 0, unit, act: UnitAction::Move(UnitDirection::Up) })
            .collect();
        std::sync::Arc::make_mut(&mut scene.board).params.drop_probability = 0.0;
        let question = forward::question(&scene, &orders, number).unwrap();
        stage.arena.handle_input(ConnectionId(4), &question, stage.now);
        let Some(Outgoing::Bytes(ConnectionId(4), bytes)) = stage.arena.poll_transmit() else {
            panic!("no answer to question {number}");
        };
        let theirs = forward::answer(&scene, &bytes).unwrap().unwrap();
        let orders: Vec<(u32, UnitOrder)> = orders.into_iter().map(|order| (1, order)).collect();
        let ours = World::simulate(&scene, &orders, 1, &mut ForwardChance::default(), &mut ());
        assert_eq!((theirs.sequence_id, theirs.complete), (number, ours.complete()));
        assert_eq!(theirs.state.units(), ours.units());
        assert!(theirs.state.entities().eq(ours.entities()), "after tick {}", ours.tick);
        compared += 1;
    }
    assert_eq!(compared, 120);
}

#[test]
fn a_question_that_kills_an_engine_is_not_asked() {
    let mut stage = Stage::new("", 1234, &["agentA", "agentB"]);
    stage.until_asked(0);
    let mut scene = stage.clients[0].scene().unwrap();
    assert!(forward::question(&scene, &[], 1).is_ok());
    scene.state.put(0, CellEntity::new(EntityKind::Bomb, 1));
    assert_eq!(forward::question(&scene, &[], 1), Err(Unasked::Ownerless));
    scene.state.put(0, CellEntity::new(EntityKind::Treasure, 1));
    assert_eq!(forward::question(&scene, &[], 1), Err(Unasked::Treasure));
    assert!(
        forward::answer(&scene, br#"{"type":"info","payload":{"message":""}}"#).unwrap().is_none()
    );
    assert!(forward::answer(&scene, b"junk").is_err());
}
