import type { Component } from "../../base/html.ts";
import { type PushPrice, pushPriceOf } from "../../payouts/push_price.ts";
import { isReplaceable } from "../push.ts";
import { transferAhead } from "../../transfers/reads/nonces.ts";
import type { SignedTransferRow } from "../../transfers/table.ts";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Time } from "../../dashboard/parts/facts.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { shownText } from "../../dashboard/words/amounts.ts";
import { minutesOf, newestOpen, type Story } from "./_story.ts";

/** How long it has waited, why, and what can be done about it. */
export const Stuck: Component<{ visit: Visit; story: Story }> = async ({ visit, story }) => {
  const { network, bids, isStuck } = story;
  const transfer = newestOpen(bids);
  if (!isStuck || !transfer) return null;
  if (!isReplaceable(network)) return <Expiring story={story} transfer={transfer} />;
  const [ahead, price] = await Promise.all([
    transferAhead(visit.deps.db, transfer),
    // Others' transactions may be of any kind.
    transfer.purpose === "withdrawal" ? pushPriceOf(visit.deps, { network, transfer }) : undefined,
  ]);
  return (
    <div class="message warn">
      <p>
        <Waiting story={story} />
        {price && ` ${offerText(price)}`}
      </p>
      {ahead ? <Behind ahead={ahead} /> : (
        <WhoPushes
          visit={visit}
          story={story}
          price={price}
          isVoid={transfer.purpose === "void"}
        />
      )}
    </div>
  );
};

const Waiting = ({ story }: { story: Story }) => (
  <>
    Waiting for <span id="waited">{minutesOf(story)}</span>.
  </>
);

function offerText({ offered, charged, unit }: PushPrice): string {
  const prices = `Offers ${shownText(offered.toString())} ${unit}, blocks charge ` +
    `${shownText(charged.toString())}.`;
  return offered.isLessThan(charged) ? prices : `${prices} It should be mined soon.`;
}

interface PushesProps {
  readonly visit: Visit;
  readonly story: Story;
  readonly price: PushPrice | undefined;
  readonly isVoid: boolean;
}

const WhoPushes = ({ visit, story: { row, network, canPush }, price, isVoid }: PushesProps) => {
  if (!canPush || !visit.may("POST", `/withdrawals/${row.id}/bump`)) {
    const only = visit.seesAll ? "" : " Only the operator can do that at once.";
    return <p>It is sent again with a higher fee automatically.{only}</p>;
  }
  const what = isVoid ? "Revoke it with a higher fee" : "Pay a higher fee";
  const label = price
    ? `Pay about ${shownText(price.more.toString())} ${network.nativeSymbol} more`
    : what;
  return (
    <>
      <p>It is sent again with a higher fee automatically, or now:</p>
      <Form visit={visit} action={`/withdrawals/${row.id}/bump`} isInline>
        <Submit>{label}</Submit>
      </Form>
    </>
  );
};

/** Of a wallet's transactions, those with lower nonces are mined first. */
const Behind = ({ ahead: { withdrawalId, nonce } }: { ahead: SignedTransferRow }) => (
  <p>
    The wallet's transaction before it waits too, and has to be mined first: {withdrawalId === null
      ? `nonce ${nonce}`
      : <a href={`${BASE}/withdrawals/${withdrawalId}`}>{`payout ${withdrawalId}`}</a>}
  </p>
);

const Expiring = ({ story, transfer }: { story: Story; transfer: SignedTransferRow }) => (
  <p class="message warn">
    <Waiting story={story} /> It can be mined until{" "}
    <Time atMs={transfer.nonce} />. If it isn't, the payout fails and the amount is available again.
  </p>
);
