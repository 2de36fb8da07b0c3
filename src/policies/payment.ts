import { familyOf } from "../chains/registry.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Payment } from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";

/** As the network writes it; throws if it is no address there. */
export function payeeAddress({ code, family }: NetworkRow, address: string): string {
  const { isAddress, canonicalAddress } = familyOf(family);
  if (!isAddress(address)) throw refuse("payee_address_wrong", { address, network: code });
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
  const family = network && familyOf(network.family);
  const recipient = family?.isAddress(toAddress) ? family.canonicalAddress(toAddress) : toAddress;
  const { accountId, keyId, currency, amount } = fields;
  const values = policyValues ?? {};
  return { accountId, keyId, network: fields.network, currency, recipient, amount, values };
}
