import type { Actor, Deps } from "../deps/deps.ts";
import type { LiveSession } from "../access/manage_sessions.ts";
import { OperatorError } from "../domain/refusal.ts";
import { type RelyingParty, relyingPartyOf } from "../access/rules/relying_party.ts";
import { isAble, isGatewayRole } from "../access/rules/roles.ts";
import type { Ability, Role } from "../access/rules/roles.ts";
import type { SessionRow, UserRow } from "../access/tables/users.ts";
import type { Flash } from "./cookies.ts";
import type { EnvironmentSetting } from "./environment.ts";
import { Form, FormFault } from "./form.ts";
import type { Section } from "./sections.ts";
import type { Standing } from "./standing.ts";
import { type Coin, coinName, networkName } from "../networks/catalogue.ts";
import type { NetworkRow } from "../networks/table.ts";
import { moneyText } from "../domain/money/written.ts";

export const BASE = "/dashboard";
/** No match: not an account id. */
const NO_ACCOUNT = 0;

/** No such page, or somebody else's: the answer is the same. */
export class NotFound extends Error {
  override name = "NotFound";
}

export interface NavItem {
  readonly path: string;
  readonly label: string;
  readonly group: Section;
}

type Method = "GET" | "POST";

/** Only whoever knows all pages can tell where a path leads. */
export type MayFollow = (
  who: { readonly role: Role; readonly mustSetUp: boolean },
  method: Method,
  path: string,
) => boolean;

/** Known for every request. */
export interface RequestFacts {
  readonly deps: Deps;
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  readonly origin: { readonly ip: string; readonly userAgent: string };
  /** From the cookie: a session's or a visitor's. */
  readonly token: string;
  readonly csrf: string;
  /** Different each time a page is shown. */
  readonly pageId: string;
  readonly flash: Flash | undefined;
  readonly form: Form;
  readonly nav: readonly NavItem[];
  readonly mayFollow: MayFollow;
  readonly standing: Standing;
  readonly networks: readonly Pick<NetworkRow, "code" | "name" | "family" | "chainId">[];
  /** The gateway's public address. */
  readonly publicUrl: string;
  readonly environment: readonly EnvironmentSetting[];
  /** The demo's program shows it. */
  readonly isDemo: boolean;
}

/** A request from a visitor who has not signed in. */
export class Guest {
  readonly deps: Deps;
  /** Of the page that is shown. */
  url: URL;
  readonly query: URLSearchParams;
  readonly form: Form;
  /** What was wrong with the form that is shown again. */
  fault: FormFault | undefined;

  constructor(readonly facts: RequestFacts) {
    this.deps = facts.deps;
    this.url = facts.url;
    this.query = facts.url.searchParams;
    this.form = facts.form;
  }

  get origin() {
    return this.facts.origin;
  }

  /** Where passkeys work; undefined: nowhere. */
  get site(): RelyingParty | undefined {
    return relyingPartyOf(this.facts.publicUrl, this.facts.url);
  }

  get nowMs(): number {
    return this.deps.clock.nowMs();
  }

  param(name: string): string {
    return this.facts.params[name] ?? "";
  }

  /** An id in the path. */
  id(name = "id"): number {
    const text = this.param(name);
    if (!/^\d{1,15}$/.test(text)) throw new NotFound();
    return Number(text);
  }

  /** Lists are newest first, unless they were turned round. */
  get isOldestFirst(): boolean {
    return this.query.get("order") === "oldest";
  }

  /** What a field shows: the rejected input, or else the stored value. */
  typed(name: string, stored = ""): string {
    return this.fault ? this.form.text(name) : stored;
  }

  /** Whether a link or form to this path is worth showing. */
  may(_method: Method, _path: string): boolean {
    return true;
  }

  /**
   * Shows the form's page again, at the form's address, so the page's links need the page's own
   * address.
   */
  refuse(error: OperatorError, pagePath: string): void {
    this.url = new URL(BASE + pagePath, this.url);
    this.fault = error instanceof FormFault ? error : new FormFault(error.message);
  }
}

/** A request from a signed-in user. */
export class Visit extends Guest {
  readonly user: UserRow;
  readonly session: SessionRow;

  constructor(facts: RequestFacts, { user, session }: LiveSession) {
    super(facts);
    this.user = user;
    this.session = session;
  }

  /** "Ethereum" */
  network(code: string): string {
    const row = this.facts.networks.find((one) => one.code === code);
    return row ? networkName(row) : code;
  }

  /** "USDT (Ethereum)" */
  coin(coin: Coin): string {
    return coinName(coin, this.facts.networks);
  }

  /** "1,234.5 USDT (Ethereum)", all digits. */
  money({ amount, ...coin }: Coin & { readonly amount: string }): string {
    return moneyText(amount, { currency: this.coin(coin), isCoin: true, rounding: "exact" });
  }

  /** The coin of "ETH/USDT". */
  asset(asset: string): string {
    const [network = asset, currency = network] = asset.split("/");
    return this.coin({ network, currency });
  }

  get isOperator(): boolean {
    return this.user.role === "operator";
  }

  /** Roles of the whole installation. */
  get seesAll(): boolean {
    return isGatewayRole(this.user.role);
  }

  isAble(ability: Ability): boolean {
    return isAble(this.user.role, ability);
  }

  override may(method: Method, path: string): boolean {
    const { mayFollow, standing: { mustSetUp } } = this.facts;
    return mayFollow({ role: this.user.role, mustSetUp }, method, path);
  }

  /** The only account that the user sees; null: all. */
  get accountId(): number | null {
    return this.user.accountId;
  }

  /** For the audit log. */
  get actor(): Actor {
    return { name: `user:${this.user.id}`, ip: this.origin.ip };
  }

  /** The account to list: always a merchant's own. */
  accountWanted(text: string | null = this.query.get("account")): number | null {
    if (this.accountId !== null) return this.accountId;
    const asked = text?.trim() ?? "";
    if (asked === "") return null;
    return /^\d{1,15}$/.test(asked) ? Number(asked) : NO_ACCOUNT;
  }

  /** Which page of a list: its rows follow this id. */
  get paging(): { readonly cursor: number | null; readonly isOldestFirst: boolean } {
    return { cursor: this.cursor, isOldestFirst: this.isOldestFirst };
  }

  get cursor(): number | null {
    const text = this.query.get("cursor") ?? "";
    return /^\d{1,15}$/.test(text) ? Number(text) : null;
  }

  /** The account stays chosen. */
  override refuse(error: OperatorError, pagePath: string): void {
    super.refuse(error, pagePath);
    const account = this.form.text("account").trim();
    if (this.seesAll && account !== "") this.query.set("account", account);
  }

  /** One of these, or null: all. */
  wanted<const C extends string>(name: string, choices: readonly C[]): C | null {
    return choices.find((choice) => choice === this.query.get(name)) ?? null;
  }

  /** Another account's row and a missing one get the same answer. */
  own<T extends { readonly accountId: number | null }>(row: T | undefined): T {
    if (!row || (this.accountId !== null && row.accountId !== this.accountId)) throw new NotFound();
    return row;
  }
}
