import pytest

from depot import Account, transfer, transfer_in_order
from depot.accounts import TooLittle
from depot.running import in_threads


def test_withdraw():
    account = Account(10)
    account.withdraw(4)
    assert account.balance == 6


def test_too_little():
    with pytest.raises(TooLittle):
        Account(1).withdraw(2)


@pytest.mark.parametrize("how", [transfer, transfer_in_order])
def test_transfer(accounts, how):
    first, second = accounts
    how(first, second, 3)
    assert (first.balance, second.balance) == (7, 13)


def test_deposits_of_threads():
    account = Account()
    in_threads(*[lambda: account.deposit(5)] * 2)
    assert account.balance == 10


def test_there_and_back(accounts):
    first, second = accounts
    in_threads(lambda: transfer_in_order(first, second, 1), lambda: transfer_in_order(second, first, 2))
    assert (first.balance, second.balance) == (11, 9)


@pytest.mark.timeout(60)
def test_locks_in_two_orders(accounts):  # a deadlock
    first, second = accounts
    in_threads(lambda: transfer(first, second, 1), lambda: transfer(second, first, 2))
    assert (first.balance, second.balance) == (11, 9)


@pytest.mark.xfail(raises=AssertionError, reason="interest is not paid yet")
def test_interest():
    assert Account(100).balance == 101


@pytest.mark.skip(reason="there are no loans")
def test_loan():
    Account().withdraw(1)


def test_skips_itself(accounts):
    if accounts[0].balance == 10:
        pytest.skip("nothing to do")
