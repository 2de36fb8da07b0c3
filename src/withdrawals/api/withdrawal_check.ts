import { z } from "zod";
import { PAY_OUT } from "../../accounts/rules/usable.ts";
import { checkWithdrawal as check } from "../../payouts/check_withdrawal.ts";
import { signedCaller } from "../../http/caller.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/reply.ts";
import * as wire from "../../domain/wire.ts";
import { readWithdrawalOrder, WithdrawalBody } from "./withdrawals.ts";

const OUTCOMES = ["allow", "approve", "refuse"] as const;

const CheckedWithdrawal = z.object({
  outcome: z.enum(OUTCOMES).meta({
    description:
      "What the owner's rules say: `approve` holds it until people approve it, `refuse` is a 403.",
  }),
  rules: z.array(z.object({
    policy_id: wire.Id,
    label: z.string(),
    outcome: z.enum(["approve", "refuse"]),
  })).meta({ description: "The rules that match." }),
  fee_decimal: wire.Amount.describe("Charged on top of the amount."),
  payable: z.boolean().meta({ description: "Whether the hot wallet could pay it now." }),
  blocked: z.enum(["balance", "suspended", "stopped"]).nullable().meta({
    description: "What would refuse it before the rules are asked.",
  }),
}).meta({ id: "CheckedWithdrawal" });

export const checkWithdrawal: Endpoint = {
  method: "POST",
  path: "/v1/withdrawals/check",
  operationId: "checkWithdrawal",
  permission: "withdraw",
  tag: "Withdrawals",
  summary: "Check a payout",
  description:
    "Says how the same withdrawal would be answered now, and what it would cost. Nothing is written or held, and nothing is promised.",
  body: WithdrawalBody,
  data: CheckedWithdrawal,
  refusals: [
    "validation_failed",
    ...PAY_OUT.refusals,
    "invalid_address",
    "amount_below_minimum",
    "currency_paused",
  ],
  example: {
    body: {
      network: "ETH",
      currency: "USDT",
      to_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      amount: "20",
    },
    data: {
      outcome: "approve",
      rules: [{ policy_id: 1, label: "Two people above 10", outcome: "approve" }],
      fee_decimal: "1.1",
      payable: true,
      blocked: null,
    },
  },
  handle: (deps) => async (c) => {
    const { accountId, keyId } = signedCaller(c);
    const order = readWithdrawalOrder(c.env.state.body);
    const checked = await check(deps, { caller: { accountId, keyId }, ...order });
    const { outcome, matching } = checked.verdict;
    return ok(c, {
      outcome,
      rules: matching.map(({ id, label, outcome }) => ({ policy_id: id, label, outcome })),
      fee_decimal: checked.fee.toString(),
      payable: checked.isPayable,
      blocked: checked.blocked,
    });
  },
};
