import type { Component } from "../../base/html.ts";
import type { AddressRow } from "../../wallets/tables/addresses.ts";
import { Long } from "../../dashboard/parts/facts.tsx";
import { customerPath } from "../../dashboard/paths.ts";
import { BASE } from "../../dashboard/visit.ts";

interface CustomerLinkProps {
  readonly row: Pick<AddressRow, "accountId" | "userIdentifier">;
  /** There long names are cut. */
  readonly isInList?: boolean;
}

export const CustomerLink: Component<CustomerLinkProps> = (
  { row: { accountId, userIdentifier }, isInList },
) => {
  if (userIdentifier === null) return <span class="quiet">none: a pool address</span>;
  const href = BASE + customerPath({ accountId, userIdentifier });
  if (isInList) return <Long text={userIdentifier} href={href} />;
  return (
    <a class="whole" href={href}>
      <bdi>{userIdentifier}</bdi>
    </a>
  );
};
