"""The model compiled."""

from __future__ import annotations

from ..program import Program
from ..remedy import Facts, Lines, Remedy
from ..source import after


class Compile(Remedy):
    """``model.compile()``: kernels are fused, so that fewer results between them are kept."""

    name = "compile"
    title = "compile the model"
    cost = "the first steps take minutes"

    def reason_against(self, facts: Facts) -> str | None:
        if facts["compute_capability"] < [7, 0]:
            return "the GPU is too old for PyTorch's compiler"
        models = [each for each in facts["models"] if each["training_calls"]] or facts["models"]
        if models and all(each["is_compiled"] for each in models):
            return "the model is already compiled"
        return None if models else "no model is called"

    def apply(self, program: Program) -> None:
        program.on_first_call(lambda model: None if hasattr(model, "_orig_mod") else model.compile())

    def lines(self, facts: Facts) -> list[Lines]:
        return [after(each["line"], "model", each["name"], lambda name: f"{name}.compile()") for each in facts["models"] if each["line"] is not None and not each["is_compiled"]]
