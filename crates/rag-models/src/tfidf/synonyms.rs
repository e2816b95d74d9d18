//! Groups of words that may stand for each other.

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::language::Language;
use rag_core::text::Analyzer;
use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// Largest accepted file, and most words in it.
const MAX_FILE_BYTES: u64 = 4 << 20;
const MAX_WORDS: usize = 100_000;

/// Everyday office and computing words of about the same meaning.
const DEFAULT_GROUPS: &str = "
declined, refused, rejected, denied
holiday, vacation, leave
employee, staff, worker
buy, purchase, order
price, cost, fee, charge
free, waived, gratis
error, failure, fault
broken, defective, damaged
start, begin, launch
stop, end, terminate
delete, remove, erase
change, modify, alter, edit
repair, fix, mend
password, passphrase, credentials
login, signin
computer, laptop, workstation
phone, telephone, mobile
meeting, appointment
salary, pay, wage
travel, trip, journey
refund, reimbursement, repayment
invoice, bill
customer, client
supplier, vendor
rule, policy, guideline
allowed, permitted
forbidden, prohibited, banned
monthly, month
yearly, annual, year
pet, dog, puppy, cat
bicycle, bike
car, vehicle
meal, lunch, canteen, restaurant, food, eat
quit, resign, resignation
video, footage, recording
surveillance, camera
keep, store, retain, retention
spam, phishing
restore, recover
stick, drive
training, course, learning
maternity, parental
mother, father, parent
recommend, refer, referral
recruit, hire
outage, blackout
compensation, supplement
volunteer, charity
bid, tender, offer
dispose, discard, waste
quick, fast
alert, alarm
respond, acknowledge, reply, answer
email, mail, mailbox
guest, visitor
boss, manager, supervisor
office, workplace
sick, ill, illness
child, kid, baby
money, budget
rent, lease
contract, agreement
limit, cap, maximum
approve, authorise, authorize
request, apply
help, support
lost, stolen, missing
send, deliver, dispatch, ship
hire, recruit
firm, company, enterprise
big, large
small, little
";

/// Synonyms by analysed term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Synonyms {
    by_term: BTreeMap<String, Vec<String>>,
}

impl Default for Synonyms {
    fn default() -> Self {
        Self::parse(DEFAULT_GROUPS)
    }
}

impl Synonyms {
    /// No synonyms.
    pub fn none() -> Self {
        Self {
            by_term: BTreeMap::new(),
        }
    }

    /// Reads groups, one per line, words separated by commas; `#` starts a comment. Each item of a group
    /// should be one word: of longer ones the first counts. A word may be in several groups.
    pub fn parse(text: &str) -> Self {
        let analyzer = Analyzer::new(Language::UNKNOWN);
        let mut synonyms = Self::none();
        for line in text.lines() {
            let group: Vec<String> = line
                .split('#')
                .next()
                .unwrap_or_default()
                .split(',')
                .filter_map(|word| analyzer.terms(word).into_iter().next())
                .map(|term| term.text)
                .collect();
            for term in &group {
                let own = synonyms.by_term.entry(term.clone()).or_default();
                own.extend(group.iter().filter(|other| *other != term).cloned());
            }
        }
        for list in synonyms.by_term.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        synonyms
    }

    /// Reads a file of groups.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let wrong = |reason: String| ModelError::Settings {
            path: path.to_owned(),
            reason,
        };
        if fs_err::metadata(path)?.len() > MAX_FILE_BYTES {
            return Err(wrong(format!("more than {MAX_FILE_BYTES} bytes of synonyms")));
        }
        let text = fs_err::read_to_string(path)?;
        if text.split([',', '\n']).count() > MAX_WORDS {
            return Err(wrong(format!("more than {MAX_WORDS} words of synonyms")));
        }
        Ok(Self::parse(&text))
    }

    /// A synonym of a word as it stands in a text, as an analysed term.
    pub fn of_word(&self, word: &str) -> Option<String> {
        let term = Analyzer::new(Language::UNKNOWN).terms(word).into_iter().next()?;
        self.of(&term.text).next().map(str::to_owned)
    }

    /// The synonyms of an analysed term.
    pub fn of(&self, term: &str) -> impl Iterator<Item = &str> {
        self.by_term.get(term).into_iter().flatten().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_work_both_ways_and_across_lines() {
        let synonyms = Synonyms::parse("cars, automobiles # vehicles\n\ncar, coach\n,,\n");
        let of = |word: &str| synonyms.of(word).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of("car"), ["automobil", "coach"]);
        assert_eq!(of("automobil"), ["car"]);
        assert!(of("vehicl").is_empty());
    }
}
