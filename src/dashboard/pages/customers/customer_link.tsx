import type { Component } from "../../../base/html.ts";
import type { AddressRow } from "../../../store/tables/addresses.ts";
import { customerPath } from "../../paths.ts";
import { BASE } from "../../visit.ts";

type Owner = Pick<AddressRow, "accountId" | "userIdentifier">;

export const CustomerLink: Component<{ row: Owner }> = ({ row: { accountId, userIdentifier } }) =>
  userIdentifier === null
    ? <span class="quiet">none: a pool address</span>
    : (
      <a class="whole" href={BASE + customerPath({ accountId, userIdentifier })}>
        <bdi>{userIdentifier}</bdi>
      </a>
    );
