import { HAND_KEY_PREFIX } from "../../../access/manage_api_keys.ts";
import type { PayoutLook } from "../../../approvals/look.ts";
import { type HeldBack, heldBackText } from "../../../payouts/rules/held_back.ts";
import type { Compared } from "../../../policies/rules/compared.ts";
import { coinText } from "../../words/assets.ts";
import { type Fact, Money, Time } from "../facts.tsx";
import type { Names } from "./names.ts";

interface Looked {
  readonly names: Names;
  readonly look: PayoutLook;
}

/** What speaks for and against a payout that waits for approval. */
export function lookFacts({ names, look, nowMs }: Looked & { readonly nowMs: number }): Fact[] {
  const currency = coinText(look.row);
  return [
    ["Payee", <PayeeFact look={look} nowMs={nowMs} />],
    ["Asked for by", <Asker names={names} look={look} />],
    ["Because of", look.request.rules.map(({ label }) => label).join(", ")],
    ["Paid before", <PaidBefore look={look} />],
    ["This recipient, 30 days", <Against look={look.ofRecipient} currency={currency} />],
    ["This account, 30 days", <Against look={look.ofAccount} currency={currency} />],
  ];
}

/** Approving it would be refused. */
export const HeldBackMessage = ({ why }: { why: HeldBack }) => (
  <p class="message warn">
    It can't be approved now. {heldBackText(why)}.
  </p>
);

export const LookAlike = ({ address }: { address: string }) => (
  <p class="message fault">
    This begins and ends like{" "}
    <code class="whole">{address}</code>, which is known, but it is a different address. Compare
    every character.
  </p>
);

const PayeeFact = ({ look: { payee }, nowMs }: { look: PayoutLook; nowMs: number }) => {
  if (!payee) return <strong>Not a listed payee</strong>;
  const isUsable = payee.usableAtMs <= nowMs;
  return (
    <>
      <bdi>{payee.label}</bdi>
      {!isUsable && (
        <>
          , usable from <Time atMs={payee.usableAtMs} />
        </>
      )}
    </>
  );
};

const Asker = ({ names, look }: Looked) => {
  const { row, ip, isByPayer, askedBy } = look;
  const known = names({ person: askedBy, ip });
  const isByHand = row.keyId.startsWith(HAND_KEY_PREFIX);
  // The address of an operator is nobody else's business; that of a key's program is.
  const from = isByHand && !isByPayer ? known.ip : ip;
  return (
    <>
      {isByPayer && "The payer, by a link of "}
      {isByHand ? known.name : <KeyAsked look={look} of={known.name} />}
      {from !== null && (
        <>
          , from <code>{from}</code>
        </>
      )}, <Time atMs={row.requestedAtMs} />
    </>
  );
};

const KeyAsked = ({ look: { request, row, key }, of }: { look: PayoutLook; of: string }) => (
  <>
    API key <bdi>{key?.label ?? row.keyId}</bdi>
    {key !== undefined && key.revokedAtMs !== null && (
      <>
        {" "}
        <strong>(revoked)</strong>
      </>
    )}
    {request.requestedBy !== null && `, of ${of}`}
  </>
);

const Against = ({ look, currency }: { look: Compared; currency: string }) =>
  look.largest === null ? "No payouts" : (
    <>
      {look.count === 1 ? "1 payout" : `${look.count} payouts`}
      {look.median !== null && (
        <>
          , median <Money amount={look.median} currency={currency} />
        </>
      )}, {look.count === 1 ? "of" : "the largest"}{" "}
      <Money amount={look.largest} currency={currency} />
    </>
  );

const PaidBefore = ({ look }: { look: PayoutLook }) => {
  const { toRecipient: { count, isCut, firstAtMs }, lastToRecipient: last } = look;
  if (!last) return look.ofRecipient.count > 0 ? "Not confirmed yet" : <strong>Never</strong>;
  const times = isCut ? `${count} payouts or more` : count === 1 ? "1 payout" : `${count} payouts`;
  return (
    <>
      {times}
      {count > 1 && !isCut && (
        <>
          {" "}since <Time atMs={firstAtMs} />
        </>
      )}, the last <Money amount={last.amount} currency={last.currency} />,{" "}
      <Time atMs={last.requestedAtMs} />
    </>
  );
};
