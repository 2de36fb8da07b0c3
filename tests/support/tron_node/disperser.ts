import {
  addressWord,
  Arguments,
  selectorOf,
  uintWord,
} from "../../../src/sandbox/tron_node/contracts/abi.ts";
import type { HexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import {
  type ContractCall,
  Reverted,
  type SimulatedContract,
} from "../../../src/sandbox/tron_node/contracts/machine.ts";

const DISPERSE_TRX = selectorOf("disperseTrx(address[],uint256[])");
const DISPERSE_TOKEN = selectorOf("disperseToken(address,address[],uint256[])");
const DELEGATE_ENERGY = selectorOf("delegateEnergy(address,uint256)");
const TRANSFER_FROM = selectorOf("transferFrom(address,address,uint256)");
const ENERGY_PER_PAYMENT = 9_000n;

/** Many payments in one transaction: coins from inside a contract, or a token's transfers. */
export class Disperser implements SimulatedContract {
  readonly name = "Disperser";
  energyFactor = 0n;

  constructor(
    readonly address: HexAddress,
    readonly origin: HexAddress,
    readonly version = 0,
  ) {}

  run(call: ContractCall): string {
    const args = new Arguments(call.data.slice(8));
    const selector = call.data.slice(0, 8);
    if (selector === DISPERSE_TRX) this.#payCoins(call, args);
    else if (selector === DISPERSE_TOKEN) this.#payTokens(call, args);
    else if (selector === DELEGATE_ENERGY) {
      call.machine.delegate(this, args.address(0), args.uint(1));
    } // Coins alone are taken, like by a contract with a receive function.
    else if (selector !== "") throw new Reverted();
    return "";
  }

  #payCoins({ machine }: ContractCall, args: Arguments): void {
    const amounts = args.uints(1);
    for (const [i, to] of args.addresses(0).entries()) {
      machine.use(this, ENERGY_PER_PAYMENT);
      machine.send(this, to, { value: amounts[i] ?? 0n });
    }
  }

  #payTokens({ machine, caller }: ContractCall, args: Arguments): void {
    const [token, amounts] = [args.address(0), args.uints(2)];
    for (const [i, to] of args.addresses(1).entries()) {
      const data = TRANSFER_FROM + addressWord(caller) + addressWord(to) +
        uintWord(amounts[i] ?? 0n);
      machine.send(this, token, { data });
    }
  }
}
