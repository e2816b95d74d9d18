//! The address of a provider: where a key may be sent, and how the address is named in messages.

use std::net::IpAddr;

use ureq::http::Uri;

use super::config::settings;
use super::error::RemoteError;

/// A checked address of requests.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    uri: Uri,
    name: String,
    loopback: bool,
}

impl Endpoint {
    /// Joins `base` and `path`, with `query` behind it. `base` must be https, or http on this machine: a key and
    /// the passages of a prompt are not sent readable for everybody on the way.
    pub(super) fn new(base: &str, path: &str, query: Option<(&str, &str)>) -> Result<Self, RemoteError> {
        let wrong = |reason: &str| settings(format!("`base_url` {reason}"));
        let uri: Uri = base
            .parse()
            .map_err(|_| wrong("is no address; write it as https://host/path"))?;
        let (Some(host), Some(authority)) = (uri.host(), uri.authority()) else {
            return Err(wrong("names no host; write it as https://host/path"));
        };
        if authority.as_str().contains('@') {
            return Err(wrong("holds a user or password; keys come from a variable"));
        }
        if uri.query().is_some() {
            return Err(wrong("has a `?` part; use `api_version` and `deployment`"));
        }
        let loopback = is_loopback(host);
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if loopback => {}
            _ => {
                return Err(wrong(
                    "must begin with https:// (http:// is for this machine only)",
                ));
            }
        }
        let name = format!("{authority}{}{path}", uri.path().trim_end_matches('/'));
        let query = query.map_or_else(String::new, |(key, value)| format!("?{key}={value}"));
        let scheme = uri.scheme_str().unwrap_or("https");
        let uri = format!("{scheme}://{name}{query}")
            .parse()
            .map_err(|_| wrong("and path make no address"))?;
        Ok(Self { uri, name, loopback })
    }

    /// The full address.
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Host and path, for messages and identities.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// True for this machine.
    pub(super) fn is_loopback(&self) -> bool {
        self.loopback
    }
}

/// Checks a setting that becomes part of an address or header.
pub(super) fn check_word(setting: &str, word: &str) -> Result<(), RemoteError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('.') {
        return Ok(());
    }
    Err(settings(format!(
        "`{setting}` may have letters, digits, `-`, `_` and `.` only"
    )))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_over_https_or_stay_on_this_machine() {
        let good = [
            ("https://api.example/v1", "api.example/v1/chat", false),
            ("https://api.example/v1/", "api.example/v1/chat", false),
            ("https://api.example", "api.example/chat", false),
            ("http://127.0.0.1:8080/v1", "127.0.0.1:8080/v1/chat", true),
            ("http://[::1]:8080", "[::1]:8080/chat", true),
            ("http://LocalHost/v1", "LocalHost/v1/chat", true),
        ];
        for (base, name, loopback) in good {
            let endpoint = Endpoint::new(base, "/chat", None).unwrap();
            assert_eq!(
                (endpoint.name(), endpoint.is_loopback()),
                (name, loopback),
                "{base}"
            );
        }
        let bad = [
            "",
            "api.example/v1",
            "http://api.example/v1",
            "http://127.0.0.1.evil.example/v1",
            "http://10.0.0.1/v1",
            "ftp://localhost/",
            "https://user:word@api.example/",
            "http://localhost@api.example/",
            "https://api.example/v1?key=secret",
        ];
        for base in bad {
            let error = Endpoint::new(base, "/chat", None).unwrap_err().to_string();
            assert!(
                error.contains("base_url") && !error.contains("secret"),
                "{base}: {error}"
            );
        }
    }

    #[test]
    fn a_query_is_part_of_the_address_but_not_of_its_name() {
        let endpoint = Endpoint::new("https://api.example", "/chat", Some(("api-version", "1"))).unwrap();
        assert_eq!(
            endpoint.uri().to_string(),
            "https://api.example/chat?api-version=1"
        );
        assert_eq!(endpoint.name(), "api.example/chat");
    }

    #[test]
    fn a_deployment_cannot_leave_its_place_in_the_path() {
        assert!(check_word("deployment", "gpt-4o_mini.2").is_ok());
        for word in ["", "..", "a/b", "a?b", "a b", "a#b", "ä"] {
            assert!(check_word("deployment", word).is_err(), "{word}");
        }
    }
}
