//! The filter: lines in, answers out, in the order of the input, in parallel, in constant memory.
//!
//! A reading thread cuts the input into blocks of whole lines and a writing thread takes the answers; in between,
//! the lines of a block are shared out among the pool's threads. A block is what has arrived so far, up to
//! a limit, so that a person who types a line gets its answer at once and a file flows in large pieces.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rayon::prelude::*;
use serde_json::value::RawValue;

use super::answer::{Answer, Complaint};
use super::names::Names;
use super::query::{Line, Query};
use super::shelf::Shelf;
use super::solve::{Defaults, Pair, solve};
use super::wrong::Wrong;

/// Bytes of input answered together, at most (one more piece may follow the last).
const BLOCK: usize = 1 << 20;

/// Bytes asked of the input at a time.
const PIECE: usize = 1 << 18;

/// Lines answered by one thread in one go: a few hundred microseconds of work.
const SHARE: usize = 128;

/// Bytes of a usual answer, to have the memory ready.
const ANSWER: usize = 768;

/// How a stream went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines read, blank ones included.
    pub lines: u64,
    /// Queries answered.
    pub answered: u64,
    /// Names defined.
    pub defined: u64,
    /// Lines that could not be answered.
    pub failed: u64,
    /// Whether whoever read the answers stopped reading before the end.
    pub cut_short: bool,
}

/// Someone who looks over the shoulder of the stream: sees the first queries with their bodies and answers.
pub trait Observer {
    /// Whether it wants to see another one.
    fn is_curious(&self) -> bool;

    /// A query that was answered.
    fn see(&mut self, line: u64, query: &Query, pair: &Pair, answer: &Answer);

    /// A line that was not.
    fn miss(&mut self, line: u64, wrong: &Wrong);
}

/// Answers every line of `input` on `output`. The error is one of reading or writing; a line that cannot be
/// answered is counted in the tally.
pub fn run<'d>(
    input: impl Read + Send + 'static,
    output: impl Write + Send,
    names: Names,
    defaults: &'d Defaults,
    observer: Option<&'d mut dyn Observer>,
) -> io::Result<Tally> {
    let (send_block, blocks) = sync_channel::<io::Result<Vec<u8>>>(BLOCK / PIECE);
    // Not joined: it may sit in a read that never returns when the output is closed first.
    thread::spawn(move || read_blocks(input, &send_block));
    thread::scope(|scope| {
        let (send_text, texts) = sync_channel::<Vec<u8>>(2);
        let writer = scope.spawn(move || write_texts(output, &texts));
        let mut filter = Filter { names, defaults, observer, tally: Tally::default() };
        let mut trouble = None;
        while let Some((block, error)) = gathered(&blocks) {
            trouble = error;
            if (!block.is_empty() && send_text.send(filter.answer(&block)).is_err()) || trouble.is_some() {
                break;
            }
        }
        drop(send_text);
        let written = match writer.join() {
            Ok(written) => written,
            Err(payload) => std::panic::resume_unwind(payload),
        };
        match (trouble, written) {
            (Some(error), _) => Err(error),
            (None, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(Tally { cut_short: true, ..filter.tally })
            }
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Ok(filter.tally),
        }
    })
}

fn write_texts(mut output: impl Write, texts: &Receiver<Vec<u8>>) -> io::Result<()> {
    for text in texts {
        output.write_all(&text)?;
        output.flush()?;
    }
    Ok(())
}

/// Sends whole lines; the last one may lack its newline.
fn read_blocks(mut input: impl Read, blocks: &SyncSender<io::Result<Vec<u8>>>) {
    let mut held = Vec::new();
    let mut piece = vec![0u8; PIECE];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => held.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // The receiver may be gone already; then nobody wants to know.
                let _ = blocks.send(Err(error));
                return;
            }
        }
        let new = held.len().saturating_sub(PIECE);
        let Some(end) = held[new..].iter().rposition(|&byte| byte == b'\n') else { continue };
        let rest = held.split_off(new + end + 1);
        if blocks.send(Ok(std::mem::replace(&mut held, rest))).is_err() {
            return;
        }
    }
    if !held.is_empty() {
        let _ = blocks.send(Ok(held));
    }
}

/// The next block, together with all that has arrived behind it, up to the limit. The second is what went
/// wrong while reading on.
fn gathered(blocks: &Receiver<io::Result<Vec<u8>>>) -> Option<(Vec<u8>, Option<io::Error>)> {
    let mut block = match blocks.recv().ok()? {
        Ok(block) => block,
        Err(error) => return Some((Vec::new(), Some(error))),
    };
    while block.len() < BLOCK {
        match blocks.try_recv() {
            Ok(Ok(more)) => block.extend_from_slice(&more),
            Ok(Err(error)) => return Some((block, Some(error))),
            Err(_) => break,
        }
    }
    Some((block, None))
}

struct Filter<'d> {
    names: Names,
    defaults: &'d Defaults,
    observer: Option<&'d mut dyn Observer>,
    tally: Tally,
}

/// What a block's lines became.
enum Fate<'b> {
    /// To be answered in parallel.
    Open(&'b [u8]),
    /// Defined, or refused.
    Definition(Result<(), Wrong>),
    Blank,
}

