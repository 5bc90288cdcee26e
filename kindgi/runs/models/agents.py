"""Agents, their versions with the blocks that these pin, and projects' pins (contract, sections 3 and 7)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kindgi.access.models import Project, Row, Tenant
from kindgi.api.times import now


class Agent(Row):
    """An agent of a tenant, by the id that its reporters use."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="agents")
    agent_id = models.CharField(max_length=200)
    latest = models.ForeignKey(
        "AgentVersion",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
        help_text="The highest semver registered: what a project without a pin follows.",
    )

    class Meta:
        """Once a tenant."""

        ordering: ClassVar[list[str]] = ["agent_id", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["tenant", "agent_id"], name="agent_once_in_tenant"),
        ]

    def __str__(self) -> str:
        """Its id."""
        return self.agent_id


class AgentVersion(Row):
    """A registered version and its tools. ``tools`` is ``None`` where the reporter didn't say."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="versions")
    version = models.CharField(max_length=100)
    tools = models.JSONField(null=True, blank=True, help_text="[{id, writes?}], as registered.")
    updated_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        """Once an agent."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["agent", "version"], name="agent_version_once"),
        ]

    def __str__(self) -> str:
        """Its number."""
        return self.version


class BlockKind(models.TextChoices):
    """What a block holds: a prompt's template, or values of settings."""

    PROMPT = "prompt"
    SETTINGS = "settings"


class BlockVersion(Row):
    """The content of one of an agent's blocks, as one or more of its versions pin it; never changed.

    ``content`` is JSON text as it was sent: ``{"template": "…"}`` or ``{"values": {…}}``;
    ``declares`` likewise ``{"parameters": […]}`` or ``{"schema": {…}}``, or ``{}``. ``version`` counts
    the block's contents from 1; ``digest`` is of all that the block says, in its canonical form.
    """

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="blocks", db_index=False)
    block_id = models.CharField(max_length=200)
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=BlockKind.choices)
    content = models.TextField()
    declares = models.TextField(default="{}")
    digest = models.BinaryField(editable=False)

    class Meta:
        """Each content once."""

        ordering: ClassVar[list[str]] = ["agent_id", "block_id", "-version"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["agent", "block_id", "version"], name="block_version_once"),
            models.UniqueConstraint(fields=["agent", "block_id", "digest"], name="block_content_once"),
            models.CheckConstraint(condition=models.Q(kind__in=BlockKind.values), name="block_kind_known"),
        ]

    def __str__(self) -> str:
        """Which block, at which version."""
        return f"{self.block_id} at {self.version}"


class PinnedBlock(Row):
    """That an agent version has a block, and at which version; never changed."""

    agent_version = models.ForeignKey(
        AgentVersion, on_delete=models.CASCADE, related_name="pinned_blocks", db_index=False
    )
    block = models.ForeignKey(BlockVersion, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=200, help_text="The block's id.")
    position = models.PositiveSmallIntegerField(help_text="Its place among the version's blocks, as they were sent.")

    class Meta:
        """Each block once a version."""

        ordering: ClassVar[list[str]] = ["agent_version_id", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["agent_version", "name"], name="pinned_block_once"),
        ]

    def __str__(self) -> str:
        """The block's id."""
        return self.name


class AgentPin(Row):
    """The version that a project runs, whatever is registered later."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="agent_pins")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="pins")
    version = models.ForeignKey(AgentVersion, on_delete=models.PROTECT, related_name="pins")
    pinned_by = models.CharField(max_length=80, editable=False)

    class Meta:
        """One pin an agent and project."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["project", "agent"], name="agent_pin_once"),
        ]

    def __str__(self) -> str:
        """What is pinned."""
        return f"{self.agent_id} at {self.version_id}"


class PinChange(Row):
    """A pin or an unpin that happened; never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pin_changes")
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="pin_changes")
    from_version = models.CharField(max_length=100, blank=True, help_text="What was pinned before; empty for nothing.")
    to_version = models.CharField(max_length=100, blank=True, help_text="What is pinned since; empty for nothing.")
    by = models.CharField(max_length=80)

    class Meta:
        """Newest first."""

        ordering: ClassVar[list[str]] = ["-created_at", "-id"]

    def __str__(self) -> str:
        """From and to."""
        return f"{self.from_version or 'Latest'} → {self.to_version or 'Latest'}"
