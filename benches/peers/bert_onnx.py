"""An ONNX model of a BERT-family encoder, made of its safetensors weights, as strong as its runtime can have it.

ONNX Runtime gets the fused operators that its own optimiser would put in (attention, skip layer normalisation, bias and
GELU); OpenVINO gets plain operators, which it fuses itself.
"""

import json
import struct

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HEADS = 12


def weights(path):
    """The tensors of a safetensors file of 32-bit floats, by name."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[start:end], np.float32).reshape(entry["shape"])
    return tensors


class Graph:
    """Nodes and constants in the making."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, values, kind=np.float32):
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, kind), name))
        return name

    def node(self, kind, inputs, domain="", **attributes):
        self.count += 1
        output = f"{kind}{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output


def build(tensors, path, fused):
    """Writes the encoder: token ids and attention mask in, token vectors out."""
    graph = Graph()
    embeddings = {kind: tensors[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")}
    hidden = embeddings["word"].shape[1]
    words = graph.node("Gather", [graph.constant(embeddings["word"]), "ids"])
    length = graph.node("Gather", [graph.node("Shape", ["ids"]), graph.constant([1], np.int64)])
    first = graph.constant(embeddings["position"] + embeddings["token_type"][0])
    places = graph.node("Slice", [first, graph.constant([0], np.int64), length, graph.constant([0], np.int64)])
    states = norm(graph, graph.node("Add", [words, places]), tensors, "embeddings.LayerNorm")
    bias = None if fused else additive_mask(graph)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        prefix = f"encoder.layer.{layer}."
        attended = attention(graph, states, tensors, prefix, hidden, fused, bias)
        attended = linear(graph, attended, tensors, prefix + "attention.output.dense", bias=not fused)
        states = add_and_norm(graph, attended, states, tensors, prefix + "attention.output", fused)
        inner = linear(graph, states, tensors, prefix + "intermediate.dense", bias=not fused)
        if fused:
            inner_bias = graph.constant(tensors[prefix + "intermediate.dense.bias"])
            inner = graph.node("BiasGelu", [inner, inner_bias], domain="com.microsoft")
        else:
            inner = graph.node("Gelu", [inner])
        output = linear(graph, inner, tensors, prefix + "output.dense", bias=not fused)
        states = add_and_norm(graph, output, states, tensors, prefix + "output", fused)
        layer += 1
    graph.nodes.append(helper.make_node("Identity", [states], ["states"]))
    mask_type = TensorProto.INT32 if fused else TensorProto.INT64
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "bert",
            [
                helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"]),
                helper.make_tensor_value_info("mask", mask_type, ["batch", "length"]),
            ],
            [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", hidden])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
    )
    save(model, path)


def linear(graph, states, tensors, name, bias):
    product = graph.node("MatMul", [states, graph.constant(tensors[name + ".weight"].T)])
    return graph.node("Add", [product, graph.constant(tensors[name + ".bias"])]) if bias else product


def norm(graph, states, tensors, name):
    scale, bias = graph.constant(tensors[name + ".weight"]), graph.constant(tensors[name + ".bias"])
    return graph.node("LayerNormalization", [states, scale, bias], axis=-1, epsilon=1e-12)


def add_and_norm(graph, states, residual, tensors, prefix, fused):
    if not fused:
        return norm(graph, graph.node("Add", [states, residual]), tensors, prefix + ".LayerNorm")
    parts = [tensors[prefix + ".LayerNorm.weight"], tensors[prefix + ".LayerNorm.bias"], tensors[prefix + ".dense.bias"]]
    inputs = [states, residual] + [graph.constant(part) for part in parts]
    return graph.node("SkipLayerNormalization", inputs, domain="com.microsoft", epsilon=1e-12)


def additive_mask(graph):
    """0 where a token is, and a large negative number where padding is."""
    mask = graph.node("Cast", ["mask"], to=TensorProto.FLOAT)
    padding = graph.node("Sub", [graph.constant(1.0), mask])
    scaled = graph.node("Mul", [padding, graph.constant(-1e9)])
    return graph.node("Unsqueeze", [scaled, graph.constant([1, 2], np.int64)])


def attention(graph, states, tensors, prefix, hidden, fused, mask):
    own = [tensors[f"{prefix}attention.self.{part}.weight"].T for part in ("query", "key", "value")]
    biases = [tensors[f"{prefix}attention.self.{part}.bias"] for part in ("query", "key", "value")]
    if fused:
        inputs = [states, graph.constant(np.concatenate(own, 1)), graph.constant(np.concatenate(biases)), "mask"]
        return graph.node("Attention", inputs, domain="com.microsoft", num_heads=HEADS)
    split = graph.constant([0, 0, HEADS, hidden // HEADS], np.int64)

    def heads(part, order):
        product = graph.node("MatMul", [states, graph.constant(own[part])])
        biased = graph.node("Add", [product, graph.constant(biases[part])])
        return graph.node("Transpose", [graph.node("Reshape", [biased, split])], perm=order)

    scores = graph.node("MatMul", [heads(0, [0, 2, 1, 3]), heads(1, [0, 2, 3, 1])])
    scaled = graph.node("Mul", [scores, graph.constant((hidden // HEADS) ** -0.5)])
    shares = graph.node("Softmax", [graph.node("Add", [scaled, mask])], axis=-1)
    mixed = graph.node("Transpose", [graph.node("MatMul", [shares, heads(2, [0, 2, 1, 3])])], perm=[0, 2, 1, 3])
    return graph.node("Reshape", [mixed, graph.constant([0, 0, hidden], np.int64)])
