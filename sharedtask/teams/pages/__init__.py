"""Pages of accounts, teams, systems, registrations, the calendar and notices."""
