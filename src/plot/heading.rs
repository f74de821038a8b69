//! The heading of a run's pictures: the case with its Mach number and angle, the mesh, and the run's progress.

use crate::config::Run;

/// The title: the case and its conditions, such as "Airfoil, Mach 0.4, angle of attack 3 degrees".
pub fn title(run: &Run) -> String {
    let conditions = run.case.conditions(&run.keys);
    [run.case.title(), conditions].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The subtitle: the number of elements, the mesh, and the state.
pub fn subtitle(rows: u64, set: &str, source: &str, state: &str) -> String {
    format!("{} {}, {source}; {state}", grouped(rows), set.rsplit('/').next().unwrap_or(set))
}

/// A count with a comma before every three digits.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        let texts = [0, 7, 999, 1000, 45_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "45,000", "1,234,567"]);
        assert_eq!(
            subtitle(37_997, "level0/nodes", "generated wing (64, 23, 24), 4 levels", "initial state"),
            "37,997 nodes, generated wing (64, 23, 24), 4 levels; initial state"
        );
    }
}
