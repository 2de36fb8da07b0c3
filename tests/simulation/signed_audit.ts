import Database from "libsql";
import { KEY_BRANCHES } from "../../src/wallets/rules/key_path.ts";
import { differences } from "../support/differences.ts";
import type { Ground } from "./ground.ts";

interface Row {
  readonly [name: string]: unknown;
}

/** Of the gateway's own file, once nothing is in progress: what no answer of it shows. */
export function auditSigned(path: string, grounds: readonly Ground[]): string[] {
  const database = new Database(path);
  const rows = (sql: string, ...args: string[]): Row[] =>
    database.prepare(sql).all(...args) as Row[];
  try {
    return grounds.flatMap((ground) => [
      ...feesOf(ground, rows("SELECT sender, tx_hash, fee_raw " + MINED, ground.network)),
      ...outputsOf(ground, {
        own: rows(OWN, ground.network),
        booked: rows(OUTPUTS, ground.network),
      }),
      ...rows(HELD, ground.network).map(({ claim, state, tx_hash }) =>
        `${ground.network}: ${claim} is still claimed by ${tx_hash}, which is ${state}`
      ),
    ]);
  } finally {
    database.close();
  }
}

const MINED = `FROM signed_transactions WHERE network = ? AND block_hash IS NOT NULL`;

/** What can be used again, and what lost its place, is claimed by nobody any more. */
const HELD = `SELECT c.claim, t.state, t.tx_hash
FROM claims AS c JOIN signed_transactions AS t ON t.id = c.signed_id
WHERE c.network = ? AND c.live_claim IS NOT NULL AND t.state <> 'open'
  AND (t.state <> 'settled' OR c.claim LIKE 'gas/%' OR c.claim LIKE 'stake/%')`;

/** Of a merchant's own wallet nobody here spends anything. */
const OWN = `SELECT address FROM addresses
WHERE network = ? AND key_branch <= ${KEY_BRANCHES.gas}`;

const OUTPUTS = `SELECT tx_hash, position, amount_raw FROM outputs
WHERE network = ? AND block_hash IS NOT NULL`;

/** Each output that pays one of our addresses is in the books, change too. */
function outputsOf(
  ground: Ground,
  { own, booked }: { own: readonly Row[]; booked: readonly Row[] },
): string[] {
  const addresses = new Set(own.map(({ address }) => ground.same(String(address))));
  return differences("output", {
    chain: (ground.outputs?.() ?? []).filter(({ to }) => addresses.has(to)).map(({ key }) => key),
    books: booked.map((row) => `${row.tx_hash}:${row.position} ${row.amount_raw}`),
  }).map((one) => `${ground.network}: ${one}`);
}

/** All that our addresses ever sent is in the books, at what it cost to the last unit. */
function feesOf(ground: Ground, rows: readonly Row[]): string[] {
  const senders = new Set(rows.map(({ sender }) => ground.same(String(sender))));
  const chain = ground.fees().filter(({ from }) => senders.has(from) || from === ground.gasWallet);
  return differences("fee", {
    chain: chain.map(({ hash, raw }) => `${hash} ${raw}`),
    books: rows.map(({ tx_hash, fee_raw }) => `${tx_hash} ${fee_raw}`),
  }).map((one) => `${ground.network}: ${one}`);
}
