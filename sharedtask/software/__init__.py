"""Software that teams submit: stored images, versions of systems, and their executions in the airlock.

An execution runs a version of a system on the inputs of a phase. Its outputs become a run of `submissions`,
which is checked and scored like an upload.
"""
