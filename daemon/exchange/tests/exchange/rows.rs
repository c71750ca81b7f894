//! Decisions as tables.

use crate::support::{Tape, done, turn};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{Field, Row};
use phalanx_exchange::{
    BoardState, COLUMNS, Column, DecisionRow, ParquetTable, parquet_notes, rows,
};
use phalanx_proto::v1;
use phalanx_proto::v1::match_event::Kind;
use prost_types::value::Kind::NumberValue;
use serde_json::{Value, json};
use std::fs::File;

fn table(tape: &Tape) -> Vec<DecisionRow> {
    let info = v1::RecordingInfo {
        id: "A-assemble-1".into(),
        team: "A".into(),
        game: "assemble".into(),
        ..v1::RecordingInfo::default()
    };
    let turns = tape.turns();
    turns.iter().flat_map(|turn| rows(&info, 1_795_311_000_250, turn).collect::<Vec<_>>()).collect()
}

#[test]
fn a_row_has_all_columns_in_order_and_reads_as_csv_and_as_json() {
    let mut tape = Tape::new();
    tape.plays(turn(0, 1), &["a"], "").plays(turn(0, 2), &["a"], "success");
    let table = table(&tape);
    assert_eq!(table.len(), 2);
    assert_eq!(
        table[0].csv(),
        "A-assemble-1,A,assemble,0,1,1795311000250,a,worker,2,decided,move(1),\
         \"north is free, \"\"really\"\"\",3,,worker.luau,7,41,false,false,stands at 1,success,0,2,60"
    );
    let read: Value = serde_json::from_str(&table[0].json()).unwrap();
    assert_eq!(read["reason"], json!("north is free, \"really\""));
    assert_eq!((&read["result_step"], &read["late"]), (&json!(2), &json!(false)));
    assert_eq!(read["trouble"], Value::Null);
    let keys: Vec<_> =
        table[0].json().split("\":").map(|it| it.rsplit('"').next().unwrap().to_owned()).collect();
    assert_eq!(keys[..COLUMNS.len()], COLUMNS.map(|column| column.name));
}

#[test]
fn a_column_has_one_type_in_every_row() {
    let mut tape = Tape::new();
    let fallback =
        v1::Fallback { reason: "no".into(), explained: "why".into(), ..v1::Fallback::default() };
    tape.event(turn(0, 1), "a", Kind::Fallback(fallback));
    tape.event(turn(0, 1), "b", Kind::Defaulted(v1::Defaulted { cause: 1 }));
    tape.event(turn(0, 1), "", done(2));
    tape.plays(turn(0, 2), &["a", "b"], "success");
    let table = table(&tape);
    let all: Vec<Value> =
        table.iter().map(|row| serde_json::from_str(&row.json()).unwrap()).collect();
    assert_eq!(all.len(), 4);
    let kind = |value: &Value| match value {
        Value::Null => "nothing",
        Value::Bool(_) => "truth",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) | Value::Object(_) => "nested",
    };
    for Column { name: column, .. } in COLUMNS {
        let mut kinds: Vec<_> = all.iter().map(|row| kind(&row[column])).collect();
        kinds.retain(|kind| *kind != "nothing");
        kinds.dedup();
        assert!(kinds.len() <= 1 && !kinds.contains(&"nested"), "{column}: {kinds:?}");
    }
    assert_eq!((&all[0]["trouble"], &all[0]["reason"]), (&json!("no"), &json!("why")));
    assert_eq!((&all[1]["kind"], &all[1]["defaulted"]), (&json!("defaulted"), &json!(true)));
}

#[test]
fn the_head_of_a_csv_file_names_the_columns_that_are_promised() {
    assert_eq!(
        DecisionRow::csv_head(),
        "recording,team,game,round,step,time_ms,agent,role,generation,kind,action,reason,\
         reason_data,trouble,file,line,spent_us,late,defaulted,percept,result,result_round,\
         result_step,score"
    );
}

#[test]
fn a_table_reads_the_same_from_parquet_as_from_json() {
    let mut tape = Tape::new();
    let fallback =
        v1::Fallback { reason: "no".into(), explained: "why".into(), ..v1::Fallback::default() };
    tape.plays(turn(0, 1), &["a", "b"], "");
    tape.event(turn(0, 2), "a", Kind::Fallback(fallback));
    tape.event(turn(0, 2), "", done(1));
    let table = table(&tape);
    let path = std::env::temp_dir().join(format!("phalanx-rows-{}.parquet", std::process::id()));
    let notes = [("phalanx.league", "one")];
    let file = File::create(&path).unwrap();
    let mut parquet = ParquetTable::new(file, COLUMNS.to_vec(), &notes).unwrap();
    for row in &table {
        parquet.push(row.clone().into_values().into()).unwrap();
    }
    parquet.finish().unwrap();
    let read = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let read: Vec<Value> =
        read.get_row_iter(None).unwrap().map(|row| object(&row.unwrap())).collect();
    assert_eq!(parquet_notes(&File::open(&path).unwrap()).unwrap()["phalanx.league"], "one");
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<Value> =
        table.iter().map(|row| serde_json::from_str(&row.json()).unwrap()).collect();
    assert_eq!(read, lines);
    assert_eq!(lines.len(), 3);
}

/// A row of a Parquet file as JSON lines have it.
fn object(row: &Row) -> Value {
    let value = |field: &Field| {
        let Field::Str(text) = field else {
            // Whole numbers, truths and missing values look the same in both.
            return serde_json::from_str(&field.to_string()).unwrap();
        };
        json!(text)
    };
    row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect()
}

#[test]
fn a_board_has_what_its_changes_left_on_it() {
    let number = |number| prost_types::Value { kind: Some(NumberValue(number)) };
    let entry = |key: &str, value| v1::BoardEntry {
        key: key.into(),
        value: Some(number(value)),
        ..v1::BoardEntry::default()
    };
    let changes = |entries: Vec<_>, gone: &[&str], reset| v1::BoardChanges {
        entries,
        gone: gone.iter().map(ToString::to_string).collect(),
        reset,
        ..v1::BoardChanges::default()
    };
    let mut board = BoardState::default();
    assert_eq!(board.json(), "{}");
    board.apply(&changes(vec![entry("b", 1.0), entry("a", 2.0)], &[], false));
    assert_eq!(board.json(), r#"{"a":2,"b":1}"#);
    board.apply(&changes(vec![entry("b", 3.5)], &["a"], false));
    assert_eq!(board.json(), r#"{"b":3.5}"#);
    board.apply(&changes(vec![entry("c", 4.0)], &[], true));
    assert_eq!(board.json(), r#"{"c":4}"#);
    let claim = v1::BoardEntry { key: "c".into(), ..v1::BoardEntry::default() };
    board.apply(&changes(vec![claim], &[], false));
    assert_eq!(board.json(), "{}");
}
