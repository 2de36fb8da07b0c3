import type { Entry } from "./account.ts";
import type { Accounts } from "./accounts.ts";
import type { HexAddress } from "./addresses.ts";
import type { Ledger } from "./ledger.ts";
import type { SimulatedContract } from "./contracts/machine.ts";
import type { ChainParameters } from "./parameters.ts";

export interface World {
  readonly ledger: Ledger<Entry>;
  readonly accounts: Accounts;
  readonly contracts: ReadonlyMap<HexAddress, SimulatedContract>;
  readonly parameters: () => ChainParameters;
  /** True if receipts include calls between contracts (`vm.saveInternalTx`). */
  readonly savesInternal: () => boolean;
}
