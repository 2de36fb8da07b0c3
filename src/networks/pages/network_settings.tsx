import { familyOf } from "../../chains/registry.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { Amount } from "../../domain/money/amount.ts";
import { durationText } from "../../domain/time.ts";
import { collectWaitOf } from "../collecting.ts";
import { hasOutputs } from "../fitting.ts";
import { shownUrl } from "../logins.ts";
import { COLLECT_NAMES, feeMaxHint, NetworkFields } from "./_settings.tsx";
import type { NetworkRow } from "../table.ts";

export const NetworkSettings = ({ visit, network }: { visit: Visit; network: NetworkRow }) => {
  const text = (name: string, label: string, value: string | number, hint?: string) => (
    <Field visit={visit} name={name} label={label} isRequired value={String(value)} hint={hint} />
  );
  const shown = {
    ...network,
    gasPriceMax: priceText(network),
    feeMax: network.feeMax ?? "",
    feeMaxHint: feeMaxHint(network),
  };
  return (
    <Card title={`${network.name} settings`}>
      <Form visit={visit} action={`/networks/${network.code}`}>
        <Check visit={visit} name="active" label="Accepts new payments" isOn={network.isActive} />
        {text("name", "Name", network.name)}
        {text(
          "rpc_urls",
          "Nodes",
          network.rpcUrls.map(shownUrl).join(" "),
          "URLs separated by spaces",
        )}
        {familyOf(network.family).openHeadSocket && (
          <Field
            visit={visit}
            name="ws_urls"
            label="Sockets of the nodes"
            value={network.wsUrls?.map((url) => shownUrl(url) || "-").join(" ") ?? ""}
            hint="Optional ws:// or wss:// URLs, where nodes push new blocks: one for each, - for none"
          />
        )}
        {visit.fault && <Check visit={visit} name="force" label="Even if no node answers" />}
        <NetworkFields visit={visit} network={shown} />
        {(familyOf(network.family).hasCollectors || hasOutputs(network)) && (
          <div class="pair">
            {!hasOutputs(network) && (
              <Select
                visit={visit}
                name="collect"
                label="Sweeps"
                options={COLLECT_NAMES}
                value={network.collect ?? "single"}
                hint="To share, a contract must have been deployed: see Sweeps above"
              />
            )}
            <Field
              visit={visit}
              name="collect_wait"
              label="A sweep waits for others at most"
              value={durationText(collectWaitOf(network))}
              hint="Such as 30s, 15m or 24h"
              isRequired
            />
          </div>
        )}
        <Submit>Save settings</Submit>
      </Form>
    </Card>
  );
};

function priceText(network: NetworkRow): string {
  if (network.gasPriceMaxRaw === null) return "0";
  const { decimals } = familyOf(network.family).gasPriceUnit;
  return Amount.fromRaw(BigInt(network.gasPriceMaxRaw), { asset: "", decimals }).toString();
}
