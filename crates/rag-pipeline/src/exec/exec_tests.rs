use super::*;

#[test]
fn full_and_short_rankings_read_alike_and_faults_are_named() {
    let fault = |text: &str| {
        let ranked: Ranked = serde_json::from_str(text).unwrap();
        ranked.fault("q")
    };
    let hits = |first: f32, second: f32| {
        format!(
            r#"{{"question":{{"id":"q","text":"?"}},"legs":[],"hits":[{{"score":{first},"passage":{{"id":"a#0","text":"x"}}}},{{"score":{second},"passage":{{"id":"a#1"}}}}]}}"#
        )
    };
    assert_eq!(fault(&hits(2.0, 1.0)), None);
    assert!(fault(&hits(1.0, 2.0)).unwrap().contains("fall"));
    assert!(
        fault(r#"{"question":{"id":"p"},"hits":[]}"#)
            .unwrap()
            .contains("`p`")
    );
}
