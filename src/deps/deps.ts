import type { Clock } from "../base/clock.ts";
import type { Passwords } from "../base/secrets/password.ts";
import type { Log } from "../base/log.ts";
import type { Chains } from "../chains/registry.ts";
import type { Windows } from "../deposits/rules/deposit_request.ts";
import type { KeyRing } from "../keys/key_ring.ts";
import type { Vault } from "../keys/vault.ts";
import type { NodeUrls } from "../networks/node_urls.ts";
import type { CatalogSource } from "../store/engine/catalog.ts";
import type { Db } from "../store/engine/db.ts";
import type { NoteSenders } from "../notifications/senders/senders.ts";
import type { PageReader } from "../webhooks/post/read_page.ts";
import type { WebhookSender } from "../webhooks/post/send.ts";
import type { Memory } from "./memory.ts";

/** Everything outside that an action may use; tests provide their own. */
export interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly catalog: CatalogSource;
  readonly vault: Vault;
  readonly passwords: Passwords;
  /** Opened at first use: most commands never need a private key. */
  keyRing(): Promise<KeyRing>;
  readonly chains: Chains;
  readonly nodeUrls: NodeUrls;
  readonly webhooks: WebhookSender;
  readonly notes: NoteSenders;
  /** For prices from elsewhere. */
  readonly pages: PageReader;
  readonly windows: Windows;
  /** Where payers and merchants reach the API. */
  readonly publicUrl: string;
  readonly memory: Memory;
  /** Since when no other server works on this database; null if others may. */
  readonly exclusiveSinceMs: number | null;
}

/**
 * The actor in the audit log: "api:<key_id>", "user:<id>", "cli" or "worker", with the address if
 * it came over the network.
 */
export type Actor = string | {
  readonly name: string;
  readonly ip: string;
  /** Of a key: whoever made it, and so asks for what it asks for. */
  readonly madeBy?: string;
  /** Of a key: the only account that exists for it. */
  readonly accountId?: number | null;
};

/** The person, or the command line. */
export function asker(actor: Actor): string {
  return typeof actor === "string" ? actor : actor.madeBy ?? actor.name;
}
