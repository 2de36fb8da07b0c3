/** The page that signs. Nothing is sent or stored: its policy allows no connection. */

const at = (id) => document.getElementById(id);
const EMPTY = "(empty)";
let turn = 0;

function orderOf() {
  const value = (id) => at(id).value;
  return {
    url: at("sign").dataset.url,
    keyId: value("key").trim(),
    secret: value("secret").trim(),
    timestamp: value("timestamp").trim() || String(Math.floor(Date.now() / 1000)),
    method: value("method"),
    target: value("target").trim(),
    body: value("body"),
  };
}

async function show() {
  const mine = ++turn;
  const order = orderOf();
  const { lines, signature } = await sign(order);
  const rows = at("pasted").value.trim() === ""
    ? []
    : await compare(order, readPasted(at("pasted").value), Math.floor(Date.now() / 1000));
  // Whoever types fast has asked again by now.
  if (mine !== turn) return;
  lines.forEach((line, i) => at(`line-${i}`).textContent = line || EMPTY);
  at("signature").textContent = signature || "Type the secret to see it";
  const headers = headersOf({ ...order, keyId: order.keyId || "cpg_…" }, signature || "…");
  at("headers").textContent = headers.join("\n");
  at("curl").textContent = curlOf(order, headers);
  showRows(rows);
}

function showRows(rows) {
  at("findings").hidden = rows.length === 0;
  const faults = rows.filter(({ fault }) => fault);
  at("verdict").textContent = rows.length === 0 ? "" : verdictOf(rows, faults);
  at("verdict").className = rows.length === 0
    ? ""
    : `message ${faults.length === 0 ? "done" : "fault"}`;
  at("rows").replaceChildren(...rows.map(({ name, given, expected, fault }) => {
    const row = document.createElement("tr");
    if (fault) row.className = "wrong";
    const cell = (text, isCode) => {
      const made = document.createElement("td");
      const inside = isCode ? made.appendChild(document.createElement("code")) : made;
      inside.textContent = text;
      row.append(made);
    };
    cell(name);
    cell(given === undefined ? "not pasted" : given || EMPTY, given !== undefined);
    cell(expected || EMPTY, true);
    cell(fault ?? (given === undefined ? "" : "Right"));
    return row;
  }));
}

function verdictOf(rows, faults) {
  if (faults.length > 0) {
    return faults.map(({ name, fault }) => `${name}: ${fault}`).join(" ");
  }
  if (rows.some(({ name, given }) => name === "Signature" && given !== undefined)) {
    return "The signature is right. If it was refused, the path, the query or the body changed on its way.";
  }
  return "Nothing is wrong so far. Paste the signature too.";
}

function fill(option) {
  for (const name of ["method", "target", "body"]) at(name).value = option.dataset[name];
}

if (globalThis.crypto?.subtle) {
  at("operation").addEventListener("change", ({ target }) => fill(target.selectedOptions[0]));
  at("sign").addEventListener("input", show);
  at("sign").addEventListener("change", show);
  fill(at("operation").selectedOptions[0]);
  show();
} else {
  at("unsafe").hidden = false;
}
at("sign").hidden = false;
