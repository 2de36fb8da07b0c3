"""Receives webhooks on port 9000: CPG_WEBHOOK_SECRET=whsec_… python3 hook.py
It saves each event in the folder "events", where another program picks it up."""
import base64, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

KEY = base64.b64decode(os.environ.get("CPG_WEBHOOK_SECRET", "").removeprefix("whsec_"))
EVENTS = Path(os.environ.get("EVENTS", "events"))
BODY_MAX = 1_000_000


def is_genuine(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.digest(KEY, f"{id}.{timestamp}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, one) for one in signatures)


def save(body):
    event = json.loads(body)
    # Neither a ping nor a sample says anything about money.
    if event["type"] == "ping" or event.get("sample"):
        return
    # The same event may come twice: it gets the same file.
    new = EVENTS / f"{event['id']}.new"
    new.write_bytes(body)
    new.replace(EVENTS / f"{event['id']}.json")


class Hook(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        # The bytes as they came: JSON that was parsed and written again doesn't match.
        body = self.rfile.read(length) if 0 < length <= BODY_MAX else b""
        genuine = is_genuine(self.headers, body)
        # If this fails, there is no response, and the gateway sends the event again.
        if genuine:
            save(body)
        self.send_response(204 if genuine else 401)
        self.end_headers()


if not KEY:
    sys.exit("CPG_WEBHOOK_SECRET is not set")
EVENTS.mkdir(exist_ok=True)
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Hook).serve_forever()
