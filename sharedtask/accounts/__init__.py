"""Accounts: who somebody is, how they sign in, and which role they have in a task."""
