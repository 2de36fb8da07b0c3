import { present } from "../../../src/base/assert.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { Networks } from "../../../src/networks/table.ts";
import { signerOf } from "../../../src/wallets/addresses.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { signed } from "./evm_wallet.ts";
import { nonceOf } from "../payouts.ts";
import type { World } from "../world.ts";

/** Sends with the key of one of our addresses, behind the gateway's back; returns the hash. */
export async function spendOwn(
  { deps, anvil }: World,
  { from, nonce, contract = null, ...payment }: {
    from: string;
    to: string;
    amountRaw: bigint;
    contract?: string | null;
    /** The next one if absent. */
    nonce?: number;
  },
): Promise<string> {
  const network = present(await deps.db.find(Networks, ["ETH"]), "It is followed");
  const row = present(await deps.db.find(Addresses, ["ETH", from], "address"), "It is ours");
  const wallet = { address: from, signer: signerOf(await deps.keyRing(), network, row) };
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const next = nonce ?? await nonceOf(anvil, from);
  const { raw, txHash } = await signed(chain, { ...payment, contract, wallet, nonce: next });
  await anvil.rpc("eth_sendRawTransaction", [raw]);
  return txHash;
}
