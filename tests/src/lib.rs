//! End-to-end tests of the workspace; the tests are in `tests/`, what they share is here.
