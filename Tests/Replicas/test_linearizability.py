"""Tests the checker with histories that are right and histories that are wrong."""

import unittest

from linearizability import NEVER, Operation, is_linearizable


def write(value, begin, end=NEVER):
    return Operation("write", begin, end, value)


def read(seen, begin, end):
    return Operation("read", begin, end, seen=seen)


def swap(expected, value, begin, end=NEVER, succeeded=None, **seen):
    return Operation("swap", begin, end, value, expected, succeeded=succeeded, **seen)


class LinearizabilityTests(unittest.TestCase):
    def accept(self, *operations):
        self.assertTrue(is_linearizable("start", operations))

    def reject(self, *operations):
        self.assertFalse(is_linearizable("start", operations))

    def test_a_read_finds_the_last_write(self):
        self.accept(write("x", 1, 2), read("x", 3, 4))
        self.reject(write("x", 1, 2), read("start", 3, 4))

    def test_a_concurrent_read_finds_either_value(self):
        self.accept(write("x", 1, 4), read("start", 2, 3))
        self.accept(write("x", 1, 4), read("x", 2, 3))

    def test_reads_do_not_go_back(self):
        self.reject(write("x", 1, 9), read("x", 2, 3), read("start", 4, 5))

    def test_a_value_that_was_never_written_is_wrong(self):
        self.reject(write("x", 1, 2), read("y", 3, 4))

    def test_a_lost_acknowledged_write_is_wrong(self):
        self.reject(write("x", 1, 2), write("y", 3, 4), read("x", 5, 6))

    def test_a_write_that_takes_effect_twice_is_wrong(self):
        self.reject(write("x", 1, 4), write("y", 5, 6), read("y", 7, 8), read("x", 9, 10))

    def test_an_unknown_write_takes_effect_later_or_never(self):
        self.accept(write("x", 1), read("start", 2, 3), read("x", 4, 5))
        self.accept(write("x", 1), read("start", 2, 3), read("start", 4, 5))
        self.reject(write("x", 1), read("x", 2, 3), read("start", 4, 5))
        self.reject(read("x", 1, 2), write("x", 3))

    def test_a_successful_comparison_has_found_the_expected_value(self):
        self.accept(swap("start", "x", 1, 2, True), read("x", 3, 4))
        self.reject(write("y", 1, 2), swap("start", "x", 3, 4, True))

    def test_only_one_of_two_comparisons_with_the_same_value_succeeds(self):
        self.reject(swap("start", "x", 1, 4, True), swap("start", "y", 2, 3, True))

    def test_a_failed_comparison_has_found_another_value(self):
        self.accept(write("y", 1, 2), swap("start", "x", 3, 4, False, seen="y"))
        self.accept(write("y", 1), swap("start", "x", 3, 4, False))
        self.reject(swap("start", "x", 1, 2, False))
        self.reject(write("y", 1, 2), swap("y", "x", 3, 4, False))
        self.reject(write("y", 1, 2), write("z", 3, 4), swap("start", "x", 5, 6, False, seen="y"))

    def test_an_unknown_comparison_takes_effect_later_or_never(self):
        self.accept(swap("start", "x", 1), read("start", 2, 3), read("x", 4, 5))
        self.accept(swap("start", "x", 1), write("y", 2, 3), read("y", 4, 5))
        self.reject(swap("start", "x", 1), write("y", 2, 3), read("x", 4, 5), read("y", 6, 7))

    def test_an_acknowledged_increment_is_not_lost(self):
        def add(expected, begin, end):
            return Operation("swap", begin, end, expected + 1, expected)

        self.assertTrue(is_linearizable(0, [add(0, 1, 2), add(1, 3, 4), read(2, 5, 6)]))
        self.assertFalse(is_linearizable(0, [add(0, 1, 4), add(0, 2, 3), read(1, 5, 6)]))
