import assert from "node:assert/strict";
import { TronWeb, utils } from "tronweb";
import { InvariantError } from "../../../src/base/assert.ts";
import { fromHex, joined, toHex } from "../../../src/base/bytes.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import type { PreparedTransfer } from "../../../src/chains/transfer.ts";
import { hexOfAddress } from "../../../src/chains/tron/address.ts";
import { encode } from "../../../src/chains/tron/protobuf.ts";
import { signTransfer } from "../../../src/chains/tron/transfers/sign_transfer.ts";
import {
  decodeRaw,
  encodeRaw,
  idOf,
  rawOfSigned,
  type StakeCall,
  type TronDetail,
} from "../../../src/chains/tron/transfers/transaction.ts";
import { TRANSFER_SELECTOR, transferArguments } from "../../../src/chains/tron/trc20.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";

const SEED = 20_261_121;
const LIFETIME_MS = 600_000;
const tron = new TronWeb({ fullHost: "http://127.0.0.1:1" });
// deno-lint-ignore no-explicit-any
type TronJson = any;

/** Tronweb's numbers are doubles, so for larger amounts it only builds the rest of the message. */
const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

interface Sample {
  readonly detail: TronDetail;
  readonly expirationMs: number;
  readonly amountRaw: bigint;
  readonly to: string;
  readonly contract: string | null;
  readonly wallet: ReturnType<typeof makeTronWallet>;
}

function draw(random: Random, amountMaxRaw: bigint): Sample {
  const wallet = makeTronWallet(random.below(1000));
  const to = makeTronWallet(1000 + random.below(1000)).address;
  const height = random.below(2 ** 32);
  const hash = height.toString(16).padStart(16, "0") + hexDigits(random, 48);
  const bits = BigInt(1 + random.below(amountMaxRaw.toString(2).length));
  const amountRaw = BigInt(`0x${hexDigits(random, 64)}`) % 2n ** bits % amountMaxRaw + 1n;
  const isToken = random.chance(0.5);
  const contract = isToken ? makeTronWallet(5000 + random.below(9)).address : null;
  const from = hexOfAddress(wallet.address);
  const call = contract === null
    ? { kind: "transfer" as const, from, to: hexOfAddress(to), amountRaw }
    : {
      kind: "trigger" as const,
      from,
      contract: hexOfAddress(contract),
      data: TRANSFER_SELECTOR + transferArguments({ to: hexOfAddress(to), amountRaw }),
    };
  const feeLimitRaw = isToken ? BigInt(1 + random.below(500_000_000)) : 0n;
  const expirationMs = 1_700_000_000_000 + random.below(2 ** 31) * 64;
  const detail = { refBlock: { height, hash }, call, feeLimitRaw };
  return { detail, expirationMs, amountRaw, to, contract, wallet };
}

function hexDigits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.below(16).toString(16)).join("");
}

function timesOf({ expirationMs }: Sample) {
  return { expirationMs, timestampMs: expirationMs - LIFETIME_MS };
}

/** The same payment, made by tronweb without a node. */
async function builtByTronweb(sample: Sample): Promise<TronJson> {
  const { detail: { refBlock: { hash }, feeLimitRaw }, to, contract, wallet, amountRaw } = sample;
  const { expirationMs: expiration, timestampMs: timestamp } = timesOf(sample);
  const blockHeader = {
    ref_block_bytes: hash.slice(12, 16),
    ref_block_hash: hash.slice(16, 32),
    expiration,
    timestamp,
  };
  const from = wallet.address;
  if (contract === null) {
    return await tron.transactionBuilder.sendTrx(to, Number(amountRaw), from, { blockHeader });
  }
  const { transaction } = await tron.transactionBuilder.triggerSmartContract(
    contract,
    "transfer(address,uint256)",
    { feeLimit: Number(feeLimitRaw), txLocal: true, blockHeader },
    [{ type: "address", value: to }, { type: "uint256", value: amountRaw.toString() }],
    from,
  );
  return transaction;
}

