"""A small warehouse: shelves, accounts, jobs and their settings."""

from depot.accounts import Account, transfer, transfer_in_order
from depot.jobs import JobQueue, Pool
from depot.shelves import Shelf

__all__ = ["Account", "JobQueue", "Pool", "Shelf", "transfer", "transfer_in_order"]
