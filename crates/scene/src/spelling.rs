//! Suggestions for misspelt words, by edit distance.

/// The word of `known` nearest to `given`, if at most a third of its letters differ. Case, hyphens, underscores and the plural `-ies` are
/// ignored.
pub fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let reach = (given.chars().count() / 3).max(1);
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let given = plain(given);
    known
        .into_iter()
        .map(|word| {
            let one = word.strip_suffix("ies").map(|stem| edits(&given, &plain(&format!("{stem}y"))));
            (edits(&given, &plain(word)).min(one.unwrap_or(usize::MAX)), word)
        })
        .filter(|&(distance, _)| distance <= reach)
        .min()
        .map(|(_, word)| word)
}

/// Edit distance: insertions, deletions, replacements and swaps of neighbours (Damerau, Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = (0..=a.len()).map(|i| vec![i; b.len() + 1]).collect();
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_is_recognised_and_a_foreign_word_is_not() {
        let known = ["sphere", "capsule", "half_space", "box", "torsion-spring"];
        assert_eq!(nearest("shpere", known), Some("sphere"));
        assert_eq!(nearest("half-space", known), Some("half_space"));
        assert_eq!(nearest("torsion_spring", known), Some("torsion-spring"));
        assert_eq!(nearest("Box", known), Some("box"));
        assert_eq!(nearest("teapot", known), None);
        assert_eq!(nearest("body", ["bodies", "joints"]), Some("bodies"));
    }

    #[test]
    fn edit_distances_count_a_swap_of_neighbours_once() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("position", "positoin"), 1);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