function preparedOf(
  { detail, wallet, to, contract, amountRaw }: Sample,
): PreparedTransfer<TronDetail> {
  const request = { from: wallet.address, to, contract, amountRaw };
  const charge = { gas: 0n, maxRaw: detail.feeLimitRaw };
  return { request, nativeCostMaxRaw: 0n, feeAtMostRaw: 0n, charge, detail };
}

Deno.test(`2000 random payments are byte for byte what tronweb builds and signs (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  for (let i = 0; i < 2000; i++) {
    const sample = draw(random, EXACT_MAX);
    const theirs = await builtByTronweb(sample);
    const raw = toHex(encodeRaw(sample.detail, timesOf(sample)));
    assert.equal(raw, theirs.raw_data_hex, `payment ${i}`);
    const options = { nonce: sample.expirationMs, signer: sample.wallet.signer };
    const ours = await signTransfer(preparedOf(sample), options);
    assert.equal(ours.txHash, theirs.txID);
    const signed = utils.crypto.signTransaction(sample.wallet.privateKey, theirs);
    const signature = ours.raw.slice(-130);
    assert.equal(signature, signed.signature[0]!.toLowerCase(), `signature ${i}`);
    const message = utils.transaction.txJsonToPb(theirs);
    message.addSignature(fromHex(signature));
    assert.equal(ours.raw, toHex(message.serializeBinary()));
  }
});

Deno.test(`1000 random payments up to 2^63-1 are read by tronweb as written (seed ${SEED + 1})`, async () => {
  const random = seededRandom(SEED + 1);
  for (let i = 0; i < 1000; i++) {
    const sample = draw(random, 2n ** 63n - 1n);
    const { call } = sample.detail;
    const options = { nonce: sample.expirationMs, signer: sample.wallet.signer };
    const { raw, txHash } = await signTransfer(preparedOf(sample), options);
    const rawBytes = rawOfSigned(fromHex(raw)!);
    const type = call.kind === "transfer" ? "TransferContract" : "TriggerSmartContract";
    const read = utils.deserializeTx.deserializeTransaction(type, toHex(rawBytes));
    const { value } = read.contract[0].parameter;
    assert.equal(value.owner_address.toLowerCase(), call.from);
    assert.equal(read.expiration, sample.expirationMs);
    assert.equal(read.timestamp, sample.expirationMs - LIFETIME_MS);
    assert.equal(read.fee_limit ?? 0, Number(sample.detail.feeLimitRaw));
    if (call.kind === "transfer") {
      assert.equal(value.to_address.toLowerCase(), call.to);
      assert.equal(value.amount, Number(call.amountRaw), "as near as a double comes");
    } else if (call.kind === "trigger") {
      assert.equal(value.contract_address.toLowerCase(), call.contract);
      assert.equal(value.data.toLowerCase(), call.data);
      assert.equal(BigInt(`0x${value.data.slice(-64)}`), sample.amountRaw);
    }
    const recovered = TronWeb.address.fromHex(utils.crypto.ecRecover(txHash, raw.slice(-130)));
    assert.equal(recovered, sample.wallet.address);
  }
});

Deno.test(`what is read from random bytes is what was written into them (seed ${SEED + 2})`, () => {
  const random = seededRandom(SEED + 2);
  for (let i = 0; i < 3000; i++) {
    const sample = draw(random, 2n ** 63n - 1n);
    const { call } = sample.detail;
    const bytes = encodeRaw(sample.detail, timesOf(sample));
    assert.deepEqual(decodeRaw(bytes), {
      expirationMs: sample.expirationMs,
      type: call.kind === "transfer" ? 1 : 31,
      owner: call.from,
      transfer: call.kind === "transfer" ? { to: call.to, amountRaw: call.amountRaw } : null,
      trigger: call.kind === "trigger"
        ? { contract: call.contract, data: call.data, valueRaw: 0n }
        : null,
      stake: null,
    });
    assert.match(idOf(bytes), /^[0-9a-f]{64}$/);
  }
});

Deno.test(`500 random changes of a stake are byte for byte what tronweb builds, and are read again (seed ${SEED + 5})`, async () => {
  const random = seededRandom(SEED + 5);
  const builder = tron.transactionBuilder;
  for (let i = 0; i < 500; i++) {
    const { detail: { refBlock }, expirationMs, wallet, to } = draw(random, 2n);
    const amountRaw = BigInt(1_000_000 + random.below(2 ** 40));
    const { address } = wallet;
    const [from, receiver] = [hexOfAddress(address), hexOfAddress(to)];
    const { hash } = refBlock;
    const blockHeader = {
      ref_block_bytes: hash.slice(12, 16),
      ref_block_hash: hash.slice(16, 32),
      expiration: expirationMs,
      timestamp: expirationMs - LIFETIME_MS,
    };
    const options = { blockHeader };
    const sun = Number(amountRaw);
    const rows: readonly [call: StakeCall, theirs: Promise<TronJson>, type: number][] = [
      [
        { kind: "stake", from, amountRaw },
        builder.freezeBalanceV2(sun, "ENERGY", address, options),
        54,
      ],
      [
        { kind: "unstake", from, amountRaw },
        builder.unfreezeBalanceV2(sun, "ENERGY", address, options),
        55,
      ],
      [{ kind: "collect", from }, builder.withdrawExpireUnfreeze(address, options), 56],
      [
        { kind: "lend", from, to: receiver, amountRaw },
        builder.delegateResource(sun, to, "ENERGY", address, false, undefined, options),
        57,
      ],
      [
        { kind: "take_back", from, to: receiver, amountRaw },
        builder.undelegateResource(sun, to, "ENERGY", address, options),
        58,
      ],
    ];
    for (const [call, built, type] of rows) {
      const theirs = await built;
      const detail = { refBlock, call, feeLimitRaw: 0n };
      const charge = { gas: 0n, maxRaw: 0n };
      const { signer } = wallet;
      const request = { from: address, to: address, contract: null, amountRaw: 0n };
      const ready = { request, nativeCostMaxRaw: 0n, feeAtMostRaw: 0n, charge, detail };
      const ours = await signTransfer(ready, { nonce: expirationMs, signer });
      const raw = rawOfSigned(fromHex(ours.raw)!);
      assert.equal(toHex(raw), theirs.raw_data_hex, call.kind);
      assert.equal(ours.txHash, theirs.txID);
      const signed = utils.crypto.signTransaction(wallet.privateKey, theirs);
      assert.equal(ours.raw.slice(-130), signed.signature[0]!.toLowerCase());
      assert.deepEqual(decodeRaw(raw), {
        expirationMs,
        type,
        owner: from,
        transfer: null,
        trigger: null,
        stake: {
          kind: call.kind,
          resource: call.kind === "collect" ? "other" : "energy",
          amountRaw: call.kind === "collect" ? 0n : amountRaw,
          to: "to" in call ? receiver : null,
          isLocked: false,
        },
      });
    }
  }
});

Deno.test("a stake for bandwidth and a loan for a fixed time are told apart from ours", async () => {
  const [from, to] = [makeTronWallet(1).address, makeTronWallet(2).address];
  const blockHeader = {
    ref_block_bytes: "0001",
    ref_block_hash: "00112233aabbccdd",
    expiration: 1_700_000_600_000,
    timestamp: 1_700_000_000_000,
  };
  const options = { blockHeader };
  const { transactionBuilder: builder } = tron;
  const read = async (built: Promise<TronJson>) =>
    decodeRaw(fromHex((await built).raw_data_hex)!).stake;
  const [bandwidth, locked, restake] = await Promise.all([
    read(builder.freezeBalanceV2(1_000_000, "BANDWIDTH", from, options)),
    read(builder.delegateResource(1_000_000, to, "ENERGY", from, true, 100, options)),
    read(builder.cancelUnfreezeBalanceV2(from, options)),
  ]);
  assert.deepEqual([bandwidth?.kind, bandwidth?.resource], ["stake", "other"]);
  assert.deepEqual([locked?.kind, locked?.isLocked], ["lend", true]);
  assert.equal(restake?.kind, "restake");
});

Deno.test("two equal payouts at one moment have different ids (hazard T5)", async () => {
  const sample = draw(seededRandom(SEED + 3), 1_000_000n);
  const ids = new Set<string>();
  for (const nonce of [sample.expirationMs, sample.expirationMs + 1]) {
    const signed = await signTransfer(preparedOf(sample), { nonce, signer: sample.wallet.signer });
    ids.add(signed.txHash);
  }
  assert.equal(ids.size, 2);
});

Deno.test("a key signs for its own address only, and no amount that the chain can't carry", async () => {
  const sample = draw(seededRandom(SEED + 4), 1_000_000n);
  const nonce = sample.expirationMs;
  const { signer } = makeTronWallet(99_999);
  await assert.rejects(signTransfer(preparedOf(sample), { nonce, signer }), InvariantError);
  const { from } = sample.detail.call;
  for (const amountRaw of [2n ** 63n, -1n]) {
    const call = { kind: "transfer", from, to: from, amountRaw } as const;
    assert.throws(() => encodeRaw({ ...sample.detail, call }, timesOf(sample)), RangeError);
  }
});

Deno.test("a contract of TRC-10 coins isn't read as a payment of the chain's coin (hazard T13)", async () => {
  const [from, to] = [makeTronWallet(1).address, makeTronWallet(2).address];
  const blockHeader = {
    ref_block_bytes: "0001",
    ref_block_hash: "00112233aabbccdd",
    expiration: 1_700_000_600_000,
    timestamp: 1_700_000_000_000,
  };
  const { raw_data_hex: raw } = await tron.transactionBuilder.sendToken(to, 5, "1002000", from, {
    blockHeader,
  });
  const read = decodeRaw(fromHex(raw)!);
  assert.deepEqual([read.type, read.owner, read.transfer, read.trigger], [
    2,
    hexOfAddress(from),
    null,
    null,
  ]);
});

/** Bytes that java-tron accepts although no protobuf writer makes them: fields with another type. */
const ODD_BYTES: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ["the amount again, as bytes", [0x1a, 1, 9]],
  ["the amount again, as 64 bits", [0x19, 1, 2, 3, 4, 5, 6, 7, 8]],
  ["the recipient again, as a number", [0x10, 7]],
  ["an empty group", [0x4b, 0x4c]],
  ["groups in groups around a number", [0x4b, 0x53, 0x18, 9, 0x54, 0x4c]],
  ["a tag of more than 32 bits", [0xc8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 5]],
  ["a length of more than 32 bits", [0x4a, 0x81, 0x80, 0x80, 0x80, 0x10, 7]],
];

function field(number: number, value: Uint8Array): Uint8Array {
  return encode([[number, value]]);
}

for (const [what, bytes] of ODD_BYTES) {
  Deno.test(`a payment with ${what} is read as the chain reads it`, () => {
    const [from, to] = [1, 2].map((index) => hexOfAddress(makeTronWallet(index).address));
    const odd = Uint8Array.from(bytes);
    const payment = encode([[1, fromHex(from!)!], [2, fromHex(to!)!], [3, 5n]]);
    const value = field(2, joined([payment, odd]));
    const contract = joined([encode([[1, 1n]]), field(2, value)]);
    for (const after of [new Uint8Array(), odd, Uint8Array.of(0x42, 0), Uint8Array.of(0x58, 1)]) {
      const raw = joined([encode([[8, 1_700_000_600_000n]]), field(11, contract), after]);
      assert.deepEqual(decodeRaw(raw), {
        expirationMs: 1_700_000_600_000,
        type: 1,
        owner: from,
        transfer: { to, amountRaw: 5n },
        trigger: null,
        stake: null,
      });
    }
  });
}

Deno.test("bytes that are no protobuf message are a fault of the node", () => {
  const wrong = [[0x0b], [0x0c], [0x0b, 0x14], [0], [0x0a, 5, 1], [7], [
    0x0a,
    255,
    255,
    255,
    255,
    15,
  ]];
  const tooDeep = [...Array(101).fill(0x0b), ...Array(101).fill(0x0c)];
  for (const bytes of [...wrong, tooDeep]) {
    assert.throws(() => decodeRaw(Uint8Array.from(bytes)), NodeError, bytes.join());
  }
});
