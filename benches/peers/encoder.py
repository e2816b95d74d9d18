"""Peers of the encoder: ONNX Runtime and OpenVINO on the same weights and token ids.

Batches are of texts of like length, padded to the longest; vectors are means over tokens, normalised.
"""

import os

import numpy as np
from tokenizers import Tokenizer

import bert_onnx
import contest

BATCH = 16


def runtime(engine, params):
    """A function from ids and mask, both [batch, length], to token vectors."""
    name, _, precision = engine.partition("-")
    fused = name == "onnxruntime"
    path = os.path.join(params["work"], f"encoder-{name}.onnx")
    bert_onnx.build(bert_onnx.weights(params["weights"]), path, fused)
    return onnxruntime(path, precision, params) if fused else openvino(path, precision, params)


def onnxruntime(path, precision, params):
    import onnxruntime as ort

    if precision == "int8":
        from onnx import TensorProto
        from onnxruntime.quantization import QuantType, quantize_dynamic

        small = path.replace(".onnx", "-int8.onnx")
        # Operators of its own have no types that it could infer.
        extra = {"DefaultTensorType": TensorProto.FLOAT}
        quantize_dynamic(path, small, weight_type=QuantType.QInt8, per_channel=True, extra_options=extra)
        path = small
    options = ort.SessionOptions()
    options.intra_op_num_threads = params["threads"]
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"ids": ids, "mask": mask.astype(np.int32)})[0]


def openvino(path, precision, params):
    import openvino as ov

    compiled = ov.Core().compile_model(
        path,
        "CPU",
        {
            "INFERENCE_PRECISION_HINT": precision,
            "INFERENCE_NUM_THREADS": params["threads"],
            "PERFORMANCE_HINT": "LATENCY",
        },
    )
    request = compiled.create_infer_request()
    return lambda ids, mask: request.infer({"ids": ids, "mask": mask})[compiled.output(0)]


def main():
    engine, params = contest.parameters()
    encode = runtime(engine, params)
    tokenizer = Tokenizer.from_file(params["tokenizer"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(params["max_tokens"])
    texts = [entry.ids for entry in tokenizer.encode_batch(params["texts"])]
    order = sorted(range(len(texts)), key=lambda text: len(texts[text]))
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    inputs = []
    for batch in batches:
        length = max(len(texts[text]) for text in batch)
        ids = np.zeros((len(batch), length), np.int64)
        mask = np.zeros((len(batch), length), np.int64)
        for row, text in enumerate(batch):
            ids[row, : len(texts[text])] = texts[text]
            mask[row, : len(texts[text])] = 1
        inputs.append((batch, ids, mask))
    vectors = [None] * len(texts)

    def work():
        for batch, ids, mask in inputs:
            states = encode(ids, mask)
            sums = np.einsum("blh,bl->bh", states, mask.astype(np.float32))
            for text, vector in zip(batch, sums / np.linalg.norm(sums, axis=1, keepdims=True)):
                vectors[text] = vector

    work()
    np.stack(vectors).astype(np.float32).tofile(params["vectors"])
    contest.serve({"tokens": sum(map(len, texts))}, work)


main()
