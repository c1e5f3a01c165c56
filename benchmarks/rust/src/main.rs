//! How long arrow-avro takes to decode records to Arrow columns, and what a damaged one costs it.
//!
//!     avro-rows plain SCHEMA.json BODIES.bin [REPEATS [BATCH]]
//!     avro-rows registered SCHEMAS.bin MESSAGES.bin [REPEATS [BATCH [SWEPT]]]
//!     avro-rows damaged SCHEMAS.bin MESSAGES.bin [BATCH]
//!
//! SCHEMA.json is an Avro schema of records; BODIES.bin has their bodies in Avro's binary encoding, each behind its length
//! (four bytes, little endian). The library's streaming decoder takes only messages with a header that says which schema
//! they are of, and asks a store of schemas: here it gets a store with the one schema and, before the clock starts, a
//! header for every body.
//!
//! MESSAGES.bin has messages as a registry's producers write them: a zero byte, the id of the schema (four bytes, big
//! endian), the body; each behind its length. SCHEMAS.bin has the schemas: the id and the length of the text (four bytes
//! each, little endian), the text. Each id has a decoder of its own: one decoder would give up its batch wherever the
//! schema changes. Before each repeat SWEPT bytes are written to, so that no cache holds the messages.
//!
//! What is printed is one JSON object: rows, columns, batch, and ns a row of the fastest and of the median repeat. Of
//! `damaged`, which cuts the last byte off the message in the middle: how many rows come out of a batch of that many
//! messages, and what the library says.

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use arrow_avro::reader::{Decoder, ReaderBuilder};
use arrow_avro::schema::{AvroSchema, Fingerprint, FingerprintAlgorithm, SchemaStore};

const ID: u32 = 1;
const BATCH: usize = 8192;

type Found<T> = Result<T, Box<dyn Error>>;

/// What stands behind four bytes that say its length, one after the other.
fn parts(data: &[u8]) -> Found<Vec<Vec<u8>>> {
    let mut found = vec![];
    let mut rest = data;
    while !rest.is_empty() {
        let (head, behind) = rest.split_at_checked(4).ok_or("a length is cut")?;
        let size = u32::from_le_bytes(head.try_into()?) as usize;
        let (body, behind) = behind.split_at_checked(size).ok_or("what it is of is cut")?;
        found.push(body.to_vec());
        rest = behind;
    }
    Ok(found)
}

/// The messages of bodies: a zero byte, the id of the schema, the body.
fn messages(data: &[u8]) -> Found<Vec<Vec<u8>>> {
    let with_header = |body: Vec<u8>| [&[0][..], &ID.to_be_bytes(), &body].concat();
    Ok(parts(data)?.into_iter().map(with_header).collect())
}

/// The schemas of a file, by their ids.
fn schemas(data: &[u8]) -> Found<Vec<(u32, String)>> {
    let mut found = vec![];
    let mut rest = data;
    while !rest.is_empty() {
        let (id, behind) = rest.split_at_checked(4).ok_or("an id is cut")?;
        let (head, behind) = behind.split_at_checked(4).ok_or("a length is cut")?;
        let size = u32::from_le_bytes(head.try_into()?) as usize;
        let (text, behind) = behind.split_at_checked(size).ok_or("a schema is cut")?;
        found.push((u32::from_le_bytes(id.try_into()?), String::from_utf8(text.to_vec())?));
        rest = behind;
    }
    Ok(found)
}

fn decoder(id: u32, schema: &str, batch: usize) -> Found<Decoder> {
    let mut store = SchemaStore::new_with_type(FingerprintAlgorithm::Id);
    store.set(Fingerprint::Id(id), AvroSchema::new(schema.to_string()))?;
    Ok(ReaderBuilder::new().with_writer_schema_store(store).with_batch_size(batch).build_decoder()?)
}

/// A decoder for each schema, and where each id's is.
struct Decoders {
    decoders: Vec<Decoder>,
    places: HashMap<u32, usize>,
}

impl Decoders {
    fn new(schemas: &[(u32, String)], batch: usize) -> Found<Decoders> {
        let decoders = schemas.iter().map(|(id, text)| decoder(*id, text, batch)).collect::<Found<Vec<_>>>()?;
        Ok(Decoders { decoders, places: schemas.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect() })
    }

