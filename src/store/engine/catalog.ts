import { type AccountRow, Accounts } from "../../accounts/tables/accounts.ts";
import type { Clock } from "../../base/clock.ts";
import { Currencies, type CurrencyRow, type NetworkRow, Networks } from "../../networks/table.ts";
import { type Db, queryOne } from "./db.ts";
import type { Table } from "../tables/table.ts";

/** All networks and currencies, which match in any case, and who reports in a currency. */
export interface Catalog {
  readonly version: number;
  /**
   * After a restore, new accounts, records and deposit addresses are numbered from here, beyond
   * everything issued after the backup; 0 if never restored.
   */
  readonly numberedFrom: number;
  readonly networks: readonly NetworkRow[];
  readonly currencies: readonly CurrencyRow[];
  /** By account; those that report in none are left out. */
  readonly reporting: ReadonlyMap<number, string>;
  network(code: string): NetworkRow | undefined;
  currency(network: string, symbol: string): CurrencyRow | undefined;
  currencyByContract(network: string, contract: string | null): CurrencyRow | undefined;
}

export interface CatalogSource {
  current(): Promise<Catalog>;
  /** What is in memory, if it is recent enough. */
  fresh(): Catalog | undefined;
}

const CHECK_EVERY_MS = 250;

/** Keeps the catalogue in memory and checks for changes at most four times a second. */
export function createCatalogSource(
  db: Db,
  clock: Clock,
  /** What must be known of networks before anybody uses them; they are genuine. */
  learn: (networks: readonly NetworkRow[]) => Promise<void> = () => Promise.resolve(),
): CatalogSource {
  let catalog: Catalog | undefined;
  let checkedAtMs = -Infinity;
  let seenWrites = -1;
  let running: Promise<Catalog> | undefined;

  async function refresh(): Promise<Catalog> {
    const askedAtMs = clock.nowMs();
    const writes = db.configWrites();
    const state = await configState(db);
    const isSame = catalog?.version === state.version;
    const newest = catalog && isSame ? catalog : await loadCatalog(db, state);
    if (newest !== catalog) {
      await learn(newest.networks.filter((row) => db.isGenuine(Networks, row)));
    }
    catalog = newest;
    checkedAtMs = askedAtMs;
    seenWrites = writes;
    return newest;
  }

  function fresh(): Catalog | undefined {
    const ageMs = clock.nowMs() - checkedAtMs;
    const isFresh = ageMs >= 0 && ageMs < CHECK_EVERY_MS && seenWrites === db.configWrites();
    return isFresh ? catalog : undefined;
  }

  async function current(): Promise<Catalog> {
    const known = fresh();
    if (known) return known;
    // A refresh in progress may have read before this process's own last change, so look again.
    if (running) await running;
    return fresh() ?? await (running ??= refresh().finally(() => running = undefined));
  }

  return { current, fresh };
}

type ConfigState = Pick<Catalog, "version" | "numberedFrom">;

async function configState(db: Db): Promise<ConfigState> {
  const row = await queryOne(
    db,
    "SELECT config_version AS version, deposit_index_from AS first FROM write_clock WHERE id = 1",
  );
  return { version: Number(row.version), numberedFrom: Number(row.first) };
}

async function loadCatalog(db: Db, state: ConfigState): Promise<Catalog> {
  const [allNetworks, allCurrencies, reporters] = await Promise.all([
    db.rows(Networks, "ORDER BY code"),
    db.rows(Currencies, "ORDER BY network, contract_address IS NOT NULL, symbol"),
    db.rows(Accounts, "WHERE reporting IS NOT NULL"),
  ]);
  // Nobody turns real coins into test coins, which others could then pay with, by a row of theirs.
  const networks = allNetworks.map((row) =>
    db.isGenuine(Networks, row) ? row : { ...asOff(db, Networks, row), isTest: false }
  );
  const currencies = allCurrencies.map((row) => asOff(db, Currencies, row));
  const byCode = new Map(networks.map((row) => [row.code.toLowerCase(), row]));
  const bySymbol = new Map(currencies.map((row) => [nameOf(row.network, row.symbol), row]));
  const byContract = new Map(
    currencies.map((row) => [nameOf(row.network, row.contractAddress ?? ""), row]),
  );
  return {
    ...state,
    networks,
    currencies,
    reporting: new Map(reporters.flatMap((row) => reportingIn(db, row))),
    network: (code) => byCode.get(code.toLowerCase()),
    currency: (network, symbol) => bySymbol.get(nameOf(network, symbol)),
    currencyByContract: (network, contract) => byContract.get(nameOf(network, contract ?? "")),
  };
}

/** A row somebody else wrote is shown but switched off, because a copy is never genuine. */
function asOff<Row extends { isActive: boolean }>(db: Db, table: Table<Row>, row: Row): Row {
  return db.isGenuine(table, row) ? row : { ...row, isActive: false };
}

function reportingIn(db: Db, row: AccountRow): [number, string][] {
  return row.reporting !== null && db.isGenuine(Accounts, row) ? [[row.id, row.reporting]] : [];
}

function nameOf(network: string, rest: string): string {
  return `${network}/${rest}`.toLowerCase();
}
