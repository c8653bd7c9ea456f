"""Runs the threads of a program under a schedule, one at a time; no front end of a language is in here."""
