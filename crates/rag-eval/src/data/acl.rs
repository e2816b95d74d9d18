//! The permission overlay of a data set: who may read what, and the cases to ask.

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::access::{AccessList, EVERYONE, Principal};
use rag_core::artifact::jsonl;
use rag_core::question::Question;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use crate::error::EvalError;

/// The overlay's word for [`EVERYONE`].
const PUBLIC: &str = "public";

/// Access lists of the documents and groups of the users: the folder `acl` of a data set.
///
/// The overlay's group `public` is our `everyone`.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    documents: BTreeMap<String, AccessList>,
    users: BTreeMap<String, Principal>,
}

/// A question asked as one of the users.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionCase {
    /// The user's name.
    pub user: String,
    /// `allowed`, `partial` or `denied`: whether the user may read what answers the question.
    pub kind: String,
    /// The question, with the user's groups. Its id is `<query id>/<user>`.
    pub question: Question,
    /// The documents that answer it, by the data set's ids.
    pub gold: Vec<String>,
    /// Those of them that the user may read.
    pub visible_gold: Vec<String>,
}

#[derive(Deserialize)]
struct DocumentRow {
    doc_id: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct UserRow {
    user: String,
    groups: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct CaseRow {
    query_id: String,
    user: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    gold_docs: Vec<String>,
    #[serde(default)]
    visible_gold: Vec<String>,
}

impl Permissions {
    /// Reads `acl/acl.jsonl` and `acl/users.jsonl` of a data set.
    pub fn read(dataset: &Dataset) -> Result<Self, EvalError> {
        let folder = dataset.folder().join("acl");
        let documents = rows::<DocumentRow>(&folder.join("acl.jsonl"))?;
        let users = rows::<UserRow>(&folder.join("users.jsonl"))?;
        Ok(Self {
            documents: documents
                .into_iter()
                .map(|row| {
                    (
                        row.doc_id,
                        row.allow.iter().map(|group| our_group(group)).collect(),
                    )
                })
                .collect(),
            users: users
                .into_iter()
                .map(|row| {
                    (
                        row.user,
                        row.groups.iter().map(|group| our_group(group)).collect(),
                    )
                })
                .collect(),
        })
    }

    /// Who may read the document with the data set's id `document`: nobody when the overlay does not
    /// list it.
    pub fn access(&self, document: &str) -> AccessList {
        self.documents.get(document).cloned().unwrap_or_default()
    }

    /// Reads `acl/cases.jsonl`, each case with its question asked as its user.
    pub fn cases(&self, dataset: &Dataset) -> Result<Vec<PermissionCase>, EvalError> {
        let path = dataset.folder().join("acl").join("cases.jsonl");
        let questions = dataset.questions()?;
        let texts: BTreeMap<&str, &Question> = questions.iter().map(|q| (q.id.as_str(), q)).collect();
        let unknown = |what: &'static str, name: &str| EvalError::Unknown {
            path: path.clone(),
            what,
            name: name.to_owned(),
        };
        rows::<CaseRow>(&path)?
            .into_iter()
            .map(|row| {
                let asked = texts
                    .get(row.query_id.as_str())
                    .ok_or_else(|| unknown("question", &row.query_id))?;
                let principal = self
                    .users
                    .get(&row.user)
                    .ok_or_else(|| unknown("user", &row.user))?;
                let id = format!("{}/{}", row.query_id, row.user);
                Ok(PermissionCase {
                    question: Question::new(id, &asked.text, principal.clone()),
                    user: row.user,
                    kind: row.kind,
                    gold: row.gold_docs,
                    visible_gold: row.visible_gold,
                })
            })
            .collect()
    }
}

fn our_group(group: &str) -> &str {
    if group == PUBLIC { EVERYONE } else { group }
}

fn rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, EvalError> {
    if !path.is_file() {
        return Err(EvalError::Part {
            path: path.to_owned(),
            part: "with permissions a folder acl of acl.jsonl, users.jsonl and cases.jsonl",
        });
    }
    Ok(jsonl::read_all(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(cases: &str) -> (tempfile::TempDir, Dataset) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("acl")).unwrap();
        let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
        write("queries.jsonl", r#"{"_id":"1","text":"Why?"}"#);
        write(
            "acl/acl.jsonl",
            "{\"doc_id\":\"a\",\"allow\":[\"public\"]}\n{\"doc_id\":\"b\",\"allow\":[\"grp1\"]}",
        );
        write("acl/users.jsonl", r#"{"user":"ann","groups":["public","grp1"]}"#);
        write("acl/cases.jsonl", cases);
        let dataset = Dataset::open(folder.path()).unwrap();
        (folder, dataset)
    }

    #[test]
    fn cases_are_asked_as_their_user() {
        let (_folder, dataset) =
            dataset(r#"{"query_id":"1","user":"ann","kind":"allowed","gold_docs":["b"]}"#);
        let permissions = Permissions::read(&dataset).unwrap();
        let case = &permissions.cases(&dataset).unwrap()[0];
        assert_eq!(
            (case.question.id.as_str(), case.question.text.as_str()),
            ("1/ann", "Why?")
        );
        assert!(permissions.access("b").allows(&case.question.principal));
        assert!(permissions.access("a").allows(&Principal::everyone()));
        assert!(!permissions.access("b").allows(&Principal::everyone()));
        assert!(permissions.access("not listed").is_empty());
    }

    #[test]
    fn unknown_users_and_questions_are_named() {
        for (case, name) in [
            (r#"{"query_id":"1","user":"bob"}"#, "bob"),
            (r#"{"query_id":"9","user":"ann"}"#, "9"),
        ] {
            let (_folder, dataset) = dataset(case);
            let error = Permissions::read(&dataset).unwrap().cases(&dataset).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
