#!/usr/bin/env python3
"""check-so.py FILE...: would Android's linker and the stores take these shared libraries?

Fails on: a machine that is not arm64 or x86_64, a NEEDED library that is no NDK library with a list in bionic/symbols,
LOAD segments not aligned to 16 KB, text relocations, writable code, a TLS segment, a strong undefined symbol that is in
none of those lists, and an export that is no JNI name. Reports weak symbols that an old device may lack."""
import os
import pathlib
import re
import subprocess
import sys

SYMBOLS = pathlib.Path(__file__).resolve().parent / "bionic" / "symbols"
PAGE = 16384
MACHINES = {"AArch64": "arm64-v8a", "X86-64": "x86_64"}
JNI_NAME = re.compile(r"JNI_OnLoad$|JNI_OnUnload$|Java_")


def llvm(tool, *args):
    """The output of one of the NDK's LLVM tools."""
    ndk = pathlib.Path(os.environ.get("ANDROID_NDK_HOME") or sys.exit("check-so: ANDROID_NDK_HOME is not set"))
    program = next(ndk.glob(f"toolchains/llvm/prebuilt/*/bin/llvm-{tool}*"), None)
    if program is None:
        sys.exit(f"check-so: no llvm-{tool} in {ndk}")
    done = subprocess.run([program, *args], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"check-so: {done.stderr.strip()}")
    return done.stdout


def known_symbols():
    """Library name -> the names it has on every device."""
    libs = {}
    for path in SYMBOLS.glob("*.txt"):
        lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
        libs[path.stem + ".so"] = {words[0] for words in lines if words}
    return libs


def check_segments(head):
    errors = []
    loads = re.findall(r"^\s*LOAD\s.*?\s([R ][W ][E ])\s+(0x[0-9a-f]+)$", head, re.M)
    if not loads:
        errors.append("no LOAD segment")
    errors += [f"LOAD aligned to {align}, not 16 KB" for _, align in loads if int(align, 16) % PAGE]
    errors += ["a segment is writable and executable" for flags, _ in loads if flags == "RWE"]
    if "TEXTREL" in head:
        errors.append("has text relocations")
    if re.search(r"^\s*TLS\s", head, re.M):
        errors.append("has a TLS segment, which needs API 29")
    return errors


def check_undefined(path, needed, libs):
    """(errors, the number of strong symbols, the weak ones that no list has)."""
    known = set().union(*(libs.get(lib, set()) for lib in needed))
    errors, weak, strong = [], [], 0
    for line in llvm("nm", "--dynamic", "--undefined-only", path).splitlines():
        kind, name = line.split()[-2:]
        name = name.split("@")[0]
        if kind in "wv":
            weak += [name] if name not in known else []
            continue
        strong += 1
        if name not in known:
            where = [lib for lib, names in libs.items() if name in names]
            why = f"in {where[0]}, which is not NEEDED" if where else "not in bionic/symbols"
            errors.append(f"undefined {name}: {why}")
    return errors, strong, weak


def check(path, libs):
    """(errors, notes) of one file."""
    errors, notes = [], []
    head = llvm("readelf", "--file-header", "--program-headers", "--dynamic", "--wide", path)
    machine = re.search(r"Machine:.*?(AArch64|X86-64)", head)
    if not machine:
        errors.append("neither arm64 nor x86_64")
    if not re.search(r"Type:\s+DYN", head):
        errors.append("not a shared object")
    errors += check_segments(head)

    needed = re.findall(r"\(NEEDED\).*?\[(.*?)\]", head)
    errors += [f"needs {lib}, which is no known NDK library" for lib in needed if lib not in libs]
    undefined, strong, weak = check_undefined(path, needed, libs)
    errors += undefined

    exported = [line.split()[-1].split("@")[0] for line in llvm("nm", "--dynamic", "--defined-only", path).splitlines()]
    errors += [f"exports {name}, which is no JNI name" for name in exported if not JNI_NAME.match(name)]
    if not exported:
        errors.append("exports nothing")

    notes.append(f"{MACHINES[machine[1]] if machine else '?'}, needs {', '.join(needed) or 'nothing'}")
    notes.append(f"{strong} undefined symbols, {len(exported)} exported")
    if weak:
        notes.append(f"weak, absent on some devices: {', '.join(weak)}")
    return errors, notes


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: check-so.py FILE...")
    libs, bad = known_symbols(), False
    for path in sys.argv[1:]:
        errors, notes = check(path, libs)
        bad |= bool(errors)
        print(f"{path}: {'FAIL' if errors else 'ok'}")
        for text in [f"error: {error}" for error in errors] + notes:
            print(f"  {text}")
    sys.exit(bad)


if __name__ == "__main__":
    main()
