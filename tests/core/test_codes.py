"""Enumerations as plain integers."""

from __future__ import annotations

import pytest

from cmgit.core import codes, facts


@pytest.mark.parametrize("name", codes.__all__)
def test_every_code_is_the_number_of_its_enumeration_and_no_member_of_it(name: str) -> None:
    plain, enumeration = getattr(codes, name), getattr(facts, name)
    for member in enumeration:
        assert getattr(plain, member.name) == member
        assert type(getattr(plain, member.name)) is int
