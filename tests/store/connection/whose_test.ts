import assert from "node:assert/strict";
import type { SystemCalls } from "../../../src/store/connection/native_calls.ts";
import { assertOwn, assertOwnDatabase, whyClosed } from "../../../src/store/connection/whose.ts";

const [FOLDER, FILE] = [0o040000, 0o100000];
const ROOT = 0;
const CPG = 997;
const NAMES = new Map([[ROOT, "root"], [CPG, "cpg"], [1000, "ann"]]);

type Things = Readonly<Record<string, readonly [userId: number, mode: number]>>;

/** A system with these files and folders, and without groups. */
function systemOf(things: Things, userId: number): SystemCalls {
  const stat = (path: string) => {
    const found = things[path];
    return found && { userId: found[0], mode: found[1] };
  };
  const may = (bit: number) => (path: string) => {
    const facts = stat(path);
    if (!facts) return false;
    return userId === ROOT || (facts.mode & (facts.userId === userId ? bit << 6 : bit)) !== 0;
  };
  const no = () => assert.fail("It only looks");
  return {
    ...{ userId, stat, mayRead: may(4), mayWrite: may(2), mayEnter: may(1) },
    userName: (id) => NAMES.get(id),
    ...{ namesIn: no, readFile: no, writeDraft: no, link: no, rename: no, remove: no },
  };
}

const HOME: Things = { "/": [ROOT, FOLDER | 0o755], "/srv": [ROOT, FOLDER | 0o755] };
const DATA: Things = { ...HOME, "/srv/data": [CPG, FOLDER | 0o700] };

const CLOSED: readonly [title: string, things: Things, userId: number, why: string][] = [
  [
    "its folder is missing",
    HOME,
    CPG,
    "its folder /srv/data doesn't exist",
  ],
  [
    "its folder is a file",
    { ...HOME, "/srv/data": [CPG, FILE | 0o600] },
    CPG,
    "/srv/data is not a folder",
  ],
  [
    "it is a folder",
    { ...DATA, "/srv/data/cpg.db": [CPG, FOLDER | 0o700] },
    CPG,
    "it is a folder itself",
  ],
  [
    "its folder is another user's",
    DATA,
    1000,
    "/srv/data belongs to cpg (uid 997) with mode 0700, and this program, which runs as ann " +
    "(uid 1000), may not look into it: run it as that user, for example: sudo -u cpg deno task cpg …",
  ],
  [
    "the file is root's, which created it",
    { ...DATA, "/srv/data/cpg.db": [ROOT, FILE | 0o600] },
    CPG,
    "/srv/data/cpg.db belongs to root (uid 0) with mode 0600, and this program, which runs as cpg " +
    "(uid 997), may not read and write it",
  ],
  [
    "a file beside it is root's",
    {
      ...DATA,
      "/srv/data/cpg.db": [CPG, FILE | 0o600],
      "/srv/data/cpg.db-wal": [ROOT, FILE | 0o600],
    },
    CPG,
    "/srv/data/cpg.db-wal belongs to root (uid 0) with mode 0600, and this program, which runs as " +
    "cpg (uid 997), may not read and write it",
  ],
  [
    "its folder may only be read",
    { ...HOME, "/srv/data": [ROOT, FOLDER | 0o755] },
    4242,
    "/srv/data belongs to root (uid 0) with mode 0755, and this program, which runs as uid 4242, " +
    "may not write there",
  ],
];

for (const [title, things, userId, why] of CLOSED) {
  Deno.test(`a database that can't be opened because ${title} is refused with that reason`, () => {
    assert.equal(whyClosed("/srv/data/cpg.db", systemOf(things, userId)), why);
  });
}

Deno.test("without the system's own calls, what may be wrong is still said", () => {
  assert.match(
    whyClosed("/srv/data/cpg.db", null),
    /^its folder is missing, it is a folder itself/,
  );
});

Deno.test("nothing is created in another user's folder, or in what would be created there", () => {
  const refuses = (things: Things, userId: number) =>
    assert.throws(() => assertOwn("/srv/data/cpg.db", systemOf(things, userId)), {
      name: "OperatorError",
      message: "/srv/data belongs to cpg (uid 997), who couldn't read what this program creates " +
        `there as ${NAMES.get(userId)} (uid ${userId}): run it as that user, for example: ` +
        "sudo -u cpg deno task cpg …, or give it to this one (chown)",
    });
  refuses(DATA, ROOT);
  refuses(DATA, 1000);
  const inside = { ...HOME, "/srv": [CPG, FOLDER | 0o755] } as const;
  assert.throws(
    () => assertOwn("/srv/data/cpg.db", systemOf(inside, ROOT)),
    /^OperatorError: \/srv belongs/,
  );
});

Deno.test("one's own folder, root's and one for everybody are fine to create a database in", () => {
  const of = (userId: number, mode: number) => ({ ...HOME, "/srv/data": [userId, mode] }) as const;
  for (
    const [things, userId] of [
      [DATA, CPG],
      [of(ROOT, FOLDER | 0o775), CPG],
      [of(1000, FOLDER | 0o1777), CPG],
      [of(65_534, FOLDER | 0o755), ROOT],
    ] as const
  ) {
    assertOwn("/srv/data/cpg.db", systemOf(things, userId));
  }
});

Deno.test("a database that is there is updated and served by its user, or by whoever served it", () => {
  const file = { ...DATA, "/srv/data/cpg.db": [CPG, FILE | 0o600] } as const;
  const lock = "/srv/data/cpg.db.serving";
  assertOwnDatabase("/srv/data/cpg.db", systemOf(file, CPG));
  assertOwnDatabase("/srv/data/cpg.db", systemOf({ ...file, [lock]: [ROOT, FILE] }, ROOT));
  for (const things of [file, { ...file, [lock]: [CPG, FILE | 0o600] }, DATA] as const) {
    assert.throws(
      () => assertOwnDatabase("/srv/data/cpg.db", systemOf(things, ROOT)),
      /belongs to cpg \(uid 997\), .* as root \(uid 0\): run it as that user, for example: sudo -u cpg/,
    );
  }
});
