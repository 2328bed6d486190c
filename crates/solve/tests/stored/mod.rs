//! Problems of the library as data that can be written in another order, or changed a little.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::dot;
use percussion_solve::FrictionContactProblem;
use percussion_solve::lcp::friction::FrictionalSolution;
use percussion_testing::Random;
use std::path::Path;

/// Numbers behind its word, and entries on blocks.
#[derive(Clone, Debug)]
pub struct Row {
    pub head: Vec<f64>,
    pub on: Vec<(usize, Vec<f64>)>,
}

/// A problem.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    pub name: String,
    pub text: String,
    /// Inverse mass, row by row, and momentum of each block.
    pub blocks: Vec<(Vec<f64>, Vec<f64>)>,
    pub equalities: Vec<Row>,
    /// Normal and tangents of each contact.
    pub contacts: Vec<Vec<Row>>,
    /// Where each unknown velocity was in the problem as it was stored.
    pub origin: Vec<usize>,
}

/// All problems, by name.
pub fn library() -> Vec<Stored> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &Path| {
        Stored::read(path.file_stem().unwrap().to_str().unwrap(), &std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(|path| read(path)).collect()
}

/// One of them.
pub fn named(name: &str) -> Stored {
    library().into_iter().find(|stored| stored.name == name).unwrap()
}

impl Stored {
    pub fn read(name: &str, text: &str) -> Self {
        let mut stored = Self { name: name.to_owned(), text: text.to_owned(), ..Self::default() };
        let mut among_equalities = false;
        for line in text.lines().skip(1) {
            let (word, rest) = line.split_once(' ').unwrap();
            let head: Vec<f64> = rest.split_whitespace().map(|x| x.parse().unwrap()).collect();
            let row = || Row { head: head.clone(), on: Vec::new() };
            match word {
                "block" => stored.blocks.push(Default::default()),
                "w" => stored.blocks.last_mut().unwrap().0 = head,
                "b" => stored.blocks.last_mut().unwrap().1 = head,
                "equality" => stored.equalities.push(row()),
                "contact" => stored.contacts.push(vec![row()]),
                "tangent" => stored.contacts.last_mut().unwrap().push(row()),
                "on" => {
                    let last = if among_equalities {
                        stored.equalities.last_mut()
                    } else {
                        stored.contacts.last_mut().unwrap().last_mut()
                    };
                    last.unwrap().on.push((head[0] as usize, head[1..].to_vec()));
                }
                _ => panic!("{name}: {word}"),
            }
            among_equalities = word == "equality" || among_equalities && word == "on";
        }
        stored.origin = (0..stored.blocks.iter().map(|(_, b)| b.len()).sum()).collect();
        stored
    }

    pub fn problem(&self) -> FrictionContactProblem {
        fn entries(row: &Row) -> Vec<(usize, &[f64])> {
            row.on.iter().map(|(block, values)| (*block, values.as_slice())).collect()
        }
        let mut problem = FrictionContactProblem::new();
        for (w, b) in &self.blocks {
            problem.block(w, b).unwrap();
        }
        for row in &self.equalities {
            problem.equality(&entries(row), row.head[0]).unwrap();
        }
        for contact in &self.contacts {
            let [normal, tangents @ ..] = contact.as_slice() else { panic!("{}", self.name) };
            problem.contact(&entries(normal), normal.head[0], normal.head[1]).unwrap();
            for row in tangents {
                problem.drifting_tangent(&entries(row), row.head[0]).unwrap();
            }
        }
        problem
    }

    /// `√(rᵀ W r)`
    pub fn root_compliance(&self, row: &Row) -> f64 {
        let part = |(block, r): &(usize, Vec<f64>)| {
            let lines = self.blocks[*block].0.chunks_exact(r.len());
            lines.zip(r).map(|(w, x)| x * dot(w, r)).sum::<f64>()
        };
        row.on.iter().map(part).sum::<f64>().sqrt()
    }

    /// Roots of the diagonals of the inverse masses.
    fn roots(&self) -> impl Iterator<Item = f64> {
        self.blocks.iter().flat_map(|(w, b)| (0..b.len()).map(|i| w[i * b.len() + i].sqrt()))
    }

    /// The same problem: blocks, unknowns of a block, equalities, contacts, tangents and both ends of a row in an order of
    /// chance. Whatever is summed is summed in another order.
    pub fn shuffled(&self, random: &mut Random) -> Self {
        let mut other = self.clone();
        let blocks = order(self.blocks.len(), random);
        let unknowns: Vec<Vec<usize>> = self.blocks.iter().map(|(_, b)| order(b.len(), random)).collect();
        let pick = |values: &[f64], order: &[usize]| order.iter().map(|&i| values[i]).collect::<Vec<_>>();
        let starts =
            self.blocks.iter().scan(0, |start, (_, b)| Some(std::mem::replace(start, *start + b.len())));
        let starts: Vec<usize> = starts.collect();
        (other.blocks, other.origin) = Default::default();
        for &old in &blocks {
            let (w, b) = &self.blocks[old];
            let (own, n) = (&unknowns[old], b.len());
            let lines = own.iter().flat_map(|&i| pick(&w[i * n..(i + 1) * n], own));
            other.blocks.push((lines.collect(), pick(b, own)));
            other.origin.extend(own.iter().map(|i| self.origin[starts[old] + i]));
        }
        for row in other.equalities.iter_mut().chain(other.contacts.iter_mut().flatten()) {
            for (block, values) in &mut row.on {
                *values = pick(values, &unknowns[*block]);
                *block = blocks.iter().position(|old| old == block).unwrap();
            }
            shuffle(&mut row.on, random);
        }
        shuffle(&mut other.equalities, random);
        shuffle(&mut other.contacts, random);
        other.contacts.iter_mut().for_each(|contact| shuffle(&mut contact[1..], random));
        other
    }

    /// A problem whose momenta, offsets, gaps and drifts differ by up to so much in the units of the residual.
    pub fn changed(&self, by: f64, random: &mut Random) -> Self {
        let unit = by * self.problem().momentum_size();
        let mut other = self.clone();
        let rows = self.equalities.iter().chain(self.contacts.iter().flatten());
        let into = other.equalities.iter_mut().chain(other.contacts.iter_mut().flatten());
        for (row, into) in rows.zip(into) {
            // The last number of a head is a velocity along the row.
            *into.head.last_mut().unwrap() += unit * self.root_compliance(row) * random.signed();
        }
        let momenta = other.blocks.iter_mut().flat_map(|(_, b)| b);
        momenta.zip(self.roots()).for_each(|(b, root)| *b += unit / root * random.signed());
        other
    }

    /// The velocity of an answer in the units of the residual, its unknowns where they were stored.
    pub fn velocity(&self, answer: &FrictionalSolution) -> Vec<f64> {
        let size = self.problem().momentum_size();
        let mut v = vec![0.0; self.origin.len()];
        for ((at, value), root) in self.origin.iter().zip(&answer.impulses.velocity).zip(self.roots()) {
            v[*at] = value / (size * root);
        }
        v
    }

    /// Coefficients of friction, by contact.
    pub fn frictions(&self) -> impl Iterator<Item = f64> {
        self.contacts.iter().map(|contact| contact[0].head[0])
    }
}

/// Largest difference of two velocities.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    (1..list.len()).rev().for_each(|k| list.swap(k, random.below(k + 1)));
}

fn order(n: usize, random: &mut Random) -> Vec<usize> {
    let mut list: Vec<usize> = (0..n).collect();
    shuffle(&mut list, random);
    list
}
