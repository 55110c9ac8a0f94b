"""Views of all result pages."""
