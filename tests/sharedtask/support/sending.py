"""A message as the site sends it: where to, and the keys of the rows that it names."""

from sharedtask.work.dispatch import Key
from sharedtask.work.targets import Target

Sent = tuple[Target, list[Key]]
