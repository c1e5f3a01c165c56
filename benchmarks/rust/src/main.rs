//! How long arrow-avro takes to decode rows of one schema to Arrow columns.
//!
//!     avro-rows SCHEMA.json BODIES.bin [REPEATS [BATCH]]
//!
//! SCHEMA.json is an Avro schema of records; BODIES.bin has their bodies in Avro's binary encoding, each behind its length
//! (four bytes, little endian). What is printed is one JSON object: rows, columns, batch, and ns a row of the fastest
//! and of the median repeat.
//!
//! The library's streaming decoder takes only messages with a header that says which schema they are of, and asks a
//! store of schemas: here it gets a store with the one schema and, before the clock starts, a header for every body.
//! Nothing is recovered from: after a message that is cut, the library gives up the batch that it is in.

use std::error::Error;
use std::time::Instant;

use arrow_avro::reader::{Decoder, ReaderBuilder};
use arrow_avro::schema::{AvroSchema, Fingerprint, FingerprintAlgorithm, SchemaStore};

const ID: u32 = 1;

/// The messages: a zero byte, the id of the schema, the body.
fn messages(data: &[u8]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut found = vec![];
    let mut rest = data;
    while !rest.is_empty() {
        let (head, behind) = rest.split_at_checked(4).ok_or("a length is cut")?;
        let size = u32::from_le_bytes(head.try_into()?) as usize;
        let (body, behind) = behind.split_at_checked(size).ok_or("a body is cut")?;
        let mut message = vec![0];
        message.extend(ID.to_be_bytes());
        message.extend(body);
        found.push(message);
        rest = behind;
    }
    Ok(found)
}

fn decoder(schema: &str, batch: usize) -> Result<Decoder, Box<dyn Error>> {
    let mut store = SchemaStore::new_with_type(FingerprintAlgorithm::Id);
    store.set(Fingerprint::Id(ID), AvroSchema::new(schema.to_string()))?;
    Ok(ReaderBuilder::new().with_writer_schema_store(store).with_batch_size(batch).build_decoder()?)
}

/// Decodes all messages once: how many rows and columns they are.
fn decode(decoder: &mut Decoder, messages: &[Vec<u8>]) -> Result<(usize, usize), Box<dyn Error>> {
    let (mut rows, mut columns) = (0, 0);
    for message in messages {
        if decoder.decode(message)? != message.len() {
            return Err("bytes are left behind a record".into());
        }
        if decoder.batch_is_full() {
            if let Some(batch) = decoder.flush()? {
                rows += std::hint::black_box(&batch).num_rows();
                columns = batch.num_columns();
            }
        }
    }
    if let Some(batch) = decoder.flush()? {
        rows += std::hint::black_box(&batch).num_rows();
        columns = batch.num_columns();
    }
    Ok((rows, columns))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [schema, bodies, ..] = &arguments[..] else {
        return Err("usage: avro-rows SCHEMA.json BODIES.bin [REPEATS [BATCH]]".into());
    };
    let number = |at: usize, otherwise: usize| arguments.get(at).map_or(Ok(otherwise), |text| text.parse());
    let (repeats, batch) = (number(2, 7)?.max(1), number(3, 8192)?.max(1));
    let schema = std::fs::read_to_string(schema)?;
    let messages = messages(&std::fs::read(bodies)?)?;
    let mut decoder = decoder(&schema, batch)?;
    let mut taken = vec![];
    let mut columns = 0;
    for repeat in 0..=repeats {
        let start = Instant::now();
        let found = decode(&mut decoder, &messages)?;
        let spent = start.elapsed().as_nanos() as f64 / messages.len().max(1) as f64;
        if found.0 != messages.len() {
            return Err(format!("{} rows of {} messages", found.0, messages.len()).into());
        }
        columns = found.1;
        if repeat > 0 {
            taken.push(spent); // the first one warms caches up
        }
    }
    taken.sort_by(f64::total_cmp);
    let (best, median) = (taken[0], taken[taken.len() / 2]);
    println!(
        "{{\"rows\": {}, \"columns\": {columns}, \"batch\": {batch}, \"repeats\": {repeats}, \"ns_min\": {best:.1}, \"ns_median\": {median:.1}}}",
        messages.len()
    );
    Ok(())
}