    /// Decodes all messages once: how many rows there are, and the most columns.
    fn decode(&mut self, messages: &[Vec<u8>]) -> Found<(usize, usize)> {
        let (mut rows, mut columns) = (0, 0);
        let (mut last, mut place) = (0, usize::MAX);
        for message in messages {
            let id = u32::from_be_bytes(message.get(1..5).ok_or("a header is cut")?.try_into()?);
            if id != last || place == usize::MAX {
                (last, place) = (id, *self.places.get(&id).ok_or("a schema is missing")?);
            }
            let decoder = &mut self.decoders[place];
            if decoder.decode(message)? != message.len() {
                return Err("bytes are left behind a record".into());
            }
            if decoder.batch_is_full() {
                flush(decoder, &mut rows, &mut columns)?;
            }
        }
        for decoder in &mut self.decoders {
            flush(decoder, &mut rows, &mut columns)?;
        }
        Ok((rows, columns))
    }
}

fn flush(decoder: &mut Decoder, rows: &mut usize, columns: &mut usize) -> Found<()> {
    if let Some(batch) = decoder.flush()? {
        *rows += std::hint::black_box(&batch).num_rows();
        *columns = (*columns).max(batch.num_columns());
    }
    Ok(())
}

fn measure(decoders: &mut Decoders, messages: &[Vec<u8>], repeats: usize, batch: usize, swept: usize) -> Found<()> {
    let mut sweep = vec![0u8; swept];
    let mut taken = vec![];
    let mut columns = 0;
    for repeat in 0..=repeats {
        sweep.fill(std::hint::black_box(repeat as u8));
        std::hint::black_box(&sweep);
        let start = Instant::now();
        let found = decoders.decode(messages)?;
        let spent = start.elapsed().as_nanos() as f64 / messages.len().max(1) as f64;
        if found.0 != messages.len() {
            return Err(format!("{} rows of {} messages", found.0, messages.len()).into());
        }
        columns = found.1;
        if repeat > 0 {
            taken.push(spent); // the first one warms up what no repeat makes anew
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

/// Cuts a message, decodes one batch, and goes on behind each error: how many rows come out.
fn damaged(schemas: &[(u32, String)], mut messages: Vec<Vec<u8>>, batch: usize) -> Found<()> {
    messages.truncate(batch);
    let middle = messages.len() / 2;
    messages[middle].pop();
    let id = u32::from_be_bytes(messages[0].get(1..5).ok_or("a header is cut")?.try_into()?);
    let (_, text) = schemas.iter().find(|(known, _)| *known == id).ok_or("a schema is missing")?;
    let mut decoder = decoder(id, text, batch)?;
    let mut said = vec![];
    for message in &messages {
        match decoder.decode(message) {
            Ok(read) if read == message.len() => {}
            Ok(read) => said.push(format!("{read} of {} bytes were read", message.len())),
            Err(error) => said.push(error.to_string()),
        }
    }
    let rows = match decoder.flush() {
        Ok(batch) => batch.map_or(0, |batch| batch.num_rows()),
        Err(error) => {
            said.push(format!("flush: {error}"));
            0
        }
    };
    let said: Vec<String> = said.iter().take(3).map(|text| format!("{text:?}")).collect();
    println!("{{\"messages\": {}, \"rows\": {rows}, \"said\": [{}]}}", messages.len(), said.join(", "));
    Ok(())
}

fn main() -> Found<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, schema, data, ..] = &arguments[..] else {
        return Err("usage: avro-rows plain|registered|damaged SCHEMAS MESSAGES [REPEATS [BATCH [SWEPT]]]".into());
    };
    let number = |at: usize, otherwise: usize| arguments.get(at).map_or(Ok(otherwise), |text| text.parse());
    let (schema, data) = (std::fs::read(schema)?, std::fs::read(data)?);
    if way == "damaged" {
        return damaged(&schemas(&schema)?, parts(&data)?, number(3, BATCH)?.max(1));
    }
    let (repeats, batch, swept) = (number(3, 7)?.max(1), number(4, BATCH)?.max(1), number(5, 0)?);
    let (schemas, messages) = match way.as_str() {
        "plain" => (vec![(ID, String::from_utf8(schema)?)], messages(&data)?),
        "registered" => (schemas(&schema)?, parts(&data)?),
        _ => return Err(format!("{way}: there is plain, registered and damaged").into()),
    };
    measure(&mut Decoders::new(&schemas, batch)?, &messages, repeats, batch, swept)
}
