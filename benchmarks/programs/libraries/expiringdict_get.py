"""Of a dictionary for one entry the latest stays."""

# package: expiringdict
# include: expiringdict
# expect: correct

from expiringdict import ExpiringDict
from together import run


def test():
    sessions = ExpiringDict(max_len=1, max_age_seconds=60)

    def sign_in(user):
        sessions[user] = user.upper()

    run(lambda: sign_in("ann"), lambda: sign_in("bob"))
    assert [sessions.get("ann"), sessions.get("bob")] in (["ANN", None], [None, "BOB"])
