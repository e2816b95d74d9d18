//! A folder with documents and settings, and the binary run in it.

use std::process::{Command, Output};

use serde_json::Value;

/// A temporary working directory.
pub(crate) struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    /// A site with this `rag.toml` and an empty folder `docs`.
    pub(crate) fn new(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("docs")).unwrap();
        fs_err::write(folder.path().join("rag.toml"), settings).unwrap();
        Self { folder }
    }

    /// Writes a file below `docs`.
    pub(crate) fn document(&self, name: &str, text: impl AsRef<[u8]>) {
        fs_err::write(self.path(&format!("docs/{name}")), text).unwrap();
    }

    /// A path of the site.
    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// The binary with these arguments, in the site.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rag"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the binary, which must succeed (also with quarantined documents) and print one JSON value.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        let code = output.status.code();
        assert!(
            code == Some(0) || code == Some(3),
            "{arguments:?}: {code:?} {}",
            lines(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Output as text.
pub(crate) fn lines(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
