//! How each published pre-tokenizer cuts text into words, by the name that GGUF files give it.
//!
//! A wrong cut gives token sequences the model never saw, without any error; so a name that is not known here
//! is refused rather than replaced by a default.

use tokenizers::models::bpe::{BPE, Merges, Vocab};
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{NormalizerWrapper, Tokenizer};

use super::super::error::GgufError;

/// Words of Qwen 2 and its descendants: single digits.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Words of Llama 3: digits by three.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// A byte-level tokenizer whose words are cut as `name` says.
pub(super) fn byte_level_tokenizer(
    name: &str,
    vocabulary: Vocab,
    merges: Merges,
) -> Result<Tokenizer, GgufError> {
    let failed = |error: tokenizers::Error| GgufError::Vocabulary(error.to_string());
    let bytes = |by_words| ByteLevel::new(false, false, by_words);
    let by_pattern = |pattern: &str| -> Result<PreTokenizerWrapper, GgufError> {
        let pattern = SplitPattern::Regex(pattern.to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false).map_err(failed)?;
        Ok(Sequence::new(vec![split.into(), bytes(false).into()]).into())
    };
    let mut takes_whole_words = false;
    let mut normalizer = None;
    let words: PreTokenizerWrapper = match name {
        "gpt-2" => bytes(true).into(),
        "smollm" => Sequence::new(vec![Digits::new(true).into(), bytes(true).into()]).into(),
        "qwen2" | "deepseek-r1-qwen" => {
            normalizer = Some(NormalizerWrapper::from(NFC));
            by_pattern(QWEN2)?
        }
        "llama-bpe" | "llama3" | "llama-v3" => {
            takes_whole_words = true;
            by_pattern(LLAMA3)?
        }
        other => return Err(GgufError::Unsupported(format!("the pre-tokenizer `{other}`"))),
    };
    let model = BPE::builder()
        .vocab_and_merges(vocabulary, merges)
        .ignore_merges(takes_whole_words)
        .build()
        .map_err(failed)?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_normalizer(normalizer).map_err(failed)?;
    tokenizer.with_pre_tokenizer(Some(words));
    Ok(tokenizer)
}
