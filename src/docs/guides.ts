import api from "../../docs/api.md" with { type: "text" };
import invoices from "../../docs/invoices.md" with { type: "text" };
import manage from "../../docs/manage.md" with { type: "text" };
import shop from "../../docs/shop.md" with { type: "text" };
import webhooks from "../../docs/webhooks.md" with { type: "text" };

export interface Guide {
  readonly name: string;
  readonly text: string;
}

/** Imported, so that a compiled binary has them. */
export const GUIDES: readonly Guide[] = [
  { name: "shop", text: shop },
  { name: "invoices", text: invoices },
  { name: "api", text: api },
  { name: "webhooks", text: webhooks },
  { name: "manage", text: manage },
];
