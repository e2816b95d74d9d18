//! Remote embedders: batches, encodings, and replies that must not reach an index.

use rag_core::progress::Silent;
use rag_models::Embedder;
use rag_models::remote::{KeyHeader, RemoteEmbedder, RemoteEmbeddingConfig, RemoteError, VectorEncoding};

use super::chat::{self, DIMENSION};
use super::server::Provider;
use super::{key, kind, quick, remote};

fn provider() -> Provider {
    Provider::start(0, chat::answer).unwrap()
}

fn config(provider: &Provider, model: &str) -> RemoteEmbeddingConfig {
    RemoteEmbeddingConfig {
        base_url: format!("{}/v1", provider.url()),
        model: model.into(),
        dimension: Some(DIMENSION),
        normalise: false,
        http: quick(),
        ..Default::default()
    }
}

fn open(config: RemoteEmbeddingConfig) -> RemoteEmbedder {
    RemoteEmbedder::new(config, key()).unwrap()
}

fn failure(config: RemoteEmbeddingConfig) -> RemoteError {
    let outcome =
        RemoteEmbedder::new(config, key()).and_then(|model| model.embed_passages(&["a", "bb"], &Silent));
    remote(outcome.unwrap_err())
}

#[test]
fn passages_go_in_batches_and_come_back_in_order() {
    let provider = provider();
    let texts = ["a", "bb", "ccc", "dddd", "", "eeeee"];
    for encoding in [VectorEncoding::Float, VectorEncoding::Base64] {
        let before = provider.requests().len();
        let model = open(RemoteEmbeddingConfig {
            encoding,
            batch_texts: 3,
            batch_bytes: 8,
            ..config(&provider, "m")
        });
        let embeddings = model.embed_passages(&texts, &Silent).unwrap();
        let firsts: Vec<f32> = (0..texts.len())
            .map(|index| embeddings.vector(index)[0])
            .collect();
        // The stand-in's vectors begin with the length of the text; the blank text was not sent.
        assert_eq!(firsts, [1.0, 2.0, 3.0, 4.0, 0.0, 5.0]);
        assert_eq!(embeddings.vector(4), [0.0; DIMENSION]);
        let sent: Vec<usize> = provider.requests()[before..]
            .iter()
            .map(|r| r.body["input"].as_array().unwrap().len())
            .collect();
        assert_eq!(sent, [3, 1, 1]);
    }
}

#[test]
fn the_dimension_is_learned_and_held() {
    let provider = provider();
    let learned = open(RemoteEmbeddingConfig {
        dimension: None,
        ..config(&provider, "m")
    });
    assert_eq!(learned.dimension(), DIMENSION);
    assert_eq!(
        learned.identity().key(),
        open(config(&provider, "m")).identity().key()
    );
    let growing = RemoteEmbeddingConfig {
        dimension: None,
        ..config(&provider, "grows")
    };
    let error = failure(growing);
    assert!(
        error
            .to_string()
            .contains("vectors of 5 numbers are expected and one of 6 came"),
        "{error}"
    );
    let shortened = RemoteEmbeddingConfig {
        dimension: Some(2),
        shorten: true,
        ..config(&provider, "m")
    };
    assert_eq!(open(shortened).embed_query("abc").unwrap(), [3.0, 1.0]);
}

#[test]
fn vectors_that_are_wrong_are_refused() {
    let provider = provider();
    assert_eq!(kind(&failure(config(&provider, "blocked"))), "Refused");
    let wrong = RemoteEmbeddingConfig {
        dimension: Some(DIMENSION + 1),
        ..config(&provider, "m")
    };
    assert_eq!(kind(&failure(wrong)), "Shape");
    let error = failure(config(&provider, "broken"));
    assert!(error.to_string().contains("not finite"), "{error}");
}

#[test]
fn long_texts_are_cut_and_counted_and_prefixes_are_sent() {
    let provider = provider();
    let model = open(RemoteEmbeddingConfig {
        max_tokens: 4,
        passage_prefix: "doc ".into(),
        query_prefix: "ask ".into(),
        ..config(&provider, "m")
    });
    assert_eq!(model.max_tokens(), 3);
    let embeddings = model
        .embed_passages(&["one two six ten", "one"], &Silent)
        .unwrap();
    assert_eq!(embeddings.truncated_tokens, [1, 0]);
    model.embed_query("one").unwrap();
    let requests = provider.requests();
    assert_eq!(requests[0].body["input"][0], "doc one two six ");
    assert_eq!(requests[1].body["input"][0], "ask one");
}

#[test]
fn vectors_have_length_one_where_asked() {
    let provider = provider();
    let model = open(RemoteEmbeddingConfig {
        normalise: true,
        ..config(&provider, "m")
    });
    let vector = model.embed_query("abc").unwrap();
    let length: f32 = vector.iter().map(|value| value * value).sum();
    assert!((length - 1.0).abs() < 1e-6);
    assert!(model.identity().normalised);
}

#[test]
fn the_identity_names_address_model_and_dimension_but_no_key() {
    let provider = provider();
    let base = config(&provider, "m");
    let azure = RemoteEmbeddingConfig {
        base_url: provider.url(),
        deployment: Some("dep".into()),
        api_version: Some("2024-10-21".into()),
        key_header: KeyHeader::ApiKey,
        ..base.clone()
    };
    let other = RemoteEmbeddingConfig {
        model: "n".into(),
        ..base.clone()
    };
    let models = [base, azure, other].map(open);
    let keys = models.each_ref().map(|model| model.identity().key());
    assert!(keys[0] != keys[1] && keys[0] != keys[2] && keys[1] != keys[2]);
    assert!(models[1].embed_query("abc").is_ok());
    for model in &models {
        assert!(!format!("{model:?}").contains(super::KEY));
    }
}
