import type { Component } from "../../../base/html.ts";
import type { AddressRow } from "../../../store/tables/addresses.ts";
import { Long } from "../../parts/facts.tsx";
import { customerPath } from "../../paths.ts";
import { BASE } from "../../visit.ts";

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
