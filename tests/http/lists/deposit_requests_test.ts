import assert from "node:assert/strict";
import { checksumAddress } from "../../../src/chains/evm/address.ts";
import { depositRequestStatus } from "../../../src/deposits/rules/deposit_request.ts";
import { type DepositRequestRow, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { seededRandom } from "../../domain/random.ts";
import { enable } from "../../support/gateway.ts";
import { makeRequest } from "../../store/reads/make_rows.ts";
import { makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { insertTransactions } from "../rows.ts";
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
const { deps, clock } = gateway;
await makeNetworks(deps);
const PATH = "/v1/deposit-requests";

Deno.test("a request in the list is what reading it says, without its payments", async () => {
  const { accountId, api } = await makeClockedMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  const asset = { network: "ETH", currency: "USDT" };
  for (const order of [{ user_identifier: "ann" }, {}, { user_identifier: "bob" }]) {
    await api.post("/v1/deposit-addresses", { ...asset, ...order });
  }
  const ids = (await walk(api, PATH)).map(({ request_id }) => request_id);
  const row = await deps.db.get(DepositRequests, [ids[1]]);
  await insertTransactions(deps, [{
    accountId,
    currency: "USDT",
    addressId: row.addressId,
    depositRequestId: row.id,
    confirmedAtMs: 1,
  }]);
  const rows = await walk(api, PATH);
  assert.deepEqual(rows.map(({ status }) => status), ["active", "settled", "active"]);
  for (const listed of rows) {
    const { body: { data: { transactions: _, ...one } } } = await api.get(
      `${PATH}/${listed.request_id}`,
    );
    assert.deepEqual(listed, one);
  }
});

let addresses = 0;

async function makeReceiver() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId } = merchant;
  const owned = await insert(
    deps,
    (view) =>
      ["ETH", "BSC"].flatMap((network) =>
        ["ann", "bob", null, null].map((userIdentifier) =>
          insertAddress(view, {
            accountId,
            network,
            userIdentifier,
            address: checksumAddress(evmAddress(1_000 + ++addresses)),
          })
        )
      ),
  );
  return { ...merchant, owned };
}

Deno.test("any choice of filters shows exactly the rows it asks for", async () => {
  const random = seededRandom(17);
  const [mine, other] = [await makeReceiver(), await makeReceiver()];
  const nowMs = clock.nowMs();
  const rows: DepositRequestRow[] = await insert(
    deps,
    (view) =>
      Array.from({ length: 2_400 }, (_row, i) => {
        const { accountId, credentials: { keyId }, owned } = random.chance(0.85) ? mine : other;
        const { id: addressId, network, address, userIdentifier } = random.pick(owned);
        const { id: _, ...fields } = makeRequest({
          id: 1,
          accountId,
          keyId,
          network,
          currency: random.pick(CURRENCIES),
          addressId,
          address,
          userIdentifier,
          createdAtMs: wrongTime(random, i),
          displayExpiresAtMs: nowMs + (i > 2_000 ? random.below(3) - 1 : -1),
        });
        return view.insert(DepositRequests, fields);
      }),
  );
  const [ann, , pool] = mine.owned;
  const paid = rows.filter((row) =>
    row.addressId === pool!.id && row.currency === "USDT" && random.chance(0.1)
  );
  await insertTransactions(deps, [
    // To a customer's address: all its requests for the currency are settled.
    { accountId: mine.accountId, addressId: ann!.id, currency: "ETH", confirmedAtMs: 1 },
    // Not credited yet.
    { accountId: mine.accountId, addressId: ann!.id, currency: "USDT" },
    ...paid.map(({ id: depositRequestId, accountId, addressId }) => (
      { accountId, addressId, depositRequestId, currency: "USDT", confirmedAtMs: 1 }
    )),
    // In another currency than the requests'.
    ...paid.map(({ id, accountId, addressId }) => (
      { accountId, addressId, depositRequestId: id - 1, currency: "none", confirmedAtMs: 1 }
    )),
  ]);
  const paidIds = new Set(paid.map(({ id }) => id));
  const statusOf = ({ id, addressId, currency, displayExpiresAtMs }: DepositRequestRow) => {
    const hasCredited = paidIds.has(id) || (addressId === ann!.id && currency === "ETH");
    return depositRequestStatus({ displayExpiresAtMs, hasCredited }, nowMs);
  };
  const all = [
    ...choices(random, {
      status: ["active", "expired_for_display", "settled"],
      network: ["eth"],
      currency: ["usdt"],
      user_identifier: ["ann", "nobody"],
      ...TIMES,
    }),
    ...choices(random, {
      status: ["settled"],
      currency: ["ETH"],
      address: [ann!.address.toLowerCase(), pool!.address, other.owned[0]!.address],
      user_identifier: ["ann"],
    }),
  ];
  for (const query of all) {
    const { status, network, currency, user_identifier: user, address } = query;
    const expected = rows.filter((row) =>
      row.accountId === mine.accountId &&
      (!status || statusOf(row) === status) &&
      (!network || row.network === network.toUpperCase()) &&
      (!currency || row.currency === currency.toUpperCase()) &&
      (!user || row.userIdentifier === user) &&
      (!address || row.address.toLowerCase() === address.toLowerCase()) &&
      isWithin(row.createdAtMs, query)
    );
    const found = await walk(mine.api, PATH, { ...query, limit: "200" });
    assert.deepEqual(
      found.map(({ request_id, status }) => [request_id, status]),
      expected.map((row) => [row.id, statusOf(row)]).toReversed(),
      JSON.stringify(query),
    );
  }
});
