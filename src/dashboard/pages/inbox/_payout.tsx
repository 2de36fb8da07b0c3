import { HAND_KEY_PREFIX } from "../../../actions/access/manage_api_keys.ts";
import type { PayoutLook } from "../../../actions/approvals/look.ts";
import type { Compared } from "../../../domain/policy/compared.ts";
import { accountFact, Card, Facts, Hash, Money, Time } from "../../parts/facts.tsx";
import type { Names } from "../../parts/payment/names.ts";
import { BASE, type Visit } from "../../visit.ts";
import { coinText } from "../../words/assets.ts";
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
      {look.looksLike !== undefined && <LookAlike address={look.looksLike} />}
      <Facts
        rows={[
          ["Amount", <Money amount={row.amount} currency={currency} isWhole />],
          ["To", <Hash text={row.toAddress} isWhole />],
          ...accountFact(visit, row),
          ["Payee", <PayeeFact look={look} nowMs={visit.nowMs} />],
          ["Asked for by", <Asker names={names} look={look} />],
          ["Because of", request.rules.map(({ label }) => label).join(", ")],
          ["Approvals", `${request.given} of ${request.needed}`],
          ["This recipient, 30 days", <Against look={look.ofRecipient} currency={currency} />],
          ["Paid before", <PaidBefore look={look} />],
          ["This account, 30 days", <Against look={look.ofAccount} currency={currency} />],
          ["Expires", <Time atMs={request.expiresAtMs} />],
        ]}
      />
      <Decision visit={visit} path={`/inbox/payouts/${row.id}`} whyNot={whyNot} />
    </Card>
  );
};

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

const Asker = ({ names, look }: Pick<Item, "names" | "look">) => {
  const { request, row, ip, key, isByPayer } = look;
  const person = request.requestedBy;
  const known = names({ person, ip });
  const isByHand = row.keyId.startsWith(HAND_KEY_PREFIX);
  // The address of an operator is nobody else's business; that of a key's program is.
  const from = isByHand && !isByPayer ? known.ip : ip;
  return (
    <>
      {isByPayer && "The payer, by a link of "}
      {isByHand ? known.name : (
        <>
          API key <bdi>{key?.label ?? row.keyId}</bdi>
          {key !== undefined && key.revokedAtMs !== null && (
            <>
              {" "}
              <strong>(revoked)</strong>
            </>
          )}
          {person !== null && `, of ${known.name}`}
        </>
      )}
      {from !== null && (
        <>
          , from <code>{from}</code>
        </>
      )}, <Time atMs={row.requestedAtMs} />
    </>
  );
};

const Against = ({ look, currency }: { look: Compared; currency: string }) =>
  look.median === null || look.largest === null ? "No payouts" : (
    <>
      {look.count === 1 ? "1 payout" : `${look.count} payouts`}, median{" "}
      <Money amount={look.median} currency={currency} />, largest{" "}
      <Money amount={look.largest} currency={currency} />
    </>
  );

const PaidBefore = ({ look: { toRecipient, lastToRecipient: last } }: { look: PayoutLook }) => {
  const { count, isCut, firstAtMs } = toRecipient;
  if (!last) return <strong>Never</strong>;
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
