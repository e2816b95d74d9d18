#!/usr/bin/env python3
"""Prints trec_eval.json: small rankings with ties and other edges, and what trec_eval says of them.

    pip install pytrec-eval-terrier && python3 trec_eval.py > trec_eval.json

trec_eval has no cut-off for the reciprocal rank; RR@k is its RR, or 0 when that rank is below k.
"""
import json
import pytrec_eval

CUTS = [1, 2, 3, 5, 10]
ONE_ULP = 0.30000001192092896  # the float after 0.3 in 32 bits
# name: (document -> score, document -> gain)
CASES = {
    "all scores equal": (dict.fromkeys("abcde", 1.0), {"a": 1, "e": 0}),
    "equal scores, the relevant one is last by id": (dict.fromkeys("abcde", 1.0), {"e": 1, "a": 0}),
    "a tie inside the list": ({"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.5, "e": 0.1}, {"b": 2, "d": 1, "e": 1}),
    "a tie across the cut": ({"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.7, "e": 0.7}, {"c": 1, "d": 1}),
    "scores equal in 32 bits only": ({"a": 0.1 + 1e-12, "b": 0.1, "c": 0.1 - 1e-12}, {"a": 1, "c": 2}),
    "scores one step of 32 bits apart": ({"a": ONE_ULP, "b": 0.30000001, "c": 0.3}, {"c": 1, "a": 1}),
    "large scores that lose their last digits": ({"a": 16777217.0, "b": 16777216.0, "c": 1.0}, {"a": 1}),
    "zero and minus zero": ({"a": 0.0, "b": -0.0, "c": -1.0}, {"b": 1}),
    "negative scores": ({"a": -3.5, "b": -1.25, "c": -2.0}, {"c": 1}),
    "ids of numbers are compared as text": (dict.fromkeys(["10", "9", "100"], 2.0), {"10": 1}),
    "ids beyond ASCII are compared by bytes": (dict.fromkeys(["z", "é", "س", "Z"], 2.0), {"z": 1, "س": 2}),
    "graded gains": ({"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}, {"a": 1, "c": 4, "d": 2, "f": 3}),
    "graded gains with ties": (dict.fromkeys("abcdef", 1.0), {"a": 4, "b": 3, "c": 2, "d": 1, "e": 0}),
    "unjudged documents above relevant ones": ({"x": 5.0, "y": 4.0, "a": 3.0, "z": 2.0, "b": 1.0}, {"a": 1, "b": 1}),
    "negative gains": ({"a": 3.0, "b": 2.0, "c": 1.0}, {"a": -1, "b": 2, "c": -2, "d": 1}),
    "the relevant document is not retrieved": ({"a": 3.0, "b": 2.0}, {"a": 0, "b": 1}),
    "nothing relevant found": ({"x": 3.0, "y": 2.0}, {"a": 1, "b": 2}),
    "fewer than k retrieved": ({"a": 1.0}, {"a": 1, "b": 1, "c": 1}),
    "more relevant than k": (dict(zip("abcdefghijkl", range(12, 0, -1))), dict.fromkeys("abcdefghijklmn", 1)),
    "one document, relevant": ({"a": 0.0}, {"a": 3}),
}


def names():
    yield from (("nDCG", "ndcg"), ("RR", "recip_rank"), ("AP", "map"))
    for k in CUTS:
        yield from ((f"nDCG@{k}", f"ndcg_cut_{k}"), (f"R@{k}", f"recall_{k}"), (f"P@{k}", f"P_{k}"))
        yield from ((f"AP@{k}", f"map_cut_{k}"), (f"Success@{k}", f"success_{k}"))


def measured(scores, gains):
    cuts = ",".join(map(str, CUTS))
    wanted = {"ndcg", "recip_rank", "map"} | {f"{m}.{cuts}" for m in ("ndcg_cut", "recall", "P", "map_cut", "success")}
    run = {document: float(score) for document, score in scores.items()}
    values = pytrec_eval.RelevanceEvaluator({"q": gains}, wanted).evaluate({"q": run})["q"]
    named = {ours: round(values[theirs], 6) for ours, theirs in names()}
    for k in CUTS:
        named[f"RR@{k}"] = named["RR"] if named["RR"] >= 1 / k - 1e-6 else 0.0
    return named


def main():
    lines = []
    for name, (scores, gains) in CASES.items():
        # As text, with all 64 bits: how a score becomes one of 32 bits is part of what is compared.
        texts = {document: repr(float(score)) for document, score in scores.items()}
        case = {"name": name, "run": texts, "qrels": gains, "values": measured(scores, gains)}
        lines.append("  " + json.dumps(case, ensure_ascii=False))
    print("[\n" + ",\n".join(lines) + "\n]")


main()
