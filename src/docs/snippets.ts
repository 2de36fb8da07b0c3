import type { Endpoint } from "../http/endpoint.ts";
import { exampleTarget } from "./example_request.ts";
import { literal, STYLES } from "./literal.ts";

interface Snippet {
  readonly language: string;
  readonly text: string;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: object | undefined;
}

/** The example of an endpoint as whole programs, each of which signs it and prints the answer. */
export function snippetsOf(endpoint: Pick<Endpoint, "method" | "path" | "example">): Snippet[] {
  const [path = "", query = ""] = exampleTarget(endpoint).split("?");
  const request = { method: endpoint.method, path, query, body: endpoint.example.body };
  return [
    { language: "Shell", text: shell(request) },
    { language: "Node", text: node(request) },
    { language: "Python", text: python(request) },
    { language: "PHP", text: php(request) },
    { language: "Go", text: go(request) },
    { language: "Ruby", text: ruby(request) },
  ];
}

function shell({ method, path, query, body }: Request): string {
  const text = body ? JSON.stringify(body).replaceAll("'", `'\\''`) : "";
  return `method=${method} path=${path} query='${query}'
body='${text}'
now=$(date +%s)
hash=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf '%s\\n%s\\n%s\\n%s\\n%s' "$now" "$method" "$path" "$query" "$hash" |
  openssl dgst -sha256 -hmac "$CPG_SECRET" -r | cut -d' ' -f1)
curl -sS -X $method "$CPG_URL$path\${query:+?$query}" \\
  -H "X-CPG-Key: $CPG_KEY_ID" \\
  -H "X-CPG-Timestamp: $now" \\
  -H "X-CPG-Signature: $signature" \\
  -H 'Content-Type: application/json' --data-binary "$body"
`;
}

function node({ method, path, query, body }: Request): string {
  return `import { createHash, createHmac } from "node:crypto";

const { CPG_URL, CPG_KEY_ID, CPG_SECRET } = process.env;
const [method, path, query] = ["${method}", "${path}", "${query}"];
const body = ${body ? `JSON.stringify(${literal(body, STYLES.js)})` : '""'};
const now = String(Math.floor(Date.now() / 1000));
const hash = createHash("sha256").update(body).digest("hex");
const lines = [now, method, path, query, hash].join("\\n");
const reply = await fetch(CPG_URL + path + (query && \`?\${query}\`), {
  method,
  headers: {
    "Content-Type": "application/json",
    "X-CPG-Key": CPG_KEY_ID,
    "X-CPG-Timestamp": now,
    "X-CPG-Signature": createHmac("sha256", CPG_SECRET).update(lines).digest("hex"),
  },
  body: body || undefined,
});
console.log(reply.status, await reply.text());
`;
}

function python({ method, path, query, body }: Request): string {
  return `import hashlib, hmac, json, os, time, urllib.error, urllib.request

method, path, query = "${method}", "${path}", "${query}"
body = ${body ? `json.dumps(${literal(body, STYLES.python)}).encode()` : 'b""'}
now = str(int(time.time()))
lines = "\\n".join([now, method, path, query, hashlib.sha256(body).hexdigest()])
secret = os.environ["CPG_SECRET"].encode()
headers = {
    "Content-Type": "application/json",
    "X-CPG-Key": os.environ["CPG_KEY_ID"],
    "X-CPG-Timestamp": now,
    "X-CPG-Signature": hmac.new(secret, lines.encode(), hashlib.sha256).hexdigest(),
}
url = os.environ["CPG_URL"] + path + (query and f"?{query}")
request = urllib.request.Request(url, body or None, headers, method=method)
try:
    print(urllib.request.urlopen(request).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`;
}

function php({ method, path, query, body }: Request): string {
  return `<?php
[$method, $path, $query] = ["${method}", "${path}", "${query}"];
$body = ${body ? `json_encode(${literal(body, STYLES.php)})` : '""'};
$now = (string) time();
$lines = implode("\\n", [$now, $method, $path, $query, hash("sha256", $body)]);
$headers = [
    "Content-Type: application/json",
    "X-CPG-Key: " . getenv("CPG_KEY_ID"),
    "X-CPG-Timestamp: $now",
    "X-CPG-Signature: " . hash_hmac("sha256", $lines, getenv("CPG_SECRET")),
];
$url = getenv("CPG_URL") . $path . ($query === "" ? "" : "?$query");
$options = ["method" => $method, "header" => $headers, "content" => $body, "ignore_errors" => true];
echo file_get_contents($url, false, stream_context_create(["http" => $options])), "\\n";
`;
}

function go({ method, path, query, body }: Request): string {
  const bytes = body
    ? `body, _ := json.Marshal(${literal(body, STYLES.go).replaceAll("\n", "\n\t")})`
    : "body := []byte{}";
  return `package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"${body ? '\n\t"encoding/json"' : ""}
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	method, path, query := "${method}", "${path}", "${query}"
	${bytes}
	now := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(os.Getenv("CPG_SECRET")))
	fmt.Fprintf(mac, "%s\\n%s\\n%s\\n%s\\n%x", now, method, path, query, sha256.Sum256(body))
	url := os.Getenv("CPG_URL") + strings.TrimSuffix(path+"?"+query, "?")
	request, _ := http.NewRequest(method, url, bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-CPG-Key", os.Getenv("CPG_KEY_ID"))
	request.Header.Set("X-CPG-Timestamp", now)
	request.Header.Set("X-CPG-Signature", fmt.Sprintf("%x", mac.Sum(nil)))
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	answer, _ := io.ReadAll(reply.Body)
	fmt.Println(reply.StatusCode, string(answer))
}
`;
}

function ruby({ method, path, query, body }: Request): string {
  return `require "json"
require "net/http"
require "openssl"

method, path, query = "${method}", "${path}", "${query}"
body = ${body ? `JSON.generate(${literal(body, STYLES.ruby)})` : '""'}
now = Time.now.to_i.to_s
lines = [now, method, path, query, OpenSSL::Digest::SHA256.hexdigest(body)].join("\\n")
headers = {
  "Content-Type" => "application/json",
  "X-CPG-Key" => ENV["CPG_KEY_ID"],
  "X-CPG-Timestamp" => now,
  "X-CPG-Signature" => OpenSSL::HMAC.hexdigest("SHA256", ENV["CPG_SECRET"], lines)
}
uri = URI(ENV["CPG_URL"] + path + (query.empty? ? "" : "?#{query}"))
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") do |http|
  http.send_request(method, uri.request_uri, body, headers)
end
puts reply.code, reply.body
`;
}
