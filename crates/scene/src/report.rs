//! The texts a scene is made of, and what was found wrong with them so far.
//!
//! Reading goes on after a complaint wherever the rest can still be judged: a reader hands [`Told`] upward once a complaint
//! is on record, and whoever can do without the value carries on.

use crate::complaint::Complaint;
use crate::spelling::nearest;
use crate::vocabulary::Vocabulary;
use std::cell::RefCell;

/// A place in one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which text.
    pub source: usize,
    /// Byte offset in it.
    pub offset: usize,
}

/// What the texts are.
#[derive(Debug)]
enum Text {
    /// A file, or a string read as one.
    File(String),
    /// An override, which has no lines.
    Override,
}

/// The complaint is on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told;

/// A value, or a complaint on record.
pub(crate) type Read<T> = Result<T, Told>;

/// Collects texts, complaints and warnings.
#[derive(Debug, Default)]
pub(crate) struct Report {
    sources: RefCell<Vec<(String, Text)>>,
    complaints: RefCell<Vec<(Option<Place>, Complaint)>>,
    warnings: RefCell<Vec<String>>,
    /// What the reader knows, if somebody wants to hear it.
    vocabulary: Option<RefCell<Vocabulary>>,
}

impl Report {
    /// One that adds to a vocabulary.
    pub fn listening(vocabulary: Vocabulary) -> Self {
        Self { vocabulary: Some(RefCell::new(vocabulary)), ..Self::default() }
    }

    /// Lets the vocabulary be added to, if anybody listens.
    pub fn note(&self, note: impl FnOnce(&mut Vocabulary)) {
        if let Some(vocabulary) = &self.vocabulary {
            note(&mut vocabulary.borrow_mut());
        }
    }

    /// What was heard, once.
    pub fn heard(&mut self) -> Option<Vocabulary> {
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

    /// Puts a complaint about a place on record.
    pub fn complain(&self, place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Told {
        let (file, at) = self.locate(place);
        let complaint = Complaint { file, place: at, message: message.into(), remedy: remedy.into() };
        self.complaints.borrow_mut().push((Some(place), complaint));
        Told
    }

    /// Puts on record what another room said, `message; remedy`.
    pub fn pass_on(&self, place: Place, said: &str) -> Told {
        let (message, remedy) = said.split_once("; ").unwrap_or((said, "correct what is written here"));
        self.complain(place, message, remedy)
    }

    /// Puts a complaint about a whole file on record.
    pub fn complain_of_file(
        &self,
        file: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Told {
        let (message, remedy) = (message.into(), remedy.into());
        let complaint = Complaint { file: file.to_owned(), place: None, message, remedy };
        self.complaints.borrow_mut().push((None, complaint));
        Told
    }

    /// Complains about a word that is none of the known ones.
    pub fn unknown<'k>(
        &self,
        place: Place,
        message: impl Into<String>,
        given: &str,
        known: impl IntoIterator<Item = &'k str>,
        otherwise: &str,
    ) -> Told {
        self.complain(place, message, Self::remedy(given, known, otherwise))
    }

    /// What to do about a word that is none of the known ones.
    pub fn remedy<'k>(given: &str, known: impl IntoIterator<Item = &'k str>, otherwise: &str) -> String {
        let known: Vec<&str> = known.into_iter().collect();
        match nearest(given, known.iter().copied()) {
            Some(word) => format!("did you mean `{word}`?"),
            None if known.is_empty() => otherwise.to_owned(),
            None => {
                // A scene of ten thousand bodies is not recited.
                const RECITED: usize = 24;
                let more = if known.len() > RECITED { ", ..." } else { "" };
                let list = known[..known.len().min(RECITED)].join(", ");
                let otherwise = if otherwise.is_empty() { String::new() } else { format!("; {otherwise}") };
                format!("known here: {list}{more}{otherwise}")
            }
        }
    }

    /// Notes something that is odd but not wrong.
    pub fn warn(&self, place: Option<Place>, message: &str) {
        let text = match place.map(|place| self.locate(place)) {
            Some((file, Some((line, column)))) => format!("{file}:{line}:{column}: {message}"),
            Some((file, None)) => format!("{file}: {message}"),
            None => message.to_owned(),
        };
        self.warnings.borrow_mut().push(text);
    }

    /// Whether anything is wrong so far.
    pub fn is_clean(&self) -> bool {
        self.complaints.borrow().is_empty()
    }

    /// All complaints by file and line, each once, and all warnings.
    pub fn finish(self) -> (Vec<Complaint>, Vec<String>) {
        let mut complaints = self.complaints.into_inner();
        complaints.sort_by_key(|(place, _)| place.map(|place| (place.source, place.offset)));
        let mut all: Vec<Complaint> = Vec::new();
        for (_, new) in complaints {
            // Every copy of a template says the same about the same place.
            let same =
                |old: &Complaint| (&old.file, old.place, &old.remedy) == (&new.file, new.place, &new.remedy);
            if !all.last().is_some_and(same) {
                all.push(new);
            }
        }
        (all, self.warnings.into_inner())
    }

    /// The line and column of a place, in words of the user: `file:line`.
    pub fn spot(&self, place: Place) -> String {
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
