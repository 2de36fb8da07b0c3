import { HAND_KEY_PREFIX } from "../../../access/manage_api_keys.ts";
import type { PayoutLook } from "../../../approvals/look.ts";
import { type HeldBack, heldBackText } from "../../../payouts/rules/held_back.ts";
import type { InvoiceRow } from "../../../invoices/tables/invoices.ts";
import type { Compared } from "../../../policies/rules/compared.ts";
import { isoUtc } from "../../../domain/time.ts";
import { refundName, typedReference } from "../../../withdrawals/words/payout_name.ts";
import { BASE, type Visit } from "../../visit.ts";
import { orderName } from "../../words/orders.ts";
import { type Fact, Hash, Money, Time } from "../facts.tsx";
import type { Names } from "./names.ts";

interface Looked {
  readonly visit: Visit;
  readonly names: Names;
  readonly look: PayoutLook;
}

/** As a bank asks: to whom, known since when, what for, and why somebody has to agree. */
export function lookFacts(looked: Looked): Fact[] {
  const { visit, look } = looked;
  const { row, payee } = look;
  const currency = visit.coin(row);
  return [
    ["To", <To payee={payee?.label} address={row.toAddress} />],
    ["Known since", <PayeeFact look={look} nowMs={visit.nowMs} />],
    ...purposeFacts(looked),
    ["Rule", ruleText(look)],
    ["Asked for by", <Asker {...looked} />],
    ["Paid before", <PaidBefore visit={visit} look={look} />],
    ["This recipient, 30 days", <Against look={look.ofRecipient} currency={currency} />],
    ["This account, 30 days", <Against look={look.ofAccount} currency={currency} />],
  ];
}

/** What was looked up is never named like what somebody wrote about it. */
function purposeFacts({ visit, look: { row, refunded } }: Looked): Fact[] {
  const reference = typedReference(row);
  const said = reference === null
    ? <span class="quiet">no reference</span>
    : <bdi class="whole">{reference}</bdi>;
  if (!refunded) return [["Reference", said]];
  return [
    refundFact(visit, refunded),
    ...reference === null ? [] : [["Reference", said] satisfies Fact],
  ];
}

/** With a link to what is given back. */
export function refundFact(visit: Visit, invoice: InvoiceRow): Fact {
  const path = `/invoices/${invoice.id}`;
  const name = <bdi class="whole">{orderName(invoice)}</bdi>;
  const shown = visit.may("GET", path) ? <a href={BASE + path}>{name}</a> : name;
  return ["For", <>Refund of {shown}</>];
}

/** As the facts say it, each with the name of its line. */
function purposeLines({ row, refunded }: PayoutLook): string[] {
  const reference = typedReference(row);
  return [
    ...refunded ? [`For\t${refundName(refunded)}`] : [],
    ...reference === null ? [] : [`Reference\t${reference}`],
  ];
}

function ruleText({ request: { rules } }: PayoutLook): string {
  return rules.map(({ label }) => label).join(", ");
}

const To = ({ payee, address }: { payee: string | undefined; address: string }) => (
  <>
    {payee !== undefined && (
      <>
        <strong>
          <bdi class="whole">{payee}</bdi>
        </strong>
        {" "}
      </>
    )}
    <Hash text={address} isWhole />
  </>
);

/** What is asked once more before it is paid. */
export function approvalQuestion(
  visit: Visit,
  { look, worth }: { look: PayoutLook; worth: string | undefined },
): string {
  const { row, payee } = look;
  const lines = [
    payText(visit, { row, worth }),
    ...payee ? [`To\t${payee.label}`] : [],
    `\`${row.toAddress}\``,
    `Known since\t${payee ? isoUtc(payee.createdAtMs).slice(0, 10) : "not a listed payee"}`,
    ...purposeLines(look),
    ...ruleText(look) === "" ? [] : [`Rule\t${ruleText(look)}`],
  ];
  return lines.map((line, i) => line.startsWith("`") && i > 0 ? line : asText(line)).join("\n");
}

/** "Pay 5,000 USDT (Ethereum), about €4,600.00" */
export function payText(
  visit: Visit,
  { row, worth }: { row: PayoutLook["row"]; worth: string | undefined },
): string {
  return `Pay ${visit.money(row)}${worth === undefined ? "" : `, ${worth}`}`;
}

/** Somebody's words are neither an address nor another line, and braces would stand for a field. */
function asText(line: string): string {
  const [name = "", ...rest] = line.split("\t");
  const text = [name, ...rest.length > 0 ? [rest.join(" ")] : []];
  return text.map((part) => part.replace(/[{}`\s]+/g, " ").trim()).join("\t");
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
      <Time atMs={payee.createdAtMs} />
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

const PaidBefore = ({ visit, look }: Pick<Looked, "visit" | "look">) => {
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
      )}, the last <Money amount={last.amount} currency={visit.coin(last)} />,{" "}
      <Time atMs={last.requestedAtMs} />
    </>
  );
};
