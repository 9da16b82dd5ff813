"""Writes what is generated: the stubs of the contract, and the client for code that does not await.

    pip install '.[generate]' && python generate.py

With --sync it writes the client alone.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE / "src" / "trailblaze"

NOTE = '''# Written from client.py by generate.py. DO NOT EDIT.
"""One method for each command, for code that does not await."""
'''

CHANGES = [
    (r'^""".*?"""\n', NOTE),
    (r"from \.both import both_ways\n", ""),
    (r"@both_ways\n", ""),
    (r"\n\n    Its methods are awaited\..*?alone\.", ""),
    (r"\basync def\b", "def"),
    (r"\bawait ", ""),
    (r"\bAsyncLink\b", "SyncLink"),
    (r"\bclass (Memory|TrailblazeClient|(Maestro|Playwright|Desktop)Commands)\b", r"class Sync\1"),
    (r"(?<= )(Memory|(Maestro|Playwright|Desktop)Commands)(?=\(link\))", r"Sync\1"),
]


def without_await(source: str) -> str:
    for pattern, replacement in CHANGES:
        source = re.sub(pattern, replacement, source, count=1 if pattern.startswith("^") else 0, flags=re.DOTALL)
    return source


def main() -> None:
    if "--sync" not in sys.argv:
        subprocess.run(["buf", "generate"], cwd=HERE, check=True)
    source = (PACKAGE / "client.py").read_text(encoding="utf-8")
    (PACKAGE / "sync.py").write_text(without_await(source), encoding="utf-8")


if __name__ == "__main__":
    main()
