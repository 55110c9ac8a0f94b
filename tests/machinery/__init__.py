"""The real things that tests run against: PostgreSQL, Redis, Chromium, a web server, a worker."""
