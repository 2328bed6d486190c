//! Numbers given at instants, with straight lines between them or held from one to the next; constant before the first and
//! after the last.

use thiserror::Error;

/// A piecewise linear or piecewise constant function of time with `N` components.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<const N: usize> {
    times: Vec<f64>,
    values: Vec<[f64; N]>,
    /// Whether a value holds until the next instant.
    held: bool,
}

/// Why a table is refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TableError {
    /// No rows.
    #[error("the table has no rows; give at least one instant with its value")]
    Empty,
    /// Instants and values differ in number.
    #[error("the table has {times} instants and {values} values; give one value for each instant")]
    Lengths {
        /// How many instants.
        times: usize,
        /// How many values.
        values: usize,
    },
    /// Instants not increasing.
    #[error(
        "instant {index} of the table ({time} s) does not come after the one before it; sort the instants"
    )]
    Order {
        /// Which instant.
        index: usize,
        /// Its time, s.
        time: f64,
    },
    /// NaN or infinity.
    #[error("row {0} of the table holds a number that is not finite")]
    NotFinite(usize),
}

impl<const N: usize> Table<N> {
    /// The same value always.
    pub fn constant(value: [f64; N]) -> Self {
        Self { times: vec![0.0], values: vec![value], held: false }
    }

    /// Values at instants, which increase.
    pub fn new(times: Vec<f64>, values: Vec<[f64; N]>) -> Result<Self, TableError> {
        if times.len() != values.len() {
            return Err(TableError::Lengths { times: times.len(), values: values.len() });
        }
        if times.is_empty() {
            return Err(TableError::Empty);
        }
        for (i, (time, value)) in times.iter().zip(&values).enumerate() {
            if !time.is_finite() || !value.iter().all(|v| v.is_finite()) {
                return Err(TableError::NotFinite(i));
            }
            if i > 0 && !(*time > times[i - 1]) {
                return Err(TableError::Order { index: i, time: *time });
            }
        }
        Ok(Self { times, values, held: false })
    }

    /// Values that hold from their instants, which increase, until the next.
    pub fn held(times: Vec<f64>, values: Vec<[f64; N]>) -> Result<Self, TableError> {
        Ok(Self { held: true, ..Self::new(times, values)? })
    }

    /// Every number in it.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        self.values.iter().flatten().copied()
    }

    /// The values of its rows.
    pub fn values(&self) -> impl Iterator<Item = &[f64; N]> {
        self.values.iter()
    }

    /// Changes every value.
    pub(super) fn map(&mut self, change: impl Fn([f64; N]) -> [f64; N]) {
        self.values.iter_mut().for_each(|value| *value = change(*value));
    }

    /// The value at an instant.
    pub fn at(&self, t: f64) -> [f64; N] {
        let after = self.times.partition_point(|&time| time <= t);
        if after == 0 {
            return self.values[0];
        }
        if self.held || after == self.times.len() {
            return self.values[after - 1];
        }
        let (t0, t1) = (self.times[after - 1], self.times[after]);
        let share = (t - t0) / (t1 - t0);
        let (a, b) = (&self.values[after - 1], &self.values[after]);
        std::array::from_fn(|i| a[i] + share * (b[i] - a[i]))
    }
}

impl<const N: usize> Table<N> {
    /// How fast the value changes at an instant; at a row, how fast from there on.
    pub fn slope(&self, t: f64) -> [f64; N] {
        let after = self.times.partition_point(|&time| time <= t);
        if self.held || after == 0 || after == self.times.len() {
            return [0.0; N];
        }
        let span = self.times[after] - self.times[after - 1];
        let (a, b) = (&self.values[after - 1], &self.values[after]);
        std::array::from_fn(|i| (b[i] - a[i]) / span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_runs_straight_between_its_rows_and_stays_at_its_ends() {
        let table = Table::new(vec![0.0, 1.0, 3.0], vec![[0.0], [2.0], [0.0]]).unwrap();
        let found = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 9.0].map(|t| table.at(t)[0]);
        assert_eq!(found, [0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0]);
        let slopes = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 9.0].map(|t| table.slope(t)[0]);
        assert_eq!(slopes, [0.0, 2.0, 2.0, -1.0, -1.0, 0.0, 0.0]);
        let held = Table::held(vec![0.0, 1.0, 3.0], vec![[4.0], [2.0], [7.0]]).unwrap();
        let found = [-1.0, 0.0, 0.999, 1.0, 2.9, 3.0, 9.0].map(|t| held.at(t)[0]);
        assert_eq!(found, [4.0, 4.0, 4.0, 2.0, 2.0, 7.0, 7.0]);
        assert_eq!(held.slope(0.5), [0.0]);
        assert_eq!(
            Table::new(vec![0.0, 0.0], vec![[0.0], [1.0]]),
            Err(TableError::Order { index: 1, time: 0.0 })
        );
        assert_eq!(Table::<1>::new(vec![], vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(vec![f64::NAN], vec![[1.0]]), Err(TableError::NotFinite(0)));
    }
}
