#!/usr/bin/env python3
"""pack-apk.py OUT.apk BASE.apk DIR: BASE's entries and DIR's files in one APK, aligned for mmap.

Libraries and resources.arsc are stored, the rest is deflated. A stored entry starts at a multiple of 4, a .so at a
multiple of 16 KB; the alignment is also written in the entry's extra field (0xd935), where apksigner looks for it when
it copies the entry. The same input gives the same bytes."""
import pathlib
import struct
import sys
import zipfile

ALIGN_FIELD = 0xD935
EPOCH = (1981, 1, 1, 1, 1, 2)


def alignment(name):
    return 16384 if name.endswith(".so") else 4


def add(apk, name, data):
    info = zipfile.ZipInfo(name, EPOCH)
    info.external_attr = 0o644 << 16
    if name.endswith((".so", ".arsc", ".png")):
        multiple = alignment(name)
        start = apk.fp.tell() + 30 + len(name.encode()) + 6
        pad = -start % multiple
        info.extra = struct.pack("<HHH", ALIGN_FIELD, 2 + pad, multiple) + bytes(pad)
    else:
        info.compress_type = zipfile.ZIP_DEFLATED
    apk.writestr(info, data)


def check(path):
    """Stored entries lie at multiples of their alignment."""
    with zipfile.ZipFile(path) as apk, open(path, "rb") as raw:
        for info in apk.infolist():
            raw.seek(info.header_offset + 26)
            start = info.header_offset + 30 + sum(struct.unpack("<HH", raw.read(4)))
            if info.filename.endswith(".so") and info.compress_type:
                sys.exit(f"{path}: {info.filename} is compressed")
            if not info.compress_type and start % alignment(info.filename):
                sys.exit(f"{path}: {info.filename} at {start}, not a multiple of {alignment(info.filename)}")


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        return check(sys.argv[2])
    if len(sys.argv) != 4:
        sys.exit("usage: pack-apk.py OUT.apk BASE.apk DIR | pack-apk.py --check APK")
    out, base, root = sys.argv[1:]
    with zipfile.ZipFile(out, "w") as apk:
        with zipfile.ZipFile(base) as old:
            for name in sorted(old.namelist()):
                add(apk, name, old.read(name))
        for path in sorted(pathlib.Path(root).rglob("*")):
            if path.is_file():
                add(apk, path.relative_to(root).as_posix(), path.read_bytes())
    check(out)


if __name__ == "__main__":
    main()
