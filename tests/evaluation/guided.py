"""A fuzzer guided by coverage (atheris, which is not required): `python -m tests.evaluation.guided`.

Its bytes make the choices of a drawn gold file, and what is left of them is the system file.
"""

import sys

import atheris

with atheris.instrument_imports(include=["evaluation"]):
    from tests.evaluation.hostile import check_drawn


def test_one_input(data: bytes) -> None:
    provider = atheris.FuzzedDataProvider(data)
    rest = provider.ConsumeBytes(provider.remaining_bytes() // 2)
    check_drawn(lambda n: provider.ConsumeIntInRange(0, n - 1), rest)


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
