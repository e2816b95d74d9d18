"""What every peer has in common: it gets ready, then runs once for each line it is sent.

The driver starts a script as `python NAME.py ENGINE PARAMETERS.json`. When the engine is loaded and warm, the script prints
`{"ready": ...}`; for each line "run" it does the work once and prints `{"seconds": ...}`; it ends with its input.
"""

import json
import sys
import time


def parameters():
    """The engine's name and the parameters."""
    engine, path = sys.argv[1:3]
    with open(path, encoding="utf-8") as file:
        return engine, json.load(file)


def serve(ready, work):
    """Says what was made ready, then does `work` whenever asked; what it returns, a dict, is printed with its time."""
    say({"ready": ready})
    for line in sys.stdin:
        if line.strip() != "run":
            continue
        started = time.perf_counter()
        more = work() or {}
        say({"seconds": more.pop("seconds", time.perf_counter() - started), **more})


def say(value):
    print(json.dumps(value), flush=True)
