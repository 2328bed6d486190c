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

use super::answer::{Answer, ErrorAnswer};
use super::line_error::LineError;
use super::names::NamedShapes;
use super::query::{Line, Query};
use super::shape_cache::ShapeCache;
use super::solve::{Defaults, Pair, solve};

/// Bytes of input answered together, at most (one more piece may follow the last).
const BLOCK: usize = 1 << 20;

/// Bytes read at a time.
const PIECE: usize = 1 << 18;

/// Lines answered by one thread in one go: a few hundred microseconds of work.
const WORKER_LINES: usize = 128;

/// Bytes of a usual answer, to have the memory ready.
const ANSWER: usize = 768;

/// How a stream went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Lines read, blank ones included.
    pub lines: u64,
    /// Queries answered.
    pub answered: u64,
    /// Names defined.
    pub defined: u64,
    /// Lines that could not be answered.
    pub failed: u64,
    /// Whether the output was closed before the end.
    pub cut_short: bool,
}

/// Receives the first queries with their bodies and answers.
pub trait Observer {
    /// Whether it takes another one.
    fn wants_more(&self) -> bool;

    /// A query and its answer.
    fn answered(&mut self, line: u64, query: &Query, pair: &Pair, answer: &Answer);

    /// A line in error.
    fn failed(&mut self, line: u64, error: &LineError);
}

/// Answers every line of `input` on `output`. The error is one of reading or writing; a line that cannot be
/// answered is counted in the tally.
pub fn run<'d>(
    input: impl Read + Send + 'static,
    output: impl Write + Send,
    names: NamedShapes,
    defaults: &'d Defaults,
    observer: Option<&'d mut dyn Observer>,
) -> io::Result<StreamCounts> {
    let (send_block, blocks) = sync_channel::<io::Result<Vec<u8>>>(BLOCK / PIECE);
    // Not joined: it may sit in a read that never returns when the output is closed first.
    thread::spawn(move || read_blocks(input, &send_block));
    thread::scope(|scope| {
        let (send_text, texts) = sync_channel::<Vec<u8>>(2);
        let writer = scope.spawn(move || write_texts(output, &texts));
        let mut filter = Filter { names, defaults, observer, counts: StreamCounts::default() };
        let mut read_error = None;
        while let Some((block, error)) = next_block(&blocks) {
            read_error = error;
            if (!block.is_empty() && send_text.send(filter.answer(&block)).is_err()) || read_error.is_some() {
                break;
            }
        }
        drop(send_text);
        let written = match writer.join() {
            Ok(written) => written,
            Err(payload) => std::panic::resume_unwind(payload),
        };
        match (read_error, written) {
            (Some(error), _) => Err(error),
            (None, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(StreamCounts { cut_short: true, ..filter.counts })
            }
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Ok(filter.counts),
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
    let mut body_ref = Vec::new();
    let mut piece = vec![0u8; PIECE];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => body_ref.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // The receiver may be closed already.
                let _ = blocks.send(Err(error));
                return;
            }
        }
        let new = body_ref.len().saturating_sub(PIECE);
        let Some(end) = body_ref[new..].iter().rposition(|&byte| byte == b'\n') else { continue };
        let rest = body_ref.split_off(new + end + 1);
        if blocks.send(Ok(std::mem::replace(&mut body_ref, rest))).is_err() {
            return;
        }
    }
    if !body_ref.is_empty() {
        let _ = blocks.send(Ok(body_ref));
    }
}

/// The next block, together with all that has arrived behind it, up to the limit, and the error that ended reading.
fn next_block(blocks: &Receiver<io::Result<Vec<u8>>>) -> Option<(Vec<u8>, Option<io::Error>)> {
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
    names: NamedShapes,
    defaults: &'d Defaults,
    observer: Option<&'d mut dyn Observer>,
    counts: StreamCounts,
}

/// A line of a block.
enum LineKind<'b> {
    /// To be answered in parallel.
    Query(&'b [u8]),
    /// Defined, or refused.
    Definition(Result<(), LineError>),
    Blank,
}

