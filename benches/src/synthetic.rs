//! A generation made of seeded noise that behaves like text: clustered unit vectors, Zipf words.
//!
//! Passage `n` is in the group `all`, one in ten also in `tenth`, one in a hundred in `hundredth`, so that
//! a principal's groups decide how much a filter lets through.

use std::path::Path;

use rag_core::access::{AccessList, Principal};
use rag_core::artifact::{ArtifactWriter, StageKey, jsonl};
use rag_core::filter::Filter;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Silent};
use rag_core::random::Random;
use rag_core::stage::Outcome;
use rag_index::{AllowedSet, Config, Generation, SearchConfig, Tools};
use rag_models::{Embedder, Embeddings, ModelError, ModelIdentity, Pooling, Precision};

/// Numbers per vector, as MiniLM and the small e5 and bge models have.
pub const DIMENSION: usize = 384;

/// Words that passages draw from.
const VOCABULARY: f64 = 50_000.0;

/// Share of a vector that is its own and not its cluster's: cosines within a cluster are about 0.6.
const NOISE: f32 = 0.8;

/// `count` words by Zipf's law: the nth is drawn in proportion to 1/n.
pub fn words(random: &mut Random, count: usize) -> String {
    let words: Vec<String> = (0..count)
        .map(|_| format!("w{}", VOCABULARY.powf(random.unit()) as u64))
        .collect();
    words.join(" ")
}

fn direction(random: &mut Random) -> Vec<f32> {
    (0..DIMENSION).map(|_| random.bell()).collect()
}

/// Unit vectors around as many centres as there are hundreds of passages, one per number.
pub struct Cloud {
    centres: u64,
}

impl Cloud {
    /// A cloud for `passages` passages.
    pub fn new(passages: usize) -> Self {
        Self {
            centres: (passages as u64 / 100).max(1),
        }
    }

    /// Vector number `n`, the same whenever it is asked for.
    pub fn vector(&self, n: u64) -> Vec<f32> {
        let mut random = Random::new(n);
        let centre = direction(&mut Random::new(u64::MAX - random.bits() % self.centres));
        let own = direction(&mut random);
        let mixed: Vec<f32> = centre.iter().zip(own).map(|(c, o)| c + NOISE * o).collect();
        let length = mixed.iter().map(|x| x * x).sum::<f32>().sqrt();
        mixed.into_iter().map(|x| x / length).collect()
    }
}

/// Reads a passage's number from its text and gives that vector of the cloud.
struct CloudEmbedder {
    identity: ModelIdentity,
    cloud: Cloud,
}

impl CloudEmbedder {
    fn new(cloud: Cloud) -> Self {
        let identity = ModelIdentity {
            name: "synthetic".into(),
            weights: "seeded".into(),
            tokenizer: "none".into(),
            dimension: DIMENSION,
            pooling: Pooling::None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            normalised: true,
            max_tokens: 1 << 20,
            precision: Precision::F32,
        };
        Self { identity, cloud }
    }
}

impl Embedder for CloudEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn max_tokens(&self) -> usize {
        self.identity.max_tokens
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn token_offsets(&self, text: &str) -> Vec<(usize, usize)> {
        vec![(0, text.len())]
    }

    fn serves(&self, _: Language) -> bool {
        true
    }

    fn embed_passages(&self, texts: &[&str], _: &dyn Progress) -> Result<Embeddings, ModelError> {
        let vectors = texts
            .iter()
            .flat_map(|text| self.embed_query(text).unwrap_or_default());
        Ok(Embeddings {
            dimension: DIMENSION,
            values: vectors.collect(),
            truncated_tokens: vec![0; texts.len()],
        })
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let number = text.split(' ').next().and_then(|first| first.parse().ok());
        Ok(self.cloud.vector(number.unwrap_or_default()))
    }
}

/// Builds a generation of `passages` passages of `words` words in `folder` and opens it.
pub fn generation(folder: &Path, passages: usize, words: usize, config: &Config) -> Generation {
    let all: Vec<Passage> = (0..passages).map(|n| passage(n, words)).collect();
    generation_of(folder, &all, config)
}

/// Builds a generation of `passages` in `folder` and opens it. The vector of a passage is the one of the cloud whose
/// number its text begins with.
pub fn generation_of(folder: &Path, passages: &[Passage], config: &Config) -> Generation {
    let chunked = folder.join("chunked");
    let key = StageKey::new("chunk", 1, &passages.len());
    let writer = ArtifactWriter::begin(&chunked, key).expect("the folder is ours");
    jsonl::write_all(&writer.path(PASSAGES_FILE), passages).expect("there is room");
    writer.publish(Outcome::default()).expect("there is room");
    let tools = Tools {
        embedder: &CloudEmbedder::new(Cloud::new(passages.len())),
        previous: &[],
        journal: &folder.join("journal"),
        progress: &Silent,
    };
    let output = folder.join("generation");
    rag_index::run(config, &chunked, &output, &tools).expect("the passages are sound");
    Generation::open(&output, &config.search).expect("it was just built")
}

/// Opens the generation of `folder` to be searched in another way.
pub fn reopen(folder: &Path, search: &SearchConfig) -> Generation {
    Generation::open(&folder.join("generation"), search).expect("it was built")
}

/// What a member of `group` is allowed.
pub fn allowed(generation: &Generation, group: &str) -> AllowedSet {
    generation.allowed(&Principal::from_iter([group]), &Filter::default())
}

fn passage(number: usize, words: usize) -> Passage {
    let words_drawn = self::words(&mut Random::new(number as u64 ^ 0x5eed), words);
    let text = format!("{number} {words_drawn}");
    let groups = [
        ("all", 1),
        ("tenth", 10),
        ("hundredth", 100),
        ("thousandth", 1000),
    ];
    let groups = groups.iter().filter(|(_, every)| number.is_multiple_of(*every));
    Passage {
        access: groups.map(|(name, _)| *name).collect::<AccessList>(),
        tokens: words as u32,
        ..passage_of(number, text)
    }
}

/// An English passage of a document of its own, which members of `all` may read.
pub fn passage_of(number: usize, text: String) -> Passage {
    let id = PassageId {
        document: DocumentId::new(format!("d{number:08}")).expect("a letter and digits"),
        position: 0,
    };
    Passage {
        language: Language::ENGLISH,
        access: AccessList::from_iter(["all"]),
        ..Passage::new(id, text)
    }
}
