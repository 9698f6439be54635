"""A fitted selector in ONNX, one node that gathers the selected columns: the functions that skl2onnx asks for."""

from __future__ import annotations

from typing import Any

from fewest.errors import InvalidInput

#: The versions of ONNX that changed these operators.
_VERSIONS = {"Concat": (1, 4, 11, 13), "Gather": (1, 11, 13)}


def set_output_shape(operator: Any) -> None:
    """Give the output of an operator of skl2onnx the type of its input, and the number of selected columns."""
    kind = operator.inputs[0].type
    others = sorted({type(one.type).__name__ for one in operator.inputs} - {type(kind).__name__})
    if others:
        raise InvalidInput(
            f"ONNX has one type for all columns of a table, and these have {type(kind).__name__} and {others[0]}. "
            "Give initial_types one input for all columns, or encode text before the selector."
        )
    n_selected = int(operator.raw_operator.get_support().sum())
    if n_selected == 0:
        raise InvalidInput("No features were selected: ONNX has no table without columns.")
    operator.outputs[0].type = type(kind)([operator.inputs[0].get_first_dimension(), n_selected])


def add_gather(scope: Any, operator: Any, container: Any) -> None:
    """Add the node that gathers the selected columns of the inputs, which are joined first where there are several."""
    from skl2onnx.proto import onnx_proto

    table = operator.inputs[0].full_name
    if len(operator.inputs) > 1:
        table = scope.get_unique_variable_name("table")
        columns = [one.full_name for one in operator.inputs]
        container.add_node(
            "Concat", columns, table, axis=1, op_version=_version("Concat", container),
            name=scope.get_unique_operator_name("Concat"),
        )  # fmt: skip
    chosen = operator.raw_operator.get_support(indices=True)
    indices = scope.get_unique_variable_name("selected")
    container.add_initializer(indices, onnx_proto.TensorProto.INT64, [len(chosen)], chosen.tolist())
    name = scope.get_unique_operator_name("Gather")
    container.add_node(
        "Gather", [table, indices], operator.outputs[0].full_name, axis=1, op_version=_version("Gather", container),
        name=name,
    )  # fmt: skip


def _version(operator: str, container: Any) -> int:
    """The newest version of an operator that the model may have: its runtime need not know the oldest."""
    return max(version for version in _VERSIONS[operator] if version <= container.target_opset)
