//! Reading an experiment's file: what is asked, and the variants that its grid spans.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use crate::error::PipelineError;
use crate::settings::{Settings, read_table};

/// The table that is not one of `rag.toml`.
const TABLE: &str = "experiment";

/// Most variants of one experiment.
const MOST_VARIANTS: usize = 64;

/// Longest name of a variant's folder, before the digest that keeps it apart.
const NAME_CHARS: usize = 60;

/// What is tried, and on what.
#[derive(Debug)]
pub struct Experiment {
    /// The file's name without its ending.
    pub name: String,
    /// What it is about, in the file's words.
    pub description: String,
    /// The questions, and the documents they are asked of, if the file says so.
    pub material: Option<Material>,
    /// The variants, in the order of the grid's values; the last setting varies fastest.
    pub variants: Vec<Variant>,
}

/// One combination of the grid's values.
#[derive(Debug)]
pub struct Variant {
    /// Setting and value of each that is varied, such as `chunk.kind=fixed`; `as it is` when nothing is.
    pub name: String,
    /// The settings, or why there can be none with these values.
    pub settings: Result<Settings, PipelineError>,
}

/// What questions are asked of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Material {
    /// A folder of documents, and labelled questions about them.
    Folder {
        /// The folder.
        source: PathBuf,
        /// The questions, as JSON lines.
        questions: PathBuf,
    },
    /// A data set, asked of itself.
    Dataset(PathBuf),
}

/// The table `[experiment]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Described {
    description: String,
    source: Option<PathBuf>,
    questions: Option<PathBuf>,
    dataset: Option<PathBuf>,
    grid: Table,
}

impl Experiment {
    /// Reads the experiment at `path` over the settings `base`. Paths in it are relative to its folder.
    pub fn read(base: &Settings, path: &Path) -> Result<Self, PipelineError> {
        let bad = |reason: String| PipelineError::Settings {
            path: path.to_owned(),
            reason,
        };
        let name = stem(path);
        if !name.starts_with(char::is_alphanumeric) {
            return Err(bad(
                "rename the file: the name of an experiment begins with a letter or a digit".to_owned(),
            ));
        }
        let (described, overlay) = split(path)?;
        let material = described.material(path).map_err(bad)?;
        let mut axes = Vec::new();
        flatten("", described.grid, &mut axes).map_err(bad)?;
        let variants = combinations(&axes)
            .map_err(bad)?
            .into_iter()
            .map(|values| Variant::new(base, path, &overlay, &values));
        Ok(Self {
            name,
            description: described.description,
            material,
            variants: variants.collect(),
        })
    }
}

/// An experiment in a folder.
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its description, or why its file cannot be read.
    pub description: Result<String, PipelineError>,
}

