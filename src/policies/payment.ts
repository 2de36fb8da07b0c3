import { rulesOf } from "../chains/registry.ts";
import type { Payment } from "./rules/rules.ts";
import type { Catalog } from "../store/engine/catalog.ts";

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
