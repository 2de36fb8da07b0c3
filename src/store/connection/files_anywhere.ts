import { utf8 } from "../../base/bytes.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { type FileFacts, type SystemCalls, systemCalls } from "./native_calls.ts";
import { folderOf } from "./whose.ts";

/** Small files beside the database, which may lie where `deno.json` lets only its engine write. */
const BYTES_MAX = 4_096;

/** Undefined: there is no such file. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    return await natively(() => Deno.readTextFile(path), path, (calls) => {
      if (!calls.stat(path)) return undefined;
      const bytes = calls.readFile(path, BYTES_MAX);
      if (!bytes) throw new Deno.errors.PermissionDenied(path);
      return new TextDecoder().decode(bytes);
    });
  } catch (error) {
    return missing(error, path);
  }
}

/** Its first characters; undefined if it can't be read or is no file. */
export async function readStart(path: string, length: number): Promise<string | undefined> {
  const bytes = new Uint8Array(length);
  try {
    return await natively(
      async () => {
        using file = await Deno.open(path);
        return textOf(bytes.subarray(0, await file.read(bytes) ?? 0));
      },
      path,
      (calls) => {
        const read = calls.readFile(path, length);
        return read && textOf(read);
      },
    );
  } catch {
    return undefined;
  }
}

/** Empty if the folder is missing or can't be read. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await natively(
      async () => (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name),
      folder,
      (calls) => calls.namesIn(folder) ?? [],
    );
  } catch {
    return [];
  }
}

/** Undefined: there is no such file. */
export async function factsOf(path: string): Promise<FileFacts | undefined> {
  try {
    return await natively(
      async () => {
        const { mode, uid } = await Deno.stat(path);
        return { mode: mode ?? 0o600, userId: uid ?? 0 };
      },
      path,
      (calls) => calls.stat(path),
    );
  } catch (error) {
    return missing(error, path);
  }
}

/** Throws if it may be there. */
function missing(error: unknown, path: string): undefined {
  const { NotFound, NotADirectory, PermissionDenied } = Deno.errors;
  if (error instanceof NotFound || error instanceof NotADirectory) return undefined;
  if (!(error instanceof PermissionDenied)) throw error;
  throw new OperatorError(
    `This program is not allowed to read ${path}: check its owner and mode`,
    { cause: error },
  );
}

/** Only its owner may read it, and it is never incomplete. False: somebody else made it first. */
export async function writeNewFile(path: string, text: string): Promise<boolean> {
  return await natively(
    async () => {
      await Deno.mkdir(folderOf(path), { recursive: true });
      const draft = await writeDraft(path, text);
      try {
        await Deno.link(draft, path);
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.AlreadyExists) return false;
        throw error;
      } finally {
        await Deno.remove(draft);
      }
    },
    path,
    (calls) => {
      const draft = nativeDraft(calls, path, text);
      const isMade = calls.link(draft, path);
      calls.remove(draft);
      if (isMade || calls.stat(path)) return isMade;
      throw notWritten(path);
    },
  );
}

/** At once, even if the power fails. The old content stays under `oldPath`, if that is given. */
export async function replaceFile(
  path: string,
  { text, oldPath }: { text: string; oldPath: string | undefined },
): Promise<void> {
  await natively(
    async () => {
      const draft = await writeDraft(path, text);
      // A hard link, so the file keeps its mode and is never incomplete.
      if (oldPath !== undefined) await Deno.link(path, oldPath);
      await Deno.rename(draft, path);
    },
    path,
    (calls) => {
      const draft = nativeDraft(calls, path, text);
      const isKept = oldPath === undefined || calls.link(path, oldPath);
      if (isKept && calls.rename(draft, path)) return;
      calls.remove(draft);
      throw notWritten(path);
    },
  );
}

/** False: there is no such file. */
export async function renameFile(path: string, to: string): Promise<boolean> {
  if (await factsOf(path) === undefined) return false;
  await natively(() => Deno.rename(path, to), path, (calls) => {
    if (!calls.rename(path, to)) throw notWritten(path);
  });
  return true;
}

async function writeDraft(path: string, text: string): Promise<string> {
  const draft = `${path}.${crypto.randomUUID()}`;
  using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
  await file.write(utf8(text));
  await file.sync();
  return draft;
}

function nativeDraft(calls: SystemCalls, path: string, text: string): string {
  const draft = calls.writeDraft(path, utf8(text));
  if (draft === undefined) throw notWritten(path);
  return draft;
}

function notWritten(path: string): OperatorError {
  return new OperatorError(`${path} can't be written: check the owner and mode of its folder`);
}

/** Through the system itself where `deno.json` doesn't let this program look or write. */
async function natively<T>(
  work: () => Promise<T>,
  path: string,
  otherwise: (calls: SystemCalls) => T,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    const calls = systemCalls();
    if (calls) return otherwise(calls);
    const folder = folderOf(path);
    throw new OperatorError(
      `This program is not allowed to use ${path}: set CPG_MASTER_KEY, or allow it to read and ` +
        `write ${folder}`,
      { cause: error },
    );
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