impl Filter<'_> {
    /// Answers the lines of one block. Definitions go first, in order, each with its line number; then every
    /// line finds the names as they were at its own place.
    fn answer(&mut self, block: &[u8]) -> Vec<u8> {
        let first = self.counts.lines + 1;
        let lines: Vec<LineKind> = block
            .strip_suffix(b"\n")
            .unwrap_or(block)
            .split(|&byte| byte == b'\n')
            .enumerate()
            .map(|(k, text)| self.classify(text, first + k as u64))
            .collect();
        self.show_observer(&lines, first);
        let (names, defaults) = (&self.names, self.defaults);
        let results: Vec<(Vec<u8>, StreamCounts)> = lines
            .par_chunks(WORKER_LINES)
            .enumerate()
            .map(|(index, lines)| {
                let text = Vec::with_capacity(lines.len() * ANSWER);
                let (cache, counts) = (ShapeCache::default(), StreamCounts::default());
                let mut worker = Worker { names, defaults, cache, text, counts };
                for (line, line_kind) in (first + (index * WORKER_LINES) as u64..).zip(lines) {
                    worker.process(line_kind, line);
                }
                (worker.text, worker.counts)
            })
            .collect();
        self.counts.lines += lines.len() as u64;
        let mut out = Vec::with_capacity(results.iter().map(|(text, _)| text.len()).sum());
        for (text, counts) in results {
            out.extend_from_slice(&text);
            self.counts.answered += counts.answered;
            self.counts.defined += counts.defined;
            self.counts.failed += counts.failed;
        }
        self.names.prune(self.counts.lines + 1);
        out
    }

    /// Gives the first lines to the observer. They are solved once more for it.
    fn show_observer(&mut self, lines: &[LineKind], first: u64) {
        let Some(observer) = self.observer.as_deref_mut() else { return };
        for (line, line_kind) in (first..).zip(lines) {
            if !observer.wants_more() {
                return;
            }
            let seen = match line_kind {
                LineKind::Blank | LineKind::Definition(Ok(())) => continue,
                LineKind::Definition(Err(error)) => Err(error.clone()),
                LineKind::Query(bytes) => read_query(bytes).and_then(|query| {
                    let pair = Pair::of(&query, &self.names, line, &mut ShapeCache::default())?;
                    let answer = solve(&query, &pair, self.defaults)?;
                    observer.answered(line, &query, &pair, &answer);
                    Ok(())
                }),
            };
            if let Err(error) = seen {
                observer.failed(line, &error);
            }
        }
    }

    /// Processes definitions. Only lines with the word in them are parsed here.
    fn classify<'b>(&mut self, text: &'b [u8], line: u64) -> LineKind<'b> {
        if text.iter().all(u8::is_ascii_whitespace) {
            return LineKind::Blank;
        }
        if !mentions_definition(text) {
            return LineKind::Query(text);
        }
        match serde_json::from_slice::<Line>(text) {
            Ok(Line::Define { name, shape }) => LineKind::Definition(self.names.define(&name, &shape, line)),
            Ok(Line::Query(_)) | Err(_) => LineKind::Query(text),
        }
    }
}

/// Whether the line holds the key `"define"` (or the word elsewhere: it is then read twice, no more).
fn mentions_definition(text: &[u8]) -> bool {
    const WORD: &[u8] = b"\"define\"";
    text.len() >= WORD.len()
        && text.iter().enumerate().any(|(k, &byte)| byte == b'"' && text[k..].starts_with(WORD))
}

/// Answers some lines of a block on one thread.
struct Worker<'n, 'b> {
    names: &'n NamedShapes,
    defaults: &'n Defaults,
    cache: ShapeCache<'b>,
    text: Vec<u8>,
    counts: StreamCounts,
}

impl<'b> Worker<'_, 'b> {
    /// Writes the answer of a line, if it has one.
    fn process(&mut self, line_kind: &LineKind<'b>, line: u64) {
        let outcome = match line_kind {
            LineKind::Blank => return,
            LineKind::Definition(Ok(())) => {
                self.counts.defined += 1;
                return;
            }
            LineKind::Definition(Err(error)) => Err((None, error.clone())),
            LineKind::Query(bytes) => self.answer(bytes, line),
        };
        match outcome {
            Ok(()) => self.counts.answered += 1,
            Err((id, error)) => {
                self.counts.failed += 1;
                write_json(&mut self.text, &ErrorAnswer { id, error: error.to_string(), line });
            }
        }
        self.text.push(b'\n');
    }

    /// Writes the answer of one line; the error carries the line's id where it could be read.
    fn answer(&mut self, bytes: &'b [u8], line: u64) -> Result<(), (Option<&'b RawValue>, LineError)> {
        let query = read_query(bytes).map_err(|error| (None, error))?;
        let pair = Pair::of(&query, self.names, line, &mut self.cache);
        match pair.and_then(|pair| solve(&query, &pair, self.defaults)) {
            Ok(answer) => {
                write_json(&mut self.text, &answer);
                Ok(())
            }
            Err(error) => Err((query.id, error)),
        }
    }
}

fn read_query(bytes: &[u8]) -> Result<Box<Query<'_>>, LineError> {
    match serde_json::from_slice::<Line>(bytes)? {
        Line::Query(query) => Ok(query),
        Line::Define { .. } => {
            Err(LineError::Line("a definition whose key is spelled with escapes; write \"define\""))
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
