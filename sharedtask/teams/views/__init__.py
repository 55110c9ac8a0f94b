"""Pages of people: accounts, teams, systems, registrations, notices. Views translate and decide nothing."""
