"""The client of a site: its connection and configuration, and the verbs that scripts and commands share."""
