"""Models of Transformers that are made by their configuration alone, where a program loads a checkpoint."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from typing import Any


def follow() -> None:
    """From now on, ``from_pretrained`` of a model reads its configuration, and no weights."""
    sys.meta_path.insert(0, _Transformers())


class _Transformers(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != "transformers.modeling_utils":
            return None
        sys.meta_path.remove(self)
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or found.loader is None:
            return found
        run = found.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            module.PreTrainedModel.from_pretrained = classmethod(_made)

        found.loader.exec_module = exec_module  # type: ignore[method-assign]
        return found


def _made(cls: Any, name: Any, *arguments: Any, **options: Any) -> Any:
    import torch

    config = options.get("config")
    if config is None:
        config = cls.config_class.from_pretrained(name)
    dtype = options.get("dtype", options.get("torch_dtype"))
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype, None) or getattr(config, "dtype", None)
    if options.get("attn_implementation") is not None:
        config._attn_implementation = options["attn_implementation"]
    inherited = torch.get_default_dtype()
    if dtype is not None:
        torch.set_default_dtype(dtype)
    try:
        model = cls(config).eval()
    finally:
        torch.set_default_dtype(inherited)
    return model.cuda() if options.get("device_map") is not None else model
