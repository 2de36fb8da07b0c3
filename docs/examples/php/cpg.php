<?php
// address NETWORK CURRENCY ORDER | payout NETWORK CURRENCY ADDRESS AMOUNT REFERENCE
// verify ID TIMESTAMP SIGNATURE < body

function fail(string $message): never {
    fwrite(STDERR, "$message\n");
    exit(1);
}

function call(string $method, string $path, ?array $body = null): array {
    $text = $body === null ? "" : json_encode($body);
    for ($tries = 1; $tries <= 4; $tries++) {
        $now = (string) time();
        [$where, $query] = explode("?", "$path?");
        $lines = implode("\n", [$now, $method, $where, $query, hash("sha256", $text)]);
        $signature = hash_hmac("sha256", $lines, getenv("CPG_SECRET"));
        $answer = @file_get_contents(getenv("CPG_URL") . $path, false, stream_context_create(["http" => [
            "method" => $method,
            "header" => ["Content-Type: application/json", "X-CPG-Key: " . getenv("CPG_KEY_ID"),
                "X-CPG-Timestamp: $now", "X-CPG-Signature: $signature"],
            "content" => $text, "timeout" => 20, "ignore_errors" => true, "follow_location" => 0,
        ]]));
        $status = $answer === false ? 0 : (int) explode(" ", $http_response_header[0])[1];
        $read = json_decode((string) $answer, true);
        if ($status === 200 && $read) return $read;
        // Anything else is a proxy's answer.
        $isOurs = ($read["success"] ?? null) === false;
        foreach ($read["error"]["fields"] ?? [] as $one) $read["message"] .= " ({$one["field"]}: {$one["message"]})";
        if ($isOurs && !in_array($status, [429, 500, 503])) fail($read["message"]);
        // Nobody knows whether it arrived. The reference makes repeating it safe.
        sleep(2 ** $tries);
    }
    fail("No answer from " . getenv("CPG_URL") . ". It may have been carried out: ask again with the same reference.");
}

function isGenuine(string $id, string $timestamp, string $signatures, string $body): bool {
    $key = base64_decode(substr(getenv("CPG_WEBHOOK_SECRET"), strlen("whsec_")));
    if ($key === "" || abs(time() - (int) $timestamp) > 300) return false;
    $expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$timestamp.$body", $key, true));
    foreach (explode(" ", $signatures) as $one) if (hash_equals($expected, $one)) return true;
    return false;
}

if (realpath($_SERVER["SCRIPT_FILENAME"]) !== __FILE__) return; // Another program uses the functions.
$args = array_slice($argv, 2);
switch ($argv[1] ?? "") {
    case "address":
        $body = array_combine(["network", "currency", "idempotency_key"], $args);
        echo call("POST", "/v1/deposit-addresses", $body)["data"]["address"], "\n";
        break;
    case "payout":
        $names = ["network", "currency", "to_address", "amount", "client_reference"];
        $sent = call("POST", "/v1/withdrawals", array_combine($names, $args))["data"];
        // A repeated request is answered with `id` instead of `withdrawal_id`.
        echo $sent["withdrawal_id"] ?? $sent["id"], " ", $sent["status"], "\n";
        break;
    case "verify":
        exit(isGenuine($args[0], $args[1], $args[2], stream_get_contents(STDIN)) ? 0 : 1);
    default: fail("address, payout or verify: see the first lines of this file");
}
