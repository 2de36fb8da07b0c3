import { secretEnd } from "../../access/manage_api_keys.ts";
import type { Decider } from "../decider.ts";
import { approveProposal } from "../../proposals/decide.ts";
import { Card, Copied, Facts } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

/** Two people were needed, so neither of them gets the whole secret. */
export async function approveKey(visit: Visit, order: { id: number; decider: Decider }) {
  const row = await approveProposal(visit.deps, order);
  return <NewKey visit={visit} keyId={row.keyId} end={await secretEnd(visit.deps, row)} />;
}

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
