"""The messages of the contract, as they were generated."""

from .gen.trailblaze.v1.commands_pb import *  # noqa: F403
from .gen.trailblaze.v1.registry_pb import *  # noqa: F403