impl Filter<'_> {
    /// Answers the lines of one block. Definitions go first, in order, each with its line number; then every
    /// line finds the names as they were at its own place.
    fn answer(&mut self, block: &[u8]) -> Vec<u8> {
        let first = self.tally.lines + 1;
        let lines: Vec<Fate> = block
            .strip_suffix(b"\n")
            .unwrap_or(block)
            .split(|&byte| byte == b'\n')
            .enumerate()
            .map(|(k, text)| self.sorted(text, first + k as u64))
            .collect();
        self.show(&lines, first);
        let (names, defaults) = (&self.names, self.defaults);
        let shares: Vec<(Vec<u8>, Tally)> = lines
            .par_chunks(SHARE)
            .enumerate()
            .map(|(index, fates)| {
                let text = Vec::with_capacity(fates.len() * ANSWER);
                let (shelf, tally) = (Shelf::default(), Tally::default());
                let mut share = Share { names, defaults, shelf, text, tally };
                for (line, fate) in (first + (index * SHARE) as u64..).zip(fates) {
                    share.settle(fate, line);
                }
                (share.text, share.tally)
            })
            .collect();
        self.tally.lines += lines.len() as u64;
        let mut out = Vec::with_capacity(shares.iter().map(|(text, _)| text.len()).sum());
        for (text, tally) in shares {
            out.extend_from_slice(&text);
            self.tally.answered += tally.answered;
            self.tally.defined += tally.defined;
            self.tally.failed += tally.failed;
        }
        self.names.prune(self.tally.lines + 1);
        out
    }

    /// Lets the observer see the first lines: those are answered once more, for its eyes.
    fn show(&mut self, lines: &[Fate], first: u64) {
        let Some(observer) = self.observer.as_deref_mut() else { return };
        for (line, fate) in (first..).zip(lines) {
            if !observer.is_curious() {
                return;
            }
            let seen = match fate {
                Fate::Blank | Fate::Definition(Ok(())) => continue,
                Fate::Definition(Err(wrong)) => Err(wrong.clone()),
                Fate::Open(bytes) => read_query(bytes).and_then(|query| {
                    let pair = Pair::of(&query, &self.names, line, &mut Shelf::default())?;
                    let answer = solve(&query, &pair, self.defaults)?;
                    observer.see(line, &query, &pair, &answer);
                    Ok(())
                }),
            };
            if let Err(wrong) = seen {
                observer.miss(line, &wrong);
            }
        }
    }

    /// Takes definitions out of the stream. Only lines with the word in them are read here.
    fn sorted<'b>(&mut self, text: &'b [u8], line: u64) -> Fate<'b> {
        if text.iter().all(u8::is_ascii_whitespace) {
            return Fate::Blank;
        }
        if !mentions_definition(text) {
            return Fate::Open(text);
        }
        match serde_json::from_slice::<Line>(text) {
            Ok(Line::Define { name, shape }) => Fate::Definition(self.names.define(&name, &shape, line)),
            Ok(Line::Query(_)) | Err(_) => Fate::Open(text),
        }
    }
}

/// Whether the line holds the key `"define"` (or the word elsewhere: it is then read twice, no more).
fn mentions_definition(text: &[u8]) -> bool {
    const WORD: &[u8] = b"\"define\"";
    text.len() >= WORD.len()
        && text.iter().enumerate().any(|(k, &byte)| byte == b'"' && text[k..].starts_with(WORD))
}

/// What one thread makes of its share of the lines.
struct Share<'n, 'b> {
    names: &'n Names,
    defaults: &'n Defaults,
    shelf: Shelf<'b>,
    text: Vec<u8>,
    tally: Tally,
}

impl<'b> Share<'_, 'b> {
    /// Writes what a line is to be answered with, if anything.
    fn settle(&mut self, fate: &Fate<'b>, line: u64) {
        let outcome = match fate {
            Fate::Blank => return,
            Fate::Definition(Ok(())) => {
                self.tally.defined += 1;
                return;
            }
            Fate::Definition(Err(wrong)) => Err((None, wrong.clone())),
            Fate::Open(bytes) => self.answer(bytes, line),
        };
        match outcome {
            Ok(()) => self.tally.answered += 1,
            Err((id, wrong)) => {
                self.tally.failed += 1;
                write_json(&mut self.text, &Complaint { id, error: wrong.to_string(), line });
            }
        }
        self.text.push(b'\n');
    }

    /// Writes the answer of one line, or says why there is none, with the line's id where it could be read.
    fn answer(&mut self, bytes: &'b [u8], line: u64) -> Result<(), (Option<&'b RawValue>, Wrong)> {
        let query = read_query(bytes).map_err(|wrong| (None, wrong))?;
        let pair = Pair::of(&query, self.names, line, &mut self.shelf);
        match pair.and_then(|pair| solve(&query, &pair, self.defaults)) {
            Ok(answer) => {
                write_json(&mut self.text, &answer);
                Ok(())
            }
            Err(wrong) => Err((query.id, wrong)),
        }
    }
}

fn read_query(bytes: &[u8]) -> Result<Box<Query<'_>>, Wrong> {
    match serde_json::from_slice::<Line>(bytes)? {
        Line::Query(query) => Ok(query),
        Line::Define { .. } => {
            Err(Wrong::Line("a definition whose key is spelled with escapes; write \"define\""))
        }
    }
}

/// Appends JSON. Writing plain structures into memory cannot fail.
fn write_json(text: &mut Vec<u8>, value: &impl serde::Serialize) {
    let start = text.len();
    if let Err(error) = serde_json::to_writer(&mut *text, value) {
        text.truncate(start);
        let message = serde_json::Value::String(error.to_string());
        text.extend_from_slice(format!("{{\"error\":{message}}}").as_bytes());
    }
}
