//! `[exec]` of `rag.toml`: which boxes are programs.

use std::fmt;
use std::path::{Path, PathBuf};

use rag_core::artifact::Digest;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};

use crate::error::PipelineError;
use crate::models::NONE;

/// The table's name.
const TABLE: &str = "exec";

/// The boxes that a program can stand for.
const BOXES: [&str; 4] = ["chunk", "retrieve", "rerank", "generate"];

/// Programs that stand for a box, and what they may use up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExecSettings {
    /// Longest time that one call of a program may take, in seconds. Default: 3600.
    pub time_limit_s: u64,
    /// Most bytes that one call of a program may write into `--out`, where a file or a folder counts as at least 4096.
    /// Default: 1 GiB.
    pub max_output_bytes: u64,
    /// Documents to passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Program>,
    /// Questions to ranked passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieve: Option<Program>,
    /// Ranked passages to better ranked passages, whatever `models.reranker` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<Program>,
    /// Ranked passages to answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Program>,
}

impl Default for ExecSettings {
    fn default() -> Self {
        Self {
            time_limit_s: 3600,
            max_output_bytes: 1 << 30,
            chunk: None,
            retrieve: None,
            rerank: None,
            generate: None,
        }
    }
}

impl ExecSettings {
    /// The programs that are named, with their stage.
    pub fn programs(&self) -> impl Iterator<Item = (&'static str, &Program)> {
        let all = [&self.chunk, &self.retrieve, &self.rerank, &self.generate];
        BOXES
            .into_iter()
            .zip(all)
            .filter_map(|(stage, program)| Some((stage, program.as_ref()?)))
    }

    /// Whether a program stands for a box that questions go through.
    pub(crate) fn serves_questions(&self) -> bool {
        self.programs().any(|(stage, _)| stage != "chunk")
    }
}

/// A program with its arguments: `"path"`, `["path", "argument", …]`, or a table of the fields.
///
/// A path with a `/` in it is relative to `folder`; a name without one is looked up by the operating system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The program and its arguments, to which those of the stage are added.
    pub command: Vec<String>,
    /// Where it runs. Default: the folder of the settings file that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// What it reads by itself, such as modules and weights, relative to `folder`: when one of these files changes, it
    /// is another program. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ProgramVisitor)
    }
}

/// Reads the ways of writing a program down.
struct ProgramVisitor;

impl<'de> Visitor<'de> for ProgramVisitor {
    type Value = Program;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a program: its path, a list of its path and arguments, or a table with `command`")
    }

    fn visit_str<E: de::Error>(self, path: &str) -> Result<Program, E> {
        program(vec![path.to_owned()], None, Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, words: A) -> Result<Program, A::Error> {
        let command = Deserialize::deserialize(SeqAccessDeserializer::new(words))?;
        program(command, None, Vec::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Program, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            command: Vec<String>,
            folder: Option<PathBuf>,
            #[serde(default)]
            files: Vec<PathBuf>,
        }
        let written = Written::deserialize(MapAccessDeserializer::new(table))?;
        program(written.command, written.folder, written.files)
    }
}

fn program<E: de::Error>(
    command: Vec<String>,
    folder: Option<PathBuf>,
    files: Vec<PathBuf>,
) -> Result<Program, E> {
    let path = command.first().map_or("", |path| path.trim());
    if path.is_empty() {
        return Err(E::custom("the command of a program begins with its path"));
    }
    Ok(Program {
        command,
        folder,
        files,
    })
}

impl Program {
    /// The program as people know it.
    pub fn label(&self) -> String {
        self.command.join(" ")
    }

    /// What is started: a path is taken from the folder.
    pub(super) fn executable(&self) -> PathBuf {
        match &self.folder {
            Some(folder) if self.command[0].contains('/') => folder.join(&self.command[0]),
            _ => PathBuf::from(&self.command[0]),
        }
    }

    /// The path that it means by `path`.
    fn located(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder
            .as_ref()
            .map_or_else(|| path.as_ref().to_owned(), |folder| folder.join(&path))
    }

    /// Names what the program does, for artifacts' keys: its words, in place of those that are files the digest of
    /// the file, and the digests of its further files. What else it loads is not looked at.
    pub(crate) fn identity(&self) -> Result<String, PipelineError> {
        let mut parts = Vec::new();
        for (place, word) in self.command.iter().enumerate() {
            let is_looked_up = place == 0 && !word.contains('/');
            let path = self.located(word);
            parts.push(if !is_looked_up && path.is_file() {
                Digest::of_file(&path)?.blake3.to_string()
            } else {
                word.clone()
            });
        }
        parts.push(self.command.len().to_string());
        for file in &self.files {
            parts.push(Digest::of_file(&self.located(file))?.blake3.to_string());
        }
        let digest = Digest::of_parts(parts.iter().map(String::as_bytes));
        Ok(format!("program {}", digest.short()))
    }
}

/// Notes with each program of `settings`, which were read from the file at `path`, where it runs.
pub(crate) fn place_programs(settings: &mut Table, path: &Path) -> Result<(), PipelineError> {
    let Some(Value::Table(exec)) = settings.get_mut(TABLE) else {
        return Ok(());
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let home = fs_err::canonicalize(parent.unwrap_or(Path::new(".")))?;
    for name in BOXES {
        let Some(program) = exec.get_mut(name) else {
            continue;
        };
        let mut table = match program {
            Value::String(text) if text == NONE => continue,
            Value::String(path) => {
                Table::from_iter([("command".to_owned(), Value::from(vec![path.clone()]))])
            }
            Value::Array(words) => Table::from_iter([("command".to_owned(), Value::Array(words.clone()))]),
            Value::Table(table) => table.clone(),
            _ => continue,
        };
        let folder = match table.get("folder").and_then(Value::as_str) {
            Some(folder) => home.join(folder),
            None => home.clone(),
        };
        table.insert(
            "folder".to_owned(),
            Value::from(folder.to_string_lossy().into_owned()),
        );
        *program = Value::Table(table);
    }
    Ok(())
}

/// Takes out the boxes that are set to `none`: what an earlier file named does not stand for them any more.
pub(crate) fn drop_named_none(settings: &mut Table) {
    if let Some(Value::Table(exec)) = settings.get_mut(TABLE) {
        exec.retain(|name, value| !(BOXES.contains(&name) && value.as_str() == Some(NONE)));
    }
}
