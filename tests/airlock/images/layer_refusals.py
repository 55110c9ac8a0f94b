"""One small archive per reason for refusing names, members and headers.

Keys are the id of the refusal and the case; the text behind an archive occurs in the message.
"""

from __future__ import annotations

import tarfile

from tests.airlock.images.build import (
    PROGRAM,
    SECOND,
    directory,
    docker_archive,
    hard_link,
    member,
    pack,
    patched,
    symlink,
)
from tests.airlock.images.hostile import Archive, edited_manifest, of_layers, of_members, pax, record

REFUSALS: dict[str, tuple[Archive, str]] = {
    "member-name: layer outside of the archive": (
        lambda: edited_manifest(Layers=["../../etc/passwd"]),
        "contains “..”",
    ),
    "member-name: absolute": (lambda: of_members(member("/etc/passwd")), "“/etc/passwd” is absolute"),
    "member-name: parent": (lambda: of_members(member("a/../../etc/passwd")), "contains “..”"),
    "member-name: parent at the end": (lambda: of_members(directory("a/..")), "contains “..”"),
    "member-name: long part": (lambda: of_members(member("x" * 256)), "too long"),
    "member-name: long path": (lambda: of_members(member("x" * 100 + "/x" * 2000)), "too long"),
    "member-name: deep path": (lambda: of_members(member("x/" * 101 + "x")), "more than 100 parts"),
    "member-name: root is a file": (lambda: of_members(member(".")), "not a directory"),
    "member-name: link to nowhere": (lambda: of_members(symlink("a", "")), "broken link"),
    "member-name: in the archive": (lambda: pack(member("../manifest.json")), "contains “..”"),
    "mount-point: of the contract": (lambda: of_members(member("output")), "“output” is a file"),
    "mount-point: of an engine": (lambda: of_members(member("./run")), "“run” is a file"),
    "through-link: in one layer": (
        lambda: of_members(symlink("a", "/etc"), member("a/passwd")),
        "below “a”",
    ),
    "through-link: deeper": (
        lambda: of_members(symlink("a/b", "/etc"), member("a/b/c/d")),
        "below “a/b”",
    ),
    "through-link: in the layer below": (
        lambda: of_layers(pack(symlink("a", "/etc")), pack(member("a/passwd"))),
        "member of layer 2 is below “a”",
    ),
    "through-link: second name of a link": (
        lambda: of_members(symlink("a", "/etc"), hard_link("b", "a"), member("b/passwd")),
        "below “b”",
    ),
    "through-link: below a file": (lambda: of_members(member("a"), member("a/b")), "below “a”"),
    "through-link: deletion": (
        lambda: of_layers(pack(symlink("a", "/etc")), pack(member("a/.wh.passwd"))),
        "below “a”",
    ),
    "hard-link: outside": (lambda: of_members(hard_link("a", "etc/shadow")), "“etc/shadow”"),
    "hard-link: to a directory": (lambda: of_members(directory("b/"), hard_link("a", "b")), "“b”"),
    "hard-link: through a link": (
        lambda: of_members(symlink("b", "/etc"), hard_link("a", "b/shadow")),
        "“b/shadow”",
    ),
    "hard-link: to a deletion": (lambda: of_members(member(".wh.b"), hard_link("a", ".wh.b")), "“.wh.b”"),
    "hard-link: to the layer below": (
        lambda: of_layers(pack(member("b")), pack(hard_link("a", "b"))),
        "In layer 2, “a” is a hard link to “b”",
    ),
    "member-name: hard link leaves the root": (lambda: of_members(hard_link("a", "../b")), "contains “..”"),
    "member-name: absolute hard link": (lambda: of_members(hard_link("a", "/etc/shadow")), "is absolute"),
    "whiteout: of nothing": (lambda: of_members(member("a/.wh.")), "does not name a file"),
    "whiteout: of its directory": (lambda: of_members(member("a/.wh..")), "does not name a file"),
    "whiteout: of the parent": (lambda: of_members(member("a/.wh...")), "does not name a file"),
    "whiteout: of aufs": (lambda: of_members(member(".wh..wh.plnk")), "does not name a file"),
    "whiteout: as a directory": (lambda: of_members(directory(".wh.a/")), "not an empty file"),
    "whiteout: below itself": (lambda: of_members(member(".wh.a/b")), "used as a directory"),
    "whiteout: with content": (lambda: of_members(member(".wh.a", b"x")), "not an empty file"),
    "whiteout: as a link": (lambda: of_members(symlink(".wh.a", "/etc")), "not an empty file"),
    "whiteout: opaque link": (lambda: of_members(symlink("a/.wh..wh..opq", "b")), "not an empty file"),
    "whiteout: and file": (lambda: of_members(member(".wh.a"), member("a")), "deleted and created"),
    "device: character": (lambda: of_members(member("dev/mem", type=tarfile.CHRTYPE)), "“dev/mem”"),
    "device: block": (lambda: of_members(member("dev/sda", type=tarfile.BLKTYPE)), "“dev/sda”"),
    "device: pipe": (lambda: of_members(member("run/pipe", type=tarfile.FIFOTYPE)), "a named pipe"),
    "sparse-file: GNU": (lambda: of_members(member("a", type=tarfile.GNUTYPE_SPARSE)), "sparse file"),
    "sparse-file: PAX": (lambda: of_members(record(pax("GNU.sparse.major", "1"))), "sparse file"),
    "attribute: overlay": (
        lambda: of_members(record(pax("SCHILY.xattr.trusted.overlay.redirect", "/etc"))),
        "“trusted.overlay.redirect”",
    ),
    "attribute: overlay without root": (
        lambda: of_members(record(pax("SCHILY.xattr.user.overlay.opaque", "y"))),
        "“user.overlay.opaque”",
    ),
    "attribute: override": (
        lambda: of_members(record(pax("SCHILY.xattr.user.containers.override_stat", "0:0:4777"))),
        "“user.containers.override_stat”",
    ),
    "tar-header: checksum": (
        lambda: of_layers(PROGRAM[:3] + b"X" + PROGRAM[4:]),
        "header in layer 1 is not valid: its checksum",
    ),
    "tar-header: format": (lambda: of_members(patched(member("a"), 257, bytes(8))), "POSIX nor GNU"),
    "tar-header: prefix of GNU": (
        lambda: of_members(patched(member("a", format=tarfile.GNU_FORMAT), 345, b"b")),
        "incremental backup",
    ),
    "tar-header: number": (lambda: of_members(patched(member("a"), 124, b"00000000x00")), "malformed"),
    "tar-header: negative": (
        lambda: of_members(patched(member("a"), 124, b"\xff" * 12)),
        "malformed",
    ),
    "tar-header: owner": (
        lambda: of_members(patched(member("a"), 108, b"\x80" + b"\x7f" * 7)),
        "id is too large",
    ),
    "tar-header: owner by PAX": (lambda: of_members(record(pax("uid", "9" * 12))), "id is too large"),
    "tar-header: type": (lambda: of_members(patched(member("a"), 156, b"7")), "type b'7'"),
    "tar-header: global records": (
        lambda: of_members(member("g", pax("path", "b").encode(), type=tarfile.XGLTYPE)),
        "type b'g'",
    ),
    "tar-header: directory with content": (
        lambda: of_members(member("a", b"x" * 512, type=tarfile.DIRTYPE)),
        "has a size",
    ),
    "tar-header: link with content": (
        lambda: of_members(member("a", b"x" * 512, type=tarfile.SYMTYPE, link="b")),
        "has a size",
    ),
    "tar-header: file named like a directory": (lambda: of_members(member("a/")), "ends in a slash"),
    "tar-header: old file with a long name that is cut off like a directory": (
        # Programs disagree on which of the two names decides that this is a directory.
        lambda: of_members(
            member("x/" * 60 + "y", b"data", type=tarfile.AREGTYPE, format=tarfile.GNU_FORMAT)
        ),
        "ends in a slash",
    ),
    "tar-header: two sizes": (lambda: of_members(record(pax("size", "512"))), "a size is given twice"),
    "tar-header: two names": (
        lambda: of_members(
            member("x", b"long\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT)
            + record(pax("path", "b"))
        ),
        "a name is given twice",
    ),
    "tar-header: two extensions": (
        lambda: of_members(
            member("x", b"long\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) * 2 + member("a")
        ),
        "occurs twice",
    ),
    "tar-header: zero byte in a long name": (
        lambda: of_members(
            member("x", b"a\0b\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) + member("a")
        ),
        "only zero byte",
    ),
    "tar-header: long name without its end": (
        lambda: of_members(
            member("x", b"a" * 512, type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) + member("a")
        ),
        "only zero byte",
    ),
    "tar-header: long extension": (
        lambda: of_members(
            member("x", bytes(5000), type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) + member("a")
        ),
        "longer than 4,096 bytes",
    ),
    "tar-header: gigabytes of records": (
        lambda: of_members(member("x", type=tarfile.XHDTYPE, size=2**33, format=tarfile.GNU_FORMAT)),
        "longer than 131,072 bytes",
    ),
    "tar-header: record twice": (
        lambda: of_members(record(pax("path", "a") + pax("path", "b"))),
        "“path” occurs twice",
    ),
    "tar-header: unknown record": (lambda: of_members(record(pax("SCHILY.realsize", "1"))), "is not known"),
    "tar-header: zero byte in a name": (lambda: of_members(record(pax("path", "a\0b"))), "zero byte"),
    "tar-header: empty name": (lambda: of_members(record(pax("path", ""))), "is empty"),
    "tar-header: size in words": (lambda: of_members(record(pax("size", "many"))), "“size” is not a number"),
    "tar-header: record of wrong length": (
        lambda: of_members(record("99 path=a\n")),
        "length of a PAX record",
    ),
    "tar-header: no record": (lambda: of_members(record("something\n")), "PAX record is malformed"),
    "data-after-end: second archive": (lambda: of_layers(PROGRAM + SECOND), "after the end of layer 1"),
    "data-after-end: in the archive": (lambda: docker_archive() * 2, "after the end of the archive"),
    "data-after-end: extension without a file": (
        lambda: of_members(record(pax("path", "b"))[:-512]),
        "after the end of layer 1",
    ),
}
