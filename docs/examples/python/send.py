"""Sends one email. Python 3 and nothing else.

SVC_BASE_URL=... SVC_API_KEY=... MAIL_FROM=... python3 send.py ada@example.com
"""

import json
import os
import sys
import urllib.error
import urllib.request


def send(email: dict, idempotency_key: str) -> str:
    request = urllib.request.Request(
        os.environ["SVC_BASE_URL"] + "/api/v1/emails",
        data=json.dumps(email).encode(),
        headers={
            "authorization": "Bearer " + os.environ["SVC_API_KEY"],
            "content-type": "application/json",
            # The same key with the same email sends once, so a retry does no harm.
            "idempotency-key": idempotency_key,
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["id"]


if __name__ == "__main__":
    to = sys.argv[1]
    try:
        print(
            send(
                {
                    "from": os.environ["MAIL_FROM"],
                    "to": to,
                    "subject": "From Python",
                    "text": "Hello",
                },
                idempotency_key="from-python/" + to,
            )
        )
    except urllib.error.HTTPError as refused:
        sys.exit(json.load(refused)["error"]["message"])
