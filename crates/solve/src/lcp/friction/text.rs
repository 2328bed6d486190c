//! A frictional problem as plain text, for libraries of problems.
//!
//! ```text
//! frictional 1                         the form, and its version
//! block 3                              a block of three unknowns:
//! w 0.5 0 0  0 0.5 0  0 0 2            its inverse mass, row by row,
//! b 6 -2 0                             and its momentum
//! equality 0.1                         its offset Υ, then its row
//! on 0 1 0 0                           on block 0 the entries 1, 0, 0
//! drive 0.1 0 2                        a drive: offset, compliance and bound (inf without one), then its row
//! on 0 1 0 0
//! contact 0.5 0                        friction μ and gap Δ, then its normal,
//! on 0 0 1 0
//! tangent 0                            then its tangents, each with how fast its wall drifts
//! on 0 1 0 0
//! ```
//!
//! A row has one or two lines `on`. Numbers are written with as many digits as an exact read needs. Empty lines
//! and what follows a `#` mean nothing.

use super::equality::Equality;
use super::problem::FrictionContactProblem;
use super::rows::Row;
use crate::error::SolveError;
use std::fmt::Write;
use std::str::FromStr;
use thiserror::Error;

/// The first line.
const HEAD: &str = "frictional 1";

/// A text that is no frictional problem: names the line, counted from one, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("line {line}: {kind}")]
pub struct FrictionalTextError {
    /// The line.
    pub line: usize,
    /// What is wrong, and the remedy.
    pub kind: FrictionalTextErrorKind,
}

/// What is wrong with a line of a frictional problem.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FrictionalTextErrorKind {
    /// The text begins with something else.
    #[error("the text is no frictional problem; begin it with `frictional 1`")]
    Head,
    /// A word that cannot stand there.
    #[error("`{found}` cannot stand here; give {expected}")]
    Word {
        /// What is there.
        found: String,
        /// What could be.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the text ends where {expected} should follow")]
    End {
        /// What should follow.
        expected: &'static str,
    },
    /// What is not a number.
    #[error("`{0}` is no number")]
    Number(String),
    /// A line with too few or too many numbers.
    #[error("there are {found} numbers where {expected} are needed")]
    Count {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// What the problem refuses.
    #[error(transparent)]
    Problem(#[from] SolveError),
}

impl FrictionContactProblem {
    /// The problem as text, from which it can be read back exactly.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (_, inverse, momentum) in self.blocks() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "block {}", momentum.len());
            line(&mut text, "w", inverse);
            line(&mut text, "b", momentum);
        }
        for equality in &self.equalities {
            let Equality { row, offset, compliance, bound } = equality;
            match equality.is_plain() {
                true => line(&mut text, "equality", &[*offset]),
                false => line(&mut text, "drive", &[*offset, *compliance, *bound]),
            }
            entries(&mut text, row);
        }
        for contact in &self.contacts {
            line(&mut text, "contact", &[contact.friction, contact.gap]);
            entries(&mut text, &contact.normal);
            for tangent in &self.tangents[contact.range()] {
                line(&mut text, "tangent", &[tangent.drift]);
                entries(&mut text, tangent);
            }
        }
        text
    }
}

/// A word and numbers.
fn line(text: &mut String, word: &str, numbers: &[f64]) {
    text.push_str(word);
    for x in numbers {
        // The shortest digits that read back exactly; writing to a string does not fail.
        let _ = if *x == 0.0 || (1e-4..1e15).contains(&x.abs()) {
            write!(text, " {x}")
        } else {
            write!(text, " {x:e}")
        };
    }
    text.push('\n');
}

fn entries(text: &mut String, row: &Row) {
    for (block, (_, values)) in row.blocks.iter().zip(row.parts()) {
        line(text, &format!("on {block}"), values);
    }
}

impl FromStr for FrictionContactProblem {
    type Err = FrictionalTextError;

