import type { TotalBalances } from "../../actions/accounts/total_balances.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { Card } from "../parts/facts.tsx";
import { BASE, type Visit } from "../visit.ts";

const OPERATOR_STEPS = [
  ["/networks", "Add a network"],
  ["/accounts", "Create an account"],
  ["/currencies", "Enable currencies for it"],
  ["/users", "Create a login for its merchant"],
] as const;
const MERCHANT_STEPS = [
  ["/currencies", "Enable the currencies you accept"],
  ["/keys/new", "Create an API key for your server"],
  ["/wallets", "Set where deposits are swept"],
] as const;

interface StepsProps {
  readonly visit: Visit;
  readonly networks: readonly NetworkRow[];
  readonly balances: TotalBalances["rows"];
}

/** The next steps, until money has moved. */
export const FirstSteps = ({ visit, networks, balances }: StepsProps) => {
  if (balances?.length !== 0) return null;
  const steps = visit.isOperator ? OPERATOR_STEPS : MERCHANT_STEPS;
  return (
    <Card title={networks.length === 0 ? "Get started" : "Next steps"}>
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
