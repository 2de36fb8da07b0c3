import { Decimal } from "decimal.js";
import { parse } from "eth-url-parser";

interface Named {
  readonly chainId: string;
  /** Null: the chain's own coin. */
  readonly contract: string | null;
  readonly address: string;
  readonly raw: bigint;
}

/** What wallets find in an EIP-681 link: MetaMask reads them with the same library. */
export function readEthereumUri(uri: string): Named {
  const { target_address: target, chain_id: chainId, function_name: call, parameters, ...rest } =
    parse(uri);
  if (call === undefined) {
    const { value, ...others } = parameters;
    mustBeAll(uri, { ...others, prefix: rest.prefix });
    return { chainId, contract: null, address: target, raw: exact(value) };
  }
  const { address, uint256, ...others } = parameters;
  mustBeAll(uri, { ...others, prefix: rest.prefix });
  if (call !== "transfer") throw new Error(`${uri} calls ${call}`);
  return { chainId, contract: target, address, raw: exact(uint256) };
}

/** The library writes large numbers with an exponent, and keeps every digit. */
function exact(value: string): bigint {
  return BigInt(new Decimal(value).toFixed());
}

/** Whatever else a link asks for would be asked of a payer too. */
function mustBeAll(uri: string, others: object): void {
  const names = Object.entries(others).filter(([, value]) => value !== undefined);
  if (names.length > 0) throw new Error(`${uri} also names ${names}`);
}
