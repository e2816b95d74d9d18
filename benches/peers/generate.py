"""The peer of local generation: llama.cpp's server on the same GGUF file and threads."""

import json
import urllib.request

import xllamacpp

import contest


def main():
    _, params = contest.parameters()
    common = xllamacpp.CommonParams()
    common.model.path = params["weights"]
    common.n_ctx = params["context"]
    common.n_parallel = 1
    common.cpuparams.n_threads = params["threads"]
    common.cpuparams_batch.n_threads = params["threads"]
    common.port = 0
    server = xllamacpp.Server(common)

    def work():
        request = {
            "prompt": params["prompt"],
            "n_predict": params["tokens"],
            "temperature": 0,
            "cache_prompt": False,
            "ignore_eos": True,
        }
        body = json.dumps(request).encode()
        url = server.listening_address + "/completion"
        with urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"})) as answer:
            timings = json.load(answer)["timings"]
        return {
            "prompt_tokens": timings["prompt_n"],
            "prompt_seconds": timings["prompt_ms"] / 1e3,
            "tokens": timings["predicted_n"],
            "decode_seconds": timings["predicted_ms"] / 1e3,
        }

    work()
    contest.serve({}, work)


main()
