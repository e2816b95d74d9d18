//! A small generation over real passages, embedded without weights.

use std::path::Path;

use rag_core::access::AccessList;
use rag_core::artifact::{ArtifactWriter, StageKey, jsonl};
use rag_core::hit::Hit;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Silent};
use rag_core::stage::Outcome;
use rag_index::Generation;
use rag_models::tfidf::{Synonyms, TfIdfConfig, TfIdfEmbedder};
use rag_models::{Embedder, Embeddings, ModelError, ModelIdentity};

/// An English passage that everybody may read.
pub(crate) fn passage(document: &str, position: u32, text: &str) -> Passage {
    let id = PassageId {
        document: DocumentId::new(document).unwrap(),
        position,
    };
    Passage {
        title: format!("Title of {document}"),
        source: format!("{document}.md"),
        language: Language::ENGLISH,
        access: AccessList::public(),
        ..Passage::new(id, text)
    }
}

/// TF-IDF that, like a model of one language, serves English only.
pub(crate) struct EnglishOnly(TfIdfEmbedder);

impl Embedder for EnglishOnly {
    fn identity(&self) -> &ModelIdentity {
        self.0.identity()
    }

    fn max_tokens(&self) -> usize {
        self.0.max_tokens()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.0.count_tokens(text)
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        self.0.token_offsets(text)
    }

    fn serves(&self, language: Language) -> bool {
        language == Language::ENGLISH || language == Language::UNKNOWN
    }

    fn embed_passages(&self, texts: &[&str], progress: &dyn Progress) -> Result<Embeddings, ModelError> {
        self.0.embed_passages(texts, progress)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.0.embed_query(text)
    }
}

/// Fits the embedder on `passages`.
pub(crate) fn embedder(passages: &[Passage]) -> EnglishOnly {
    let texts: Vec<String> = passages.iter().map(Passage::index_text).collect();
    let fitted = TfIdfEmbedder::fit(
        texts.iter().map(String::as_str),
        Synonyms::default(),
        TfIdfConfig::default(),
    );
    EnglishOnly(fitted.unwrap())
}

/// Indexes `passages` below `folder`.
pub(crate) fn generation(folder: &Path, passages: &[Passage], embedder: &dyn Embedder) -> Generation {
    let (chunked, indexed) = (folder.join("chunked"), folder.join("indexed"));
    let key = StageKey::new("chunk", 1, &serde_json::to_value(passages).unwrap());
    let writer = ArtifactWriter::begin(&chunked, key).unwrap();
    jsonl::write_all(&writer.path(PASSAGES_FILE), passages).unwrap();
    writer.publish(Outcome::default()).unwrap();
    let tools = rag_index::Tools {
        embedder,
        previous: &[],
        journal: &folder.join("journal"),
        progress: &Silent,
    };
    rag_index::run(&rag_index::Config::default(), &chunked, &indexed, &tools).unwrap();
    Generation::open(&indexed, &rag_index::SearchConfig::default()).unwrap()
}

/// The first hit of a passage.
pub(crate) fn hit(document: &str, position: u32, text: &str) -> Hit {
    Hit::new(1, 1.0, passage(document, position, text))
}
