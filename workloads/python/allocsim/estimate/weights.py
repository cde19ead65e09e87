"""Models of Transformers that are made by their configuration alone, where a program loads a checkpoint."""

from __future__ import annotations

from typing import Any

from .imports import when_imported


def follow() -> None:
    """From now on, ``from_pretrained`` of a model reads its configuration, and no weights."""
    when_imported("transformers.modeling_utils", _change)


def _change(module: Any) -> None:
    module.PreTrainedModel.from_pretrained = classmethod(_made)


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
