import { AccountChoice } from "../../dashboard/parts/account.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { OneAsset } from "./_asset.ts";

export interface AssetProps {
  readonly visit: Visit;
  readonly asset: OneAsset;
}

export const ChooseAccount = ({ visit }: { visit: Visit }) => (
  <Page visit={visit} title="Balances" up={{ path: "/balances", label: "Balances" }}>
    <AccountChoice visit={visit} account={undefined} />
  </Page>
);
