//! How the files of catalogue models are obtained and verified.

mod error;

pub use error::FetchError;
