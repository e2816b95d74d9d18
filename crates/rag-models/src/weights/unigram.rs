//! A SentencePiece Unigram tokenizer built from its pieces, as XLM-RoBERTa models use it.

use tokenizers::models::unigram::Unigram;
use tokenizers::normalizers::replace::Replace;
use tokenizers::normalizers::unicode::NFKC;
use tokenizers::normalizers::{NormalizerWrapper, Sequence};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, Tokenizer};

/// What a Unigram tokenizer is made of.
pub(super) struct UnigramParts {
    /// Pieces with their log probabilities; a piece's index is its token id.
    pub(super) pieces: Vec<(String, f64)>,
    /// Id of the token before a text.
    pub(super) beginning: usize,
    /// Id of the token after a text.
    pub(super) end: usize,
    /// Id of the padding token.
    pub(super) padding: usize,
    /// Id of the token for what no piece covers.
    pub(super) unknown: usize,
}

/// Builds the tokenizer: NFKC, runs of white space as one space, and a space before the text.
pub(super) fn build(parts: UnigramParts) -> Result<Tokenizer, String> {
    let special: Vec<(String, usize)> = [parts.beginning, parts.padding, parts.end, parts.unknown]
        .into_iter()
        .map(|id| match parts.pieces.get(id) {
            Some((piece, _)) => Ok((piece.clone(), id)),
            None => Err(format!("special token {id} is not among the pieces")),
        })
        .collect::<Result<_, _>>()?;
    let model = Unigram::from(parts.pieces, Some(parts.unknown), false).map_err(|error| error.to_string())?;
    let mut tokenizer = Tokenizer::new(model);
    let replace = |pattern: &str| {
        let pattern = tokenizers::normalizers::replace::ReplacePattern::Regex(pattern.to_owned());
        Replace::new(pattern, " ")
            .map(NormalizerWrapper::Replace)
            .map_err(|error| error.to_string())
    };
    let steps = vec![
        NormalizerWrapper::NFKC(NFKC),
        replace(r"[\t\n\r]")?,
        replace(" {2,}")?,
    ];
    tokenizer
        .with_normalizer(Some(Sequence::new(steps)))
        .map_err(|error| error.to_string())?;
    tokenizer.with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, false)));
    let added = special
        .iter()
        .map(|(piece, _)| AddedToken::from(piece.clone(), true).normalized(false));
    tokenizer
        .add_special_tokens(added)
        .map_err(|error| error.to_string())?;
    let (beginning, end) = (&special[0], &special[2]);
    let template = TemplateProcessing::builder()
        .try_single(format!("{} $A {}", beginning.0, end.0))?
        .special_tokens(vec![
            (beginning.0.clone(), beginning.1 as u32),
            (end.0.clone(), end.1 as u32),
        ])
        .build()
        .map_err(|error| error.to_string())?;
    tokenizer.with_post_processor(Some(template));
    Ok(tokenizer)
}
