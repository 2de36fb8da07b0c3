import assert from "node:assert/strict";
import { AccountId, AssetType, ChainId } from "caip";
import { Decimal } from "decimal.js";
import { TronWeb } from "tronweb";
import { htmlOf } from "../../../src/base/html.ts";
import { Qr } from "../../../src/base/qr.tsx";
import { evmRules } from "../../../src/chains/evm/mod.ts";
import { tronRules } from "../../../src/chains/tron/mod.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { readEthereumUri } from "../../support/checkout/read_uri.ts";
import { readQr } from "../../support/dashboard/read_qr.ts";

const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
const CONTRACT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const TRON_ADDRESS = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const TRON_CONTRACT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const CHAINS = ["1", "137", "42161", "31337", "4294967295"];
/** In base units, up to the 78 digits of the largest number that a contract takes. */
const RAWS = [
  ...[1n, 999_999n, 10n ** 18n, 10n ** 21n, 10n ** 21n + 1n, 10n ** 77n, 2n ** 256n - 1n],
  ...Array.from(
    { length: 78 },
    (_, i) => BigInt("1234567890".repeat(8).slice(0, i + 1)) % 2n ** 256n,
  ),
];
const Exact = Decimal.clone({ precision: 200 });

/** As a camera reads it from the page. */
async function scanned(text: string): Promise<string> {
  return readQr(await htmlOf(<Qr text={text} label="code" />));
}

function amountOf(raw: bigint, decimals: number): string {
  return Amount.fromRaw(raw, { asset: "", decimals }).toString();
}

Deno.test("an EIP-681 link, read by MetaMask's parser, names chain, address and exact base units", async () => {
  for (const contract of [null, CONTRACT]) {
    for (const [i, raw] of RAWS.entries()) {
      for (const decimals of [18, 6, 0]) {
        const chainId = CHAINS[i % CHAINS.length] ?? "1";
        const asked = { chainId, contract, address: ADDRESS, raw };
        const uri = evmRules.paymentUri({ amount: amountOf(raw, decimals), ...asked });
        assert.deepEqual(readEthereumUri(uri), asked);
        if (i < 10 && decimals === 18) assert.equal(await scanned(uri), uri);
      }
    }
  }
});

Deno.test("chain, address and token in an EIP-681 link are those of CAIP-2, CAIP-10 and CAIP-19", () => {
  for (const [i, reference] of CHAINS.entries()) {
    const asked = { chainId: reference, contract: CONTRACT, address: ADDRESS, raw: BigInt(i + 1) };
    const uri = evmRules.paymentUri({ amount: "1", ...asked });
    const { chainId: id, contract, address } = readEthereumUri(uri);
    const chainId = { namespace: "eip155", reference };
    assert.deepEqual(ChainId.parse(`eip155:${id}`), chainId);
    assert.deepEqual(AccountId.parse(`eip155:${id}:${address}`), { chainId, address: ADDRESS });
    const { assetName } = new AssetType(`eip155:${id}/erc20:${contract}`);
    assert.deepEqual([assetName.namespace, assetName.reference], ["erc20", CONTRACT]);
  }
});

Deno.test("a TRON link names address, token and an amount that is exactly the base units", async () => {
  for (const contract of [null, TRON_CONTRACT]) {
    for (const [i, raw] of RAWS.entries()) {
      for (const decimals of [18, 6]) {
        const amount = amountOf(raw, decimals);
        const asked = { chainId: "728126428", contract, address: TRON_ADDRESS, raw, amount };
        const text = tronRules.paymentUri({ ...asked });
        const { protocol, pathname, searchParams } = new URL(text);
        const { amount: named, token, ...others } = Object.fromEntries(searchParams);
        assert.deepEqual([protocol, pathname, others], ["tron:", TRON_ADDRESS, {}]);
        assert.ok(TronWeb.isAddress(pathname) && (contract === null || TronWeb.isAddress(token)));
        assert.equal(token, contract ?? undefined);
        assert.equal(BigInt(new Exact(named ?? "").times(`1e${decimals}`).toFixed()), raw);
        if (i < 5) assert.equal(await scanned(text), text);
      }
    }
  }
});
