"""What an image declares about its system by labels, such as that it keeps to constraints.

These labels are kept; all others are dropped, because engines read some of them as settings and containers
would inherit them. A label that begins like ours and is not known is refused: it would be ignored silently.
"""

from __future__ import annotations

from collections.abc import Mapping

from .refusal import ImageRefused, quote

PREFIX = "arboretum."
CONSTRAINTS = "arboretum.constraints"
PROJECTIVE = "arboretum.projective"
TRAIN = "arboretum.train"
SCORER = "arboretum.scorer"
"""On images of organisers: what the scorer measures, as JSON, which the site reads."""
ONLY = "only"
"""Of `TRAIN`: the system has no model of its own, so it cannot parse without training."""
VALUES = {CONSTRAINTS: ("honoured",), PROJECTIVE: ("yes",), TRAIN: ("yes", ONLY)}
"""Without the label the opposite holds."""


def declarations(labels: Mapping[str, str]) -> dict[str, str]:
    """Those labels that say something to us, sorted; or `ImageRefused`."""
    own = {name: value for name, value in sorted(labels.items()) if name.startswith(PREFIX)}
    for name, value in own.items():
        if name != SCORER and value not in VALUES.get(name, ()):
            known = ", ".join(f"{name}={value}" for name, values in VALUES.items() for value in values)
            raise ImageRefused(
                "label-unknown",
                f"The image has the label {quote(f'{name}={value}')}, which is not known.",
                f"Labels that begin with {PREFIX} are: {known}.",
            )
    return own
