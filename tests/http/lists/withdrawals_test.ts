import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { present } from "../../../src/base/assert.ts";
import { checksumAddress } from "../../../src/chains/evm/address.ts";
import { WITHDRAWAL_STATUSES } from "../../../src/withdrawals/rules/moves.ts";
import { isoUtc } from "../../../src/domain/time.ts";
import { type WithdrawalRow, Withdrawals } from "../../../src/withdrawals/table.ts";
import { seededRandom } from "../../domain/random.ts";
import { makeWithdrawal } from "../../store/reads/make_rows.ts";
import { makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import {
  CURRENCIES,
  evmAddress,
  insert,
  isWithin,
  makeNetworks,
  NETWORKS,
  TIMES,
  wrongTime,
} from "./books.ts";
import { choices, type Query, walk } from "./walking.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetworks(deps);
const PATH = "/v1/withdrawals";

type NewRow = Omit<Partial<WithdrawalRow>, "id">;

function add(rows: readonly NewRow[]): Promise<WithdrawalRow[]> {
  return insert(deps, (view) =>
    rows.map((row) => {
      const { id: _, ...fields } = makeWithdrawal({ id: 1, ...row });
      return view.insert(Withdrawals, fields);
    }));
}

async function makePayer() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, credentials: { keyId } } = merchant;
  return { ...merchant, owned: { accountId, keyId } };
}

Deno.test("a withdrawal in the list is what reading it says, with its reference", async () => {
  const { api, owned } = await makePayer();
  const to = checksumAddress(evmAddress(1));
  const [one, two] = await add([
    {
      ...owned,
      clientReference: "order 7",
      toAddress: to.toLowerCase(),
      amount: "1.5",
      fee: "0.1",
    },
    {
      ...owned,
      status: "failed",
      errorMessage: "reverted",
      txHash: "0x01",
      broadcastAtMs: 1_767_225_600_123,
    },
  ]);
  const rows = await walk(api, PATH);
  assert.deepEqual(rows.map(({ id }) => id), [two!.id, one!.id]);
  for (const { client_reference, ...row } of rows) {
    const { body } = await api.get(`${PATH}/${row.id}`);
    assert.deepEqual(row, body.data);
    assert.equal(client_reference, row.id === one!.id ? "order 7" : null);
  }
});

const TRON = ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"];
const EVM = [evmAddress(1), evmAddress(2)].map(checksumAddress);

Deno.test("any choice of filters shows exactly the rows it asks for", async () => {
  const random = seededRandom(11);
  const [mine, other] = [await makePayer(), await makePayer()];
  const { row: second } = await createApiKey(deps, {
    accountId: mine.accountId,
    label: "second",
    permissions: ["withdraw"],
    ipList: [],
    rateLimit: 60,
    actor: "test",
  });
  const spelled = (address: string) =>
    random.pick([address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]);
  const rows = await add(Array.from({ length: 2_400 }, (_, i): NewRow => {
    const owner = random.chance(0.85) ? mine : other;
    const network = random.pick(NETWORKS);
    const isSecond = owner === mine && random.chance(0.3);
    return {
      accountId: owner.accountId,
      keyId: isSecond ? second.keyId : owner.owned.keyId,
      network,
      currency: random.pick(CURRENCIES),
      status: random.chance(0.8) ? "confirmed" : random.pick(WITHDRAWAL_STATUSES),
      toAddress: network === "TRX" ? random.pick(TRON) : spelled(random.pick(EVM)),
      clientReference: i < 200 ? `order ${i}` : null,
      requestedAtMs: wrongTime(random, i),
    };
  }));
  const twice = await add(
    [mine.owned, { accountId: mine.accountId, keyId: second.keyId }, other.owned]
      .map((owner) => ({ ...owner, clientReference: "twice", toAddress: EVM[1]! })),
  );
  const all = choices(random, {
    status: ["confirmed", "pending", "cancelled"],
    network: ["eth", "TRX"],
    currency: ["usdt"],
    to_address: [EVM[0]!.toLowerCase(), TRON[1]!],
    ...TIMES,
  });
  const byReference = choices(random, {
    status: ["pending"],
    network: ["bsc"],
    to_address: [EVM[1]!],
  })
    .flatMap((query) =>
      ["twice", "order 7", "none", ""].map((text): Query => ({ ...query, client_reference: text }))
    );
  for (const query of [...all, ...byReference]) {
    const { status, network, currency, to_address: to, client_reference: reference } = query;
    const expected = [...rows, ...twice].filter((row) =>
      row.accountId === mine.accountId &&
      (!status || row.status === status) &&
      (!network || row.network === network.toUpperCase()) &&
      (!currency || row.currency === currency.toUpperCase()) &&
      (!to || row.toAddress.toLowerCase() === to.toLowerCase()) &&
      (reference === undefined || row.clientReference === reference) &&
      isWithin(row.requestedAtMs, query)
    ).map(({ id }) => id).toReversed();
    const found = await walk(mine.api, PATH, { ...query, limit: "200" });
    assert.deepEqual(found.map(({ id }) => id), expected, JSON.stringify(query));
  }
});

Deno.test("an address is found in any spelling, and on its own network only", async () => {
  const { api, owned } = await makePayer();
  const to = EVM[0]!;
  const stored = [to, to.toLowerCase(), `0x${to.slice(2).toUpperCase()}`];
  const rows = await add([
    ...stored.map((toAddress): NewRow => ({ ...owned, toAddress, status: "confirmed" })),
    { ...owned, toAddress: TRON[0]!, network: "TRX", status: "failed" },
    { ...owned, toAddress: EVM[1]! },
  ]);
  const idsTo = async (address: string) =>
    (await walk(api, PATH, { to_address: address })).map(({ id }) => id);
  const mixed = to.replace(
    /[a-f]/i,
    (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  for (const spelling of [...stored, mixed, to.toUpperCase()]) {
    assert.deepEqual(await idsTo(spelling), rows.slice(0, 3).map(({ id }) => id).toReversed());
  }
  assert.deepEqual(await idsTo(TRON[0]!), [rows[3]!.id]);
  assert.deepEqual(await idsTo(TRON[1]!), []);
  assert.deepEqual(await idsTo(EVM[1]!), [rows[4]!.id]);
});

Deno.test("until is the moment after the last one, from the first one", async () => {
  const { api, owned } = await makePayer();
  const ms = Date.parse("2026-03-01T00:00:00Z");
  const [before, first, later] = await add(
    [ms - 1, ms, ms + 999].map((requestedAtMs) => ({ ...owned, requestedAtMs })),
  );
  const ids = async (query: Record<string, string>) =>
    (await walk(api, PATH, query)).map(({ id }) => id);
  for (const start of ["2026-03-01", "2026-03-01T00:00Z", "2026-02-28T19:00:00-05:00"]) {
    assert.deepEqual(await ids({ from: start }), [later!.id, first!.id], start);
    assert.deepEqual(await ids({ until: start }), [before!.id], start);
  }
  assert.deepEqual(await ids({ from: "2026-03-01", until: "2026-03-01T00:00:00.001Z" }), [
    first!.id,
  ]);
  assert.deepEqual(await ids({ from: "2026-03-01", until: "2026-03-01" }), []);
  assert.deepEqual(await ids({ from: "2027-03-01", until: "2026-03-01" }), []);
  const { body } = await api.get(`${PATH}?from=2026-03-01T01:00:00+01:00`);
  assert.deepEqual(body.data.map(({ id }: { id: number }) => id), [later!.id, first!.id]);
  assert.equal(isoUtc(present(first, "It was added").requestedAtMs), "2026-03-01T00:00:00+00:00");
});
