"""The weights of a GGUF file as a transformers model."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def load(settings: dict[str, Any], **more: Any) -> tuple[Any, Any]:
    """Model and tokenizer; the weights are dequantised to 32-bit floats.

    Parameters
    ----------
    settings
        ``weights``, the file, and ``threads``.
    more
        For ``from_pretrained``.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(settings["threads"])
    file = Path(settings["weights"])
    place = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    tokenizer = AutoTokenizer.from_pretrained(**place, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32, **more)
    model.eval()
    return model, tokenizer
