//! What an unknown word could have meant.

/// The known word that is most similar to a typed one, in whatever case that is; `None` if none is similar enough.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const ENOUGH: f64 = 0.6;
    let typed = typed.to_lowercase();
    // Swapped and missing letters are few edits; an abbreviation differs by many, but has the same beginning.
    let likeness = |word: &str| {
        strsim::normalized_damerau_levenshtein(word, &typed).max(strsim::jaro_winkler(word, &typed) - 0.15)
    };
    let scored = known.into_iter().map(|word| (likeness(word), word)).filter(|(score, _)| *score > ENOUGH);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}

/// The question whether this word was meant, to be appended; empty if there is none.
pub(crate) fn did_you_mean(word: Option<&str>) -> String {
    word.map_or(String::new(), |word| format!(" (did you mean \"{word}\"?)"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_few_wrong_letters_and_abbreviations_are_similar_and_other_words_are_not() {
        let known = ["venkatakrishnan", "van-albada", "none"];
        for (typed, meant) in [
            ("venkatakrishna", Some("venkatakrishnan")),
            ("Venkat", Some("venkatakrishnan")),
            ("van_albada", Some("van-albada")),
            ("NONE", Some("none")),
            ("superbee", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, known), meant, "{typed}");
        }
    }
}
