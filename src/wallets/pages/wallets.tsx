import { htmlOf } from "../../base/html.ts";
import { lookAtWallets, type WalletLook } from "../look.ts";
import { rulesOf } from "../../chains/registry.ts";
import { genuine } from "../../books/tampered.ts";
import { resumeWallet } from "../../restore/resume_wallet.ts";
import { gasWallets, hotWalletPage, walletsOf } from "../reads/addresses.ts";
import { Addresses } from "../tables/addresses.ts";
import { accountAsked, AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Qr } from "../../base/qr.tsx";
import { Pager } from "../../dashboard/parts/table.tsx";
import { hasGasWallet, walletsTitle, WalletTable } from "../../dashboard/parts/wallets.tsx";
import { act, done, page, type RawRoute } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { ReceivingCard } from "../../accounts/pages/receiving.tsx";

/** A node that hangs must not delay the page. */
const NODE_MS = 3_000;
/** The newest blocks are read within seconds. */
const READING_MS = 8_000;
const WALLETS_SHOWN = 15;

const walletsPage = page({
  path: "/wallets",
  ability: "see",
  nav: { label: "Wallets", group: "Balances", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const [asked, account] = [await accountAsked(visit), await accountOf(visit)];
    const { rows, next } = asked
      ? { rows: await walletsOf(visit.deps.db, asked.id), next: null }
      : await walletsOfAll(visit);
    const looks = await lookAtWallets(visit.deps, { rows, waitMs: NODE_MS });
    return (
      <Page visit={visit} title="Wallets">
        <AccountChoice visit={visit} account={account} />
        {looks.map((look) => <Halted visit={visit} look={look} />)}
        {account && <ReceivingCard visit={visit} accountId={account.id} />}
        <Card title={walletsTitle(looks)}>
          <p class="quiet">
            Hot wallets make payouts from the funds you send them: what is paid out, and the
            network's own coin for fees. {hasGasWallet(looks) && "Gas wallets pay for sweeps. "}
            To fund a wallet, send to its address.
          </p>
          <WalletTable visit={visit} looks={looks} />
          <Pager visit={visit} next={next} />
        </Card>
      </Page>
    );
  },
});

/** The gas wallets on the first page, and the hot wallets account by account. */
async function walletsOfAll({ deps: { db }, query }: Visit) {
  const [, accountId, network] = /^(\d{1,15})-(.{1,32})$/.exec(query.get("cursor") ?? "") ?? [];
  const after = { accountId: Number(accountId ?? 0), network: network ?? "" };
  const [gas, found] = await Promise.all([
    accountId === undefined ? gasWallets(db) : [],
    hotWalletPage(db, { after, limit: WALLETS_SHOWN + 1 }),
  ]);
  const hot = found.slice(0, WALLETS_SHOWN);
  const last = found.length > WALLETS_SHOWN ? hot.at(-1) : undefined;
  return { rows: [...gas, ...hot], next: last ? `${last.accountId}-${last.network}` : null };
}

const Halted = ({ visit, look: { row } }: { visit: Visit; look: WalletLook }) =>
  row.haltedReason === null ? null : (
    <div class="message fault">
      <p>
        The {row.purpose} wallet <code class="whole">{row.address}</code> on{" "}
        {visit.network(row.network)} has stopped signing: {row.haltedReason}
      </p>
      {visit.isOperator && <ResumeForm visit={visit} id={row.id} />}
    </div>
  );

const ResumeForm = ({ visit, id }: { visit: Visit; id: number }) => (
  <Form visit={visit} action={`/wallets/${id}/resume`} isInline>
    <Check
      visit={visit}
      name="anyway"
      label="Resume even if the books can't explain all its payments: none of them was a payout"
    />
    <Submit tone="danger" confirm="It continues from the chain's transaction count.">
      Resume signing
    </Submit>
  </Form>
);

const resumeAct = act({
  path: "/wallets/:id{[0-9]+}/resume",
  ability: "operate",
  on: walletsPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, actor } = visit;
    const wallet = await deps.db.find(Addresses, [visit.id()]);
    if (!wallet || wallet.purpose === "deposit") throw new NotFound();
    const { network, address } = wallet;
    const isAnyway = visit.form.read((fields) => fields.ticked("anyway"));
    await resumeWallet(deps, { network, address, actor, isAnyway, waitMs: READING_MS });
    return done("/wallets", `${address} can sign again`);
  },
});

/** Never cached: after a restore, the same id may belong to another address. */
const qrRoute: RawRoute = {
  kind: "raw",
  path: "/wallets/:id{[0-9]+}/qr.svg",
  ability: "see",
  respond: async (visit) => {
    const wallet = visit.own(await visit.deps.db.find(Addresses, [visit.id()]));
    const { address, purpose } = wallet;
    if (purpose === "deposit") throw new NotFound();
    await genuine(visit.deps, Addresses, [wallet]);
    const network = (await visit.deps.catalog.current()).network(wallet.network);
    const text = network ? rulesOf(network).inCode(address) : address;
    const drawn = await htmlOf(<Qr text={text} label={address} />);
    return new Response(drawn, { headers: { "content-type": "image/svg+xml" } });
  },
};

export const WALLET_ROUTES = [walletsPage, resumeAct, qrRoute];
