//! Known answers of the published models, on their real weights.
//!
//! Weights come from the user's model cache, as any program gets them; a machine that has none and cannot
//! obtain them cannot say whether the models are right, so these tests fail there.

use rag_core::language::Language;
use rag_core::progress::Silent;
use rag_models::bert::EncoderOptions;
use rag_models::fetch::FetchConfig;
use rag_models::{CrossEncoder, Embedder, ModelOptions, Precision, open_cross_encoder, open_embedder};

fn options(precision: Precision) -> ModelOptions {
    ModelOptions {
        fetch: FetchConfig::default().with_variables(|name| std::env::var(name).ok()),
        encoder: EncoderOptions {
            precision,
            ..EncoderOptions::default()
        },
    }
}

fn embedder(name: &str, precision: Precision) -> Box<dyn Embedder> {
    open_embedder(name, &options(precision), &Silent).expect("the model is in the cache or can be fetched")
}

fn reranker(precision: Precision) -> Box<dyn CrossEncoder> {
    open_cross_encoder("ms-marco-MiniLM-L-12-v2", &options(precision), &Silent)
        .expect("the model is in the cache or can be fetched")
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

const TEXTS: [&str; 3] = [
    "The cat sits on the mat.",
    "A kitten is resting on a rug.",
    "Quarterly revenue rose by eight percent.",
];

#[test]
fn minilm_gives_the_published_vectors() {
    const FIRST: [[f32; 8]; 3] = [
        [
            0.134_177, -0.032_9, -0.024_804, 0.041_439, -0.036_348, 0.041_814, 0.031_217, 0.037_202,
        ],
        [
            0.075_357, 0.015_11, 0.012_094, 0.060_79, -0.004_022, 0.056_365, -0.027_142, -0.002_098,
        ],
        [
            0.008_656, -0.007_738, 0.040_926, -0.007_098, -0.008_177, 0.004_325, -0.009_055, 0.085_62,
        ],
    ];
    let model = embedder("all-MiniLM-L6-v2", Precision::F32);
    let found = model.embed_passages(&TEXTS, &Silent).unwrap();
    for (vector, known) in found.vectors().zip(FIRST) {
        for (value, known) in vector.iter().zip(known) {
            assert!((value - known).abs() < 2e-6, "{value} {known}");
        }
    }
    assert!((dot(found.vector(0), found.vector(1)) - 0.641_133).abs() < 1e-5);
    assert!((dot(found.vector(0), found.vector(2)) + 0.030_431).abs() < 1e-5);
    assert!(model.serves(Language::ENGLISH) && !model.serves(Language::ARABIC));
}

#[test]
fn lower_precisions_of_minilm_stay_close_to_exact() {
    let exact = embedder("all-MiniLM-L6-v2", Precision::F32);
    let exact = exact.embed_passages(&TEXTS, &Silent).unwrap();
    for (precision, least) in [(Precision::Bf16, 0.999_9), (Precision::Int8, 0.995)] {
        let model = embedder("all-MiniLM-L6-v2", precision);
        let found = model.embed_passages(&TEXTS, &Silent).unwrap();
        for (vector, exact) in found.vectors().zip(exact.vectors()) {
            let cosine = dot(vector, exact);
            assert!(cosine > least, "{precision:?}: {cosine}");
        }
    }
}

#[test]
fn minilm_reads_256_tokens_and_counts_the_rest() {
    let model = embedder("all-MiniLM-L6-v2", Precision::F32);
    assert_eq!(model.max_tokens(), 254);
    let long = "cat ".repeat(300);
    let fits = "cat ".repeat(254);
    let found = model.embed_passages(&[&long, &fits, "", "cat"], &Silent).unwrap();
    assert_eq!(found.truncated_tokens, [46, 0, 0, 0]);
    assert_eq!(found.vector(0), found.vector(1));
    // The tokenizer file pads to 128: a padded text would not give the same vector alone.
    let alone = model.embed_passages(&["cat"], &Silent).unwrap();
    assert_eq!(alone.vector(0), found.vector(3));
    assert_eq!(model.embed_query("cat").unwrap(), alone.vector(0));
}

#[test]
fn tokens_are_counted_and_located_in_the_text() {
    let model = embedder("all-MiniLM-L6-v2", Precision::F32);
    let text = "Naïve embeddings,  ERR-4012 [SEP] مرحبا";
    let offsets = model.token_offsets(text);
    assert_eq!(offsets.len(), model.count_tokens(text));
    let parts: Vec<&str> = offsets.iter().map(|&(from, to)| &text[from..to]).collect();
    assert_eq!(&parts[..4], ["Naïve", "em", "bed", "ding"]);
    // A special token in a text is plain text, not one token.
    assert!(!parts.contains(&"[SEP]"), "{parts:?}");
    assert!(offsets.windows(2).all(|pair| pair[0].0 <= pair[1].0));
}

#[test]
fn bge_pools_the_first_token_and_prefixes_questions() {
    const FIRST: [f32; 8] = [
        0.036_109, -0.019_285, 0.007_428, 0.057_098, -0.030_927, -0.010_685, 0.102_346, 0.071_792,
    ];
    let model = embedder("bge-small-en-v1.5", Precision::F32);
    let found = model.embed_passages(&TEXTS, &Silent).unwrap();
    for (value, known) in found.vector(0).iter().zip(FIRST) {
        // The known vector was computed with quantised activations.
        assert!((value - known).abs() < 0.02, "{value} {known}");
    }
    assert!((dot(found.vector(0), found.vector(1)) - 0.775_5).abs() < 0.02);
    assert!((dot(found.vector(0), found.vector(2)) - 0.353_9).abs() < 0.03);
    let prefixed = format!("{}{}", model.identity().query_prefix, TEXTS[0]);
    let as_passage = model.embed_passages(&[&prefixed], &Silent).unwrap();
    assert_eq!(model.embed_query(TEXTS[0]).unwrap(), as_passage.vector(0));
    assert_eq!(model.max_tokens(), 510);
}

#[test]
fn e5_ranks_arabic_and_english_passages_for_an_arabic_question() {
    const FIRST: [f32; 8] = [
        0.024_002, -0.037_537, -0.032_112, -0.067_313, 0.072_596, -0.050_622, 0.033_55, 0.024_526,
    ];
    let model = embedder("multilingual-e5-small", Precision::F32);
    let query = model.embed_query("ما هي عاصمة فرنسا؟").unwrap();
    for (value, known) in query.iter().zip(FIRST) {
        assert!((value - known).abs() < 2e-3, "{value} {known}");
    }
    let passages = [
        "باريس هي عاصمة فرنسا وأكبر مدنها.",
        "Paris is the capital and largest city of France.",
        "تناولنا السمك على العشاء أمس.",
    ];
    let found = model.embed_passages(&passages, &Silent).unwrap();
    for (vector, known) in found.vectors().zip([0.891_62, 0.825_43, 0.702_0]) {
        let cosine = dot(&query, vector);
        assert!((cosine - known).abs() < 2e-3, "{cosine} {known}");
    }
    assert!(model.serves(Language::ARABIC) && model.serves(Language::ENGLISH));
    // Two special tokens, and "passage: ".
    assert_eq!(model.max_tokens(), 512 - 2 - model.count_tokens("passage:"));
    assert_eq!(model.count_tokens("باريس هي عاصمة فرنسا وأكبر مدنها."), 10);
}

#[test]
fn the_reranker_gives_the_published_scores() {
    let passages = [
        "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.",
        "Berlin is well known for its museums.",
        "New York City is famous for the Metropolitan Museum of Art.",
        "The population of Paris is about two million people.",
    ];
    // The known scores were computed with quantised activations, the published ones are 9.3, -2.5, -11.2.
    for (precision, tolerance) in [
        (Precision::F32, 1.6),
        (Precision::Bf16, 1.6),
        (Precision::Int8, 1.6),
    ] {
        let model = reranker(precision);
        let scores = model.score("How many people live in Berlin?", &passages).unwrap();
        for (logit, known) in scores.logits.iter().zip([9.085, -3.934, -11.187, -4.369]) {
            assert!((logit - known).abs() < tolerance, "{precision:?} {logit} {known}");
        }
        assert_eq!(scores.truncated_tokens, [0; 4]);
        assert_eq!(scores.windows, [1; 4]);
    }
}

#[test]
fn a_long_passage_is_scored_by_its_best_window_and_reports_what_was_cut() {
    let model = reranker(Precision::F32);
    let question = "How many people live in Berlin?";
    let answer = "Berlin had a population of 3,520,031 registered inhabitants.";
    let noise = "The museum opens at nine and closes at five. ".repeat(80);
    let late = format!("{noise}{answer}");
    let huge = "The museum opens at nine. ".repeat(2_000);
    let scores = model.score(question, &[answer, &late, &huge, ""]).unwrap();
    assert!(scores.windows[1] > 1 && scores.truncated_tokens[1] == 0);
    assert!(scores.logits[1] > scores.logits[2] + 2.0, "{:?}", scores.logits);
    assert_eq!(scores.windows[2], 8);
    assert!(scores.truncated_tokens[2] > 8_000);
    let flood = "museum ".repeat(1_000);
    let cut = model.score(&flood, &[answer]).unwrap();
    assert!(cut.truncated_query_tokens > 700);
}

#[test]
fn neither_batch_nor_threads_change_a_byte() {
    let texts: Vec<String> = (1..60)
        .map(|words| format!("Passage {words}: {}", "the reply came late. ".repeat(words)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for precision in [Precision::F32, Precision::Bf16, Precision::Int8] {
        let mut options = options(precision);
        options.encoder.threads = 1;
        let one = open_embedder("all-MiniLM-L6-v2", &options, &Silent).unwrap();
        options.encoder.threads = 3;
        let three = open_embedder("all-MiniLM-L6-v2", &options, &Silent).unwrap();
        let together = one.embed_passages(&texts, &Silent).unwrap();
        assert_eq!(three.embed_passages(&texts, &Silent).unwrap(), together);
        for index in [0, 30, 58] {
            let alone = one.embed_passages(&texts[index..=index], &Silent).unwrap();
            assert_eq!(alone.vector(0), together.vector(index), "{precision:?} {index}");
        }
    }
}
