#!/usr/bin/env python3
"""unpack-relocs.py LIB.so OUT.so: a copy of a 64-bit library whose relocations are the ordinary table of ELF.

The libraries for phones have them packed (DT_ANDROID_RELA, 'APS2'), which Android's linker reads and glibc does not.
The plain table goes to the end of the copy, into a segment of its own; a library that is not packed is only copied."""
import pathlib
import struct
import sys

PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PF_R = 4
DT_NULL, DT_RELA, DT_RELASZ, DT_RELAENT = 0, 7, 8, 9
DT_ANDROID_RELA, DT_ANDROID_RELASZ = 0x60000011, 0x60000012
GROUPED_BY_INFO, GROUPED_BY_OFFSET_DELTA, GROUPED_BY_ADDEND, HAS_ADDEND = 1, 2, 4, 8
HEADER = struct.Struct("<IIQQQQQQ")  # type, flags, offset, vaddr, paddr, filesz, memsz, align
DYNAMIC = struct.Struct("<qQ")
RELA = struct.Struct("<QQq")
PAGE = 16384


def numbers(packed):
    """The signed LEB128 numbers of the packed table."""
    value = shift = 0
    for byte in packed:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte & 0x80 == 0:
            yield value - (1 << shift) if byte & 0x40 else value
            value = shift = 0


def unpacked(packed):
    """The entries of the table, as bionic's linker reads them."""
    if packed[:4] != b"APS2":
        sys.exit("unpack-relocs: the packed relocations do not begin with APS2")
    number = numbers(packed[4:]).__next__
    left, offset, info, addend = number(), number(), 0, 0
    table = bytearray()
    while left > 0:
        size, flags = number(), number()
        delta = number() if flags & GROUPED_BY_OFFSET_DELTA else None
        if flags & GROUPED_BY_INFO:
            info = number()
        if not flags & HAS_ADDEND:
            addend = 0
        elif flags & GROUPED_BY_ADDEND:
            addend += number()
        for _ in range(size):
            offset += number() if delta is None else delta
            if not flags & GROUPED_BY_INFO:
                info = number()
            if flags & HAS_ADDEND and not flags & GROUPED_BY_ADDEND:
                addend += number()
            table += RELA.pack(offset, info, addend)
        left -= size
    return bytes(table)


class Elf:
    def __init__(self, data):
        if data[:6] != b"\x7fELF\x02\x01":
            sys.exit("unpack-relocs: no 64-bit little-endian ELF file")
        self.data = bytearray(data)
        (start,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        self.header_places = [start + size * n for n in range(count)]

    def headers(self):
        return [(place, HEADER.unpack_from(self.data, place)) for place in self.header_places]

    def first(self, kind):
        """The place and the fields of a program header."""
        found = next(((place, head) for place, head in self.headers() if head[0] == kind), None)
        return found or sys.exit(f"unpack-relocs: no program header of type {kind}")

    def file_offset(self, address):
        for _, (kind, _, offset, start, _, filesz, _, _) in self.headers():
            if kind == PT_LOAD and start <= address < start + filesz:
                return offset + address - start
        sys.exit(f"unpack-relocs: nothing is loaded at {address:#x}")

    def dynamic(self):
        """Tag -> (place, value)."""
        _, (_, _, offset, _, _, filesz, _, _) = self.first(PT_DYNAMIC)
        entries = {}
        for place in range(offset, offset + filesz, DYNAMIC.size):
            tag, value = DYNAMIC.unpack_from(self.data, place)
            if tag == DT_NULL:
                break
            entries[tag] = (place, value)
        return entries

    def append(self, table):
        """Loads bytes behind everything else and says at which address. The note makes room for the header."""
        place, _ = self.first(PT_NOTE)
        end = max(head[3] + head[6] for _, head in self.headers() if head[0] == PT_LOAD)
        address = -(-end // PAGE) * PAGE
        self.data += bytes(-len(self.data) % PAGE)
        head = (PT_LOAD, PF_R, len(self.data), address, address, len(table), len(table), PAGE)
        HEADER.pack_into(self.data, place, *head)
        self.data += table
        return address

    def unpack(self):
        dynamic = self.dynamic()
        if DT_ANDROID_RELA not in dynamic:
            return
        (place, address), (size_place, size) = dynamic[DT_ANDROID_RELA], dynamic[DT_ANDROID_RELASZ]
        if DT_RELA in dynamic or dynamic.get(DT_RELAENT, (0, 0))[1] != RELA.size:
            sys.exit("unpack-relocs: a plain table as well, or entries of another size")
        start = self.file_offset(address)
        table = unpacked(bytes(self.data[start:start + size]))
        DYNAMIC.pack_into(self.data, place, DT_RELA, self.append(table))
        DYNAMIC.pack_into(self.data, size_place, DT_RELASZ, len(table))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: unpack-relocs.py LIB.so OUT.so")
    elf = Elf(pathlib.Path(sys.argv[1]).read_bytes())
    elf.unpack()
    out = pathlib.Path(sys.argv[2])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(elf.data)


if __name__ == "__main__":
    main()
