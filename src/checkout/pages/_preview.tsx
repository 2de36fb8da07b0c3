import type { Component } from "../../base/html.ts";
import type { CheckoutRow } from "../table.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { BASE } from "../../dashboard/visit.ts";

const USUAL = "#1b57d6";

interface PreviewProps {
  readonly account: AccountRow;
  readonly checkout: CheckoutRow;
  readonly hasLogo: boolean;
}

/** What payers see of it. Attributes of a drawing have the colour, because styles aren't allowed. */
export const Preview: Component<PreviewProps> = (
  { account, checkout: { name, colour, logoHash }, hasLogo },
) => (
  <Card title="What payers see">
    {hasLogo && (
      <p>
        <img class="logo" src={`${BASE}/checkout/${account.id}/logo`} alt="Your logo" />
      </p>
    )}
    {hasLogo && logoHash === null && (
      <p class="message warn">
        The payer's page has no room for this logo, so it isn't shown there.
      </p>
    )}
    <p>
      <strong class="whole">
        Pay <bdi>{name ?? account.name}</bdi>
      </strong>
    </p>
    <svg
      width="180"
      height="44"
      viewBox="0 0 180 44"
      role="img"
      aria-label="A button in your colour"
    >
      <rect width="180" height="44" rx="9" fill={colour ?? USUAL} />
      <text x="90" y="28" text-anchor="middle" font-size="16" fill="#fff">Open my wallet</text>
    </svg>
  </Card>
);
