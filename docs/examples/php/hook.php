<?php
// Receives webhooks on port 9000: CPG_WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9000 hook.php
// It saves each event in the folder "events", where another program picks it up.

function isGenuine(string $key, string $body): bool {
    $id = $_SERVER["HTTP_WEBHOOK_ID"] ?? "";
    $timestamp = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp)) return false;
    if (abs(time() - (int) $timestamp) > 300) return false;
    $expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$timestamp.$body", $key, true));
    $signatures = explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "");
    foreach ($signatures as $one) if (hash_equals($expected, $one)) return true;
    return false;
}

function save(string $body): bool {
    $event = json_decode($body, true);
    // Neither a ping nor a sample says anything about money.
    if ($event["type"] === "ping" || ($event["sample"] ?? false)) return true;
    $folder = getenv("EVENTS") ?: "events";
    if (!is_dir($folder)) mkdir($folder);
    // The same event may come twice: it gets the same file.
    $file = "$folder/{$event["id"]}";
    return file_put_contents("$file.new", $body) && rename("$file.new", "$file.json");
}

$key = base64_decode(substr((string) getenv("CPG_WEBHOOK_SECRET"), strlen("whsec_")));
// The bytes as they came: JSON that was parsed and written again doesn't match.
$body = file_get_contents("php://input");
if ($key === "") {
    error_log("CPG_WEBHOOK_SECRET is not set");
    http_response_code(500);
} elseif (!isGenuine($key, $body)) {
    http_response_code(401);
} else {
    // Anything but a 2xx, and the gateway sends the event again.
    http_response_code(save($body) ? 204 : 500);
}
