"""Pages of results for visitors, made once for all of them: how long they hold, and how they are sent."""
