from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="sent",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Name, size and SHA-256 of each file that came by itself; empty for an archive.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="looked_over_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When a worker last looked for alarms, after the check or scoring.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="marked_official_at",
            field=models.DateTimeField(blank=True, help_text="The team's own mark.", null=True),
        ),
        migrations.AlterField(
            model_name="run",
            name="marked_by_organiser",
            field=models.BooleanField(default=False, help_text="Stands above the team's mark."),
        ),
        migrations.AlterField(
            model_name="alarm",
            name="settled_at",
            field=models.DateTimeField(blank=True, help_text="An organiser has dealt with it.", null=True),
        ),
    ]
