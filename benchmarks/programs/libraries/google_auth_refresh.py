"""Two threads use one set of credentials, which each refreshes if they have expired."""

# package: google-auth
# include: google.auth
# expect: correct

import datetime

from google.auth import _helpers, credentials
from together import run


class Token(credentials.Credentials):
    def refresh(self, request):
        self.token = "fresh"
        self.expiry = _helpers.utcnow() + datetime.timedelta(hours=1)


def test():
    token = Token()

    def use():
        headers = {}
        token.before_request(None, "GET", "https://example.org", headers)
        assert headers["authorization"] == "Bearer fresh"

    run(use, use)
