from __future__ import annotations

from typing import Any

from django.db import migrations, models


def sort_earlier_withdrawals(apps: Any, schema_editor: Any) -> None:
    """Runs that were withdrawn before this was kept: the audit log has the time."""
    Run = apps.get_model("submissions", "Run")
    AuditEntry = apps.get_model("competition", "AuditEntry")
    entries = AuditEntry.objects.filter(action__in=["withdraw-run", "withdraw-run-for-team"])
    times = dict(entries.order_by("at", "pk").values_list("details__run", "at"))
    for run in Run.objects.filter(fate="withdrawn", public_id__in=times).select_related("phase"):
        if has_closed(run, at=times[run.public_id]):
            Run.objects.filter(pk=run.pk).update(withdrawn_after_closing=True)


def has_closed(run: Any, *, at: Any) -> bool:
    if run.phase.closes_at is None:
        return False
    extended = [one.closes_at for one in run.phase.extensions.all() if one.team_id in (None, run.team_id)]
    return at >= max([run.phase.closes_at, *extended])


class Migration(migrations.Migration):
    dependencies = [
        ("competition", "0003_audit_log_is_append_only"),
        ("submissions", "0002_why_an_alarm_is_closed"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="withdrawn_after_closing",
            field=models.BooleanField(
                default=False,
                help_text="Withdrawn when its phase had closed for its team: no other run takes its place.",
            ),
        ),
        migrations.RunPython(sort_earlier_withdrawals, migrations.RunPython.noop),
    ]
