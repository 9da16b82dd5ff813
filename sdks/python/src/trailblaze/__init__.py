"""What a tool of an MCP server may ask of Trailblaze: tap, type, look, check, on the right device.

The messages and stubs of the contract are in `trailblaze.v1`.
"""

from .client import DesktopCommands, MaestroCommands, Memory, PlaywrightCommands, TrailblazeClient
from .errors import TrailblazeAssertionError, TrailblazeError
from .result import ToolResult
from .sync import (
    SyncDesktopCommands,
    SyncMaestroCommands,
    SyncMemory,
    SyncPlaywrightCommands,
    SyncTrailblazeClient,
)

__all__ = [
    "DesktopCommands",
    "MaestroCommands",
    "Memory",
    "PlaywrightCommands",
    "SyncDesktopCommands",
    "SyncMaestroCommands",
    "SyncMemory",
    "SyncPlaywrightCommands",
    "SyncTrailblazeClient",
    "ToolResult",
    "TrailblazeAssertionError",
    "TrailblazeClient",
    "TrailblazeError",
]
