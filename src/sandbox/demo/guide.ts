import { DEMO_FAULT_RATE } from "./line.ts";
import { transferCall } from "./token.ts";
import type { BesideNetwork } from "./beside.ts";

interface DemoFacts {
  readonly baseUrl: string;
  readonly rpcUrl: string;
  readonly keyId: string;
  readonly secret: string;
  readonly payer: string;
  readonly invoice_url: string;
  readonly payment_link_url: string;
  readonly token: string;
  readonly beside: readonly BesideNetwork[];
  /** The flags that start those. */
  readonly flags: readonly string[];
  /** Undefined if the operator's own environment names it. */
  readonly databaseUrl: string | undefined;
  /** Where the first dashboard operator is set up; null if none is needed. */
  readonly setUpUrl: string | null;
  /** Null: switched off. */
  readonly dashboardUrl: string | null;
  /** A login of the demo's account. */
  readonly merchant: { readonly email: string; readonly password: string };
  /** The seed of the faults between gateway and chain; undefined without faults. */
  readonly seed: number | undefined;
}

/** An outside payer: the second account of every anvil chain. */
const STRANGER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const PAID_USDT_RAW = 25_000_000n;
const NO_ADDRESS = `0x${"0".repeat(40)}`;

/** Lines to paste, in order, into bash or sh. Everything but commands is a comment. */
export function renderGuide(facts: DemoFacts): string {
  const prefix = facts.databaseUrl === undefined ? "" : `CPG_DATABASE_URL=${facts.databaseUrl} `;
  const faults = facts.seed === undefined ? "" : renderFaults(facts.seed, facts);
  return `CPG is running at ${facts.baseUrl}, on a local chain at ${facts.rpcUrl}${
    renderBeside(facts)
  }.${faults}
Paste this into another terminal (bash or sh), all at once or line by line:

${renderSetup(facts)}
${renderSteps(facts)}
The command line works on the same database:

${prefix}deno task cpg account list

${renderDashboard(facts)}The API's documentation: ${facts.baseUrl}/docs
Pay an invoice with two clicks: ${facts.invoice_url}
Start another invoice: ${facts.payment_link_url}
Ctrl-C here ends all of it.
`;
}

function renderBeside({ beside }: DemoFacts): string {
  return beside.map(({ what, rpcUrl }) => `\nand on ${what} at ${rpcUrl}`).join("");
}

function renderDashboard({ setUpUrl, dashboardUrl, merchant }: DemoFacts): string {
  if (dashboardUrl === null) return "";
  const { email, password } = merchant;
  const first = setUpUrl === null
    ? ""
    : `Open the dashboard and create the first operator: ${setUpUrl}\n`;
  return `Sign in as the merchant, ${email} with the password ${password}: ${dashboardUrl}\n${first}`;
}

function renderFaults(seed: number, { beside, flags: others }: DemoFacts): string {
  const percent = Math.round(100 * DEMO_FAULT_RATE);
  const flags = [...others, "--faults", "--seed", seed].join(" ");
  const other = beside.map(({ what }) => `${what.replace(/^a (simulated )?/, "The ")} has none. `)
    .join("");
  return `
${percent} % of the gateway's requests to the local chain go wrong: lost, late, refused, cut short,
doubled, out of date. ${other}To repeat the same faults: deno task demo ${flags}
Deposits and withdrawals take longer, and a withdrawal may be answered with 502 and the status
failed: nothing was paid and nothing is held, so ask again with another client_reference.
CPG_LOG_LEVEL=warn shows what the gateway logs about it.`;
}

function renderSetup({ baseUrl, rpcUrl, keyId, secret }: DemoFacts): string {
  return `# cpg METHOD TARGET [BODY] signs a request and sends it.
CPG_URL=${baseUrl} CPG_KEY_ID=${keyId} CPG_SECRET=${secret} RPC_URL=${rpcUrl}
# Programs that you start in this terminal find the key there.
export CPG_URL CPG_KEY_ID CPG_SECRET
cpg() (
  body=\${3-} now=$(date +%s) query=
  case $2 in *'?'*) query=\${2#*'?'} ;; esac
  hash=$(printf %s "$body" | openssl dgst -sha256 -r | sed 's/ .*//')
  signature=$(printf '%s\\n%s\\n%s\\n%s\\n%s' "$now" "$1" "\${2%%'?'*}" "$query" "$hash" |
    openssl dgst -sha256 -hmac "$CPG_SECRET" -r | sed 's/ .*//')
  set -- -sS -w '\\n' -X "$1" -H "X-CPG-Key: $CPG_KEY_ID" -H "X-CPG-Timestamp: $now" \\
    -H "X-CPG-Signature: $signature" "$CPG_URL$2"
  if [ -n "$body" ]; then set -- "$@" -H 'Content-Type: application/json' --data-binary "$body"; fi
  curl "$@"
)
# wait_for TARGET WORD asks once a second, at most a minute, until the answer has the word.
wait_for() {
  tries=0
  until cpg GET "$1" | awk '/"'"$2"'"/ { found = 1 } END { exit !found }' || [ "$tries" -eq 60 ]; do
    tries=$((tries + 1))
    sleep 1
  done
  cpg GET "$1"
}
# chain METHOD PARAMS asks the local chain; field NAME picks a value out of an answer.
chain() { curl -sS -w '\\n' -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"'"$1"'","params":'"$2"'}' "$RPC_URL"; }
field() { sed 's/.*"'"$1"'":"\\{0,1\\}\\([^",}]*\\).*/\\1/'; }
`;
}

