"""Tasks that come with the software: the demo, and loaders of past shared tasks."""
