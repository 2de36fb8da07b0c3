import type { Deps } from "../../src/deps/deps.ts";
import { addPayee } from "../../src/payees/payees.ts";
import { addPolicy, type NewPolicy } from "../../src/policies/manage.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import type { Bench, Figure } from "./figure.ts";
import { TO } from "./hold_writer.ts";
import { makeInstallation } from "./installation.ts";
import { postHolds } from "./post_holds.ts";

const PAYMENT_MAX = "1000000";
const NEVER_REACHED = "1000000000";
/** The rules' code takes so many until the compiler has optimised it. */
const WARM_UPS = 6;

/** Payments pass all of them. */
const TEN_RULES: readonly Partial<NewPolicy>[] = [
  { condition: "max_payment", cap: PAYMENT_MAX },
  { condition: "max_payment", cap: PAYMENT_MAX, each: "key", outcome: "approve" },
  { condition: "max_week", cap: NEVER_REACHED },
  { condition: "max_day", cap: NEVER_REACHED },
  { condition: "max_hour", cap: NEVER_REACHED },
  { condition: "max_day", cap: NEVER_REACHED, each: "key", outcome: "approve" },
  { condition: "max_day", cap: NEVER_REACHED, each: "recipient" },
  { condition: "max_count_hour", cap: NEVER_REACHED, each: "key", currency: null },
  { condition: "max_count_day", cap: NEVER_REACHED, each: "recipient" },
  { condition: "only_payees" },
];

export const RULE_FIGURE: Figure = {
  name: "durable holds by POST /v1/withdrawals, ten rules",
  limit: "the same without rules",
  unit: "holds/s",
  must: 0.9,
  beyond: 1,
  warmUps: WARM_UPS,
  prepare,
};

async function prepare(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const [ruled, free] = [
    stack.use(await makeInstallation()),
    stack.use(await makeInstallation()),
  ];
  const gateway = await openGateway(readConfig({ ...ruled.env, CPG_LOG_LEVEL: "silent" }));
  await makeTenRules(gateway.deps, { accountId: ruled.accountId, recipient: TO });
  await gateway.close();
  const ours = stack.use(await postHolds(ruled));
  const limit = stack.use(await postHolds(free));
  const all = stack.move();
  return {
    ours: () => ours.run(),
    limit: () => limit.run(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** For one account. */
export async function makeTenRules(
  deps: Deps,
  { accountId, recipient }: { accountId: number; recipient: string },
): Promise<void> {
  const payee = { network: "ETH", address: recipient, label: "shop", usableAfterMs: 0 };
  await addPayee(deps, { ...payee, accountId, actor: "bench" });
  for (const [i, rule] of TEN_RULES.entries()) {
    await addPolicy(deps, {
      ...{ label: `Rule ${i + 1}`, accountId, keyId: null, network: null, currency: "ETH" },
      ...{ each: null, condition: "always", cap: null, outcome: "refuse", approvals: 1 },
      ...{ expiresMs: 86_400_000, setBy: "operator", actor: "bench" },
      ...rule,
    });
  }
}
