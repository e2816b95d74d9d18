//! Whether a failed request may be sent again, and when. The rule is that of the vendors' own clients.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use ureq::http::HeaderMap;

/// Longest wait that is our own idea.
const LONGEST_OWN_WAIT: Duration = Duration::from_secs(8);

/// True when a reply of `status` may become another one by asking again: the server's `x-should-retry` decides,
/// else the status.
pub(super) fn may_pass(status: u16, headers: &HeaderMap) -> bool {
    match text(headers, "x-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429) || status >= 500,
    }
}

/// How long the server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as a date. Nothing for
/// what cannot be read or is not in the future.
pub(super) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let number = |name| text(headers, name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms")
        .map(|ms| ms / 1000.0)
        .or_else(|| number("retry-after"))
        .or_else(|| {
            let date = OffsetDateTime::parse(text(headers, "retry-after")?, &Rfc2822).ok()?;
            Some((date - OffsetDateTime::from(now)).as_seconds_f64())
        })?;
    if seconds.is_nan() || seconds <= 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// The wait before repetition number `attempt` (from 0) when the server names none: doubled each time, and up to
/// a quarter less by `chance` in 0..=1, so that many clients do not come back at the same moment.
pub(super) fn own_wait(first: Duration, attempt: u32, chance: f64) -> Duration {
    let doubled = first.saturating_mul(1_u32.checked_shl(attempt).unwrap_or(u32::MAX));
    doubled.min(LONGEST_OWN_WAIT).mul_f64(1.0 - 0.25 * chance)
}

/// A number in 0..=1 drawn from a seed, the request and the attempt.
pub(super) fn chance(seed: u64, request: &[u8], attempt: u32) -> f64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&attempt.to_le_bytes());
    hasher.update(request);
    let [first, second, ..] = *hasher.finalize().as_bytes();
    f64::from(u16::from_le_bytes([first, second])) / f64::from(u16::MAX)
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use proptest::prelude::*;

    use super::*;

    /// Names and values of headers.
    type Pairs = &'static [(&'static str, &'static str)];

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (ureq::http::HeaderName::from_static(name), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn the_server_s_word_wins_over_the_status() {
        let cases: &[(u16, Pairs, bool)] = &[
            (400, &[], false),
            (401, &[], false),
            (404, &[], false),
            (408, &[], true),
            (409, &[], true),
            (429, &[], true),
            (500, &[], true),
            (503, &[], true),
            (529, &[], true),
            (400, &[("x-should-retry", "true")], true),
            (529, &[("x-should-retry", "false")], false),
            (529, &[("x-should-retry", "maybe")], true),
        ];
        for (status, pairs, expected) in cases {
            assert_eq!(
                may_pass(*status, &headers(pairs)),
                *expected,
                "{status} {pairs:?}"
            );
        }
    }

    #[test]
    fn waits_are_read_in_every_form() {
        // 1994-11-06 08:49:07 UTC.
        let now = UNIX_EPOCH + Duration::from_secs(784_111_747);
        let cases: &[(Pairs, Option<u64>)] = &[
            (&[], None),
            (&[("retry-after", "2")], Some(2000)),
            (&[("retry-after", "0.25")], Some(250)),
            (&[("retry-after-ms", "40"), ("retry-after", "2")], Some(40)),
            (&[("retry-after-ms", "soon"), ("retry-after", "2")], Some(2000)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(30_000)),
            (&[("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT")], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "0")], None),
            (&[("retry-after", "NaN")], None),
            (&[("retry-after", "tomorrow")], None),
        ];
        for (pairs, expected) in cases {
            let wait = asked_wait(&headers(pairs), now);
            assert_eq!(wait, expected.map(Duration::from_millis), "{pairs:?}");
        }
        for endless in ["1e300", "inf"] {
            assert_eq!(
                asked_wait(&headers(&[("retry-after", endless)]), now),
                Some(Duration::MAX)
            );
        }
    }

    #[test]
    fn own_waits_double_up_to_eight_seconds() {
        let waits = [0, 1, 2, 3, 4, 5, 40].map(|attempt| own_wait(Duration::from_millis(500), attempt, 0.0));
        assert_eq!(
            waits.map(|wait| wait.as_millis()),
            [500, 1000, 2000, 4000, 8000, 8000, 8000]
        );
        assert_eq!(own_wait(Duration::from_secs(4), 0, 1.0), Duration::from_secs(3));
    }

    proptest! {
        #[test]
        fn chance_is_a_fixed_number_in_bounds(seed: u64, request: Vec<u8>, attempt in 0_u32..9) {
            let drawn = chance(seed, &request, attempt);
            prop_assert!((0.0..=1.0).contains(&drawn));
            prop_assert_eq!(drawn, chance(seed, &request, attempt));
        }
    }
}
