import { rulesOf } from "../chains/registry.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Payment } from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";

/** As the network writes it; throws if it is no address there. */
export function payeeAddress(network: NetworkRow, address: string): string {
  const { isAddress, canonicalAddress } = rulesOf(network);
  if (!isAddress(address)) throw refuse("payee_address_wrong", { address, network: network.code });
  return canonicalAddress(address);
}

/** A payment as the rules see it. */
export function paymentOf(
  catalog: Catalog,
  { toAddress, policyValues, ...fields }: Omit<Payment, "recipient"> & {
    readonly toAddress: string;
    readonly policyValues?: Payment["values"] | null;
  },
): Payment {
  const network = catalog.network(fields.network);
  const rules = network && rulesOf(network);
  const recipient = rules?.isAddress(toAddress) ? rules.canonicalAddress(toAddress) : toAddress;
  const { accountId, keyId, currency, amount } = fields;
  const values = policyValues ?? {};
  return { accountId, keyId, network: fields.network, currency, recipient, amount, values };
}
