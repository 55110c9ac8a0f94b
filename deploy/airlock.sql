-- The database account of airlock workers: it can claim executions and report on them, and nothing else.
-- Run it as the owner of the tables: psql --set password="'...'" --file deploy/airlock.sql
SELECT 'CREATE ROLE airlock LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'airlock') \gexec
ALTER ROLE airlock PASSWORD :password;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM airlock;
GRANT USAGE ON SCHEMA public TO airlock;
GRANT SELECT ON software_execution TO airlock;
GRANT UPDATE (
    state, started_at, finished_at, progress, coarse_progress, log, outputs, outcome, usage,
    dispatched_at, claimed_by, claimed_until, attempts, losses, failure
) ON software_execution TO airlock;
