"""A small cache in the memory of the process, for values that are expensive to make and never change.

In: a key that says everything the value depends on. Out: the value, made at most once as long as it is among
those used last. Entries are never invalidated; a value that can change needs what changes it in its key.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def _one(_: object) -> int:
    return 1


class LRUCache(Generic[K, V]):
    """Drops the least recently used entries when the sum of their sizes exceeds `max_size`.

    Without `size_of` every entry has size 1, so that `max_size` is a number of entries. If `max_size` is a
    function, it is called at every use. With `keep_last` the entry used last stays,
    even if it alone exceeds the limit.
    """

    def __init__(
        self,
        max_size: int | Callable[[], int],
        size_of: Callable[[V], int] = _one,
        *,
        keep_last: bool = False,
    ) -> None:
        self._limit = max_size if callable(max_size) else lambda: max_size
        self._size_of = size_of
        self._keep_last = keep_last
        self._size = 0
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: K) -> bool:
        """Does not count as use."""
        return key in self._entries

    @property
    def size(self) -> int:
        return self._size

    def get(self, key: K) -> V | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: K, value: V) -> None:
        """Replaces what was there. A value larger than the whole cache is stored only with `keep_last`."""
        size, limit = self._size_of(value), self._limit()
        with self._lock:
            self._remove(key)
            if size > limit and not self._keep_last:
                return
            self._entries[key] = value
            self._size += size
            while self._size > limit and len(self._entries) > self._keep_last:
                self._remove(next(iter(self._entries)))

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """The value is made outside the lock: slow work delays nobody who needs another key.

        Two threads that miss at the same moment both make it; the values are equal, and the second stays.
        """
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._size = 0

    def _remove(self, key: K) -> None:
        if key in self._entries:
            self._size -= self._size_of(self._entries.pop(key))
