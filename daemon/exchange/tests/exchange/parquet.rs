//! Parquet files, read by the format's own library.

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use bytes::Bytes;
use phalanx_exchange::{Column, ParquetTable, RowValue, parquet_notes};
use proptest::prelude::*;
use std::fs::File;
use std::io::Write;

const COLUMNS: [Column; 4] = [
    Column::text("words"),
    Column::whole("numbers"),
    Column::truth("truths"),
    Column::text("all different"),
];

fn written(rows: &[Vec<RowValue>], notes: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut table = ParquetTable::new(&mut bytes, COLUMNS.to_vec(), notes).unwrap();
    rows.iter().for_each(|row| table.push(row.clone()).unwrap());
    table.finish().unwrap();
    bytes
}

fn read(bytes: Vec<u8>) -> Vec<Vec<RowValue>> {
    let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
    let cell = |field: &Field| {
        if let Field::Str(text) = field {
            RowValue::Text(text.clone())
        } else if let Field::Long(number) = field {
            RowValue::Whole(*number)
        } else if let Field::Bool(truth) = field {
            RowValue::Truth(*truth)
        } else {
            assert_eq!(*field, Field::Null);
            RowValue::Nothing
        }
    };
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().get_column_iter().map(|(_, field)| cell(field)).collect()).collect()
}

fn row() -> impl Strategy<Value = Vec<RowValue>> {
    let word = prop_oneof![
        Just(RowValue::Nothing),
        "[a-c]{0,2}".prop_map(RowValue::Text),
        Just(RowValue::Text("a longer text that repeats".to_owned())),
    ];
    let number = prop_oneof![Just(RowValue::Nothing), any::<i64>().prop_map(RowValue::Whole)];
    let truth = prop_oneof![Just(RowValue::Nothing), any::<bool>().prop_map(RowValue::Truth)];
    let different = prop_oneof![Just(RowValue::Nothing), any::<String>().prop_map(RowValue::Text)];
    (word, number, truth, different).prop_map(|(a, b, c, d)| vec![a, b, c, d])
}

proptest! {
    #[test]
    fn every_value_is_read_again(rows in prop::collection::vec(row(), 0..80)) {
        prop_assert_eq!(read(written(&rows, &[])), rows);
    }

    #[test]
    fn damaged_metadata_is_an_error(at in 4..400_usize, byte: u8) {
        let mut bytes = written(&[vec![RowValue::Whole(1)]], &[("a", "b")]);
        let at = bytes.len().saturating_sub(at);
        bytes[at] = byte;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        // It may read something, and never panics.
        parquet_notes(&file).ok();
    }
}

#[test]
fn many_rows_are_several_groups() {
    let rows: Vec<Vec<RowValue>> = (0..70_000_i64)
        .map(|at| {
            vec![
                RowValue::Text(format!("agent{}", at % 300)),
                RowValue::Whole(-at),
                RowValue::Truth(at % 3 == 0),
                RowValue::Text(format!("unlike {at}")),
            ]
        })
        .collect();
    let bytes = written(&rows, &[("one", "1"), ("zwei", "ü")]);
    let reader = SerializedFileReader::new(Bytes::from(bytes.clone())).unwrap();
    assert_eq!(reader.metadata().num_row_groups(), 3);
    assert_eq!(reader.metadata().file_metadata().num_rows(), 70_000);
    assert!(read(bytes.clone()) == rows);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let notes = parquet_notes(&file).unwrap();
    assert_eq!(notes, [("one", "1"), ("zwei", "ü")].map(|(a, b)| (a.into(), b.into())).into());
}

#[test]
fn a_value_of_another_type_and_a_short_row_are_missing() {
    let odd = vec![RowValue::Whole(3), RowValue::Text("x".to_owned())];
    assert_eq!(read(written(&[odd], &[])), [vec![RowValue::Nothing; 4]]);
    let none: &[Vec<RowValue>] = &[];
    assert_eq!(read(written(none, &[])), none);
}

#[test]
fn what_is_no_parquet_file_is_an_error() {
    let whole = written(&[], &[("a", "b")]);
    for bytes in [&b""[..], b"PAR1", b"PAR1\xff\xff\xff\xffPAR1", &whole[..whole.len() - 1]] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        assert!(parquet_notes(&file).is_err(), "{} bytes", bytes.len());
    }
    assert!(parquet_notes(&File::open("/dev/null").unwrap()).is_err());
}
