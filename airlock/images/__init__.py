"""Check an image archive before any engine sees it, and rewrite it into one form that every engine loads.

In: the archive that a team uploaded: `docker save` or an OCI layout, plain, gzip or zstd. Out: an archive in
the format of `docker save` that contains one image with a name of ours, and an `Image` that describes it. An
archive that is not accepted raises `ImageRefused`.

    with open("upload", "rb") as source, open("image.tar", "w+b") as target:
        image = rewrite(source, target, limits=ImageLimits())

The same image gives the same bytes and the same id, whatever it was packed in.
"""

from .image import Image, image_name
from .limits import ImageLimits
from .refusal import ImageRefused
from .rewrite import rewrite

__all__ = ["Image", "ImageLimits", "ImageRefused", "image_name", "rewrite"]
