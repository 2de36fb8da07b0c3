import assert from "node:assert/strict";
import { cidrContains, parseIp } from "../../src/base/net/cidr.ts";
import { type Config, ENV_NAMES, readConfig } from "../../src/app/config/config.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { misspellingsOf } from "../../src/app/config/names.ts";
import { OperatorError } from "../../src/domain/refusal.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEY_HEX = "0f".repeat(32);
const KEY_BASE64 = btoa("\x0f".repeat(32));

Deno.test("contract 5: an empty environment gives the defaults", () => {
  const config = readConfig({});
  const expected: Partial<Config> = {
    databaseUrl: "file:./data/cpg.db",
    databaseToken: undefined,
    masterKey: undefined,
    host: "127.0.0.1",
    port: 8080,
    publicUrl: "http://127.0.0.1:8080",
    trustedProxies: [],
    windows: { displayMs: 3 * HOUR_MS, monitoringMs: 7 * DAY_MS, reuseMs: 7 * DAY_MS },
    isPrivateWebhookAllowed: false,
    authFailuresPerMinute: 60,
    connections: { max: 2_000, perSourceMax: 256, headersMs: 10_000, idleMs: 75_000 },
    bodyTimeoutMs: 20_000,
    logLevel: "info",
    isWorkerOn: true,
  };
  assert.deepEqual({ ...config, ...expected }, config);
});

Deno.test("a public address without TLS is warned of, unless it is this machine", () => {
  const warned = (CPG_PUBLIC_URL: string) => readConfig({ CPG_PUBLIC_URL }).warnings;
  assert.deepEqual(warned("http://pay.example.com"), [
    "CPG_PUBLIC_URL begins with http://, so whoever is in between reads and changes payers' pages " +
    "and API requests: use https://",
  ]);
  assert.match(readConfig({ CPG_DASHBOARD_URL: "http://10.0.0.7" }).warnings[0]!, /the dashboard/);
  for (const host of ["localhost:8080", "shop.localhost", "127.0.0.1", "[::1]:80"]) {
    assert.deepEqual(warned(`http://${host}`), [], host);
  }
  assert.deepEqual(warned("https://pay.example.com"), []);
  assert.deepEqual(readConfig({ CPG_HOST: "0.0.0.0" }).warnings, []);
});

Deno.test("an unknown variable is reported with the name that was probably meant", () => {
  const { warnings: unknown } = readConfig({
    CPG_DATABSE_URL: "x",
    CPG_WORKERS: "x",
    CPG_DB_URL: "x",
    CPG_PUBLIK_URL: "x",
    CPG_URL: "x",
    CPG_LOGLEVELL: "x",
    CPG_SOMETHING_ELSE_ALTOGETHER: "x",
    CPG_PORT: "8080",
    DENO_DEPLOY: undefined,
  });
  assert.deepEqual(unknown, [
    "CPG_DATABSE_URL is not a CPG setting and is ignored; did you mean CPG_DATABASE_URL?",
    "CPG_WORKERS is not a CPG setting and is ignored; did you mean CPG_WORKER?",
    "CPG_DB_URL is not a CPG setting and is ignored; did you mean CPG_DATABASE_URL?",
    "CPG_PUBLIK_URL is not a CPG setting and is ignored; did you mean CPG_PUBLIC_URL?",
    "CPG_URL is not a CPG setting and is ignored; did you mean CPG_DATABASE_URL or " +
    "CPG_PUBLIC_URL or CPG_DASHBOARD_URL or CPG_SMTP_URL?",
    "CPG_LOGLEVELL is not a CPG setting and is ignored; did you mean CPG_LOG_LEVEL?",
    "CPG_SOMETHING_ELSE_ALTOGETHER is not a CPG setting and is ignored",
  ]);
  // The demo's lines and the examples set these for programs that call the API.
  const callers = { CPG_KEY_ID: "x", CPG_SECRET: "x", CPG_WEBHOOK_SECRET: "x" };
  assert.deepEqual(readConfig({ CPG_URL: "x", ...callers }).warnings, []);
  assert.deepEqual(readConfig(callers).warnings, []);
  assert.deepEqual(readConfig({ CPG_FOO: "x" }).warnings.length, 1);
  const looked = misspellingsOf("CPG_DATABASE_URL");
  for (
    const name of [
      ...["CPG_DATABSE_URL", "CPG_DATABASE_ULR", "CPG_DATABASEURL", "CPG_DATABASE", "CPG_DB_URL"],
      ...["CPG_DATABASE_URI", "CPG_DATABASSE_URL", "CPG_URL_DATABASE", "CPG_DATABASE_URLS"],
      ...["CPG_DATABAZE_URL", "CPG_DATABASE_URI", "CPG_DATABASE_UHL"],
    ]
  ) assert.ok(looked.includes(name), name);
  assert.ok(!looked.includes("CPG_DATABASE_URL"));
});

