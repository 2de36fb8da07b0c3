"""order TITLE EUR | refund ORDER NETWORK CURRENCY AMOUNT ADDRESS | events | reconcile
A shop that is paid by invoices. hook.py saves the events; a cron job runs "events" every minute, "reconcile" every night."""
import json, os, sys, uuid
from decimal import Decimal
from pathlib import Path
from cpg import call

FILE, EVENTS = Path("orders.json"), Path(os.environ.get("EVENTS", "events"))
# A real shop has a database.
orders = json.loads(FILE.read_text()) if FILE.exists() else {}


def save():
    Path("orders.new").write_text(json.dumps(orders))
    Path("orders.new").replace(FILE)


def order(title, price):
    id = str(uuid.uuid4())
    names = {"reference": id, "idempotency_key": id, "description": title}
    invoice = call("POST", "/v1/invoices", {"amount": price, "currency": "EUR", **names})["data"]
    orders[id] = {"title": title, "price": price, "invoice_id": invoice["invoice_id"]}
    look(id)
    return {"order": id, "pay_at": invoice["url"]}


def look(id):
    """Deliver on "paid" and on nothing else. A reorganisation may take it back."""
    invoice = call("GET", f"/v1/invoices/{orders[id]['invoice_id']}")["data"]
    orders[id] |= {name: invoice[name] for name in ("status", "paid", "payments", "refunds")}
    save()


def refund(id, network, currency, amount, to_address):
    # The same reference each time, so that a repeated refund is paid once.
    coin = {"network": network, "currency": currency, "client_reference": f"refund-{id}"}
    body = {**coin, "amount": amount, "to_address": to_address}
    sent = call("POST", f"/v1/invoices/{orders[id]['invoice_id']}/refunds", body)["data"]
    look(id)
    return sent


def events():
    """An event is a hint to look. Refunds are named by their reference."""
    for file in EVENTS.glob("*.json"):
        data = json.loads(file.read_text())["data"]
        id = data.get("reference") or (data.get("client_reference") or "").removeprefix("refund-")
        if id in orders:
            look(id)
        file.unlink()
    return {id: one["status"] for id, one in orders.items()}


def reconcile():
    """Each entry of the ledger belongs to an order's payment or refund. For others, find out why."""
    for id in orders:
        look(id)
    payments = {one["transaction_id"] for order in orders.values() for one in order["payments"]}
    refunds = {one["withdrawal_id"] for order in orders.values() for one in order["refunds"]}
    sums, balances, unexplained, cursor = {}, {}, [], ""
    while cursor is not None:
        page = call("GET", f"/v1/ledger?limit=200{cursor}")
        for entry in page["data"]:
            coin = f"{entry['network']}/{entry['currency']}"
            balances.setdefault(coin, Decimal(entry["balance_after"]))
            sums[coin] = sums.get(coin, 0) + Decimal(entry["amount"])
            if entry["transaction_id"] not in payments and entry["withdrawal_id"] not in refunds:
                unexplained.append({name: entry[name] for name in ("id", "kind", "amount", "note")} | {"coin": coin})
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    wrong = [coin for coin, balance in balances.items() if sums[coin] != balance]
    return {"unexplained": unexplained, "wrong_sums": wrong}


command, *args = sys.argv[1:] or [""]
if command not in ("order", "refund", "events", "reconcile"):
    sys.exit(__doc__)
print(json.dumps(globals()[command](*args), indent=2))
