import { isFinalStatus } from "../rules/status.ts";
import { Card, CopyButton } from "../../dashboard/parts/facts.tsx";
import { Qr } from "../../base/qr.tsx";
import type { Shape } from "./_story.ts";

/** What the payer gets: a link, and its code while there is something to pay. */
export const PayersPage = ({ shape: { url, status } }: { shape: Shape }) => (
  <Card title="The payer's page">
    <p>
      <a class="whole" href={url}>{url}</a> <CopyButton text={url} label="Copy link" />
    </p>
    {!isFinalStatus(status) && <Qr text={url} label="Code with the link to the payer's page" />}
  </Card>
);
