// deno-lint-ignore-file no-console -- a build tool reports what it made
/**
 * Builds the contract that collects from many addresses, after it was changed: deno task collector.
 * With --check it only looks whether what is there is what the source gives.
 */
import solc from "solc";

const FOLDER = new URL("../src/chains/evm/collector/", import.meta.url);
const BYTECODE = new URL("bytecode.ts", FOLDER);
const FILE = "Collector.sol";
const NAME = "Collector";

const settings = {
  // Deployed once and called for every payment.
  optimizer: { enabled: true, runs: 1_000_000 },
  viaIR: false,
  evmVersion: "prague",
  // Or the path of the source would change the code.
  metadata: { bytecodeHash: "none", appendCBOR: false },
  outputSelection: { "*": { "*": ["evm"], "": ["ast"] } },
};

interface Place {
  readonly start: number;
  readonly length: number;
}

interface Variable {
  readonly id: number;
  readonly name: string;
}

const content = await Deno.readTextFile(new URL(FILE, FOLDER));
const order = { language: "Solidity", sources: { [FILE]: { content } }, settings };
const { errors = [], contracts, sources } = JSON.parse(solc.compile(JSON.stringify(order)));
if (errors.length > 0) {
  throw new Error(errors.map((one: { formattedMessage: string }) => one.formattedMessage).join(""));
}
const { bytecode, deployedBytecode } = contracts[FILE][NAME].evm;
const { nodes } = sources[FILE].ast.nodes.find((node: Variable) => node.name === NAME);
const places = Object.entries<Place[]>(deployedBytecode.immutableReferences).map(([id, found]) => {
  const { name } = nodes.find((node: Variable) => node.id === Number(id));
  if (found.some(({ length }) => length !== 32)) throw new Error(`${name} is not one word`);
  const starts = found.map(({ start }) => start).toSorted((a, b) => a - b);
  return `  ${name.toLowerCase()}: [${starts.join(", ")}],\n`;
}).toSorted();

const made = `// Written by \`deno task collector\` from ${FILE}, with solc ${
  solc.version().split("+")[0]
}.

/** Deploys it; the gas wallet's address follows as one word. */
export const INIT_CODE =
  "0x${bytecode.object}";

/** What is deployed, with zeros where it names wallet and contract. */
export const RUNTIME_CODE =
  "0x${deployedBytecode.object}";

/** At which bytes of it the words stand that deploying fills in. */
export const FILLED_IN = {
${places.join("")}} as const;
`;

if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(BYTECODE, made);
  console.log(`${deployedBytecode.object.length / 2} bytes of code`);
} else if (await Deno.readTextFile(BYTECODE) !== made) {
  console.error("The contract's code is not what its source gives: run deno task collector");
  Deno.exit(1);
}
