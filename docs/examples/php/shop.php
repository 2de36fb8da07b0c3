<?php
// order TITLE EUR | refund ORDER NETWORK CURRENCY AMOUNT ADDRESS | events | reconcile
// A shop that is paid by invoices. hook.php saves the events; a cron job runs "events" every minute, "reconcile" every night.
require __DIR__ . "/cpg.php";

// A real shop has a database.
$orders = is_file("orders.json") ? json_decode(file_get_contents("orders.json"), true) : [];

function save(array $orders): void {
    file_put_contents("orders.new", json_encode($orders));
    rename("orders.new", "orders.json");
}

function order(string $title, string $price): array {
    global $orders;
    $id = bin2hex(random_bytes(16));
    $names = ["reference" => $id, "idempotency_key" => $id, "description" => $title];
    $invoice = call("POST", "/v1/invoices", ["amount" => $price, "currency" => "EUR"] + $names)["data"];
    $orders[$id] = ["title" => $title, "price" => $price, "invoice_id" => $invoice["invoice_id"]];
    look($id);
    return ["order" => $id, "pay_at" => $invoice["url"]];
}

// Deliver on "paid" and on nothing else. A reorganisation may take it back.
function look(string $id): void {
    global $orders;
    $invoice = call("GET", "/v1/invoices/{$orders[$id]["invoice_id"]}")["data"];
    foreach (["status", "paid", "payments", "refunds"] as $name) $orders[$id][$name] = $invoice[$name];
    save($orders);
}

function refund(string $id, string $network, string $currency, string $amount, string $to): array {
    global $orders;
    // The same reference each time, so that a repeated refund is paid once.
    $coin = ["network" => $network, "currency" => $currency, "client_reference" => "refund-$id"];
    $body = $coin + ["amount" => $amount, "to_address" => $to];
    $sent = call("POST", "/v1/invoices/{$orders[$id]["invoice_id"]}/refunds", $body)["data"];
    look($id);
    return $sent;
}

// An event is a hint to look. Refunds are named by their reference.
function events(): array {
    global $orders;
    foreach (glob((getenv("EVENTS") ?: "events") . "/*.json") as $file) {
        $data = json_decode(file_get_contents($file), true)["data"];
        $id = $data["reference"] ?? preg_replace("/^refund-/", "", $data["client_reference"] ?? "");
        if (isset($orders[$id])) look($id);
        unlink($file);
    }
    return array_map(fn($order) => $order["status"], $orders);
}

// Each entry of the ledger belongs to an order's payment or refund. For others, find out why.
function reconcile(): array {
    global $orders;
    foreach (array_keys($orders) as $id) look($id);
    $payments = array_column(array_merge(...array_column($orders, "payments")), "transaction_id");
    $refunds = array_column(array_merge(...array_column($orders, "refunds")), "withdrawal_id");
    $unexplained = [];
    for ($cursor = ""; $cursor !== null;) {
        $page = call("GET", "/v1/ledger?limit=200$cursor");
        foreach ($page["data"] as $entry) {
            if (in_array($entry["transaction_id"], $payments, true)) continue;
            if (!in_array($entry["withdrawal_id"], $refunds, true)) $unexplained[] = $entry;
        }
        $cursor = $page["next_cursor"] === null ? null : "&cursor={$page["next_cursor"]}";
    }
    return ["unexplained" => $unexplained];
}

$command = $argv[1] ?? "";
if (!in_array($command, ["order", "refund", "events", "reconcile"])) fail("order, refund, events or reconcile");
echo json_encode($command(...array_slice($argv, 2)), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES), "\n";
