import { HAND_KEY_PREFIX } from "../../access/manage_api_keys.ts";
import { PAYER, REQUESTED } from "../../books/trail.ts";
import { batchOf } from "../../payouts/reads.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { addressUrl, transactionUrl } from "../../dashboard/explorers.ts";
import { accountFact, Facts, Hash, Money, Time } from "../../dashboard/parts/facts.tsx";
import { KeyName, Person } from "../../dashboard/parts/payment/person.tsx";
import { networkFeeText } from "../../dashboard/parts/signed.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import { newestOpen, type Story } from "./_story.ts";

export const PayoutFacts = async ({ visit, story }: { visit: Visit; story: Story }) => {
  const { row, network, bids } = story;
  const batch = await batchIdOf(visit, story);
  const cost = bids.find(({ blockHash, feeRaw }) => blockHash !== null && feeRaw !== null)?.feeRaw;
  return (
    <Facts
      rows={[
        ...accountFact(visit, row),
        [
          "Amount",
          <Money
            amount={row.amount}
            currency={coinText({ ...row, network: network.name })}
            isWhole
          />,
        ],
        ["Fee", <Money amount={row.fee} currency={row.currency} isWhole />],
        ...cost ? [["Network fee", networkFeeText(cost, network)] as const] : [],
        ["To", <Hash text={row.toAddress} href={addressUrl(network, row.toAddress)} isWhole />],
        ["Reference", <Reference text={row.clientReference} />],
        ["Requested by", <AskedBy visit={visit} story={story} />],
        ...batch === undefined ? [] : [["Batch", <BatchLink id={batch} />] as const],
        ...row.approval === null ? [] : [["Approvals", <Approvals story={story} />] as const],
        ["Transaction", <Transaction story={story} />],
      ]}
    />
  );
};

const Reference = ({ text }: { text: string | null }) =>
  text === null ? <span class="quiet">none</span> : <bdi class="whole">{text}</bdi>;

const BatchLink = ({ id }: { id: number }) => <a href={`${BASE}/batches/${id}`}>{`batch ${id}`}</a>;

/** Only people make batches, and each line has a reference. */
async function batchIdOf({ deps: { db } }: Visit, { row }: Story): Promise<number | undefined> {
  const { accountId, clientReference: reference, keyId, requestedAtMs } = row;
  if (reference === null || !keyId.startsWith(HAND_KEY_PREFIX)) return undefined;
  return await batchOf(db, { accountId, reference, requestedAtMs });
}

/** The key by its label, or the person who filled in the form. */
const AskedBy = ({ visit, story: { row, audited } }: { visit: Visit; story: Story }) => {
  const actor = audited.find(({ action }) => action === REQUESTED)?.actor ?? null;
  const isPerson = actor === PAYER || row.keyId.startsWith(HAND_KEY_PREFIX);
  return isPerson
    ? <Person visit={visit} actor={actor} />
    : <KeyName visit={visit} keyId={row.keyId} />;
};

const Approvals = ({ story: { row, request } }: { story: Story }) => {
  if (!request) return <>{row.approval}</>;
  const { given, needed, rules, expiresAtMs } = request;
  return (
    <>
      {`${given} of ${needed}`}
      {row.status === "pending" && row.approval === "waiting" && (
        <>
          , until <Time atMs={expiresAtMs} />
        </>
      )}
      {rules.length > 0 && (
        <div class="small quiet">
          Asked for by {rules.map(({ label }, i) => (
            <>
              {i > 0 && ", "}
              <bdi class="whole">{label}</bdi>
            </>
          ))}
        </div>
      )}
    </>
  );
};

/** Never one that another has replaced. */
const Transaction = ({ story: { row, bids, network } }: { story: Story }) => {
  const mined = bids.find(({ blockHash }) => blockHash !== null);
  const shown = mined ?? newestOpen(bids);
  if (!shown) {
    const isOver = row.status === "failed" && bids.length > 0;
    return <span class="quiet">{isOver ? "none was mined" : "none yet"}</span>;
  }
  return (
    <>
      <Sent network={network} txHash={shown.txHash} />
      {shown.purpose === "void" && (
        <div class="small quiet">The empty transaction that revokes the payment</div>
      )}
    </>
  );
};

const Sent = ({ network, txHash }: { network: NetworkRow; txHash: string }) => (
  <Hash text={txHash} href={transactionUrl(network, txHash)} isWhole />
);
