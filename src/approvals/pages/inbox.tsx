import { secretEnd } from "../../access/manage_api_keys.ts";
import { NewLink } from "../../access/pages/new_link.tsx";
import { newToken } from "../../access/sessions.ts";
import type { AlertRow } from "../../alerts/table.ts";
import { approveWithdrawal } from "../approve.ts";
import { type Decider, deciderOf } from "../decider.ts";
import { lookAtPayout, type PayoutLook } from "../look.ts";
import { Decision } from "./_decision.tsx";
import { loginIn, ProposalItem } from "./_proposal.tsx";
import { rejectWithdrawal } from "../reject.ts";
import { AlertPlace } from "../../dashboard/parts/alerts.tsx";
import {
  accountFact,
  Card,
  Copied,
  EmptyState,
  Facts,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Names, namesOf } from "../../dashboard/parts/payment/names.ts";
import {
  HeldBackMessage,
  LookAlike,
  lookFacts,
  payText,
} from "../../dashboard/parts/payment/payout_look.tsx";
import { worthsOfPayouts } from "../../dashboard/parts/worths.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { noticesOf } from "../../notifications/reads/page.ts";
import { changeOf } from "../../proposals/changes.ts";
import { approveProposal, rejectProposal } from "../../proposals/decide.ts";
import { inboxOf } from "../../proposals/inbox.ts";
import { Proposals } from "../../proposals/table.ts";
import { pressingAlerts } from "../../store/reads/pages/lists.ts";
import { ownWithdrawal } from "../../withdrawals/pages/withdrawal.tsx";

const NewKey = ({ visit, keyId, end }: { visit: Visit; keyId: string; end: string }) => (
  <Page visit={visit} title="API key created" up={{ path: "/inbox", label: "Inbox" }}>
    <Card>
      <p class="message warn">
        This is shown only once. Whoever asked for the key has the start of its secret: the start
        and this end, without a space, are the secret. Enter it yourself where it is needed, or pass
        it on.
      </p>
      <Facts
        rows={[
          ["Key", <Copied id="key-id" text={keyId} />],
          ["End of the secret", <Copied id="secret" text={end} />],
        ]}
      />
      <p>
        <a class="button" href={`${BASE}/inbox`}>I have saved it</a>
      </p>
    </Card>
  </Page>
);

const ALERTS_SHOWN = 20;

const inboxPage = page({
  path: "/inbox",
  ability: "see",
  show: async (visit) => {
    const { payouts, proposals, isMore, count } = await inboxOf(visit.deps, visit.user);
    const looks = await Promise.all(payouts.map(async ({ row, whyNot }) => ({
      whyNot,
      look: await lookAtPayout(visit.deps, row),
    })));
    const worths = await worthsOfPayouts(visit, looks.map(({ look }) => look.row));
    const names = await namesOf(visit, [
      ...looks.map(({ look }) => look.askedBy),
      ...proposals.map(({ row }) => row.askedBy),
    ]);
    const open = await openAlerts(visit);
    const title = count === "0" ? "Inbox" : `Inbox: ${count} to decide`;
    return (
      <Page visit={visit} title={title}>
        <div class="inbox">
          {looks.map((item) => (
            <PayoutItem
              visit={visit}
              names={names}
              worth={worths.get(item.look.row.id)}
              {...item}
            />
          ))}
          {proposals.map((item) => <ProposalItem visit={visit} names={names} {...item} />)}
          {looks.length + proposals.length === 0 && (
            <Card>
              <EmptyState title="Nothing waits for a decision">
                Payouts that need an approval, and changes that need a second person, appear here.
              </EmptyState>
            </Card>
          )}
          {isMore && <p class="quiet">More are shown once these are decided.</p>}
          {open.length > 0 && <Alerts rows={open} />}
        </div>
      </Page>
    );
  },
});

function openAlerts({ deps: { db }, accountId }: Visit): Promise<AlertRow[]> {
  return accountId === null
    ? pressingAlerts(db, ALERTS_SHOWN)
    : noticesOf(db, { accountId, limit: ALERTS_SHOWN });
}

const Alerts = ({ rows }: { rows: readonly AlertRow[] }) => (
  <Card title="Open alerts">
    <ul class="things">
      {rows.map((row) => (
        <li>
          <span>
            {row.message}{" "}
            <span class="quiet small">
              since <Time atMs={row.createdAtMs} />
            </span>
          </span>{" "}
          <AlertPlace row={row} />
        </li>
      ))}
    </ul>
  </Card>
);

