import assert from "node:assert/strict";
import { browserName } from "../../src/access/rules/browser_name.ts";

const MOZILLA = "Mozilla/5.0";
const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const LINUX = "(X11; Linux x86_64)";
const IPHONE =
  "(iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

const NAMES: readonly [userAgent: string, name: string][] = [
  [`${MOZILLA} ${LINUX} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`${MOZILLA} ${LINUX} ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [
    `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    "Edge on Windows",
  ],
  [`${MOZILLA} ${LINUX} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0`, "Opera on Linux"],
  [
    `${MOZILLA} (Linux; Android 16; K) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet on Android",
  ],
  [
    `${MOZILLA} (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0`,
    "Firefox on macOS",
  ],
  [`${MOZILLA} ${IPHONE} Version/19.0 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`${MOZILLA} ${IPHONE} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  [
    `${MOZILLA} (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
    "Chrome on ChromeOS",
  ],
  ["curl/8.14.1", "curl"],
  ["Deno/2.9.6", "Deno"],
  [MOZILLA, "an unknown browser"],
  ["", "an unknown browser"],
  ["<script>alert(1)</script>", "an unknown browser"],
];

for (const [userAgent, name] of NAMES) {
  Deno.test(`a session is named after its browser: ${name}, of ${userAgent.slice(0, 40)}`, () => {
    assert.equal(browserName(userAgent), name);
  });
}
