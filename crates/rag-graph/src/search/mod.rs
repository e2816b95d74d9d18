//! Searches over a view: what is next to an entity, what leads from one to another, which passages a question
//! walks to, and what the whole is about.

mod global;
mod local;
mod neighbours;
mod paths;
mod question;
mod router;
mod walk;

pub use global::Summary;
pub use local::PassageSeed;
pub use neighbours::Connection;
pub use paths::Path;
pub use question::Answer;
pub use router::Route;
