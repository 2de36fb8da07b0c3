import { utf8 } from "../../base/bytes.ts";
import { once } from "../../base/once.ts";

/**
 * Calls of the system's C library. The database may lie, and its native add-on may write, in
 * folders that `deno.json` doesn't allow this program: the key file belongs there too, and who owns
 * the folder must be known before anything is created in it.
 */
export interface SystemCalls {
  readonly userId: number;
  /** Undefined: there is nothing, or this program may not look there. */
  stat(path: string): FileFacts | undefined;
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
  mayEnter(folder: string): boolean;
  /** Undefined if there is no user with this number. */
  userName(userId: number): string | undefined;
  /** Undefined: the folder can't be read. */
  namesIn(folder: string): string[] | undefined;
  /** Undefined: it can't be read. */
  readFile(path: string, bytesMax: number): Uint8Array<ArrayBuffer> | undefined;
  /** A new file with a name of its own that begins like the path, readable by its owner only. */
  writeDraft(path: string, bytes: Uint8Array<ArrayBuffer>): string | undefined;
  /** False: there is a file with the new name, or this program may not write there. */
  link(from: string, to: string): boolean;
  rename(from: string, to: string): boolean;
  remove(path: string): void;
}

export interface FileFacts {
  readonly userId: number;
  /** With the bits of its kind. */
  readonly mode: number;
}

type Library = Deno.DynamicLibrary<typeof SYMBOLS & Record<string, Deno.ForeignFunction>>;

const PATH = "buffer";
const SYMBOLS = {
  geteuid: { parameters: [], result: "u32" },
  getpwuid: { parameters: ["u32"], result: "pointer" },
  access: { parameters: [PATH, "i32"], result: "i32" },
  open: { parameters: [PATH, "i32"], result: "i32" },
  mkstemp: { parameters: ["buffer"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  fsync: { parameters: ["i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  link: { parameters: [PATH, PATH], result: "i32" },
  rename: { parameters: [PATH, PATH], result: "i32" },
  unlink: { parameters: [PATH], result: "i32" },
  opendir: { parameters: [PATH], result: "pointer" },
  closedir: { parameters: ["pointer"], result: "i32" },
} as const;

const [READ, WRITE, ENTER] = [4, 2, 1];
const TEXT = new TextDecoder();

/** Where each system keeps what is asked; its C headers say so. */
interface System {
  readonly library: string;
  readonly nameAt: number;
  readonly readdir: string;
  readonly stat: Deno.ForeignFunction & { readonly name: string };
  factsOf(call: (...args: unknown[]) => unknown, path: BufferSource): FileFacts | undefined;
}

const LINUX: System = {
  library: "libc.so.6",
  nameAt: 19,
  readdir: "readdir",
  // Unlike stat, the same on all processors.
  stat: {
    name: "statx",
    parameters: ["i32", PATH, "i32", "u32", "buffer"],
    result: "i32",
  },
  factsOf: (statx, path) => {
    const [here, typeModeUser] = [-100, 0b1011];
    const answer = new DataView(new ArrayBuffer(256));
    if (statx(here, path, 0, typeModeUser, answer) !== 0) return undefined;
    return { userId: answer.getUint32(20, true), mode: answer.getUint16(28, true) };
  },
};

/** On Intel, the plain names are those of systems before 2007. */
const MAC_SUFFIX = Deno.build.arch === "x86_64" ? "$INODE64" : "";
const MAC: System = {
  library: "libSystem.dylib",
  nameAt: 21,
  readdir: `readdir${MAC_SUFFIX}`,
  stat: { name: `stat${MAC_SUFFIX}`, parameters: [PATH, "buffer"], result: "i32" },
  factsOf: (stat, path) => {
    const answer = new DataView(new ArrayBuffer(256));
    if (stat(path, answer) !== 0) return undefined;
    return { userId: answer.getUint32(16, true), mode: answer.getUint16(4, true) };
  },
};

const SYSTEMS: Partial<Record<typeof Deno.build.os, System>> = { linux: LINUX, darwin: MAC };

const loaded = once(() => ({ calls: load() }));

/** Null where they can't be called: on other systems, or without permission. */
export function systemCalls(): SystemCalls | null {
  return loaded().calls;
}

function load(): SystemCalls | null {
  const system = SYSTEMS[Deno.build.os];
  if (!system || Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
  const { name, ...stat } = system.stat;
  const asked = {
    ...SYMBOLS,
    [name]: stat,
    [system.readdir]: { parameters: ["pointer"], result: "pointer" },
  } as const;
  try {
    return callsOf(Deno.dlopen(system.library, asked) as unknown as Library, system);
  } catch {
    return null;
  }
}

function callsOf({ symbols: c }: Library, system: System): SystemCalls {
  const call = (name: string, ...args: unknown[]) =>
    (c as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
  const may = (path: string, how: number) => c.access(zeroEnded(path), how) === 0;
  return {
    userId: c.geteuid(),
    stat: (path) => system.factsOf((...args) => call(system.stat.name, ...args), zeroEnded(path)),
    mayRead: (path) => may(path, READ),
    mayWrite: (path) => may(path, WRITE),
    mayEnter: (folder) => may(folder, ENTER),
    userName: (userId) => {
      const entry = c.getpwuid(userId);
      if (entry === null) return undefined;
      const name = new Deno.UnsafePointerView(entry).getPointer();
      return name === null ? undefined : new Deno.UnsafePointerView(name).getCString();
    },
    namesIn: (folder) => {
      const listing = c.opendir(zeroEnded(folder));
      if (listing === null) return undefined;
      const names = [];
      for (;;) {
        const entry = call(system.readdir, listing) as Deno.PointerValue;
        if (entry === null) break;
        names.push(new Deno.UnsafePointerView(entry).getCString(system.nameAt));
      }
      c.closedir(listing);
      return names.filter((name) => name !== "." && name !== "..");
    },
    readFile: (path, bytesMax) => {
      const file = c.open(zeroEnded(path), 0);
      if (file < 0) return undefined;
      const bytes = new Uint8Array(bytesMax);
      const length = Number(c.read(file, bytes, BigInt(bytesMax)));
      c.close(file);
      return length < 0 ? undefined : bytes.subarray(0, length);
    },
    writeDraft: (path, bytes) => {
      const name = zeroEnded(`${path}.XXXXXX`);
      const file = c.mkstemp(name);
      if (file < 0) return undefined;
      const isWritten = Number(c.write(file, bytes, BigInt(bytes.length))) === bytes.length &&
        c.fsync(file) === 0;
      c.close(file);
      if (!isWritten) c.unlink(name);
      return isWritten ? TEXT.decode(name.subarray(0, -1)) : undefined;
    },
    link: (from, to) => c.link(zeroEnded(from), zeroEnded(to)) === 0,
    rename: (from, to) => c.rename(zeroEnded(from), zeroEnded(to)) === 0,
    remove: (path) => void c.unlink(zeroEnded(path)),
  };
}

function zeroEnded(path: string): Uint8Array<ArrayBuffer> {
  return utf8(`${path}\0`);
}