function renderSteps({ payer, token, seed, beside }: DemoFacts): string {
  const transfer = transferCall({ to: NO_ADDRESS, amountRaw: PAID_USDT_RAW });
  const before = transfer.slice(0, 34);
  const after = transfer.slice(74);
  return `# Check the key and the signature, and show the first balances.
cpg GET /v1/_ping
cpg GET /v1/balances

# A deposit address for a customer, another one at each paste, and a payment of 1 ETH to it.
CUSTOMER=alice-$$-$(date +%s)
DEPOSIT=$(cpg POST /v1/deposit-addresses '{"network":"ETH","currency":"ETH","user_identifier":"'"$CUSTOMER"'","idempotency_key":"'"$CUSTOMER"'-eth"}'); printf '%s\\n' "$DEPOSIT"
ADDRESS=$(printf %s "$DEPOSIT" | field address)
chain eth_sendTransaction '[{"from":"${payer}","to":"'"$ADDRESS"'","value":"0xde0b6b3a7640000"}]'

# The same customer pays 25 USDT: the same address, another request.
TOKEN_DEPOSIT=$(cpg POST /v1/deposit-addresses '{"network":"ETH","currency":"USDT","user_identifier":"'"$CUSTOMER"'","idempotency_key":"'"$CUSTOMER"'-usdt"}'); printf '%s\\n' "$TOKEN_DEPOSIT"
chain eth_sendTransaction '[{"from":"${payer}","to":"${token}","data":"${before}'"\${ADDRESS#0x}"'${after}"}]'

# Three blocks later both are credited.
wait_for "/v1/deposit-requests/$(printf %s "$DEPOSIT" | field request_id)" settled
wait_for "/v1/deposit-requests/$(printf %s "$TOKEN_DEPOSIT" | field request_id)" settled
cpg GET '/v1/balances?network=ETH'

${renderWithdrawal(seed)}
wait_for "/v1/withdrawals/$(printf %s "$WITHDRAWAL" | field withdrawal_id)" confirmed
cpg GET '/v1/transactions?limit=10'
${beside.map(renderPayout).join("")}`;
}

function renderPayout({ code, payer, payout: { amount, currency, hint } }: BesideNetwork): string {
  const name = `${code}_PAYOUT`;
  return `
# A payout of ${amount} ${currency} on ${code}. ${hint}
${name}=$(cpg POST /v1/withdrawals '{"network":"${code}","currency":"${currency}","to_address":"${payer}","amount":"${amount}","client_reference":"${code.toLowerCase()}-'"$$-$(date +%s)"'"}'); printf '%s\\n' "$${name}"
wait_for "/v1/withdrawals/$(printf %s "$${name}" | field withdrawal_id)" confirmed
cpg GET '/v1/balances?network=${code}'
`;
}

function renderWithdrawal(seed: number | undefined): string {
  const post = (reference: string) =>
    `WITHDRAWAL=$(cpg POST /v1/withdrawals '{"network":"ETH","currency":"USDT","to_address":"${STRANGER}","amount":"20","client_reference":"demo-'"${reference}"'"}'); printf '%s\\n' "$WITHDRAWAL"`;
  const title = "# A withdrawal of 20 USDT to an outside address, and its result";
  if (seed === undefined) return `${title}.\n${post("$$-$(date +%s)")}`;
  return `${title}: tried up to 20 times while it is refused.
tries=0
until [ "$tries" -eq 20 ]; do
  tries=$((tries + 1))
  ${post("$$-$(date +%s)-$tries")}
  case $WITHDRAWAL in *'"success":true'*) break ;; esac
done`;
}
