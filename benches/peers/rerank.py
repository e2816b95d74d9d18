"""The peer of the reranker: ONNX Runtime on the same int8 export, all candidates of a question in one padded batch."""

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

import contest


def main():
    _, params = contest.parameters()
    options = ort.SessionOptions()
    options.intra_op_num_threads = params["threads"]
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(params["weights"], options, providers=["CPUExecutionProvider"])
    names = {entry.name for entry in session.get_inputs()}
    tokenizer = Tokenizer.from_file(params["tokenizer"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(params["max_tokens"], strategy="only_second")
    pairs = tokenizer.encode_batch([(params["query"], passage) for passage in params["passages"]])
    length = max(len(pair.ids) for pair in pairs)
    ids, mask, types = (np.zeros((len(pairs), length), np.int64) for _ in range(3))
    for row, pair in enumerate(pairs):
        ids[row, : len(pair.ids)] = pair.ids
        mask[row, : len(pair.ids)] = 1
        types[row, : len(pair.ids)] = pair.type_ids
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    given = {name: values for name, values in given.items() if name in names}

    def work():
        return {"scores": session.run(None, given)[0].reshape(-1).tolist()}

    work()
    contest.serve({"tokens": int(mask.sum())}, work)


main()
