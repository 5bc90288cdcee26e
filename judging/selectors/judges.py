"""Who could correct as a class in a project: what :func:`corrections.policies.class_refusal` says, of everybody."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from kindgi.access.callers import REVIEWER_RANK
from kindgi.access.models import Project, ProjectRole
from kindgi.api.times import now
from kindgi.sql import fetch

_WRITING = [ProjectRole.EDITOR, ProjectRole.ADMIN, ProjectRole.OWNER]
# People as they are signed in or by a token that names a role, and services by their tokens.
_NOBODY_GIVES = """
WITH writing AS MATERIALIZED (
    SELECT person.id, roster.role AS reviewer FROM access_user AS person
    LEFT JOIN access_reviewer AS roster ON roster.user_id = person.id AND roster.tenant_id = person.tenant_id
        AND roster.deactivated_at IS NULL
    WHERE person.tenant_id = %(tenant)s AND person.is_active AND (person.is_tenant_admin OR EXISTS (
        SELECT 1 FROM access_membership AS member
        WHERE member.user_id = person.id AND member.project_id = %(project)s AND member.role = ANY(%(writing)s)))
), token AS MATERIALIZED (
    SELECT * FROM access_token AS token
    WHERE token.tenant_id = %(tenant)s AND token.revoked_at IS NULL
        AND (token.expires_at IS NULL OR token.expires_at > %(now)s)
        AND (token.project_id IS NULL OR token.project_id = %(project)s)
), judge(kind, id, reviewer) AS MATERIALIZED (
    SELECT 'user', id, reviewer FROM writing
    UNION SELECT 'user', writing.id, token.reviewer_role FROM token JOIN writing ON writing.id = token.user_id
    WHERE token.reviewer_role <> ''
    UNION SELECT 'service', token.id, token.reviewer_role FROM token
    JOIN access_serviceaccount AS account ON account.id = token.service_account_id AND account.unregistered_at IS NULL
    WHERE account.is_tenant_admin OR EXISTS (
        SELECT 1 FROM access_serviceaccountgrant AS granted
        WHERE granted.service_account_id = account.id AND granted.project_id = %(project)s
            AND granted.role = ANY(%(writing)s))
)
SELECT class.id FROM corrections_judgeclass AS class
WHERE class.id = ANY(%(classes)s) AND NOT EXISTS (
    SELECT 1 FROM judge
    WHERE (class.min_reviewer_role = ''
        OR array_position(%(roles)s, judge.reviewer::text) >= array_position(%(roles)s, class.min_reviewer_role::text))
    AND (cardinality(class.principal_kinds) = 0 OR judge.kind = ANY(class.principal_kinds))
    AND (cardinality(class.principal_ids) = 0 OR judge.id::text = ANY(lower(class.principal_ids::text)::text[])))
"""


def classes_nobody_gives(*, project: Project, class_ids: Collection[UUID]) -> set[UUID]:
    """Those of the classes as which nobody could correct the project's runs at present; one statement."""
    values = {
        "tenant": project.tenant_id,
        "project": project.pk,
        "classes": list(class_ids),
        "writing": [str(role) for role in _WRITING],
        "roles": sorted(REVIEWER_RANK, key=REVIEWER_RANK.__getitem__),
        "now": now(),
    }
    return {class_id for (class_id,) in fetch(_NOBODY_GIVES, values)}
