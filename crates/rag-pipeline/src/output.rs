//! Folders of pages that commands write: readable by their owner, never in place of anything else.
//!
//! What is written is listed in a file of the folder, so that a later command knows what it may replace, and that
//! `ingest` takes none of it for documents.

use std::path::{Component, Path};

use rag_core::artifact::{MANIFEST_FILE, replace_file};
use rag_core::folder::{REPORT_FILE, WORK_FILE};

use crate::error::PipelineError;
use crate::store::{DESCRIPTION_FILE, create_private};

/// Writes `files`, each with its path below `folder`, into a folder that is new, empty, or was written by this function
/// before; what it wrote then is removed first.
pub fn write_pages(folder: &Path, files: &[(String, String)]) -> Result<(), PipelineError> {
    refuse_inside_others(folder)?;
    remove_earlier(folder)?;
    create_private(folder)?;
    let mut list: Vec<&str> = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            create_private(parent)?;
        }
        fs_err::write(path, text)?;
        list.push(name);
    }
    Ok(replace_file(
        &folder.join(REPORT_FILE),
        (list.join("\n") + "\n").as_bytes(),
    )?)
}

/// Makes `folder` one where work is kept between commands, unless other things are in it.
pub(crate) fn claim_work(folder: &Path) -> Result<(), PipelineError> {
    let marker = folder.join(WORK_FILE);
    if marker.is_file() {
        return Ok(());
    }
    refuse_inside_others(folder)?;
    let mut entries = fs_err::read_dir(folder).into_iter().flatten();
    if entries.next().is_some() {
        return Err(PipelineError::NotAWorkFolder {
            path: folder.to_owned(),
        });
    }
    create_private(folder)?;
    Ok(replace_file(&marker, b"")?)
}

/// Refuses a folder in a store or in an artifact: what is written there would be taken for theirs, or be lost with them.
pub(crate) fn refuse_inside_others(folder: &Path) -> Result<(), PipelineError> {
    let absolute = std::path::absolute(folder)?;
    let holds = |above: &&Path| above.join(DESCRIPTION_FILE).is_file() || above.join(MANIFEST_FILE).is_file();
    match absolute.ancestors().find(holds) {
        Some(above) => Err(PipelineError::InsideOther {
            path: folder.to_owned(),
            above: above.to_owned(),
        }),
        None => Ok(()),
    }
}

fn remove_earlier(folder: &Path) -> Result<(), PipelineError> {
    let list = folder.join(REPORT_FILE);
    let Ok(names) = fs_err::read_to_string(&list) else {
        let mut entries = fs_err::read_dir(folder).into_iter().flatten();
        return match entries.next() {
            Some(_) => Err(PipelineError::NotAReport {
                path: folder.to_owned(),
            }),
            None => Ok(()),
        };
    };
    let is_plain = |name: &&str| {
        Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
    };
    for name in names.lines().filter(is_plain) {
        let path = folder.join(name);
        match fs_err::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        // Fails while other pages stand in it.
        if let Some(parent) = path.parent().filter(|parent| *parent != folder) {
            let _ = fs_err::remove_dir(parent);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> (String, String) {
        (name.to_owned(), "text".to_owned())
    }

    #[test]
    fn pages_replace_their_own_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report");
        write_pages(&report, &[page("index.html"), page("run-1/question-0001.html")]).unwrap();
        write_pages(&report, &[page("index.html")]).unwrap();
        assert!(report.join("index.html").is_file() && !report.join("run-1").exists());

        fs_err::create_dir(folder.path().join("site")).unwrap();
        fs_err::write(folder.path().join("site/index.html"), "mine").unwrap();
        let refused = write_pages(&folder.path().join("site"), &[page("index.html")]).unwrap_err();
        assert!(refused.to_string().contains("holds other files"), "{refused}");

        fs_err::write(folder.path().join(DESCRIPTION_FILE), "{}").unwrap();
        let refused = write_pages(&folder.path().join("new"), &[page("index.html")]).unwrap_err();
        assert!(refused.to_string().contains("belongs to"), "{refused}");
    }

    #[test]
    fn work_is_kept_in_folders_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("new/work");
        claim_work(&work).unwrap();
        fs_err::write(work.join("graph.bin"), "x").unwrap();
        claim_work(&work).unwrap();
        fs_err::write(folder.path().join("notes.md"), "mine").unwrap();
        let refused = claim_work(folder.path()).unwrap_err();
        assert!(refused.to_string().contains("--work"), "{refused}");
    }

    #[test]
    fn a_list_that_names_other_places_removes_nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report");
        fs_err::create_dir(&report).unwrap();
        fs_err::write(folder.path().join("precious"), "x").unwrap();
        fs_err::write(report.join(REPORT_FILE), "../precious\n").unwrap();
        write_pages(&report, &[page("index.html")]).unwrap();
        assert!(folder.path().join("precious").is_file());
    }
}
