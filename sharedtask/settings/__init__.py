"""Settings by profile: ``embedded``, ``production`` and ``test``, each on top of ``common``.

Which profile runs is said by ``DJANGO_SETTINGS_MODULE`` alone; nothing is guessed from what is missing.
"""