    fn from_str(text: &str) -> Result<Self, FrictionalTextError> {
        let mut lines = Lines { rest: text.lines().enumerate(), last: 1, pending: None };
        let mut problem = FrictionContactProblem::new();
        match lines.next() {
            Some(line) if line.is_head() => {}
            Some(line) => return Err(line.error(FrictionalTextErrorKind::Head)),
            None => return Err(lines.unexpected_end("`frictional 1`")),
        }
        while let Some(line) = lines.next() {
            match line.word {
                "block" => {
                    let n = line.index("a number of unknowns")?;
                    let w = lines.numbers("w", "a line `w` with the inverse mass", n.saturating_mul(n))?;
                    let b = lines.numbers("b", "a line `b` with the momentum", n)?;
                    problem.block(&w, &b).map_err(|error| line.error(error.into()))?;
                }
                "equality" => {
                    let offset = line.numbers_exactly(1)?[0];
                    lines.row(&line, |row| problem.equality(row, offset).map(|_| ()))?;
                }
                "contact" => {
                    let numbers = line.numbers_exactly(2)?;
                    lines.row(&line, |row| problem.contact(row, numbers[0], numbers[1]).map(|_| ()))?;
                }
                "tangent" => {
                    let drift = line.numbers_exactly(1)?[0];
                    lines.row(&line, |row| problem.drifting_tangent(row, drift).map(|_| ()))?;
                }
                "drive" => {
                    let [offset, compliance, bound] = line.numbers_exactly(3)?[..] else { continue };
                    lines.row(&line, |row| problem.drive(row, offset, compliance, bound).map(|_| ()))?;
                }
                word => {
                    return Err(line.unexpected(word, "`block`, `equality`, `drive`, `contact` or `tangent`"));
                }
            }
        }
        Ok(problem)
    }
}

/// A line that means something: its first word and the others.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    word: &'a str,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn is_head(&self) -> bool {
        let mut head = HEAD.split(' ');
        head.next() == Some(self.word) && head.eq(self.rest.split_whitespace())
    }

    fn error(&self, kind: FrictionalTextErrorKind) -> FrictionalTextError {
        FrictionalTextError { line: self.number, kind }
    }

    fn unexpected(&self, found: &str, expected: &'static str) -> FrictionalTextError {
        self.error(FrictionalTextErrorKind::Word { found: found.to_owned(), expected })
    }

    /// Its numbers, as many as they should be.
    fn numbers_exactly(&self, expected: usize) -> Result<Vec<f64>, FrictionalTextError> {
        let numbers = numbers(self, self.rest)?;
        match numbers.len() == expected {
            true => Ok(numbers),
            false => Err(self.error(FrictionalTextErrorKind::Count { found: numbers.len(), expected })),
        }
    }

    /// Its only number, a count.
    fn index(&self, expected: &'static str) -> Result<usize, FrictionalTextError> {
        self.rest.parse().map_err(|_| self.unexpected(self.rest, expected))
    }
}

fn numbers(line: &Line, text: &str) -> Result<Vec<f64>, FrictionalTextError> {
    let number =
        |word: &str| word.parse().map_err(|_| line.error(FrictionalTextErrorKind::Number(word.to_owned())));
    text.split_whitespace().map(number).collect()
}

