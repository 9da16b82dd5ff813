"""What a tool gave back."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ToolResult:
    """What a tool that was called by its name gave back."""

    #: What it says.
    text: str
    #: What it says for programs; None where it says nothing.
    structured: Any = None
