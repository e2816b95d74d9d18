//! Which engine will recognise text, as it enters the key of what it reads.

use std::process::{Command, Stdio};

use rag_core::artifact::Digest;

use crate::config::{OcrConfig, OcrEngine, OcrModels};

/// Names the engine: another one, or another version of it, may read other words.
pub(crate) fn identity(config: &OcrConfig, models: Option<&OcrModels>) -> String {
    let tesseract = || tesseract_version(config);
    let networks = || models.and_then(networks_digest);
    let found = match config.engine {
        OcrEngine::Auto => tesseract().or_else(networks),
        OcrEngine::Tesseract => tesseract(),
        OcrEngine::PpOcr => networks(),
        OcrEngine::Off => None,
    };
    found.unwrap_or_else(|| "none".to_owned())
}

/// The first line of what the program says of itself; nothing when it is not installed.
fn tesseract_version(config: &OcrConfig) -> Option<String> {
    let output = Command::new(&config.program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let version: String = said.lines().next().unwrap_or_default().chars().take(80).collect();
    Some(format!("tesseract: {version}"))
}

fn networks_digest(models: &OcrModels) -> Option<String> {
    let digest = |path| Some(Digest::of_file(path).ok()?.blake3);
    Some(format!(
        "pp-ocr: {} {}",
        digest(&models.detector)?,
        digest(&models.reader)?
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn program_and_networks_are_told_by_version_and_content() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("tesseract");
        fs_err::write(&program, "#!/bin/sh\necho tesseract 9.1\necho more\n").unwrap();
        fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut config = OcrConfig {
            program,
            ..OcrConfig::default()
        };
        assert_eq!(identity(&config, None), "tesseract: tesseract 9.1");
        config.program = "/nowhere/tesseract".into();
        let models = OcrModels {
            detector: folder.path().join("detector"),
            reader: folder.path().join("reader"),
        };
        assert_eq!(identity(&config, Some(&models)), "none");
        for path in [&models.detector, &models.reader] {
            fs_err::write(path, "weights").unwrap();
        }
        assert!(identity(&config, Some(&models)).starts_with("pp-ocr: "));
        config.engine = OcrEngine::Off;
        assert_eq!(identity(&config, Some(&models)), "none");
    }
}
