"""Pages never skip or repeat a row, whatever is added meanwhile; cursors are read strictly (contract, section 2)."""

import base64
import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.http import QueryDict
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kindgi.access.models import Project
from kindgi.api.errors import BadInput
from kindgi.api.pages import DEFAULT_LIMIT, MAX_LIMIT, Cursor, PageRequest, newest_first
from tests.builders import Api, make_tenant, make_user

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
EVERY_TIME = settings(max_examples=200, deadline=None)

instants = st.datetimes(timezones=st.just(UTC))
cursors = st.builds(Cursor, instants, st.uuids(allow_nil=True))


def is_refused(text: str) -> bool:
    try:
        Cursor.decode(text)
    except BadInput:
        return True
    return False


class TestCursors:
    """What :class:`Cursor` makes it reads, and nothing else."""

    @EVERY_TIME
    @given(cursors)
    @example(Cursor(datetime.min.replace(tzinfo=UTC), UUID(int=0)))
    @example(Cursor(datetime.max.replace(tzinfo=UTC), UUID(int=2**128 - 1)))
    def test_one_comes_back_as_it_was(self, cursor):
        text = cursor.encode()
        assert Cursor.decode(text) == cursor
        assert QueryDict(f"cursor={text}")["cursor"] == text, "It goes into an address as it is."

    @EVERY_TIME
    @given(cursors, st.data())
    def test_a_flipped_bit_makes_another_cursor_or_none_and_never_the_same(self, cursor, data):
        packed = bytearray(base64.urlsafe_b64decode(cursor.encode() + "=="))
        position = data.draw(st.integers(0, len(packed) * 8 - 1))
        packed[position // 8] ^= 1 << position % 8
        text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        assert is_refused(text) or Cursor.decode(text) != cursor

    @EVERY_TIME
    @given(cursors, st.data())
    def test_a_changed_letter_makes_another_cursor_or_none_and_never_the_same(self, cursor, data):
        text = cursor.encode()
        position = data.draw(st.integers(0, len(text) - 1))
        changed = text[:position] + data.draw(st.characters(exclude_characters=text[position])) + text[position + 1 :]
        assert is_refused(changed) or Cursor.decode(changed) != cursor

    @EVERY_TIME
    @given(st.text())
    @example("")
    @example("=")
    @example("\x00")
    @example("é" * 34)
    @example("A" * 34)
    @example("A" * 100_000)
    def test_any_other_text_is_bad_input(self, text):
        if not is_refused(text):
            assert Cursor.decode(text).encode() == text

    @EVERY_TIME
    @given(st.binary(max_size=40) | st.binary(min_size=25, max_size=25))
    def test_any_other_bytes_are_bad_input(self, packed):
        text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        if not is_refused(text):
            assert Cursor.decode(text).encode() == text

    @EVERY_TIME
    @given(cursors, st.sampled_from(["{}=", "{}==", " {}", "{} ", "{}\n", "{}A", "{}.", "\ufeff{}"]))
    def test_it_has_one_spelling(self, cursor, spelling):
        assert is_refused(spelling.format(cursor.encode()))


class TestRequests:
    """``limit`` and ``cursor`` of a query."""

    def test_without_any_it_is_the_first_page_of_the_usual_length(self):
        assert PageRequest.of(QueryDict("")) == PageRequest(DEFAULT_LIMIT, None) == PageRequest(25, None)

    @pytest.mark.parametrize(("text", "limit"), [("1", 1), ("25", 25), ("100", MAX_LIMIT), ("007", 7)])
    def test_a_limit_is_taken(self, text, limit):
        assert PageRequest.of({"limit": text}).limit == limit

    @pytest.mark.parametrize(
        "text", ["0", "101", "-1", "", " ", "1.0", "1e1", "ten", "\u0663", "+5", "5 ", "99999999999999999999", "\x00"]
    )
    def test_any_other_limit_is_bad_input(self, text):
        with pytest.raises(BadInput, match="from 1 to 100"):
            PageRequest.of({"limit": text})

    @pytest.mark.parametrize("text", ["", "next", "null", "0"])
    def test_a_malformed_cursor_is_bad_input(self, text):
        with pytest.raises(BadInput, match="nextCursor"):
            PageRequest.of({"cursor": text})


@pytest.mark.django_db
class TestWalks:
    """Walks through rows of which many share a time."""

    @pytest.fixture
    def tenant(self):
        return make_tenant()

    @pytest.mark.parametrize("seed", range(12))
    def test_a_walk_sees_each_row_once_while_others_are_added(self, tenant, seed):
        chance = random.Random(seed)
        rows = Project.objects.filter(tenant=tenant, is_default=False)
        expected = _sorted(_add(tenant, chance, chance.randint(0, 60)))
        seen, cursor = [], None
        while True:
            page = newest_first(rows, PageRequest(chance.randint(1, 7), cursor))
            seen += [(row.created_at, row.pk) for row in page.rows]
            if page.next_cursor is None:
                break
            cursor = Cursor.decode(page.next_cursor)
            assert (cursor.at, cursor.id) == seen[-1]
            added = _add(tenant, chance, chance.randint(0, 3))
            expected = _sorted([*expected, *(key for key in added if key < seen[-1])])
        assert seen == expected

    def test_a_page_that_ends_with_the_last_row_says_so(self, tenant):
        _add(tenant, random.Random(0), 6)
        rows = Project.objects.filter(tenant=tenant, is_default=False)
        for limit, more in ((5, True), (6, False), (7, False)):
            page = newest_first(rows, PageRequest(limit))
            assert (len(page.rows), page.next_cursor is not None) == (min(limit, 6), more)

    def test_a_page_is_one_statement_wherever_it_begins(self, tenant, assert_queries):
        _add(tenant, random.Random(0), 30)
        rows = Project.objects.filter(tenant=tenant)
        with assert_queries(exact=1):
            page = newest_first(rows, PageRequest(10))
        with assert_queries(exact=1):
            newest_first(rows, PageRequest(10, Cursor.decode(page.next_cursor or "")))

    def test_the_envelope_holds_a_cursor_only_where_more_follows(self, tenant):
        _add(tenant, random.Random(0), 3)
        api = Api.of(make_user(tenant, admin=True))
        first = api.ok("GET", "projects", query={"limit": 2})
        assert set(first) == {"data", "hasMore", "nextCursor"} and first["hasMore"] is True
        second = api.ok("GET", "projects", query={"limit": 2, "cursor": first["nextCursor"]})
        assert set(second) == {"data", "hasMore"} and second["hasMore"] is False
        assert len({row["id"] for row in first["data"] + second["data"]}) == 4

    @pytest.mark.parametrize(
        "query", [{"cursor": "x"}, {"limit": "0"}, {"limit": "101"}, {"page": "2"}, {"cursor": ""}]
    )
    def test_a_query_that_a_list_can_not_read_is_bad_input(self, tenant, query):
        api = Api.of(make_user(tenant, admin=True))
        assert api.refused("GET", "projects", query=query) == (400, "bad-input")


def _add(tenant, chance, count):
    """Make rows at a few instants, so that many share one; their (time, id)."""
    made = [
        Project(
            tenant=tenant,
            name="row",
            slug=f"row-{chance.getrandbits(64):x}",
            id=UUID(int=chance.getrandbits(128)),
            created_at=NOON + timedelta(microseconds=chance.choice([0, 1, 1000, 1001, 2000])),
        )
        for _ in range(count)
    ]
    Project.objects.bulk_create(made)
    return [(row.created_at, row.pk) for row in made]


def _sorted(keys):
    return sorted(keys, reverse=True)
