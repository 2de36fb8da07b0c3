import type { PayoutLook } from "../look.ts";
import { accountFact, Card, Facts, Hash, Money, Time } from "../../dashboard/parts/facts.tsx";
import type { Names } from "../../dashboard/parts/payment/names.ts";
import {
  HeldBackMessage,
  LookAlike,
  lookFacts,
} from "../../dashboard/parts/payment/payout_look.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import { Decision } from "./_decision.tsx";

interface Item {
  readonly visit: Visit;
  readonly names: Names;
  readonly look: PayoutLook;
  readonly whyNot: string | null;
}

/** Everything that it takes to decide about one payout. */
export const PayoutItem = ({ visit, names, look, whyNot }: Item) => {
  const { row, request } = look;
  const currency = coinText(row);
  return (
    <Card
      id={`payout-${row.id}`}
      title={`Payout ${row.id}`}
      actions={<a href={`${BASE}/withdrawals/${row.id}`}>Details</a>}
    >
      {look.heldBack !== undefined && <HeldBackMessage why={look.heldBack} />}
      {look.looksLike !== undefined && <LookAlike address={look.looksLike} />}
      <Facts
        rows={[
          ["Amount", <Money amount={row.amount} currency={currency} isWhole />],
          ["To", <Hash text={row.toAddress} isWhole />],
          ...accountFact(visit, row),
          ...lookFacts({ names, look, nowMs: visit.nowMs }),
          ["Approvals", `${request.given} of ${request.needed}`],
          ["Expires", <Time atMs={request.expiresAtMs} />],
        ]}
      />
      <Decision visit={visit} path={`/inbox/payouts/${row.id}`} whyNot={whyNot} />
    </Card>
  );
};
