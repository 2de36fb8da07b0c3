import type { DeliveryListed } from "../reads/deliveries.ts";
import { accountColumn } from "../../dashboard/parts/columns.tsx";
import { Time } from "../../dashboard/parts/facts.tsx";
import { Submit } from "../../dashboard/parts/form.tsx";
import { DeliveryStatus } from "../../dashboard/parts/payment/delivery_status.tsx";
import type { Column } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { againPath } from "../../dashboard/paths.ts";
import { EndpointLink } from "./_parts.tsx";

export function deliveryColumns(visit: Visit): Column<DeliveryListed>[] {
  return [
    {
      ...{ title: "Event time", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    {
      title: "Event",
      at: "title",
      cell: ({ type, endpointId, eventId }) => (
        <a class="row-link" href={`${BASE}/webhooks/${endpointId}/deliveries/${eventId}`}>{type}</a>
      ),
    },
    {
      title: "State",
      at: "state",
      cell: ({ state, last }) => <DeliveryStatus state={state} error={last?.error} />,
    },
    ...accountColumn<DeliveryListed>(visit),
    { title: "Webhook", isMinor: true, cell: ({ endpointId }) => <EndpointLink id={endpointId} /> },
    { title: "Last answer", cell: ({ last }) => <LastAnswer last={last} /> },
    { title: "Attempts", isNumber: true, isMinor: true, cell: ({ attempts }) => attempts },
    {
      title: "Next attempt",
      isMinor: true,
      cell: ({ state, nextTryAtMs }) => <Time atMs={state === "pending" ? nextTryAtMs : null} />,
    },
    ...visit.isAble("manage_webhooks") ? [AGAIN] : [],
  ];
}

const AGAIN: Column<DeliveryListed> = {
  title: "Send again",
  isTitleHidden: true,
  cell: (row) => <Submit tone="link" action={againPath(row)}>Send again</Submit>,
};

const LastAnswer = ({ last }: { last: DeliveryListed["last"] }) =>
  last === null
    ? <span class="quiet">none yet</span>
    : <span class="whole">{last.error ?? `HTTP ${last.status}`}</span>;
