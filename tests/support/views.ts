import type { Deps } from "../../src/deps/deps.ts";
import { type AlertRow, Alerts } from "../../src/alerts/table.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../src/following/table.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../src/books/table.ts";
import { Events } from "../../src/webhooks/tables/events.ts";
import type { Reply } from "./nodes/anvil.ts";
import type { ApiClient, ApiReply } from "./api_client.ts";
import { eventually } from "./programs/eventually.ts";
import type { World } from "./world.ts";

/** The API's answer in the shape of the spec. */
export interface Listed {
  readonly id: number;
  readonly tx_hash: string;
  readonly direction: string;
  readonly status: string;
  readonly currency: string;
  readonly network: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly amount_decimal: string;
  readonly confirmations: number;
  readonly block_number: number;
}

/** Newest first, all pages. */
export async function transactionsOf(api: ApiClient, query = ""): Promise<Listed[]> {
  const rows: Listed[] = [];
  for (let cursor: number | null = null;;) {
    const page: ApiReply = await api.get(
      `/v1/transactions?limit=200${query}${cursor === null ? "" : `&cursor=${cursor}`}`,
    );
    rows.push(...page.body.data);
    cursor = page.body.next_cursor;
    if (cursor === null) return rows;
  }
}

export function depositsOf(api: ApiClient): Promise<Listed[]> {
  return transactionsOf(api, "&direction=deposit");
}

export interface BalanceView {
  readonly balance: string;
  readonly held: string;
  readonly available: string;
}

export async function balanceOf(api: ApiClient, currency = "ETH"): Promise<BalanceView> {
  const { body } = await api.get(`/v1/balances?currency=${currency}`);
  const [row] = body.data;
  if (!row) return { balance: "0", held: "0", available: "0" };
  const { balance, held, available } = row;
  return { balance, held, available };
}

export interface Allocated {
  readonly address: string;
  readonly requestId: number;
}

export async function allocate(
  api: ApiClient,
  order: { currency?: string; network?: string; user?: string } = {},
): Promise<Allocated> {
  const reply = await api.post("/v1/deposit-addresses", {
    currency: order.currency ?? "ETH",
    network: order.network ?? "ETH",
    idempotency_key: crypto.randomUUID(),
    ...order.user === undefined ? {} : { user_identifier: order.user },
  });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return { address: reply.body.data.address, requestId: reply.body.data.request_id };
}

export async function requestOf(api: ApiClient, requestId: number): Promise<Reply> {
  return (await api.get(`/v1/deposit-requests/${requestId}`)).body.data;
}

export async function withdrawalOf(api: ApiClient, id: number): Promise<Reply> {
  return (await api.get(`/v1/withdrawals/${id}`)).body.data;
}

export interface WithdrawalOrder {
  readonly to: string;
  readonly amount: string;
  readonly currency?: string;
  readonly network?: string;
  readonly reference?: string;
}

export function withdraw(
  api: ApiClient,
  { to, amount, currency = "ETH", network = "ETH", reference }: WithdrawalOrder,
): Promise<ApiReply> {
  return api.post("/v1/withdrawals", {
    currency,
    network,
    to_address: to,
    amount,
    client_reference: reference ?? crypto.randomUUID(),
  });
}

/** Facts that only the operator sees. */
export function cursorOf(deps: Deps, network = "ETH"): Promise<NetworkCursorRow> {
  return deps.db.get(NetworkCursors, [network]);
}

export function alertsOf(deps: Deps): Promise<AlertRow[]> {
  return deps.db.rows(Alerts, "WHERE open = 1 ORDER BY id");
}

export function entriesOf(deps: Deps): Promise<LedgerEntryRow[]> {
  return deps.db.rows(LedgerEntries, "ORDER BY id");
}

export async function eventsOf(deps: Deps, type?: string): Promise<Reply[]> {
  const rows = await deps.db.rows(Events, "ORDER BY id");
  return rows.filter((row) => type === undefined || row.type === type)
    .map((row) => (row.payload as { data: unknown }).data);
}

/** Until the gateway has read the chain up to its head, in the branch that the chain has now. */
export async function followed({ deps, anvil }: World): Promise<void> {
  await eventually(async () => {
    const [{ scanHeight }, head] = [
      await cursorOf(deps),
      await anvil.rpc("eth_getBlockByNumber", ["latest", false]),
    ];
    const [last] = await deps.db.query(
      "SELECT hash FROM network_blocks WHERE network = 'ETH' AND height = ?",
      [scanHeight],
    );
    return { scanHeight, isSame: last?.hash === head.hash };
  }, { until: ({ isSame }) => isSame });
}
