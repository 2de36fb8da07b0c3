const ROOT = new URL("../../../", import.meta.url).pathname;
const PARTS = [
  ".ci",
  "README.md",
  "deno.json",
  "deno.lock",
  "docs",
  "main.ts",
  "migrations",
  "src",
];

export interface Checkout extends AsyncDisposable {
  readonly folder: string;
  /** Removes what was made in it. */
  clean(): Promise<void>;
}

/** A checkout of its own, as an operator has one, with nothing in ./data yet. */
export async function makeCheckout(): Promise<Checkout> {
  const folder = await makeFolder();
  const { success } = await new Deno.Command("cp", {
    args: ["-R", ...PARTS, folder],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`Cannot copy the checkout to ${folder}`);
  return {
    folder,
    clean: async () => {
      for await (const { name } of Deno.readDir(folder)) {
        if (!PARTS.includes(name)) await Deno.remove(`${folder}/${name}`, { recursive: true });
      }
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** With the first free number: in a folder that it knows, Deno has compiled the program before. */
async function makeFolder(): Promise<string> {
  const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
  for (let number = 1;; number++) {
    const folder = `${temporary}/cpg-checkout-${number}`;
    try {
      await Deno.mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}
