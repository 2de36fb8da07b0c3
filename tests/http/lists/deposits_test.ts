import assert from "node:assert/strict";
import { checksumAddress } from "../../../src/chains/evm/address.ts";
import { TRANSACTION_STATUSES } from "../../../src/deposits/rules/transaction_moves.ts";
import { seededRandom } from "../../domain/random.ts";
import { makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { insertTransactions, type NewTransaction, setCursor } from "../rows.ts";
import {
  CURRENCIES,
  evmAddress,
  insert,
  insertAddress,
  isWithin,
  makeNetworks,
  TIMES,
  wrongTime,
} from "./books.ts";
import { choices, walk } from "./walking.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetworks(deps);
const PATH = "/v1/deposits";

let addresses = 0;

/** A merchant with addresses on all networks: two of customers, and one of the pool. */
async function makeReceiver() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId } = merchant;
  const owned = await insert(
    deps,
    (view) =>
      ["ETH", "BSC", "TRX"].flatMap((network) =>
        ["ann", "bob", null].map((userIdentifier) =>
          insertAddress(view, {
            accountId,
            network,
            userIdentifier,
            address: network === "TRX"
              ? `T${++addresses}`
              : checksumAddress(evmAddress(1_000 + ++addresses)),
          })
        )
      ),
  );
  return { ...merchant, owned };
}

Deno.test("a deposit has what its request's entry has, and where it belongs", async () => {
  const { accountId, api, owned } = await makeReceiver();
  const [ann] = owned;
  const [row] = await insertTransactions(deps, [{
    accountId,
    addressId: ann!.id,
    toAddress: ann!.address,
    currency: "USDT",
    amount: "12.000001",
    status: "confirmed",
    blockNumber: 95,
    blockHash: "0xb",
    isBelowMinimum: true,
    confirmedAtMs: Date.parse("2026-01-31T12:01:01Z"),
  }, { accountId, direction: "sweep" }]);
  await setCursor(deps, { network: "ETH", change: { topHeight: 100, scanHeight: 100 } });
  assert.deepEqual(await walk(api, PATH), [{
    id: row!.id,
    request_id: null,
    address: ann!.address,
    user_identifier: "ann",
    network: "ETH",
    currency: "USDT",
    from_address: row!.fromAddress,
    tx_hash: row!.txHash,
    amount_decimal: "12.000001",
    confirmations: 6,
    status: "confirmed",
    block_number: 95,
    detected_at: "2026-01-31T12:00:00+00:00",
    confirmed_at: "2026-01-31T12:01:01+00:00",
    below_minimum: true,
  }]);
});

Deno.test("any choice of filters shows exactly the rows it asks for", async () => {
  const random = seededRandom(13);
  const [mine, other] = [await makeReceiver(), await makeReceiver()];
  const rows = await insertTransactions(
    deps,
    Array.from({ length: 2_400 }, (_, i): NewTransaction => {
      const { accountId, owned } = random.chance(0.85) ? mine : other;
      const { id, network, address } = random.pick(owned);
      return {
        accountId,
        network,
        currency: random.pick(CURRENCIES),
        direction: random.chance(0.8) ? "deposit" : random.pick(["sweep", "withdrawal"]),
        status: random.chance(0.8) ? "swept" : random.pick(TRANSACTION_STATUSES),
        addressId: id,
        toAddress: address,
        createdAtMs: wrongTime(random, i),
        // Several payments of one transaction.
        ...i % 3 > 0 && { txHash: `0x${String(i - i % 3).padStart(64, "e")}`, position: i },
      };
    }),
  );
  const users = new Map(mine.owned.map(({ id, userIdentifier }) => [id, userIdentifier]));
  const hash = rows.find((row) => row.accountId === mine.accountId && row.position > 0)!.txHash;
  const [ann] = mine.owned;
  const all = [
    ...choices(random, {
      status: ["swept", "failed"],
      network: ["eth", "TRX"],
      currency: ["usdt", "none"],
      user_identifier: ["ann", "nobody"],
      ...TIMES,
    }),
    ...choices(random, {
      status: ["swept"],
      network: ["BSC"],
      address: [ann!.address.toLowerCase(), other.owned[0]!.address],
      user_identifier: ["bob", "ann"],
      tx_hash: [hash.toUpperCase(), hash.slice(2), `0x${"7".repeat(64)}`],
    }),
  ];
  for (const query of all) {
    const { status, network, currency, user_identifier: user, address, tx_hash: sent } = query;
    const expected = rows.filter((row) =>
      row.accountId === mine.accountId && row.direction === "deposit" &&
      (!status || row.status === status) &&
      (!network || row.network === network.toUpperCase()) &&
      (!currency || row.currency === currency.toUpperCase()) &&
      (!user || users.get(row.addressId!) === user) &&
      (!address || row.toAddress.toLowerCase() === address.toLowerCase()) &&
      (!sent || row.txHash.slice(-64) === sent.toLowerCase().slice(-64)) &&
      isWithin(row.createdAtMs, query)
    ).map(({ id }) => id).toReversed();
    const found = await walk(mine.api, PATH, { ...query, limit: "200" });
    assert.deepEqual(found.map(({ id }) => id), expected, JSON.stringify(query));
    assert.ok(found.every((row) => !user || row.user_identifier === user));
  }
});

Deno.test("somebody else's address, transaction and customer match nothing of theirs", async () => {
  const [mine, other] = [await makeReceiver(), await makeReceiver()];
  const { id: addressId, address } = other.owned[0]!;
  const [row] = await insertTransactions(deps, [
    { accountId: other.accountId, addressId, toAddress: address },
  ]);
  for (
    const query of [{ address }, { tx_hash: row!.txHash }, { user_identifier: "ann" }, {
      address,
      tx_hash: row!.txHash,
    }]
  ) {
    assert.deepEqual(await walk(mine.api, PATH, query), []);
    assert.equal((await walk(other.api, PATH, query)).length, 1);
  }
});
