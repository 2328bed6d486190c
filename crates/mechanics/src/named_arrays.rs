//! Arrays of numbers by name: what a ledger and a scheme save in a checkpoint and restore from it.

/// Arrays of numbers in the order in which they were added. Names are unique.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedArrays {
    entries: Vec<(String, Vec<f64>)>,
}

impl NamedArrays {
    /// Adds an array under a name that is not used yet.
    pub fn insert(&mut self, name: impl Into<String>, values: impl Into<Vec<f64>>) {
        let name = name.into();
        debug_assert!(self.get(&name).is_none(), "`{name}` is saved twice");
        self.entries.push((name, values.into()));
    }

    /// The array of a name.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// The array of a name, if it has `N` numbers.
    pub fn fixed<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        self.get(name)?.try_into().ok()
    }

    /// Names and arrays in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.entries.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }
}