/// The experiments in `folder`, in the order of their names.
pub fn list(folder: &Path) -> Result<Vec<Listed>, PipelineError> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(Listed {
                name: stem(&path),
                description: split(&path).map(|(described, _)| described.description),
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Takes the table `[experiment]` out of the file at `path`.
fn split(path: &Path) -> Result<(Described, Table), PipelineError> {
    let mut overlay = read_table(path)?;
    let described = overlay
        .remove(TABLE)
        .unwrap_or_else(|| Value::Table(Table::new()));
    let described = described.try_into().map_err(|error| PipelineError::Settings {
        path: path.to_owned(),
        reason: format!("[{TABLE}]: {error}"),
    })?;
    Ok((described, overlay))
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

impl Described {
    fn material(&self, path: &Path) -> Result<Option<Material>, String> {
        let near = |given: &PathBuf| path.parent().unwrap_or(Path::new("")).join(given);
        match (&self.source, &self.questions, &self.dataset) {
            (None, None, None) => Ok(None),
            (None, None, Some(folder)) => Ok(Some(Material::Dataset(near(folder)))),
            (Some(source), Some(questions), None) => Ok(Some(Material::Folder {
                source: near(source),
                questions: near(questions),
            })),
            _ => Err(format!("[{TABLE}]: give source and questions, or dataset")),
        }
    }
}

impl Variant {
    fn new(base: &Settings, path: &Path, overlay: &Table, values: &[(&str, &Value)]) -> Self {
        let names: Vec<String> = values
            .iter()
            .map(|(setting, value)| format!("{setting}={}", shown(value)))
            .collect();
        let mut table = overlay.clone();
        let set = values
            .iter()
            .try_for_each(|(setting, value)| put(&mut table, setting, value));
        let settings = set
            .map_err(|reason| PipelineError::Settings {
                path: path.to_owned(),
                reason,
            })
            .and_then(|()| Settings::over(base, table, path));
        Self {
            name: if names.is_empty() {
                "as it is".to_owned()
            } else {
                names.join(" ")
            },
            settings,
        }
    }

    /// A name for the variant's folder: as much of its name as is plain, and a digest of all of it.
    pub(super) fn folder_name(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '=' | '_');
        let plain = |c: char| if is_plain(c) { c } else { '-' };
        let name: String = self.name.chars().take(NAME_CHARS).map(plain).collect();
        let digest = rag_core::artifact::Digest::of(self.name.as_bytes()).short();
        format!("{}-{}", name.trim_start_matches('.'), &digest[..8])
    }
}

/// A value as TOML has it; text without its quotes, unless it would then read as another value.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if toml::from_str::<Table>(&format!("x = {text}")).is_err() => text.clone(),
        value => value.to_string(),
    }
}

/// The settings that are varied by their dotted names, from `"a.b" = […]` as well as from `a.b = […]`.
fn flatten(prefix: &str, grid: Table, axes: &mut Vec<(String, Vec<Value>)>) -> Result<(), String> {
    for (name, value) in grid {
        let name = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Value::Table(inner) => flatten(&name, inner, axes)?,
            Value::Array(values) if !values.is_empty() => {
                if let Some(twice) = (1..values.len()).find(|&at| values[..at].contains(&values[at])) {
                    return Err(format!(
                        "[{TABLE}.grid]: `{name}` lists {} twice",
                        shown(&values[twice])
                    ));
                }
                axes.push((name, values));
            }
            _ => return Err(format!("[{TABLE}.grid]: give `{name}` a list of values")),
        }
    }
    Ok(())
}

/// Every combination of one value of each axis.
fn combinations(axes: &[(String, Vec<Value>)]) -> Result<Vec<Vec<(&str, &Value)>>, String> {
    let count = axes
        .iter()
        .try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
    if count.is_none_or(|count| count > MOST_VARIANTS) {
        let count = count.map_or("far too many".to_owned(), |count| count.to_string());
        return Err(format!(
            "[{TABLE}.grid]: {count} variants, at most {MOST_VARIANTS} are run; take values out, or make two files"
        ));
    }
    let mut all: Vec<Vec<(&str, &Value)>> = vec![Vec::new()];
    for (name, values) in axes {
        let with =
            |chosen: &Vec<(_, _)>, value| chosen.iter().copied().chain([(name.as_str(), value)]).collect();
        all = all
            .iter()
            .flat_map(|chosen| values.iter().map(move |value| with(chosen, value)))
            .collect();
    }
    Ok(all)
}

