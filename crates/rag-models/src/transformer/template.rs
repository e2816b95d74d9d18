//! Which special tokens a model wants around one text and around a pair, found by asking its tokenizer.

use tokenizers::{Encoding, Tokenizer};

use crate::bert::Sequence;

/// Special tokens with their types: before, between and after the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    before: Vec<(u32, u32)>,
    after_single: Vec<(u32, u32)>,
    between: Vec<(u32, u32)>,
    after_pair: Vec<(u32, u32)>,
    first_type: u32,
    second_type: u32,
}

impl Template {
    /// Encodes two sample texts and looks at what the tokenizer put around them.
    pub(super) fn of(tokenizer: &Tokenizer) -> Result<Self, String> {
        let single = tokenizer.encode("a", true).map_err(|error| error.to_string())?;
        let pair = tokenizer
            .encode(("a", "a"), true)
            .map_err(|error| error.to_string())?;
        let [before, after_single] = &gaps(&single)[..] else {
            return Err("its template drops a text".into());
        };
        let [_, between, after_pair] = &gaps(&pair)[..] else {
            return Err("its template drops a text of a pair".into());
        };
        let types = |encoding: &Encoding, text: usize| {
            let at = encoding
                .get_sequence_ids()
                .iter()
                .position(|id| *id == Some(text));
            at.map_or(0, |at| encoding.get_type_ids()[at])
        };
        Ok(Self {
            before: before.clone(),
            after_single: after_single.clone(),
            between: between.clone(),
            after_pair: after_pair.clone(),
            first_type: types(&pair, 0),
            second_type: types(&pair, 1),
        })
    }

    /// Special tokens around one text.
    pub(crate) fn single_extra(&self) -> usize {
        self.before.len() + self.after_single.len()
    }

    /// Special tokens around a pair.
    pub(crate) fn pair_extra(&self) -> usize {
        self.before.len() + self.between.len() + self.after_pair.len()
    }

    /// One text as the model reads it.
    pub(crate) fn single(&self, ids: &[u32]) -> Sequence {
        let special = |tokens: &[(u32, u32)]| tokens.iter().map(|&(id, _)| id).collect::<Vec<_>>();
        Sequence {
            ids: [&special(&self.before)[..], ids, &special(&self.after_single)].concat(),
            types: Vec::new(),
        }
    }

    /// A pair as the model reads it.
    pub(crate) fn pair(&self, first: &[u32], second: &[u32]) -> Sequence {
        let mut sequence = Sequence::default();
        let own = |ids: &[u32], kind: u32| ids.iter().map(|&id| (id, kind)).collect::<Vec<_>>();
        for part in [
            &self.before,
            &own(first, self.first_type),
            &self.between,
            &own(second, self.second_type),
            &self.after_pair,
        ] {
            sequence.ids.extend(part.iter().map(|(id, _)| id));
            sequence.types.extend(part.iter().map(|(_, kind)| kind));
        }
        sequence
    }
}

/// The runs of special tokens before, between and after the texts of an encoding.
fn gaps(encoding: &Encoding) -> Vec<Vec<(u32, u32)>> {
    let mut gaps = vec![Vec::new()];
    let mut inside = None;
    let tokens = encoding.get_ids().iter().zip(encoding.get_type_ids());
    for ((&id, &kind), text) in tokens.zip(encoding.get_sequence_ids()) {
        match text {
            Some(text) if inside != Some(text) => {
                inside = Some(text);
                gaps.push(Vec::new());
            }
            Some(_) => {}
            None => {
                if let Some(gap) = gaps.last_mut() {
                    gap.push((id, kind));
                }
            }
        }
    }
    gaps
}
