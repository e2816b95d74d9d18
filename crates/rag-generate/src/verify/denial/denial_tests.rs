//! The same denial in other words, and denials that only one of two texts makes.

use rag_core::language::Language;

use super::*;

#[test]
fn denials_are_seen() {
    for (text, expected) in [
        ("It is not refunded.", true),
        ("It isn’t refunded", true),
        ("They don't.", true),
        ("They CAN'T.", true),
        ("Never share it", true),
        ("لا تُصرف هذه القيمة", true),
        ("Room no. 5 is free", false),
        ("Note the knot.", false),
    ] {
        assert_eq!(is_negated(text), expected, "{text}");
    }
}

fn contradict(language: &str, claim: &str, source: &str) -> bool {
    let language: Language = language.parse().unwrap();
    let analyzer = Analyzer::new(language);
    let read = |text| Clauses::of(text, language.code(), &analyzer);
    read(claim).contradict(&read(source))
}

#[test]
fn the_same_denial_in_other_words_agrees() {
    for (claim, source) in [
        (
            "Unused days are not paid out.",
            "Days that were not used are not paid out.",
        ),
        ("Unused days are never paid out", "Unused days aren't paid out."),
        (
            "Staff need no form.",
            "Staff no longer need a form and can park in bay 5.",
        ),
        (
            "Staff can park in bay 5.",
            "Staff no longer need a form and can park in bay 5.",
        ),
        (
            "No refunds after 60 days.",
            "Refunds are not possible after 60 days.",
        ),
        (
            "No visitors may smoke in bay 5.",
            "Visitors may not smoke in bay 5; visitors may park in bay 5.",
        ),
        (
            "Visitors may park in bay 5.",
            "Visitors may not smoke in bay 5; visitors may park in bay 5.",
        ),
        (
            "Claims submitted after 60 days are not paid.",
            "Claims submitted after 60 days, including taxis, are not paid.",
        ),
        (
            "Visitors may enter the server room.",
            "Visitors may enter the server room without exception.",
        ),
        (
            "Nobody may enter without a badge.",
            "Nobody may enter without a badge.",
        ),
        ("Pens are not refunded.", "Pens and paper are not refunded."),
        (
            "Visitors may smoke in bay 6.",
            "Staff may not smoke in bay 5, but visitors may smoke in bay 6.",
        ),
        ("Room no. 5 is free.", "Room no. 5 is free, room 6 is not."),
        ("They cost 20 euros.", "They cost 20 euros."),
        (
            "Days not taken are not paid out.",
            "Days that were not taken are not paid out.",
        ),
        (
            "Employees who have not signed are not insured.",
            "Employees who have not signed are not insured.",
        ),
        (
            "Smoking is not permitted on the roof.",
            "Smoking is forbidden on the roof.",
        ),
        ("Visitors may not smoke.", "Visitors are not allowed to smoke."),
        (
            "Guests may enter the vault with an escort.",
            "Guests may enter the vault only with an escort.",
        ),
        (
            "It is not true that refunds are paid.",
            "It is not true that refunds are paid.",
        ),
        ("", "Nothing is free."),
    ] {
        assert!(!contradict("en", claim, source), "{claim} / {source}");
    }
}

#[test]
fn a_denial_that_only_one_makes_contradicts() {
    for (claim, source) in [
        ("Unused days are paid out.", "Unused days are not paid out."),
        ("Unused days are not paid out.", "Unused days are paid out."),
        (
            "Visitors are not allowed in the server room.",
            "Visitors are allowed in the server room without exception.",
        ),
        (
            "Staff cannot park in bay 5.",
            "Staff no longer need a form and can park in bay 5.",
        ),
        (
            "Staff need a form.",
            "Staff no longer need a form and can park in bay 5.",
        ),
        (
            "Staff need no form and cannot park in bay 5.",
            "Staff no longer need a form and can park in bay 5.",
        ),
        (
            "No visitors may park in bay 5.",
            "Visitors may not smoke in bay 5; visitors may park in bay 5.",
        ),
        (
            "Visitors may smoke in bay 5.",
            "Visitors may not smoke in bay 5; visitors may park in bay 5.",
        ),
        ("Visitors never enter.", "Visitors never enter without a badge."),
        ("Visitors enter without a badge.", "Visitors enter with a badge."),
        (
            "Staff get 27 days, and cats never purr.",
            "Staff get 27 days of leave.",
        ),
        ("It is a password fault.", "It is not a password fault."),
        ("Paper is refunded.", "Pens are refunded but paper is not."),
        ("Days not taken are paid out.", "Days not taken are not paid out."),
        ("Days taken are not paid out.", "Days not taken are not paid out."),
        (
            "Employees who have not signed are insured.",
            "Employees who have not signed are not insured.",
        ),
        ("The pump is safe.", "It is not true that the pump is safe."),
        (
            "Mr Brown stole the safe.",
            "It was rumoured that Mr Brown stole the safe.",
        ),
        (
            "It is false that unused days are not paid out.",
            "Unused days are not paid out.",
        ),
        (
            "Smoking is permitted on the roof.",
            "Smoking is forbidden on the roof.",
        ),
        (
            "Smoking is allowed on the roof.",
            "Smoking is prohibited on the roof.",
        ),
        (
            "Staff may leave early.",
            "Staff may leave early unless the alarm rings.",
        ),
        (
            "Guests may enter the vault.",
            "Guests may enter the vault only with an escort.",
        ),
        ("Apply after 1 May.", "Apply before 1 May."),
        ("Staff must report faults.", "Staff may report faults."),
        (
            "Visitors may enter the boiler room.",
            "No visitors may enter the boiler room.",
        ),
        (
            "Dogs may enter the kitchen.",
            "Neither cats nor dogs may enter the kitchen.",
        ),
        ("Open the red valve.", "Do not open the red valve."),
        (
            "Staff may smoke in bay 5.",
            "Staff may not smoke in bay 5, but visitors may smoke in bay 6.",
        ),
    ] {
        assert!(contradict("en", claim, source), "{claim} / {source}");
    }
}

#[test]
fn other_languages_deny_too() {
    for (language, denied, affirmed) in [
        ("ar", "لا تُصرف الأيام غير المستخدمة", "تُصرف الأيام المستخدمة"),
        (
            "de",
            "Übrige Tage werden nicht ausgezahlt.",
            "Übrige Tage werden ausgezahlt.",
        ),
        (
            "fr",
            "Les frais ne sont pas remboursés.",
            "Les frais sont remboursés.",
        ),
        ("es", "Los gastos no se reembolsan.", "Los gastos se reembolsan."),
        ("ru", "Дни не оплачиваются.", "Дни оплачиваются."),
        (
            "de",
            "Nicht genommene Tage werden nicht ausgezahlt.",
            "Nicht genommene Tage werden ausgezahlt.",
        ),
        (
            "de",
            "Rauchen ist auf dem Dach verboten.",
            "Rauchen ist auf dem Dach erlaubt.",
        ),
        (
            "fr",
            "Fumer est interdit sur le toit.",
            "Fumer est autorisé sur le toit.",
        ),
    ] {
        assert!(contradict(language, denied, affirmed), "{denied}");
        assert!(contradict(language, affirmed, denied), "{affirmed}");
        assert!(!contradict(language, denied, denied), "{denied}");
    }
}
