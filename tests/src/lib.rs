//! End-to-end tests of the workspace; they are in `tests/`.
