//! Recognition with programs made here, so that none needs to be installed.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn image() -> GreyImage {
    GreyImage {
        width: 2,
        height: 1,
        pixels: vec![0, 255],
    }
}

fn with_program(script: &str, test: impl FnOnce(&OcrConfig)) {
    let folder = tempfile::tempdir().expect("the folder is ours");
    let program = folder.path().join("tesseract");
    fs_err::write(&program, format!("#!/bin/sh\n{script}\n")).expect("the folder is ours");
    fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("the folder is ours");
    test(&OcrConfig {
        program,
        max_document_ms: 10_000,
        ..OcrConfig::default()
    });
}

#[test]
fn a_page_is_turned_until_its_words_are_trusted() {
    // Trusts a picture that is one pixel wide, which ours is after one turn.
    let script = "read type width height rest\nconf=20; [ \"$width\" = 1 ] && conf=95\nprintf 'head\\n'\n\
        for word in one two three; do printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t1\\t1\\t%s\\t%s\\n' $conf $word; done";
    with_program(script, |config| {
        let read = Recognizer::new(config, &Networks::default())
            .read(&image())
            .unwrap();
        assert_eq!(read.paragraphs[0].lines, ["one two three"]);
        assert_eq!(read.confidence, 95.0);
    });
}

#[test]
fn what_cannot_be_read_says_why() {
    with_program("exit 1", |config| {
        assert_eq!(
            Recognizer::new(config, &Networks::default()).read(&image()),
            Err(NotRead::Failed)
        );
    });
    with_program("exec sleep 60", |config| {
        let config = OcrConfig {
            max_document_ms: 50,
            ..config.clone()
        };
        assert_eq!(
            Recognizer::new(&config, &Networks::default()).read(&image()),
            Err(NotRead::NoTime)
        );
    });
    let missing = OcrConfig {
        program: "/nowhere/tesseract".into(),
        ..OcrConfig::default()
    };
    assert_eq!(
        Recognizer::new(&missing, &Networks::default()).read(&image()),
        Err(NotRead::NoEngine)
    );
    let networks = OcrConfig {
        engine: OcrEngine::PpOcr,
        ..OcrConfig::default()
    };
    let nowhere = OcrModels {
        detector: "/nowhere/detector.onnx".into(),
        reader: "/nowhere/reader.onnx".into(),
    };
    for models in [None, Some(&nowhere)] {
        let engine = Networks::new(models);
        assert_eq!(
            Recognizer::new(&networks, &engine).read(&image()),
            Err(NotRead::NoEngine)
        );
    }
    let off = OcrConfig {
        engine: OcrEngine::Off,
        ..OcrConfig::default()
    };
    assert_eq!(
        Recognizer::new(&off, &Networks::default()).read(&image()),
        Err(NotRead::NoEngine)
    );
}
