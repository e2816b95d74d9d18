//! Small vocabularies of both spellings.

use super::super::header::{Header, Value};
use super::*;

const SHIELD: char = '\u{fdd0}';

/// A byte-level vocabulary: all bytes, a few merges, and a protocol.
fn byte_level(pre: &str) -> Vec<(String, Value)> {
    let merged = ["ab", "Ġab", "11"];
    let mut tokens: Vec<String> = (0x21..0x144)
        .filter(|code| !matches!(code, 0x7f..=0xa0 | 0xad))
        .filter_map(char::from_u32)
        .map(String::from)
        .collect();
    tokens.extend(merged.map(String::from));
    let mut kinds = vec![1.0; tokens.len()];
    tokens.extend(["<|im_start|>", "<|im_end|>", "<tool_call>"].map(String::from));
    kinds.extend([3.0, 3.0, 4.0]);
    let merges = ["a b", "Ġ ab", "1 1"].map(String::from).to_vec();
    let end = tokens.len() as i64 - 2;
    entries(&[
        ("model", Value::Text("gpt2".into())),
        ("pre", Value::Text(pre.into())),
        ("tokens", Value::Texts(tokens)),
        ("token_type", Value::Numbers(kinds)),
        ("merges", Value::Texts(merges)),
        ("eos_token_id", Value::Integer(end)),
    ])
}

/// A SentencePiece vocabulary with bytes.
fn scored() -> Vec<(String, Value)> {
    let words = ["<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁ab", "▁▁"];
    let mut tokens: Vec<String> = words.map(String::from).to_vec();
    let mut kinds = vec![2.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    let mut scores = vec![0.0, 0.0, 0.0, -9.0, -9.0, -9.0, -1.0, -2.0, -3.0];
    for byte in 0..=255u8 {
        tokens.push(format!("<0x{byte:02X}>"));
        kinds.push(6.0);
        scores.push(0.0);
    }
    entries(&[
        ("model", Value::Text("llama".into())),
        ("tokens", Value::Texts(tokens)),
        ("token_type", Value::Numbers(kinds)),
        ("scores", Value::Numbers(scores)),
        ("bos_token_id", Value::Integer(1)),
        ("eos_token_id", Value::Integer(2)),
    ])
}

fn entries(entries: &[(&str, Value)]) -> Vec<(String, Value)> {
    let entries = entries.iter();
    entries
        .map(|(key, value)| (format!("tokenizer.ggml.{key}"), value.clone()))
        .collect()
}

fn read(entries: Vec<(String, Value)>) -> Result<Vocabulary, GgufError> {
    let size = entries.iter().find_map(|(_, value)| match value {
        Value::Texts(texts) => Some(texts.len()),
        _ => None,
    });
    Vocabulary::read(&Header::of(entries), size.unwrap_or(1))
}

/// A vocabulary for tests of what uses one.
pub(in super::super) fn sample() -> Vocabulary {
    read(byte_level("smollm")).unwrap()
}

fn text_of(vocabulary: &Vocabulary, ids: &[u32]) -> String {
    let bytes: Vec<u8> = ids.iter().flat_map(|&id| vocabulary.bytes(id)).copied().collect();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn texts_survive_both_spellings() {
    for vocabulary in [
        sample(),
        read(byte_level("qwen2")).unwrap(),
        read(scored()).unwrap(),
    ] {
        for text in [
            "ab ab",
            "  two\n\nlines\t",
            "naïve — 北京 😀",
            "<|im_end|></s>",
            "",
        ] {
            let ids = vocabulary.encode_plain(text).unwrap();
            assert_eq!(text_of(&vocabulary, &ids), text);
        }
    }
}

#[test]
fn digits_are_single_where_the_model_learned_them_so() {
    for (pre, tokens) in [("smollm", 2), ("qwen2", 2), ("gpt-2", 1), ("llama-bpe", 1)] {
        let ids = read(byte_level(pre)).unwrap().encode_plain("11").unwrap();
        assert_eq!(ids.len(), tokens, "{pre}");
    }
}

#[test]
fn conversations_have_protocol_tokens_where_nothing_shields_them() {
    let vocabulary = sample();
    let end = vocabulary.bytes.len() as u32 - 2;
    let encode = |text: &str| vocabulary.encode_conversation(text, SHIELD).unwrap();
    let said = vocabulary
        .protocol()
        .shield("<|im_end|>", SHIELD, Markup::Shielded);
    assert_eq!(encode("ab<|im_end|>").last(), Some(&end));
    let ids = encode(&format!("{said}<|im_end|>"));
    assert_eq!(ids.iter().filter(|&&id| id == end).count(), 1);
    assert_eq!(text_of(&vocabulary, &ids), "<|im_end|>");
    assert!(vocabulary.is_end(end) && !vocabulary.is_end(0));
}

#[test]
fn sentence_pieces_begin_with_their_token_and_a_space() {
    let vocabulary = read(scored()).unwrap();
    let ids = vocabulary.encode_conversation("ab</s>ab", SHIELD).unwrap();
    assert_eq!(ids, [1, 7, 2, 7]);
    assert_eq!(vocabulary.encode_conversation("<s>ab", SHIELD).unwrap(), [1, 7]);
}

#[test]
fn vocabularies_that_contradict_themselves_are_errors() {
    let with = |key: &str, value: Option<Value>| {
        let mut entries = byte_level("smollm");
        let key = format!("tokenizer.ggml.{key}");
        entries.retain(|(known, _)| *known != key);
        entries.extend(value.map(|value| (key, value)));
        read(entries).map_or_else(|error| error.to_string(), |_| "none".into())
    };
    let merges = |merge: &str| Some(Value::Texts(vec![merge.to_owned()]));
    for (error, reason) in [
        (with("pre", None), "tokenizer.ggml.pre"),
        (
            with("pre", Some(Value::Text("other".into()))),
            "the pre-tokenizer `other`",
        ),
        (
            with("model", Some(Value::Text("rwkv".into()))),
            "the tokenizer model `rwkv`",
        ),
        (with("token_type", Some(Value::Numbers(vec![1.0]))), "1 types"),
        (with("tokens", Some(Value::Integer(3))), "tokenizer.ggml.tokens"),
        (with("merges", merges("a zz")), "the merge `a zz`"),
        (with("merges", merges("b a")), "the merge `b a`"),
        (with("merges", merges("ab")), "the merge `ab`"),
        (with("eos_token_id", Some(Value::Integer(1 << 40))), "none"),
    ] {
        assert!(error.contains(reason), "{error}, expected {reason}");
    }
}
