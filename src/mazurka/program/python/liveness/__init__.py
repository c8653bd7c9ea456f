"""Threads that cannot go on, or go round in loops: spinning, livelocks, deadlocks."""
