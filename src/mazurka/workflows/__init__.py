"""From a request to a report: checking, predicting, replaying, confirming; and the store."""