/// Sets `setting`, a dotted name, in `table`.
fn put(table: &mut Table, setting: &str, value: &Value) -> Result<(), String> {
    match setting.split_once('.') {
        None => {
            table.insert(setting.to_owned(), value.clone());
            Ok(())
        }
        Some((first, rest)) => {
            let inner = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
            match inner {
                Value::Table(inner) => put(inner, rest, value),
                _ => Err(format!("[{TABLE}.grid]: `{first}` is a value, not a table")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Experiment, PipelineError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tries.toml");
        fs_err::write(&path, text).unwrap();
        Experiment::read(&Settings::default(), &path)
    }

    fn names(text: &str) -> Vec<String> {
        read(text)
            .unwrap()
            .variants
            .into_iter()
            .map(|variant| variant.name)
            .collect()
    }

    #[test]
    fn a_grid_spans_every_combination_however_it_is_written() {
        let expected = [
            "chunk.kind=fixed chunk.max_tokens=100",
            "chunk.kind=fixed chunk.max_tokens=200",
            "chunk.kind=sentence chunk.max_tokens=100",
            "chunk.kind=sentence chunk.max_tokens=200",
        ];
        let quoted = "[experiment.grid]\n\"chunk.kind\" = [\"fixed\", \"sentence\"]\n\"chunk.max_tokens\" = [100, 200]\n";
        let bare =
            "[experiment.grid]\nchunk.kind = [\"fixed\", \"sentence\"]\nchunk.max_tokens = [100, 200]\n";
        assert_eq!(names(quoted), expected);
        assert_eq!(names(bare), expected);
        assert_eq!(names("[chunk]\nmax_tokens = 100\n"), ["as it is"]);
    }

    #[test]
    fn values_go_over_the_file_and_the_file_over_the_settings() {
        let tries = read(
            "[chunk]\nmax_tokens = 100\nmax_chars = 99\n[experiment.grid]\n\"chunk.max_tokens\" = [50]\n",
        );
        let settings = tries.unwrap().variants.remove(0).settings.unwrap();
        assert_eq!((settings.chunk.max_tokens, settings.chunk.max_chars), (50, 99));
        assert_eq!(settings.rerank, Settings::default().rerank);
    }

    #[test]
    fn a_value_that_is_none_spoils_its_variant_only() {
        let tries = read("[experiment.grid]\n\"chunk.kind\" = [\"sentence\", \"nonsense\"]\n").unwrap();
        let fine: Vec<bool> = tries
            .variants
            .iter()
            .map(|variant| variant.settings.is_ok())
            .collect();
        assert_eq!(fine, [true, false]);
    }

    #[test]
    fn different_values_have_different_names() {
        let text = "[experiment.grid]\n\"exec.rerank\" = [\"none\", [\"python3 a.py\"], [\"python3\", \"a.py\"], \"5\", 5]\n";
        let expected = [
            "exec.rerank=none",
            "exec.rerank=[\"python3 a.py\"]",
            "exec.rerank=[\"python3\", \"a.py\"]",
            "exec.rerank=\"5\"",
            "exec.rerank=5",
        ];
        assert_eq!(names(text), expected);
    }

    #[test]
    fn a_file_whose_name_leads_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["...toml", ".hidden.toml", "-x.toml"] {
            let path = folder.path().join(name);
            fs_err::write(&path, "").unwrap();
            let error = Experiment::read(&Settings::default(), &path).unwrap_err();
            assert!(error.to_string().contains("rename the file"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_tried_is_refused_and_named() {
        for (text, named) in [
            ("[experiment]\nsauce = \"x\"\n", "sauce"),
            ("[experiment]\nsource = \"x\"\n", "source and questions"),
            ("[experiment.grid]\n\"chunk.kind\" = \"fixed\"\n", "chunk.kind"),
            ("[experiment.grid]\n\"chunk.kind\" = []\n", "chunk.kind"),
            (
                "[experiment.grid]\n\"chunk.kind\" = [\"fixed\", \"fixed\"]\n",
                "lists fixed twice",
            ),
            (
                "[experiment.grid]\n\"a.b\" = [1,2,3,4,5,6,7,8,9]\n\"a.c\" = [1,2,3,4,5,6,7,8,9]\n",
                "81 variants, at most 64",
            ),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains("tries.toml"), "{error}");
        }
    }

    #[test]
    fn folders_of_variants_are_plain_and_kept_apart() {
        let name = |value: &str| {
            let text = format!("[experiment.grid]\n\"models.embedder\" = [\"{value}\"]\n");
            read(&text).unwrap().variants[0].folder_name()
        };
        assert!(name("../../x").starts_with("models.embedder=..-..-x-"));
        assert_ne!(name("a/b"), name("a-b"));
    }
}
