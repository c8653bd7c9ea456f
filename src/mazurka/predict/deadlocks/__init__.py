"""Prediction of deadlocks: cyclic lock waits, and cycles of waits for notifications and ends of threads."""
