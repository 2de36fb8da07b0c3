"""address NETWORK CURRENCY ORDER | payout NETWORK CURRENCY ADDRESS AMOUNT REFERENCE
verify ID TIMESTAMP SIGNATURE < body"""
import base64, hashlib, hmac, json, os, sys, time, urllib.error, urllib.request

URL = os.environ.get("CPG_URL", "")


def call(method, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    for tries in range(1, 5):
        now = str(int(time.time()))
        # The path, and then the query on a line of its own, empty or not.
        lines = "\n".join([now, method, *f"{path}?".split("?")[:2], hashlib.sha256(data).hexdigest()])
        headers = {
            "Content-Type": "application/json",
            "X-CPG-Key": os.environ["CPG_KEY_ID"],
            "X-CPG-Timestamp": now,
            "X-CPG-Signature": hmac.new(os.environ["CPG_SECRET"].encode(), lines.encode(), "sha256").hexdigest(),
        }
        request = urllib.request.Request(URL + path, data or None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            text = error.read()
            # Anything else is a proxy's answer.
            if error.code not in (429, 500, 503) and b'"success":false' in text:
                answer = json.loads(text)
                faults = [f" ({one['field']}: {one['message']})" for one in answer["error"].get("fields", [])]
                sys.exit(answer["message"] + "".join(faults))
        except OSError:
            pass
        # Nobody knows whether it arrived. The reference makes repeating it safe.
        time.sleep(2**tries)
    sys.exit(f"No answer from {URL}. It may have been carried out: ask again with the same reference.")


def is_genuine(id, timestamp, signatures, body):
    key = base64.b64decode(os.environ["CPG_WEBHOOK_SECRET"].removeprefix("whsec_"))
    if not key or abs(time.time() - int(timestamp)) > 300:
        return False
    message = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, message, "sha256")).decode()
    return any(hmac.compare_digest(expected, one) for one in signatures.split(" "))


if __name__ == "__main__":
    command, *args = sys.argv[1:] or [""]
    if command == "address":
        body = dict(zip(("network", "currency", "idempotency_key"), args))
        print(call("POST", "/v1/deposit-addresses", body)["data"]["address"])
    elif command == "payout":
        names = ("network", "currency", "to_address", "amount", "client_reference")
        sent = call("POST", "/v1/withdrawals", dict(zip(names, args)))["data"]
        # A repeated request is answered with `id` instead of `withdrawal_id`.
        print(sent.get("withdrawal_id") or sent["id"], sent["status"])
    elif command == "verify":
        sys.exit(0 if is_genuine(*args, sys.stdin.buffer.read()) else 1)
    else:
        sys.exit(__doc__)
