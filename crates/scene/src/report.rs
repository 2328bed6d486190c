//! The source texts of a scene, and the complaints and warnings about them.
//!
//! Reading continues after a complaint wherever the rest can still be checked: a reader returns [`Reported`] once a complaint has
//! been recorded, and a caller that does not need the value continues.

use crate::complaint::Complaint;
use crate::spelling::nearest;
use crate::vocabulary::Vocabulary;
use std::cell::RefCell;

/// A place in one of the source texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which text.
    pub source: usize,
    /// Byte offset in it.
    pub offset: usize,
}

/// The kind of a source text.
#[derive(Debug)]
enum Text {
    /// A file, or a string read as one.
    File(String),
    /// An override, which has no lines.
    Override,
}

/// A complaint has been recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported;

/// A value, or the sign that a complaint has been recorded.
pub(crate) type Read<T> = Result<T, Reported>;

/// Collects texts, complaints and warnings.
#[derive(Debug, Default)]
pub(crate) struct Report {
    sources: RefCell<Vec<(String, Text)>>,
    complaints: RefCell<Vec<(Option<Place>, Complaint)>>,
    warnings: RefCell<Vec<String>>,
    /// Accepted keys and words, if they are recorded.
    vocabulary: Option<RefCell<Vocabulary>>,
}

/// All values, or `Reported` if there was a complaint about one of them: all of them are read.
pub(crate) fn read_all<T>(all: impl Iterator<Item = Read<T>>) -> Read<Vec<T>> {
    let all: Vec<Read<T>> = all.collect();
    all.into_iter().collect()
}

impl Report {
    /// A report that records keys and words in a vocabulary.
    pub fn recording(vocabulary: Vocabulary) -> Self {
        Self { vocabulary: Some(RefCell::new(vocabulary)), ..Self::default() }
    }

    /// Adds to the vocabulary, if one is recorded.
    pub fn record(&self, record: impl FnOnce(&mut Vocabulary)) {
        if let Some(vocabulary) = &self.vocabulary {
            record(&mut vocabulary.borrow_mut());
        }
    }

    /// Takes the recorded vocabulary.
    pub fn take_vocabulary(&mut self) -> Option<Vocabulary> {
        self.vocabulary.take().map(RefCell::into_inner)
    }

    /// Adds a file and returns its number.
    pub fn file(&self, name: &str, text: &str) -> usize {
        self.source(name.to_owned(), Text::File(text.to_owned()))
    }

    /// Adds an override and returns its number.
    pub fn change(&self, path: &str, value: &str) -> usize {
        self.source(format!("override {path}={value}"), Text::Override)
    }

    fn source(&self, name: String, text: Text) -> usize {
        let mut sources = self.sources.borrow_mut();
        sources.push((name, text));
        sources.len() - 1
    }

    /// Records a complaint about a place.
    pub fn complain(&self, place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Reported {
        let (file, at) = self.locate(place);
        let complaint = Complaint { file, place: at, message: message.into(), remedy: remedy.into() };
        self.complaints.borrow_mut().push((Some(place), complaint));
        Reported
    }

    /// Records the error of another crate, `message; remedy`.
    pub fn complain_with(&self, place: Place, error: &str) -> Reported {
        let (message, remedy) = error.split_once("; ").unwrap_or((error, "correct the value here"));
        self.complain(place, message, remedy)
    }

    /// Records a complaint about a whole file.
    pub fn complain_of_file(
        &self,
        file: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Reported {
        let (message, remedy) = (message.into(), remedy.into());
        let complaint = Complaint { file: file.to_owned(), place: None, message, remedy };
        self.complaints.borrow_mut().push((None, complaint));
        Reported
    }

    /// Records a complaint about an unknown word.
    pub fn unknown<'k>(
        &self,
        place: Place,
        message: impl Into<String>,
        given: &str,
        known: impl IntoIterator<Item = &'k str>,
        otherwise: &str,
    ) -> Reported {
        self.complain(place, message, Self::remedy(given, known, otherwise))
    }

    /// The remedy for an unknown word: the nearest known one, or the list of them.
    pub fn remedy<'k>(given: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(given, known.iter().copied()) {
            Some(word) => format!("did you mean `{word}`?"),
            None if known.is_empty() => otherwise.to_owned(),
            None => {
                // Long lists are cut off: a scene may have ten thousand bodies.
                const LISTED: usize = 24;
                let more = if known.len() > LISTED { ", ..." } else { "" };
                let list = known[..known.len().min(LISTED)].join(", ");
                let otherwise = if otherwise.is_empty() { String::new() } else { format!("; {otherwise}") };
                format!("known here: {list}{more}{otherwise}")
            }
        }
    }

    /// Records a warning.
    pub fn warn(&self, place: Option<Place>, message: &str) {
        let text = match place.map(|place| self.locate(place)) {
            Some((file, Some((line, column)))) => format!("{file}:{line}:{column}: {message}"),
            Some((file, None)) => format!("{file}: {message}"),
            None => message.to_owned(),
        };
        self.warnings.borrow_mut().push(text);
    }

    /// Whether there is no complaint so far.
    pub fn is_clean(&self) -> bool {
        self.complaints.borrow().is_empty()
    }

    /// All complaints by file and line, each once, and all warnings.
    pub fn finish(self) -> (Vec<Complaint>, Vec<String>) {
        let mut complaints = self.complaints.into_inner();
        complaints.sort_by_key(|(place, _)| place.map(|place| (place.source, place.offset)));
        let mut all: Vec<Complaint> = Vec::new();
        for (_, new) in complaints {
            // Copies of a template give the same complaint about the same place.
            let same =
                |old: &Complaint| (&old.file, old.place, &old.remedy) == (&new.file, new.place, &new.remedy);
            if !all.last().is_some_and(same) {
                all.push(new);
            }
        }
        (all, self.warnings.into_inner())
    }

    /// A place as `file:line`.
    pub fn file_line(&self, place: Place) -> String {
        match self.locate(place) {
            (file, Some((line, _))) => format!("{file}:{line}"),
            (file, None) => file,
        }
    }

    /// The name of the text and, unless it is an override, line and column.
    pub fn locate(&self, place: Place) -> (String, Option<(usize, usize)>) {
        let sources = self.sources.borrow();
        let (name, text) = &sources[place.source];
        let at = match text {
            Text::Override => None,
            Text::File(text) => {
                let before = &text[..text.floor_char_boundary(place.offset)];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                Some((line, column))
            }
        };
        (name.clone(), at)
    }
}