Deno.test("an empty variable counts as not set", () => {
  const empty = Object.fromEntries(ENV_NAMES.map((name) => [name, ""]));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

const GOOD:
  readonly (readonly [name: string, text: string, get: (config: Config) => unknown, unknown])[] = [
    ...[
      "file:/srv/cpg.db",
      "libsql://db.turso.io",
      "https://db",
      "http://db:8080",
      "wss://db",
      "ws://db",
    ]
      .map((url) => ["CPG_DATABASE_URL", url, (c: Config) => c.databaseUrl, url] as const),
    ["CPG_DATABASE_TOKEN", "ey.x.y", (c) => c.databaseToken, "ey.x.y"],
    ["CPG_MASTER_KEY", KEY_HEX, (c) => c.masterKey, new Uint8Array(32).fill(15)],
    ["CPG_MASTER_KEY", KEY_BASE64, (c) => c.masterKey, new Uint8Array(32).fill(15)],
    ["CPG_HOST", "0.0.0.0", (c) => c.host, "0.0.0.0"],
    ["CPG_HOST", "0.0.0.0", (c) => c.publicUrl, "http://0.0.0.0:8080"],
    ["CPG_HOST", "::1", (c) => c.publicUrl, "http://[::1]:8080"],
    ...["[::1]", "::1"].map((text) => ["CPG_HOST", text, (c: Config) => c.host, "::1"] as const),
    ...["localhost", "pay.example.com", "fe80::1%eth0", "0", "::ffff:127.0.0.1", "my_host"]
      .map((text) => ["CPG_HOST", text, (c: Config) => c.host, text] as const),
    ["CPG_PORT", "0", (c) => c.port, 0],
    ["CPG_PORT", "65535", (c) => c.port, 65_535],
    ["CPG_PORT", "9000", (c) => c.publicUrl, "http://127.0.0.1:9000"],
    ["CPG_PUBLIC_URL", "https://pay.example.com", (c) => c.publicUrl, "https://pay.example.com"],
    [
      "CPG_PUBLIC_URL",
      "https://pay.example.com/x/",
      (c) => c.publicUrl,
      "https://pay.example.com/x",
    ],
    ["CPG_SETUP", "off", (c) => c.hasSetUp, false],
    ["CPG_SETUP", "", (c) => c.hasSetUp, true],
    ["CPG_DOCS", "off", (c) => c.hasDocs, false],
    ["CPG_DOCS", "on", (c) => c.hasDocs, true],
    ["CPG_DOCS", "", (c) => c.hasDocs, true],
    ["CPG_DASHBOARD_PORT", "off", (c) => c.dashboard, { kind: "off" }],
    ["CPG_DASHBOARD_PORT", "9090", (c) => c.dashboard, {
      kind: "own",
      host: "127.0.0.1",
      port: 9090,
      url: undefined,
    }],
    ["CPG_DASHBOARD_HOST", "10.0.0.1", (c) => c.dashboard, {
      kind: "own",
      host: "10.0.0.1",
      port: 8081,
      url: undefined,
    }],
    ["CPG_DASHBOARD_URL", "https://ops.example.com/", (c) => c.dashboard, {
      kind: "beside",
      url: "https://ops.example.com",
    }],
    ["CPG_DISPLAY_WINDOW", "1", (c) => c.windows.displayMs, 1000],
    ["CPG_MONITORING_WINDOW", "60", (c) => c.windows.monitoringMs, 60_000],
    ["CPG_REUSE_WINDOW", "86400", (c) => c.windows.reuseMs, DAY_MS],
    ["CPG_AUTH_FAILURES_PER_MINUTE", "5", (c) => c.authFailuresPerMinute, 5],
    ...["debug", "info", "warn", "error"]
      .map((level) => ["CPG_LOG_LEVEL", level, (c: Config) => c.logLevel, level] as const),
    ["CPG_WEBHOOK_ALLOW_PRIVATE", "true", (c) => c.isPrivateWebhookAllowed, true],
    ["CPG_WEBHOOK_ALLOW_PRIVATE", "false", (c) => c.isPrivateWebhookAllowed, false],
    ["CPG_WORKER", "true", (c) => c.isWorkerOn, true],
    ["CPG_WORKER", "false", (c) => c.isWorkerOn, false],
  ];

for (const [name, text, get, expected] of GOOD) {
  Deno.test(`${name}=${text.slice(0, 24)} is taken as ${JSON.stringify(expected)?.slice(0, 24)}`, () => {
    assert.deepEqual(get(readConfig({ [name]: text })), expected);
  });
}

Deno.test("on Deno Deploy only the production timeline runs the workers, unless configured otherwise", () => {
  const isWorkerOn = (env: Env) => readConfig({ DENO_DEPLOY: "1", ...env }).isWorkerOn;
  assert.equal(isWorkerOn({ DENO_TIMELINE: "production" }), true);
  for (const DENO_TIMELINE of ["preview", "git-branch/main", "", undefined]) {
    assert.equal(isWorkerOn({ DENO_TIMELINE }), false, DENO_TIMELINE);
    assert.equal(isWorkerOn({ DENO_TIMELINE, CPG_WORKER: "true" }), true);
  }
  assert.equal(isWorkerOn({ DENO_TIMELINE: "production", CPG_WORKER: "false" }), false);
  assert.equal(readConfig({ DENO_TIMELINE: "preview" }).isWorkerOn, true, "not on Deno Deploy");
});

Deno.test("trusted proxies may be addresses and ranges of both families, separated by spaces too", () => {
  const { trustedProxies } = readConfig({ CPG_TRUSTED_PROXIES: " 10.0.0.0/8, ::1 ,192.0.2.7,, " });
  const isTrusted = (ip: string) => trustedProxies.some((cidr) => cidrContains(cidr, parseIp(ip)!));
  assert.equal(trustedProxies.length, 3);
  assert.deepEqual(["10.1.2.3", "::1", "192.0.2.7"].map(isTrusted), [true, true, true]);
  assert.deepEqual(["11.0.0.1", "::2", "192.0.2.8"].map(isTrusted), [false, false, false]);
});

const WRONG: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["CPG_DATABASE_URL", "cpg.db", /does not begin with file:, libsql:/],
  ["CPG_DATABASE_URL", "postgres://db", /does not begin with/],
  ["CPG_DATABASE_URL", "https:db", /does not begin with/],
  ...["file:", "file: "].map((text) => ["CPG_DATABASE_URL", text, /has no file name/] as const),
  ["CPG_DATABASE_URL", "file:./data/x.db?mode=ro", /has a "\?": a file takes no parameters/],
  ["CPG_DATABASE_URL", "file:./da\nta", /has a line break or another control character/],
  ["CPG_DATABASE_URL", "https://a b", /has a space or a control character/],
  ...[" ", "ey.x\n", "ünï", "a b"]
    .map((text) => ["CPG_DATABASE_TOKEN", text, /has a space, a line break or another/] as const),
  ...["CPG_HOST", "CPG_DASHBOARD_HOST"].flatMap((name) =>
    ["not a host", " ", "127.0.0.1:80", "http://x", "x\u0000", "\u001b[31mx", "ünï.de", "*", "-x"]
      .concat(["localhost ", "1::2::3", "[::1", "a".repeat(64), "a.".repeat(200), "a..b"])
      .map((text) => [name, text, /" is neither an IP address nor a host name/] as const)
  ),
  ["CPG_MASTER_KEY", "hush", /is not 32 bytes in base64 or hex/],
  ["CPG_MASTER_KEY", KEY_HEX.slice(2), /is not 32 bytes/],
  ...["-1", "65536", "http", "80.5", "1e3", " 80", "0x50"]
    .map((text) => ["CPG_PORT", text, /is not a whole number from 0 to 65535/] as const),
  ["CPG_PUBLIC_URL", "pay.example.com", /is not a web address/],
  ["CPG_PUBLIC_URL", "ftp://pay.example.com", /is not a web address/],
  ...["https://", " ", "https://x y", "https://x\n", "https://u:p@x", "https://x/?a", "https://x#a"]
    .map((text) => ["CPG_PUBLIC_URL", text, /is not a web address/] as const),
  ["CPG_DASHBOARD_PORT", "on", /is not a whole number from 0 to 65535/],
  ["CPG_SETUP", "no", /CPG_SETUP "no" is neither on nor off; for example: CPG_SETUP=off/],
  ["CPG_DOCS", "false", /CPG_DOCS "false" is neither on nor off; for example: CPG_DOCS=off/],
  ["CPG_DASHBOARD_URL", "ops.example.com", /CPG_DASHBOARD_URL "ops.example.com" is not a web/],
  ["CPG_TRUSTED_PROXIES", "10.0.0.0/33", /"10\.0\.0\.0\/33", which is not an IP address or CIDR/],
  ["CPG_TRUSTED_PROXIES", "10.0.0.1,proxy", /"proxy", which is not an IP address or CIDR range/],
  ...["CPG_DISPLAY_WINDOW", "CPG_MONITORING_WINDOW", "CPG_REUSE_WINDOW"].flatMap((name) =>
    ["0", "-5", "3h", "1.5", "9".repeat(20)]
      .map((text) => [name, text, /is not a whole number from 1 to/] as const)
  ),
  ...["fifteen-letters", "with a space in the middle", "ünïcödé-ünïcödé"]
    .map((text) => ["CPG_METRICS_TOKEN", text, /is not 16 to 512 letters/] as const),
  ...["mail.example.com", "https://mail.example.com", "smtp://", "smtp://a b", "smtp://a\nb"]
    .map((text) => ["CPG_SMTP_URL", text, /is not the address of a mail server/] as const),
  ...["ops", "ops@", "a@b, c@d", "Ops <ops@example.com", "Ops\n <ops@example.com>"]
    .map((text) => ["CPG_SMTP_FROM", text, /is not an e-mail address/] as const),
  ...["bot", "123:short", `123:${"a".repeat(19)}!`]
    .map((text) => ["CPG_TELEGRAM_TOKEN", text, /is not a bot's token/] as const),
  ["CPG_AUTH_FAILURES_PER_MINUTE", "0", /is not a whole number from 1 to/],
  ["CPG_AUTH_FAILURES_PER_MINUTE", "many", /is not a whole number from 1 to/],
  ...["CPG_CONNECTIONS_MAX", "CPG_CONNECTIONS_PER_SOURCE_MAX"].map((name) =>
    [name, "0", /is not a whole number from 1 to 1000000/] as const
  ),
  ...["CPG_HEADER_TIMEOUT", "CPG_BODY_TIMEOUT", "CPG_IDLE_TIMEOUT"].flatMap((name) =>
    ["0", "10s", "3601"].map((text) =>
      [name, text, /is not a whole number from 1 to 3600/] as const
    )
  ),
  ["CPG_LOG_LEVEL", "verbose", /is not one of debug, info, warn, error/],
  ["CPG_LOG_LEVEL", "INFO", /is not one of debug, info, warn, error/],
  ["CPG_WEBHOOK_ALLOW_PRIVATE", "1", /is neither true nor false/],
  ["CPG_WORKER", "yes", /is neither true nor false/],
  ["CPG_WORKER", "TRUE", /is neither true nor false/],
];

for (const [name, text, says] of WRONG) {
  Deno.test(`contract 5: ${name}=${text.slice(0, 24)} stops the start, with the reason and an example`, () => {
    const message = refusalOf({ [name]: text });
    assert.ok(message.startsWith(name), message);
    assert.match(message, says);
    assert.match(message, new RegExp(`; for example: ${name}=\\S+`));
    assert.equal(message.split("\n").length, 1);
  });
}

Deno.test("every variable has a value that is refused", () => {
  const refused = new Set(WRONG.map(([name]) => name));
  assert.deepEqual(ENV_NAMES.filter((name) => !refused.has(name)), []);
});

Deno.test("the example in a refusal is itself valid", () => {
  for (const [name, text] of WRONG) {
    const example = refusalOf({ [name]: text }).split(`for example: ${name}=`)[1]!;
    // An example of a secret would end up as somebody's.
    if (/_KEY$|_TOKEN$/.test(name)) continue;
    readConfig({ [name]: example });
  }
});

Deno.test("a value with a line break is still refused in one line", () => {
  for (
    const name of ["CPG_DATABASE_URL", "CPG_PORT", "CPG_PUBLIC_URL", "CPG_LOG_LEVEL", "CPG_WORKER"]
  ) {
    assert.equal(refusalOf({ [name]: "what\nis this" }).split("\n").length, 1, name);
  }
});

Deno.test("no refusal repeats a secret, such as a master key or a database password", () => {
  assert.equal(refusalOf({ CPG_MASTER_KEY: "hushhush" }).includes("hushhush"), false);
  const message = refusalOf({ CPG_DATABASE_URL: "postgres://cpg:hushhush@db/cpg" });
  assert.equal(message.includes("hushhush"), false, message);
});

const ODD = ["\u001b[2J", "\u202egnp", "\u009b31m", "\u2028x", "\ud800", "x".repeat(100_000)];

Deno.test("odd values are refused in one short line, without control characters or passwords", () => {
  const hostile = [...ODD, "x://ann:hushhush@[::1", "postgres://ann:hush/h@ushhush@db"];
  for (const name of ENV_NAMES) {
    for (const text of hostile) {
      if (/_TOKEN$/.test(name) && /^[!-~]{16,512}$/.test(text)) continue;
      if (name === "CPG_DATABASE_TOKEN" && /^[!-~]+$/.test(text)) continue;
      const message = refusalOf({ [name]: text });
      assert.ok(message.startsWith(name) && message.length < 300, message);
      assert.doesNotMatch(message, /[\p{C}\u2028]|hushhush|ushhush/u);
    }
  }
});

Deno.test("contract 5: the program reads every variable of the table", () => {
  assert.deepEqual([...ENV_NAMES].toSorted(), [
    "CPG_AUTH_FAILURES_PER_MINUTE",
    "CPG_BODY_TIMEOUT",
    "CPG_CONNECTIONS_MAX",
    "CPG_CONNECTIONS_PER_SOURCE_MAX",
    "CPG_DASHBOARD_HOST",
    "CPG_DASHBOARD_PORT",
    "CPG_DASHBOARD_URL",
    "CPG_DATABASE_TOKEN",
    "CPG_DATABASE_URL",
    "CPG_DISPLAY_WINDOW",
    "CPG_DOCS",
    "CPG_HEADER_TIMEOUT",
    "CPG_HOST",
    "CPG_IDLE_TIMEOUT",
    "CPG_LOG_LEVEL",
    "CPG_MASTER_KEY",
    "CPG_METRICS_TOKEN",
    "CPG_MONITORING_WINDOW",
    "CPG_PORT",
    "CPG_PUBLIC_URL",
    "CPG_REUSE_WINDOW",
    "CPG_SETUP",
    "CPG_SMTP_FROM",
    "CPG_SMTP_URL",
    "CPG_TELEGRAM_TOKEN",
    "CPG_TRUSTED_PROXIES",
    "CPG_WEBHOOK_ALLOW_PRIVATE",
    "CPG_WORKER",
  ]);
});

function refusalOf(env: Env): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  assert.fail(`${JSON.stringify(env)} was taken`);
}

Deno.test("on Deno Deploy the platform limits connections", () => {
  assert.equal(readConfig({ DENO_DEPLOY: "1" }).connections, null);
});
