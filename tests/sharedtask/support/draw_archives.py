"""Archives drawn by chance: zip and zip64, tar of GNU and PAX, gzip and xz; whole, spoiled, or meant to harm.

Some begin as archives that a team could send, others as a heap of what the formats allow and forbid. What is
spoiled is often repaired half-way: a tar header gets its checksum again, so that the library goes on and
reads what follows by the spoiled header.
"""

from __future__ import annotations

import gzip
import lzma
import random
import zlib
from collections.abc import Callable
from typing import Any

from tests.sharedtask.support.building import FIRST, SECOND
from tests.sharedtask.support.raw_archives import (
    BLOCK,
    END_OF_TAR,
    directory_entry,
    local_header,
    pax_record,
    tar_entry,
    tar_extension,
    with_checksum,
    zip64_end,
    zip_end,
)

CONTENTS = (b"", b"x", FIRST.encode(), SECOND.encode(), FIRST.encode() * 40, b"1" * 700, bytes(5000))
LARGE_CONTENTS = (bytes(900_000), FIRST.encode() * 5_000, bytes(1_100_000))
NAMES = (
    *("de_one.conllu", "en_two.conllu", "out/de_one.conllu", "out\\en_two.conllu", "de_one.conllu.txt"),
    *("", ".", "..", "../x", "/etc/passwd", ".DS_Store", "__MACOSX/._x", "ü.conllu", "a" * 90, "out/"),
)
NUMBERS = (0, 1, 2, 45, 46, 255, 256, 511, 512, 513, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)
LARGE_NUMBERS = (2**32, 2**33 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
TOKENS = (
    *(b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x07\x08"),
    *(b"\0", b"\xff" * 4, b"\x80" + bytes(11), b"\1\0\x18\0", b"\n", b"=", b" ", b"9" * 20, b"\x1f\x8b\x08"),
)
HONEST_NAMES = ("de_one.conllu", "out/en_two.conllu", "out/.DS_Store")
LONGEST_REPEATED = 3_000_000
MANY_RECORDS = b"".join(pax_record(b"%x" % number, b"") for number in range(90_000))

Chance = random.Random


def draw_archive(chance: Chance) -> bytes:
    return chance.choice((draw_zip, draw_packed_tar, draw_packed_tar))(chance)


def draw_zip(chance: Chance) -> bytes:
    local, directory = b"", b""
    names = draw_names(chance)
    count = len(names)
    for name in map(str.encode, names):
        content, deflated = draw_content(chance), chance.random() < 0.5
        message = {} if chance.random() < 0.8 else draw_trappings(chance)
        directory += directory_entry(name, content, deflated=deflated, offset=len(local), **message)
        local += local_header(name, content, deflated=deflated)
    if directory and chance.random() < 0.02:
        times = chance.randint(2, 2 + LONGEST_REPEATED // len(directory))
        directory, count = directory * times, chance.choice((count, count * times))
    spoiled = mutated_zip(local + directory + draw_zip_end(chance, local, directory, count), chance)
    return (b"" if chance.random() < 0.95 else local_header(b"stub", b"prepended")) + spoiled


def draw_names(chance: Chance) -> list[str]:
    if chance.random() < 0.4:
        return [name for name in HONEST_NAMES if chance.random() < 0.8]
    return [chance.choice(NAMES) for _ in range(chance.choice((0, 1, 2, 3, 6)))]


def draw_content(chance: Chance) -> bytes:
    return chance.choice(CONTENTS if chance.random() < 0.98 else LARGE_CONTENTS)


def draw_trappings(chance: Chance) -> dict[str, Any]:
    """What a directory may say of an entry besides its name."""
    return {
        "comment": bytes(chance.choice((0, 10, 900))),
        "extra": chance.choice((b"", b"\1\0\x08\0" + b"\xff" * 8, b"\1\0\x18\0" + bytes(24), b"\2\0\xff\0")),
        "version": chance.choice((20, 45, 63, 64, 255)),
        "flags": chance.choice((0, 0, 1, 8, 0x20, 0x40, 0x800)),
    }


def draw_zip_end(chance: Chance, local: bytes, directory: bytes, count: int) -> bytes:
    sizes = {"directory_bytes": len(directory), "offset": len(local)}
    tail = bytes(chance.choice((0, 0, 0, 0, 1, 22, 100, 65_535, 65_536, 65_537)))
    comment = chance.choice((b"", b"", b"", b"made by hand", zip_end(entries=0, directory_bytes=0, offset=0)))
    if chance.random() < 0.3:
        plain = {"entries": 0xFFFF, "directory_bytes": 0xFFFFFFFF, "offset": 0xFFFFFFFF}
        return zip64_end(entries=count, **sizes) + zip_end(**plain, comment=comment) + tail
    return zip_end(entries=min(count, 0xFFFF), **sizes, comment=comment) + tail


def mutated_zip(archive: bytes, chance: Chance) -> bytes:
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        archive = chance.choice((change_zip_field, change_zip_field, *ANYWHERE))(archive, chance)
    return archive


def change_zip_field(archive: bytes, chance: Chance) -> bytes:
    """Somewhere behind a signature there is another number."""
    signature = chance.choice(TOKENS[:5])
    place = archive.rfind(signature) if chance.random() < 0.5 else archive.find(signature)
    if place < 0:
        return archive
    begin, size = place + chance.randrange(4, 56), chance.choice((1, 2, 4, 8))
    number = chance.choice(NUMBERS + LARGE_NUMBERS) % 256**size
    return archive[:begin] + number.to_bytes(size, "little") + archive[begin + size :]


def draw_packed_tar(chance: Chance) -> bytes:
    plain = draw_tar(chance)
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        plain = chance.choice((change_tar_field, change_tar_field, *ANYWHERE))(plain, chance)
    packed = chance.choice((pack_gzip, pack_gzip, pack_xz, pack_streams))(plain, chance)
    if chance.random() < 0.25:
        packed = chance.choice(ANYWHERE)(packed, chance)
    return plain if chance.random() < 0.01 else packed


def draw_tar(chance: Chance) -> bytes:
    if chance.random() < 0.4:
        pieces = [draw_honest_entry(name, chance) for name in HONEST_NAMES if chance.random() < 0.8]
    else:
        pieces = [draw_tar_piece(chance) for _ in range(chance.choice((0, 1, 2, 3, 5, 25)))]
    if pieces and chance.random() < 0.02:
        place = chance.randrange(len(pieces))
        pieces[place] *= chance.randint(2, 2 + LONGEST_REPEATED // max(BLOCK, len(pieces[place])))
    end = chance.choice((END_OF_TAR, END_OF_TAR, END_OF_TAR + bytes(10_240), b"", bytes(BLOCK), b"x" * 700))
    return b"".join(pieces) + end


def draw_honest_entry(name: str, chance: Chance) -> bytes:
    entry = tar_entry(name, draw_content(chance))
    names = (b"L", name.encode() + b"\0"), (b"x", pax_record(b"path", name.encode())), (b"g", b"")
    return entry if chance.random() < 0.5 else tar_extension(*chance.choice(names)) + entry


def draw_tar_piece(chance: Chance) -> bytes:
    return chance.choice((draw_entry, draw_entry, draw_pax, draw_pax, draw_long_name, draw_old_sparse))(
        chance
    )


def draw_entry(chance: Chance) -> bytes:
    kind = chance.choice((b"0",) * 6 + (b"\0", b"1", b"2", b"3", b"5", b"6", b"7", b"Z"))
    size = chance.choice((None, None, None, None, 0, 1, 600, 70_000, 8**11 - 1))
    return tar_entry(chance.choice(NAMES), draw_content(chance), kind=kind, size=size)


def draw_long_name(chance: Chance) -> bytes:
    size = chance.choice((0, 1, 200, 512, 8192, 8193, 40_000, 1_000_000))
    name = chance.choice(NAMES).encode().ljust(size, chance.choice((b"\0", b"a", b"/", b"\xff")))
    return tar_extension(chance.choice((b"L", b"K")), name) + chance.choice((b"", draw_entry(chance)))


def draw_pax(chance: Chance) -> bytes:
    """Records of PAX and the entry that they belong to, which may be one with a table of holes."""
    records = b"".join(draw_record(chance) for _ in range(chance.choice((0, 1, 2, 3, 30))))
    if chance.random() < 0.05:
        records += MANY_RECORDS[: chance.choice((8_000, 30_000, len(MANY_RECORDS)))]
    table = chance.choice(
        (b"", b"0\n", b"1\n0\n5\n", b"2\n1\n", b"99999999999\n0\n", b"\n", b"x\n", b"1" * 600)
    )
    holes = tar_entry("de_one.conllu", table.ljust(BLOCK, chance.choice((b"\0", b"1", b"\n"))))
    following = chance.choice((draw_entry(chance), holes, b""))
    return tar_extension(chance.choice((b"x", b"x", b"g", b"X")), records) + following


def draw_record(chance: Chance) -> bytes:
    keyword = chance.choice(
        (
            *(b"path", b"linkpath", b"size", b"mtime", b"uid", b"hdrcharset", b"comment"),
            *(b"GNU.sparse.major", b"GNU.sparse.minor", b"GNU.sparse.map", b"GNU.sparse.size"),
            *(b"GNU.sparse.realsize", b"GNU.sparse.name", b"GNU.sparse.offset", b"GNU.sparse.numbytes"),
        )
    )
    value = chance.choice(
        (
            *(
                b"",
                b"0",
                b"1",
                b"5",
                b"-5",
                b"1e400",
                b"nan",
                b"0,5",
                b"0,x",
                b"1,2,3",
                b"BINARY",
                b"\xff\xfe",
            ),
            *(b"de_one.conllu", b"9" * 25, b"9" * 4400, b"x" * 600, b"18446744073709551616", b"900000"),
        )
    )
    record = pax_record(keyword, value)
    return record if chance.random() < 0.9 else chance.choice((b"0", b"7", b"99999", b"-1", b"")) + record


def draw_old_sparse(chance: Chance) -> bytes:
    header = bytearray(tar_entry("de_one.conllu", kind=b"S"))
    for place in range(386, 482, 12):
        header[place : place + 12] = chance.choice((b"00000000000\0", b"00000001000\0", b"\xff" * 12))
    header[482] = chance.choice((0, 1, 1))
    header[483:495] = chance.choice((b"00000001000\0", b"77777777777\0", b"\xff" * 12))
    more = chance.choice((b"", bytes(504) + b"\1" + bytes(7), bytes(BLOCK), b"0" * 504 + b"\1" + bytes(7)))
    return with_checksum(bytes(header)) + more * chance.choice((1, 1, 2, 40))


def change_tar_field(plain: bytes, chance: Chance) -> bytes:
    """Another value in a header, whose checksum mostly becomes right again."""
    blocks = len(plain) // BLOCK
    if not blocks:
        return plain
    place = BLOCK * chance.choice((0, chance.randrange(blocks), chance.randrange(min(blocks, 8))))
    begin, size = chance.choice(((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (345, 155)))
    value = chance.choice((b"", b"\xff" * size, b"\x80" + b"\xff" * size, b"7" * size, b"00000001000", b"-1"))
    if begin == 156:
        value = chance.choice(b"01235LKxgXSZ").to_bytes(1, "big")
    header = plain[place : place + BLOCK]
    header = header[:begin] + value[:size].ljust(size, b"\0") + header[begin + size :]
    repaired = with_checksum(header) if chance.random() < 0.9 else header
    return plain[:place] + repaired + plain[place + BLOCK :]


def pack_gzip(plain: bytes, chance: Chance) -> bytes:
    if chance.random() < 0.9:
        return gzip.compress(plain, 1, mtime=0)
    # The fields that a header may have besides: extra data, a name, a comment, a checksum of its own.
    flags = chance.randrange(256)
    body = zlib.compress(plain, 1, wbits=-zlib.MAX_WBITS)
    trailer = zlib.crc32(plain).to_bytes(4, "little") + (len(plain) % 2**32).to_bytes(4, "little")
    extra = b"\4\0abcd" * bool(flags & 4) + b"n" * chance.choice((0, 90_000)) + b"\0" * bool(flags & 24)
    return b"\x1f\x8b\x08" + bytes((flags,)) + bytes(6) + extra + body + trailer


def pack_xz(plain: bytes, chance: Chance) -> bytes:
    packed = lzma.compress(plain, preset=0)
    return (
        packed if chance.random() < 0.9 else with_dictionary(packed, chance.choice((0, 10, 20, 28, 40, 41)))
    )


def with_dictionary(packed: bytes, code: int) -> bytes:
    """Another size of the dictionary in the first block header, which follows 12 bytes of stream header."""
    size = (packed[12] + 1) * 4
    header = bytearray(packed[12 : 12 + size - 4])
    place = header.find(b"\x21\x01")
    if place < 0:
        return packed
    header[place + 2] = code
    return packed[:12] + header + zlib.crc32(header).to_bytes(4, "little") + packed[12 + size :]


def pack_streams(plain: bytes, chance: Chance) -> bytes:
    """Several streams, which are one file, with empty ones and zeros in between."""
    compress: Callable[[bytes], bytes] = chance.choice(
        (gzip.compress, lambda part: lzma.compress(part, preset=0))
    )
    cut = chance.randrange(len(plain) + 1)
    empty = compress(b"") * chance.choice((0, 1, 3))
    between = bytes(chance.choice((0, 4, 7, 20_000)))
    return compress(plain[:cut]) + between + empty + compress(plain[cut:]) + between


def flip(data: bytes, chance: Chance) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + bytes((chance.randrange(256),)) + data[place + 1 :]


def insert(data: bytes, chance: Chance) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(TOKENS) + data[place:]


def cut(data: bytes, chance: Chance) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def remove(data: bytes, chance: Chance) -> bytes:
    begin = chance.randrange(len(data) + 1)
    return data[:begin] + data[begin + chance.choice((1, 4, 46, BLOCK)) :]


def repeat(data: bytes, chance: Chance) -> bytes:
    begin, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:begin] + data[begin:end] + data[begin:]


ANYWHERE = (flip, insert, cut, remove, repeat)
