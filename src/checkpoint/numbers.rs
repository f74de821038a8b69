//! Numbers in a header. JSON has finite ones only; the others are words.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Other(Other),
}

#[derive(Serialize, Deserialize)]
enum Other {
    #[serde(rename = "inf")]
    Infinite,
    #[serde(rename = "-inf")]
    NegativelyInfinite,
    #[serde(rename = "nan")]
    NotANumber,
}

pub fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(numbers.iter().map(|&number| match number {
        number if number.is_nan() => Number::Other(Other::NotANumber),
        f64::INFINITY => Number::Other(Other::Infinite),
        f64::NEG_INFINITY => Number::Other(Other::NegativelyInfinite),
        number => Number::Finite(number),
    }))
}

pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<f64>, D::Error> {
    let numbers = Vec::<Number>::deserialize(from)?.into_iter().map(|number| match number {
        Number::Finite(number) => number,
        Number::Other(Other::Infinite) => f64::INFINITY,
        Number::Other(Other::NegativelyInfinite) => f64::NEG_INFINITY,
        Number::Other(Other::NotANumber) => f64::NAN,
    });
    Ok(numbers.collect())
}

#[cfg(test)]
mod tests {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Header {
        #[serde(with = "super")]
        numbers: Vec<f64>,
    }

    #[test]
    fn every_number_comes_back_with_its_bits() {
        let numbers =
            vec![0.1, -0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, 3e300];
        let text = serde_json::to_string(&Header { numbers: numbers.clone() }).unwrap();
        assert!(text.contains(r#""inf","-inf","nan",1.0"#), "{text}");
        let again: Header = serde_json::from_str(&text).unwrap();
        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&again.numbers), bits(&numbers));
        assert!(serde_json::from_str::<Header>(r#"{"numbers":[null]}"#).is_err());
    }
}
