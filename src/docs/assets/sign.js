/** Signs in the browser, and finds out why a signature was refused. The tests import it too. */

const TOLERANCE_S = 300;
const encoder = new TextEncoder();

const hexOf = (buffer) =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function sha256(text) {
  return hexOf(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

async function hmac(secret, text) {
  const how = { name: "HMAC", hash: "SHA-256" };
  const raw = typeof secret === "string" ? encoder.encode(secret) : secret;
  const key = await crypto.subtle.importKey("raw", raw, how, false, ["sign"]);
  return hexOf(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
}

function partsOf(target) {
  const mark = target.indexOf("?");
  return mark < 0 ? [target, ""] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** The five lines, and without a secret no signature. */
export async function sign({ secret, timestamp, method, target, body }) {
  const lines = [timestamp, method, ...partsOf(target), await sha256(body)];
  return { lines, signature: secret === "" ? "" : await hmac(secret, lines.join("\n")) };
}

export function headersOf({ keyId, timestamp, body }, signature) {
  return [
    `X-CPG-Key: ${keyId}`,
    `X-CPG-Timestamp: ${timestamp}`,
    `X-CPG-Signature: ${signature}`,
    ...body === "" ? [] : ["Content-Type: application/json"],
  ];
}

export function curlOf({ url, method, target, body }, headers) {
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl -X ${method} ${quoted(url + target)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...body === "" ? [] : [`--data-binary ${quoted(body)}`],
  ].join(" \\\n  ");
}

/** Headers, a request line and the five lines, wherever they are in a log or a curl command. */
export function readPasted(text) {
  const header = (name) =>
    new RegExp(`x-cpg-${name}["']?\\s*[:=]\\s*["']?([^\\s"',]+)`, "i").exec(text)?.[1];
  const request = /\b(GET|POST|PUT|PATCH|DELETE)\s+(?:https?:\/\/[^/\s]+)?(\/\S*)/.exec(text);
  const rows = text.split("\n").map((row) => row.replace(/\r$/, ""));
  const first = rows.findIndex((row, i) =>
    /^\d{9,}$/.test(row) && /^[A-Za-z]+$/.test(rows[i + 1] ?? "")
  );
  return {
    key: header("key"),
    timestamp: header("timestamp"),
    signature: header("signature"),
    method: request?.[1],
    target: request?.[2],
    lines: first < 0 ? undefined : rows.slice(first, first + 5),
  };
}

function clockFault(timestamp, nowS) {
  if (/^\d{13}$/.test(timestamp)) return "This is in milliseconds. Divide it by 1000.";
  if (!/^\d{1,15}$/.test(timestamp)) return "This isn't a whole number of seconds.";
  const off = Number(timestamp) - nowS;
  if (Math.abs(off) <= TOLERANCE_S) return undefined;
  return `This is ${Math.abs(off)} seconds ${off < 0 ? "before" : "after"} this computer's time, ` +
    `and ${TOLERANCE_S} are allowed. If it was sent just now, correct the clock that it was signed with.`;
}

function shapeFault(signature) {
  if (/^[A-Za-z0-9+/]{43}=$/.test(signature)) return "This is base64. Write it in hex.";
  if (!/^[0-9a-f]{64}$/i.test(signature)) {
    return "This isn't an HMAC-SHA256 in hex, which has 64 digits.";
  }
  return undefined;
}

const NAMES = ["Timestamp", "Method", "Path", "Query", "Body hash"];
const DIFFERS = "This isn't what you sent.";

/** What a refused request says, beside what it should say: one row for each thing. */
export async function compare(order, pasted, nowS) {
  const timestamp = pasted.timestamp ?? pasted.lines?.[0] ?? order.timestamp;
  const ours = { ...order, timestamp };
  const { lines, signature } = await sign(ours);
  const [path, query] = pasted.target === undefined ? [] : partsOf(pasted.target);
  const theirs = pasted.lines ?? [timestamp, pasted.method, path, query, undefined];
  const rows = NAMES.map((name, i) => ({
    name,
    given: theirs[i],
    expected: lines[i],
    fault: theirs[i] !== undefined && theirs[i] !== lines[i] ? DIFFERS : undefined,
  }));
  rows[0].fault ??= clockFault(timestamp, nowS);
  rows[4].fault &&= await hashFault(theirs[4], order.body);
  const { key } = pasted;
  const isOtherKey = key !== undefined && order.keyId !== "" && key !== order.keyId;
  rows.unshift({
    name: "Key",
    given: key,
    expected: order.keyId,
    fault: isOtherKey ? "This is another key." : undefined,
  });
  if (pasted.signature === undefined) return rows;
  const row = { name: "Signature", given: pasted.signature, expected: signature };
  rows.push({ ...row, fault: await signatureFault(ours, row) });
  return rows;
}

async function hashFault(given, body) {
  for (const [what, text] of await bodiesOf(body)) {
    if (given === await sha256(text)) return `This is the hash of ${what}.`;
  }
  if (given.toLowerCase() === await sha256(body)) return "Write it in lower case.";
  return "This is the hash of another body. Hash the bytes that you send.";
}

/** The gateway takes it in either case. */
async function signatureFault(order, { given: sent, expected }) {
  const fault = shapeFault(sent);
  const given = sent.toLowerCase();
  if (expected === "") return fault ?? "Type the secret above to check it.";
  if (given === expected) return undefined;
  if (fault) return fault;
  for (const [what, text, secret = order.secret] of await mistakesOf(order)) {
    if (given === await hmac(secret, text)) return `It was signed with ${what}.`;
  }
  return "It was signed with another secret, or another text. Paste the five lines that your program signs.";
}

function bodiesOf(body) {
  const others = [["an empty body", ""], ["the body with a line feed at its end", `${body}\n`]];
  others.push(["the body without the space around it", body.trim()]);
  try {
    const value = JSON.parse(body);
    const spaced = JSON.stringify(value, null, 1).replace(/\n\s*/g, " ").replace(
      /([{[]) | ([}\]])/g,
      "$1$2",
    );
    for (const text of [JSON.stringify(value), spaced, JSON.stringify(value, null, 2)]) {
      others.push(["the same JSON, but printed with other white space", text]);
    }
  } catch {
    // What isn't JSON can't be printed otherwise.
  }
  return others.filter(([, text]) => text !== body);
}

/** What others have got wrong: each with the text that they signed. */
async function mistakesOf({ url, secret, timestamp, method, target, body }) {
  const [path, query] = partsOf(target);
  const hash = await sha256(body);
  const text = (change = {}) => {
    const all = { timestamp, method, path, query, hash, ...change };
    return [all.timestamp, all.method, all.path, all.query, all.hash].join("\n");
  };
  const right = text();
  const hashes = await Promise.all(
    bodiesOf(body).map(async (
      [what, other],
    ) => [`the hash of ${what}`, text({ hash: await sha256(other) })]),
  );
  const mistakes = [
    ["no query in line 4", text({ query: "" })],
    ["the question mark in line 4", text({ query: `?${query}` })],
    ["the query still in line 3", text({ path: target, query: "" })],
    ["the query in line 3 too", text({ path: target })],
    ["the query decoded in line 4", text({ query: decoded(query) })],
    ["the server's address in line 3", text({ path: url + path })],
    ["no slash at the beginning of line 3", text({ path: path.slice(1) })],
    ["a slash at the end of line 3", text({ path: `${path}/` })],
    ["no /v1 in line 3", text({ path: path.replace(/^\/v1/, "") })],
    ["the method in lower case", text({ method: method.toLowerCase() })],
    ["the hash in capitals", text({ hash: hash.toUpperCase() })],
    ["the body itself in line 5", text({ hash: body })],
    ["nothing in line 5", text({ hash: "" })],
    ["milliseconds in line 1", text({ timestamp: `${timestamp}000` })],
    ["a line feed at the end", `${right}\n`],
    ["carriage returns between the lines", right.replaceAll("\n", "\r\n")],
    ["nothing between the lines", right.replaceAll("\n", "")],
    ["the four lines that aren't empty", right.replaceAll("\n\n", "\n")],
    ["white space around the secret", right, `${secret}\n`],
    ["white space around the secret", right, ` ${secret}`],
    ["the secret decoded from base64", right, fromBase64(secret)],
    ["the secret decoded from hex", right, fromHex(secret)],
  ];
  return [...mistakes, ...hashes].filter(([, other, key]) => other !== right || key?.length > 0);
}

function decoded(query) {
  try {
    return decodeURIComponent(query.replaceAll("+", " "));
  } catch {
    return query;
  }
}

function fromBase64(text) {
  try {
    const plain = text.replaceAll("-", "+").replaceAll("_", "/");
    return Uint8Array.from(atob(plain), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function fromHex(text) {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return new Uint8Array();
  return Uint8Array.from(text.match(/../g), (byte) => Number.parseInt(byte, 16));
}
