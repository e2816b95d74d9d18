"""A reranker as a program: the share of the question's words that a passage has, rarer words counting more.

Called as `reranker.py --in DIR --out DIR --config FILE`; reads hits.jsonl and writes it in another order.
"""

import argparse
import json
import math
import pathlib
import re
from collections import Counter

arguments = argparse.ArgumentParser()
for flag in ("--in", "--out", "--config"):
    arguments.add_argument(flag, type=pathlib.Path, required=True, dest=flag[2:] + "_path")
paths = arguments.parse_args()
settings = json.loads(paths.config_path.read_text(encoding="utf-8"))


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def rerank(ranking):
    read = [(hit, words(hit["passage"]["title"] + " " + hit["passage"]["text"])) for hit in ranking["hits"]]
    frequency = Counter(word for _, found in read for word in found)
    asked = words(ranking["question"].get("question") or ranking["question"].get("text"))
    weight = {word: math.log(1 + len(read) / (0.5 + frequency[word])) for word in asked}
    for hit, found in read:
        # Of equal shares the better fused hit stays first.
        share = sum(weight[word] for word in asked & found) / (sum(weight.values()) or 1)
        hit["score"] = share + 0.5 / hit["rank"]
    ranking["hits"].sort(key=lambda hit: -hit["score"])
    del ranking["hits"][settings["keep"] :]
    return ranking


with (paths.in_path / "hits.jsonl").open(encoding="utf-8") as rankings:
    with (paths.out_path / "hits.jsonl").open("w", encoding="utf-8") as reranked:
        for line in rankings:
            reranked.write(json.dumps(rerank(json.loads(line)), ensure_ascii=False) + "\n")