/// The lines that mean something.
struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    /// Number of the last line that was read.
    last: usize,
    /// A line read ahead.
    pending: Option<Line<'a>>,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Line<'a>> {
        if let Some(line) = self.pending.take() {
            return Some(line);
        }
        for (k, text) in self.rest.by_ref() {
            self.last = k + 1;
            let text = text.split('#').next().unwrap_or("").trim();
            if !text.is_empty() {
                let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                return Some(Line { number: k + 1, word, rest: rest.trim() });
            }
        }
        None
    }

    fn unexpected_end(&self, expected: &'static str) -> FrictionalTextError {
        FrictionalTextError { line: self.last, kind: FrictionalTextErrorKind::End { expected } }
    }

    /// The numbers of the next line, which begins with a word.
    fn numbers(
        &mut self,
        word: &str,
        expected: &'static str,
        count: usize,
    ) -> Result<Vec<f64>, FrictionalTextError> {
        let Some(line) = self.next() else { return Err(self.unexpected_end(expected)) };
        if line.word == word {
            line.numbers_exactly(count)
        } else {
            Err(line.unexpected(line.word, expected))
        }
    }

    /// Passes the lines `on` that follow to `add`; errors of the row name the line that announced it.
    fn row(
        &mut self,
        from: &Line,
        add: impl FnOnce(&[(usize, &[f64])]) -> Result<(), SolveError>,
    ) -> Result<(), FrictionalTextError> {
        let mut sides: Vec<(usize, Vec<f64>)> = Vec::with_capacity(2);
        while let Some(line) = self.next() {
            if line.word != "on" {
                self.pending = Some(line);
                break;
            }
            let (block, values) = line.rest.split_once(char::is_whitespace).unwrap_or((line.rest, ""));
            let expected = "the index of a block and one number per unknown of it";
            let block = block.parse().map_err(|_| line.unexpected(block, expected))?;
            sides.push((block, numbers(&line, values)?));
        }
        if sides.is_empty() {
            let expected = "a line `on` with a block and its entries";
            return Err(match self.pending {
                Some(line) => line.unexpected(line.word, expected),
                None => self.unexpected_end(expected),
            });
        }
        let row: Vec<(usize, &[f64])> = sides.iter().map(|(block, values)| (*block, &values[..])).collect();
        add(&row).map_err(|error| from.error(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> FrictionContactProblem {
        let mut problem = FrictionContactProblem::new();
        let a = problem.block(&[0.5, 0.1, 0.1, 0.7], &[6.0 / 7.0, -2e-17]).unwrap();
        let b = problem.block(&[1e-30], &[f64::MIN_POSITIVE]).unwrap();
        problem.equality(&[(a, &[1.0, -0.0]), (b, &[1e20])], -1.0 / 3.0).unwrap();
        problem.drive(&[(a, &[0.5, 1.0])], 0.25, 1.0 / 3.0, f64::INFINITY).unwrap();
        problem.contact(&[(a, &[0.0, 1.0])], 0.1, 1e-300).unwrap();
        problem.drifting_tangent(&[(a, &[std::f64::consts::PI, 0.0])], 1e-5 / 3.0).unwrap();
        problem.contact(&[(b, &[1.0])], 0.0, -5e-324).unwrap();
        problem
    }

    #[test]
    fn a_problem_read_back_from_text_is_bitwise_identical() {
        let problem = small();
        let text = problem.to_text();
        let again: FrictionContactProblem = text.parse().unwrap();
        assert_eq!(again, problem);
        // Equality ignores the sign of zero; the text keeps it.
        assert_eq!(again.to_text(), text);
        let spaced = text.replace("contact", "\n # a remark\n  contact").replace(' ', "  ");
        assert_eq!(spaced.parse(), Ok(problem));
    }

    #[test]
    fn errors_name_the_line() {
        let text = small().to_text();
        let said = |text: &str| text.parse::<FrictionContactProblem>().unwrap_err().to_string();
        assert_eq!(said("[run]"), "line 1: the text is no frictional problem; begin it with `frictional 1`");
        assert_eq!(said(""), "line 1: the text ends where `frictional 1` should follow");
        assert_eq!(
            said("frictional 1\nblock 1\n"),
            "line 2: the text ends where a line `w` with the inverse mass should follow"
        );
        assert_eq!(
            said(&text.replace("block 2", "block two")),
            "line 2: `two` cannot stand here; give a number of unknowns"
        );
        assert_eq!(said(&text.replace("0.5 0.1", "0.5")), "line 3: there are 3 numbers where 4 are needed");
        assert_eq!(said(&text.replace("0.7", "0.7x")), "line 3: `0.7x` is no number");
        assert!(said(&text.replace("0.7", "-0.7")).starts_with("line 2: "));
        assert!(said(&text.replace("on 1", "on 7")).starts_with("line 8: there is no block 7"));
        assert!(
            said(&text.replace("tangent", "tangents")).starts_with("line 15: `tangents` cannot stand here")
        );
        assert!(said("frictional 1\ntangent 0\n").starts_with("line 2: the text ends where a line `on`"));
    }
}
