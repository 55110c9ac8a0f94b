"""From here on the database rejects changes to and deletions of audit entries."""

from django.db import migrations

from sharedtask.competition.append_only import install, uninstall


class Migration(migrations.Migration):
    dependencies = [("competition", "0001_initial")]
    operations = [migrations.RunPython(install, uninstall, elidable=False)]