async function ofPayout(visit: Visit) {
  return decisionOn(await ownWithdrawal(visit), visit);
}

async function ofProposal(visit: Visit) {
  return decisionOn(visit.own(await visit.deps.db.find(Proposals, [visit.id()])), visit);
}

function decisionOn({ id }: { readonly id: number }, { user, actor }: Visit) {
  return { id, decider: deciderOf(user, actor) };
}

function reasonIn({ form }: Visit): string {
  return form.read((fields) => fields.optional("reason", kind.text({ max: 500 }))) ?? "Rejected";
}

const approvePayoutAct = act({
  path: "/inbox/payouts/:id{[0-9]+}/approve",
  ability: "approve",
  isUrgent: true,
  on: inboxPage,
  isSensitive: true,
  run: async (visit) => {
    const { row, given, needed } = await approveWithdrawal(visit.deps, await ofPayout(visit));
    const more = needed - given;
    const rest = more > 0 ? `, and waits for ${more} more` : "";
    return done("/inbox", `Payout ${row.id} is approved${rest}`);
  },
});

const rejectPayoutAct = act({
  path: "/inbox/payouts/:id{[0-9]+}/reject",
  ability: "approve",
  isUrgent: true,
  on: inboxPage,
  isSensitive: true,
  run: async (visit) => {
    const order = { ...await ofPayout(visit), reason: reasonIn(visit) };
    const { id } = await rejectWithdrawal(visit.deps, order);
    return done("/inbox", `Payout ${id} is rejected, and its money is available again`);
  },
});

const approveProposalAct = act({
  path: "/inbox/proposals/:id{[0-9]+}/approve",
  ability: "approve",
  isUrgent: true,
  on: inboxPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps } = visit;
    const order = await ofProposal(visit);
    const { makes } = changeOf(await deps.db.get(Proposals, [order.id]));
    if (makes === "login") return await approveLogin(visit, order);
    if (makes === "key") return await approveKey(visit, order);
    const { id } = await approveProposal(deps, order);
    return done("/inbox", `Proposal ${id} is approved and done`);
  },
});

const rejectProposalAct = act({
  path: "/inbox/proposals/:id{[0-9]+}/reject",
  ability: "approve",
  isUrgent: true,
  on: inboxPage,
  isSensitive: true,
  run: async (visit) => {
    const order = { ...await ofProposal(visit), reason: reasonIn(visit) };
    const { id } = await rejectProposal(visit.deps, order);
    return done("/inbox", `Proposal ${id} is rejected`);
  },
});

export const INBOX_ROUTES = [
  inboxPage,
  approvePayoutAct,
  rejectPayoutAct,
  approveProposalAct,
  rejectProposalAct,
];

/** Two people were needed, so neither of them gets the whole secret. */
async function approveKey(visit: Visit, order: { id: number; decider: Decider }) {
  const row = await approveProposal(visit.deps, order);
  return <NewKey visit={visit} keyId={row.keyId} end={await secretEnd(visit.deps, row)} />;
}

/** Two people were needed, so whoever asked doesn't get the link. */
async function approveLogin(visit: Visit, order: { id: number; decider: Decider }) {
  const { token, tokenHash: linkHash } = newToken();
  const login = { passwordHash: null, linkHash };
  const row = await approveProposal(visit.deps, { ...order, login });
  const up = { path: "/inbox", label: "Inbox" };
  return <NewLink visit={visit} email={loginIn(row)} token={token} up={up} />;
}

interface Item {
  readonly visit: Visit;
  readonly names: Names;
  readonly look: PayoutLook;
  readonly worth: string | undefined;
  readonly whyNot: string | null;
}

/** Everything that it takes to decide about one payout. */
const PayoutItem = ({ visit, names, look, worth, whyNot }: Item) => {
  const { row, request } = look;
  return (
    <Card
      id={`payout-${row.id}`}
      title={payText(visit, { row, worth })}
      actions={<a href={`${BASE}/withdrawals/${row.id}`}>Details</a>}
    >
      {look.heldBack !== undefined && <HeldBackMessage why={look.heldBack} />}
      {look.looksLike !== undefined && <LookAlike address={look.looksLike} />}
      <Facts
        rows={[
          ...lookFacts({ visit, names, look }),
          ...accountFact(visit, row),
          ["Approvals", `${request.given} of ${request.needed}`],
          ["Expires", <Time atMs={request.expiresAtMs} />],
          ["Payout", row.id],
        ]}
      />
      <Decision visit={visit} path={`/inbox/payouts/${row.id}`} whyNot={whyNot} />
    </Card>
  );
};
