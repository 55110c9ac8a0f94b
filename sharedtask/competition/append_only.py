"""Database triggers that reject changes to and deletions of audit entries.

Called from a migration. SQLite drops triggers when a later migration recreates the table, as every change of
a column does: such a migration must call `install` again as its last operation.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLE = "competition_auditentry"
REFUSAL = "the audit log is append-only"

POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION refuse_to_change_the_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation';
END $$;
DROP TRIGGER IF EXISTS audit_log_is_append_only ON {TABLE};
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON {TABLE}
    FOR EACH ROW EXECUTE FUNCTION refuse_to_change_the_audit_log();
"""
SQLITE = [
    f"CREATE TRIGGER IF NOT EXISTS audit_log_refuses_{verb} BEFORE {verb} ON {TABLE} "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for verb in ("UPDATE", "DELETE")
]


def install(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    vendor = schema_editor.connection.vendor
    if vendor not in ("postgresql", "sqlite"):
        raise NotImplementedError(f"there is no append-only audit log on {vendor}")
    for statement in [POSTGRESQL] if vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def uninstall(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER IF EXISTS audit_log_is_append_only ON {TABLE}")
        schema_editor.execute("DROP FUNCTION IF EXISTS refuse_to_change_the_audit_log()")
    else:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS audit_log_refuses_{verb}")
