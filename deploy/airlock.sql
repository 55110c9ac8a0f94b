-- The database account of airlock workers: it can claim executions and report on them, and nothing else.
-- Run it as the owner of the tables, after every migration; give the account a password with \password airlock.
DO $$ BEGIN CREATE ROLE airlock LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM airlock;
GRANT USAGE ON SCHEMA public TO airlock;
GRANT SELECT ON software_execution TO airlock;
GRANT UPDATE (
    state, started_at, finished_at, progress, coarse_progress, log, outputs, outcome, usage,
    dispatched_at, claimed_by, claimed_until, attempts, losses, failure
) ON software_execution TO airlock;
