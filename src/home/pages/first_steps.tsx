import type { TotalBalances } from "../../accounts/total_balances.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { isSetUpOff } from "../../dashboard/environment.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { NetworkRow } from "../../networks/table.ts";

const OPERATOR_STEPS = [
  ["/networks/add", "Add a network", "operate"],
  ["/accounts/new", "Create an account", "operate"],
  ["/currencies", "Enable currencies for it", "operate"],
  ["/users/new", "Create a login for its merchant", "operate"],
] as const;
const MERCHANT_STEPS = [
  ["/currencies", "Enable the currencies you accept", "set_up_account"],
  ["/keys/new", "Create an API key for your server", "manage_keys"],
  ["/wallets", "Set where deposits are swept", "set_up_account"],
] as const;

interface StepsProps {
  readonly visit: Visit;
  readonly networks: readonly NetworkRow[];
  readonly balances: TotalBalances["rows"];
}

/** The next steps, until money has moved. */
export const FirstSteps = ({ visit, networks, balances }: StepsProps) => {
  if (balances?.length !== 0) return null;
  const steps = (visit.seesAll ? OPERATOR_STEPS : MERCHANT_STEPS)
    .filter(([, , needs]) => visit.isAble(needs));
  if (steps.length === 0) return null;
  return (
    <Card title={networks.length === 0 ? "Get started" : "Next steps"}>
      {visit.isAble("operate") && !isSetUpOff(visit.facts) && (
        <p>
          <a href={`${BASE}/begin`}>Go on with the set-up</a>, which takes you through most of this.
        </p>
      )}
      <ol>
        {steps.map(([path, label]) => (
          <li>
            <a href={BASE + path}>{label}</a>
          </li>
        ))}
      </ol>
    </Card>
  );
};
