import { randomToken, utf8 } from "../../base/bytes.ts";

/** The only folder in which the program itself may create files. */
const OWN_FOLDER = "./data";

/**
 * Creates an empty file that only its owner may read, in places where the database may write and
 * this program may not: it copies the mode of a file created here.
 */
export async function createPrivately(path: string): Promise<void> {
  const pattern = `${OWN_FOLDER}/mode-${randomToken(8)}`;
  await Deno.mkdir(OWN_FOLDER, { recursive: true });
  (await Deno.open(pattern, { write: true, createNew: true, mode: 0o600 })).close();
  try {
    await attach(path, { modeof: pattern });
  } finally {
    await Deno.remove(pattern);
  }
}

/** Asks without creating a file. */
export async function isThere(path: string): Promise<boolean> {
  return await attach(path, { mode: "ro" }).then(() => true, (error) => {
    // For a damaged file the message is the same, but the code differs.
    return error.code !== "SQLITE_CANTOPEN";
  });
}

const LIBRARIES: Partial<Record<typeof Deno.build.os, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.dylib",
};

/** Removes what the database wrote in a place where it may write and this program may not. */
export function removeNatively(path: string): void {
  const name = LIBRARIES[Deno.build.os];
  if (name === undefined) throw new Error(`${path} can't be removed by this program`);
  const library = Deno.dlopen(name, { unlink: { parameters: ["buffer"], result: "i32" } });
  try {
    library.symbols.unlink(utf8(`${path}\0`));
  } finally {
    library.close();
  }
}

async function attach(path: string, options: Record<string, string>): Promise<void> {
  const { default: Database } = await import("libsql");
  const name = path.split("/").map(encodeURIComponent).join("/");
  const database = new Database(":memory:");
  try {
    database.exec(`ATTACH 'file:${quoted(name)}?${new URLSearchParams(options)}' AS other`);
  } finally {
    database.close();
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
