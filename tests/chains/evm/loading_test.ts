import assert from "node:assert/strict";
import { makeCheckout } from "../../support/programs/checkout.ts";

/** Its files are replaced while it runs, and it may not read them again. */
const PROGRAM = `
import { createChains, loadChains } from "./src/chains/registry.ts";

if (Deno.args[0] === "a server") await loadChains();
const later = new Date(Date.now() + 60_000);
for (const name of ["payer", "held", "balances_at", "collector/borne_out"]) {
  await Deno.utime(\`src/chains/evm/\${name}.ts\`, later, later);
}
const nowhere = { rpcUrls: ["http://127.0.0.1:9"], chainId: "1", genesisHash: null, quorum: 1 };
const chain = createChains().of({ code: "ETH", family: "evm", feeModel: "l1", ...nowhere });
const block = { height: 1, hash: "0x1" };
const address = "0x" + "1".repeat(40);
const move = { contract: address, from: address, amountRaw: 1n, loggedRaw: 1n };
for (
  const work of [
    () => chain.costNow(1n),
    () => chain.held([{ address, contracts: [] }]),
    () => chain.balancesAt(block, []),
    () => chain.areBorneOut(block, [move]),
  ]
) {
  await work().catch((error) => console.log(error.name));
}
`;

Deno.test("a server has loaded what it pays with before its files can be replaced", async () => {
  await using checkout = await makeCheckout();
  const cwd = checkout.folder;
  await Deno.writeTextFile(`${cwd}/program.ts`, PROGRAM);
  const failuresOf = async (who: string) => {
    const args = ["run", "-q", "--no-prompt", "--allow-net", `--allow-write=${cwd}`, "program.ts"];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args: [...args, who], cwd })
      .output();
    return new TextDecoder().decode(stdout).trim().split("\n");
  };
  assert.deepEqual(await failuresOf("a server"), Array(4).fill("RpcFailure"));
  assert.deepEqual(await failuresOf("a command"), Array(4).fill("TypeError"));
});
