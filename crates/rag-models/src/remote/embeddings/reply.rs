//! Vectors from the reply of an embeddings request.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The vectors of `count` texts in the order of the texts, or what is wrong with the reply.
pub(super) fn vectors(reply: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = reply["data"].as_array().ok_or("`data` is no list")?;
    if data.len() != count {
        return Err(format!("{count} texts were sent and {} vectors came", data.len()));
    }
    let mut vectors = vec![Vec::new(); count];
    for (position, item) in data.iter().enumerate() {
        let index = item["index"].as_u64().map_or(position, |index| index as usize);
        let place = vectors
            .get_mut(index)
            .ok_or_else(|| format!("there is no text number {index}"))?;
        if !place.is_empty() {
            return Err(format!("text number {index} has two vectors"));
        }
        *place = vector(&item["embedding"]).map_err(|reason| format!("vector number {index} {reason}"))?;
    }
    Ok(vectors)
}

/// One vector, in either encoding, since some servers ignore the one asked for.
fn vector(embedding: &Value) -> Result<Vec<f32>, String> {
    let numbers = match embedding {
        Value::Array(numbers) => {
            let numbers = numbers
                .iter()
                .map(|number| number.as_f64().map(|number| number as f32));
            numbers
                .collect::<Option<Vec<f32>>>()
                .ok_or("has an entry that is no number")?
        }
        Value::String(text) => unpack(text)?,
        _ => return Err("is neither a list nor base64".into()),
    };
    match numbers.iter().all(|number| number.is_finite()) {
        _ if numbers.is_empty() => Err("is empty".into()),
        true => Ok(numbers),
        false => Err("is not finite".into()),
    }
}

/// Little-endian 32-bit floats in base64.
fn unpack(text: &str) -> Result<Vec<f32>, String> {
    let bytes = STANDARD.decode(text).map_err(|_| "is no base64")?;
    let (numbers, []) = bytes.as_chunks::<4>() else {
        return Err("does not consist of 4-byte numbers".into());
    };
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn pack(numbers: &[f32]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        STANDARD.encode(bytes)
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts_in_either_encoding() {
        let reply = json!({"data": [
            {"index": 1, "embedding": pack(&[0.5, -2.0])},
            {"index": 0, "embedding": [1, 0.25]},
        ]});
        assert_eq!(vectors(&reply, 2).unwrap(), [[1.0, 0.25], [0.5, -2.0]]);
    }

    #[test]
    fn replies_that_cannot_be_trusted_are_refused() {
        let one = |embedding: Value| json!({"data": [{"index": 0, "embedding": embedding}]});
        let cases = [
            (json!({}), "no list"),
            (json!({"data": []}), "0 vectors"),
            (
                json!({"data": [{"index": 4, "embedding": [1.0]}]}),
                "no text number 4",
            ),
            (one(json!([])), "empty"),
            (one(json!([1.0, null])), "no number"),
            (one(json!([1e300])), "not finite"),
            (one(json!(pack(&[f32::NAN]))), "not finite"),
            (one(json!("AAA=")), "4-byte"),
            (one(json!("%")), "base64"),
            (one(json!(3)), "neither"),
        ];
        for (reply, reason) in cases {
            let error = vectors(&reply, 1).unwrap_err();
            assert!(error.contains(reason), "{reply}: {error}");
        }
        let twice = json!({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]});
        assert!(vectors(&twice, 2).unwrap_err().contains("two vectors"));
    }

    proptest! {
        #[test]
        fn numbers_survive_base64(numbers in prop::collection::vec(-1e6_f32..1e6, 1..40)) {
            prop_assert_eq!(unpack(&pack(&numbers)).unwrap(), numbers);
        }
    }
}
