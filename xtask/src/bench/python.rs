//! The peers: Python packages in a virtual environment, one process for each that takes part.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context as _;
use rag_cli::print::to_stderr;
use serde::Serialize;
use serde_json::Value;

use crate::workspace;

/// The packages, with the versions that figures were taken with.
const PACKAGES: [&str; 11] = [
    "numpy==2.4.6",
    "onnx==1.23.2",
    "onnxruntime==1.32.0",
    "openvino==2026.4.1",
    "tokenizers==0.22.1",
    "hnswlib==0.8.0",
    "usearch==2.26.6",
    "faiss-cpu==1.15.1",
    "bm25s[stem]==0.3.16",
    "tantivy==0.27.0",
    "xllamacpp==2026.10.11549",
];

/// A virtual environment with the peers in it.
pub(super) struct Python {
    interpreter: PathBuf,
    work: PathBuf,
}

impl Python {
    /// Makes the environment below `work`, or finds the one that is there with the same packages.
    pub(super) fn prepare(work: &Path) -> anyhow::Result<Self> {
        fs_err::create_dir_all(work)?;
        let work = fs_err::canonicalize(work)?;
        let folder = work.join("venv");
        let interpreter = folder.join("bin/python");
        let list = work.join("packages.txt");
        let wanted = PACKAGES.join("\n");
        let ready = Self { interpreter, work };
        if fs_err::read_to_string(&list).ok().as_deref() == Some(&wanted) {
            return Ok(ready);
        }
        to_stderr(&format!("installing the peers into {}", folder.display()));
        let mut make = Command::new("python3");
        make.args(["-m", "venv", "--clear"]).arg(&folder);
        finish(make).context("is python3 installed, with its module venv?")?;
        let mut install = Command::new(&ready.interpreter);
        install.args(["-m", "pip", "install", "--quiet"]);
        install.args(PACKAGES);
        finish(install).context("the peers could not be installed from the package index")?;
        fs_err::write(&list, wanted)?;
        Ok(ready)
    }

    /// Where peers may keep their models.
    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    /// Starts the script `name` for `engine`; ready when this returns, with what it said then.
    pub(super) fn start(
        &self,
        name: &str,
        engine: &str,
        parameters: &impl Serialize,
    ) -> anyhow::Result<(Peer, Value)> {
        let path = self.work.join(format!("{name}-{engine}.json"));
        fs_err::write(&path, serde_json::to_vec(parameters)?)?;
        let script = workspace().join("benches/peers").join(format!("{name}.py"));
        to_stderr(&format!("{name}: getting {engine} ready"));
        let mut child = Command::new(&self.interpreter)
            .arg(script)
            .arg(engine)
            .arg(path)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("its input was asked to be piped")?;
        let output = child.stdout.take().context("its output was asked to be piped")?;
        let mut peer = Peer {
            name: format!("{name} {engine}"),
            child,
            input,
            output: BufReader::new(output),
        };
        let ready = peer.read("ready")?;
        Ok((peer, ready["ready"].clone()))
    }
}

fn finish(mut command: Command) -> anyhow::Result<()> {
    let status = command.stdout(Stdio::null()).status()?;
    anyhow::ensure!(
        status.success(),
        "{} failed ({status})",
        command.get_program().display()
    );
    Ok(())
}

/// A peer's process, ended when dropped.
pub(super) struct Peer {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Lets it do its work once; what it printed.
    pub(super) fn run(&mut self) -> anyhow::Result<Value> {
        writeln!(self.input, "run").with_context(|| format!("{} has ended", self.name))?;
        self.input.flush()?;
        self.read("seconds")
    }

    /// The next line with the field `field`; others are an engine's own talk.
    fn read(&mut self, field: &str) -> anyhow::Result<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line)?;
            anyhow::ensure!(read > 0, "{} ended; what it said is above", self.name);
            match serde_json::from_str::<Value>(&line) {
                Ok(value) if value.get(field).is_some() => return Ok(value),
                _ => {}
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Fails only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number in the field `name` of what a peer printed.
pub(super) fn number(said: &Value, name: &str) -> f64 {
    said[name].as_f64().unwrap_or(f64::NAN)
}
