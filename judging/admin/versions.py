"""Versions of rules: who wrote each and when, what it said, and what it changed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from judging.admin.told import TellingAdmin, TellingInline, class_names, named, names_of, runs_taken
from judging.models import JudgingRule, JudgingRuleVersion
from judging.words import rules as words
from kindgi.access.admin_base import ReadOnlyAdmin

VERSION_COLUMNS = ("version", "created_at", "by", "said", "changes")


def rule_said(rule: JudgingRule | JudgingRuleVersion, classes: dict[UUID | None, str | None]) -> words.RuleSaid:
    """What a version of a rule says, or the rule as it is now."""
    return words.RuleSaid(
        name=rule.name,
        runs=runs_taken(rule.when),
        sample=rule.sample,
        max_open=rule.max_open,
        wants=classes[rule.judge_class_id],
        enabled=rule.enabled,
    )


def lines(texts: list[str]) -> SafeString:
    """Each on a line of its own."""
    return format_html_join("", "<div>{}</div>", ([text] for text in texts))


def in_words(said: words.RuleSaid) -> list[str]:
    """All that a rule says but its name, a setting each."""
    told = [
        words.which_runs(said.runs),
        words.takes(said.sample),
        words.cap(said.max_open),
        words.wants(said.wants),
    ]
    return told if said.enabled else [*told, str(words.OFF)]


def versions_tell(rows: list[Any]) -> None:
    """Set who wrote each version, what it says and what it changed; four statements."""
    before = _before(rows)
    classes = class_names(one.judge_class_id for one in [*rows, *before.values()])
    names = names_of(row.created_by for row in rows)
    for row in rows:
        said, earlier = rule_said(row, classes), before.get((row.rule_id, row.version - 1))
        row.told_by = named(row.created_by, names)
        row.told_said = in_words(said)
        row.told_changes = words.version_changes(rule_said(earlier, classes) if earlier else None, said)


def _before(rows: list[JudgingRuleVersion]) -> dict[tuple[UUID, int], JudgingRuleVersion]:
    """The versions before those, by rule and number; one statement."""
    sought = Q(pk__in=[])
    for row in rows:
        sought |= Q(rule_id=row.rule_id, version=row.version - 1)
    return {(one.rule_id, one.version): one for one in JudgingRuleVersion.objects.filter(sought)}


class ToldVersion:
    """The columns of versions that were told."""

    @admin.display(description="who")
    def by(self, obj: Any) -> str:
        """Who wrote it."""
        told: str = obj.told_by
        return told

    @admin.display(description="what it said")
    def said(self, obj: Any) -> SafeString:
        """Which runs, how many, the cap and the want."""
        return lines(obj.told_said)

    @admin.display(description="what it changed")
    def changes(self, obj: Any) -> SafeString:
        """A setting each, from what to what."""
        return lines([change.text for change in obj.told_changes])


class VersionInline(ToldVersion, TellingInline):
    """The rule's versions, newest first."""

    model = JudgingRuleVersion
    tenant_path = "rule__tenant"
    verbose_name_plural = "versions"
    fields = VERSION_COLUMNS
    readonly_fields = fields
    ordering = ("-version",)

    def tell(self, rows: list[Any]) -> None:
        """Who wrote each, what it said and what it changed."""
        versions_tell(rows)


@admin.register(JudgingRuleVersion)
class JudgingRuleVersionAdmin(ToldVersion, ReadOnlyAdmin, TellingAdmin):
    """Every version of every rule."""

    tenant_path = "rule__tenant"
    list_display = ("created_at", "name", "version", "by", "said", "changes")
    list_display_links = ("created_at", "name")
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the name that the version gave, or the whole id of the version or its rule."
    id_search_fields = ("pk", "rule_id")
    fields = ("rule", "name", *VERSION_COLUMNS, "id")
    readonly_fields = ("by", "said", "changes")

    def tell(self, rows: list[Any]) -> None:
        """Who wrote each, what it says and what it changed."""
        versions_tell(rows)
