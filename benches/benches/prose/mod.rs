//! The Markdown files of the sample corpus, as text to cut and to read.

use std::path::{Path, PathBuf};

/// All of them one after the other, in the order of their paths.
pub(crate) fn handbook() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/handbook");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| fs_err::read_to_string(path).expect("the corpus is UTF-8"));
    texts.collect::<Vec<_>>().join("\n\n")
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).expect("the sample corpus is part of the project") {
        let path = entry.expect("its folders can be listed").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}
