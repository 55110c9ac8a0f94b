from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.core.cache import LRUCache


def test_a_missing_key_gives_none() -> None:
    assert LRUCache[str, int](max_size=2).get("a") is None


def test_the_least_recently_used_entry_is_dropped() -> None:
    cache = LRUCache[str, int](max_size=2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert ("a" in cache, "b" in cache, "c" in cache) == (True, False, True)


def test_a_membership_test_does_not_count_as_use() -> None:
    cache = LRUCache[str, int](max_size=2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert "a" in cache
    cache.put("c", 3)
    assert "a" not in cache


def test_the_sizes_of_all_entries_stay_within_the_bound() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len)
    cache.put("a", "1234")
    cache.put("b", "1234")
    cache.put("c", "123")
    assert ("a" in cache, cache.size) == (False, 7)


def test_a_replaced_entry_is_counted_once() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len)
    cache.put("a", "12345678")
    cache.put("a", "12")
    assert (cache.get("a"), cache.size, len(cache)) == ("12", 2, 1)


def test_a_value_larger_than_the_cache_is_not_stored_and_drops_nothing_else() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len)
    cache.put("a", "1234")
    cache.put("b", "12345678901")
    assert ("a" in cache, "b" in cache, cache.size) == (True, False, 4)


def test_the_entry_used_last_can_be_kept_whatever_its_size() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len, keep_last=True)
    cache.put("a", "1234")
    cache.put("b", "12345678901")
    assert ("a" in cache, "b" in cache, cache.size) == (False, True, 11)


def test_the_bound_can_change() -> None:
    bound = 10
    cache = LRUCache[str, str](max_size=lambda: bound, size_of=len)
    cache.put("a", "1234")
    cache.put("b", "1234")
    bound = 5
    cache.put("c", "123")
    assert ("b" in cache, "c" in cache) == (False, True)


def test_a_value_larger_than_the_cache_removes_its_predecessor() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len)
    cache.put("a", "1234")
    cache.put("a", "12345678901")
    assert (cache.get("a"), cache.size) == (None, 0)


def test_a_value_is_made_once() -> None:
    cache = LRUCache[str, int](max_size=2)
    items: list[int] = []

    def make() -> int:
        items.append(1)
        return 0

    assert [cache.get_or_make("a", make) for _ in range(3)] == [0, 0, 0]
    assert len(items) == 1


def test_a_failure_to_make_a_value_leaves_nothing_behind() -> None:
    cache = LRUCache[str, float](max_size=2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_make("a", lambda: 1 / 0)
    assert cache.get_or_make("a", lambda: 1.0) == 1.0


def test_a_cleared_cache_is_empty() -> None:
    cache = LRUCache[str, str](max_size=10, size_of=len)
    cache.put("a", "1234")
    cache.clear()
    assert (len(cache), cache.size, cache.get("a")) == (0, 0, None)


@given(st.lists(st.tuples(st.integers(0, 5), st.text(max_size=8))))
def test_the_size_is_always_the_sum_over_the_entries(puts: list[tuple[int, str]]) -> None:
    cache = LRUCache[int, str](max_size=12, size_of=len)
    for key, value in puts:
        cache.put(key, value)
    entries = [cache.get(key) for key in range(6)]
    assert cache.size == sum(len(value) for value in entries if value is not None) <= 12


def test_threads_share_a_cache() -> None:
    cache = LRUCache[int, int](max_size=20)

    def use(seed: int) -> bool:
        keys = [n % 40 for n in range(seed, seed + 2000)]
        return all(cache.get_or_make(key, partial(int, key)) == key for key in keys)

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert all(pool.map(use, range(8)))
    assert len(cache) == cache.size == 20
