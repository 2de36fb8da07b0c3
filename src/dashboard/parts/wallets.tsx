import type { Component } from "../../base/html.ts";
import type { WalletLook } from "../../wallets/look.ts";
import type { CurrencyStock } from "../../wallets/stocks.ts";
import { missingOf } from "../../wallets/rules/wallet_level.ts";
import { networkName } from "../../networks/catalogue.ts";
import { BASE, type Visit } from "../visit.ts";
import { accountColumn } from "./columns.tsx";
import { Address, Hash, Money, Status } from "./facts.tsx";
import { Table } from "./table.tsx";

export function hasGasWallet(looks: readonly WalletLook[]): boolean {
  return looks.some(({ row }) => row.purpose === "gas");
}

export function walletsTitle(looks: readonly WalletLook[]): string {
  return hasGasWallet(looks) ? "Hot and gas wallets" : "Hot wallets";
}

/** Wallets, their state, and how to fund them. */
export const WalletTable: Component<{ visit: Visit; looks: readonly WalletLook[] }> = (
  { visit, looks },
) => (
  <Table
    caption={walletsTitle(looks)}
    rows={looks.map((look) => ({ ...look, accountId: look.row.accountId }))}
    empty="No wallets yet. Enabling the first currency on a network creates one"
    columns={[
      { title: "Network", cell: ({ network }) => networkName(network) },
      { title: "Balance", isNumber: true, isMixed: true, cell: (look) => <Stocks look={look} /> },
      { title: "Level", cell: ({ level }) => <Status value={level} /> },
      ...accountColumn<WalletLook & { accountId: number | null }>(visit),
      { title: "Purpose", cell: ({ row }) => row.purpose === "gas" ? "gas" : "payouts" },
      { title: "Fund", cell: (look) => <Fund look={look} /> },
    ]}
  />
);

const Stocks: Component<{ look: WalletLook }> = ({ look }) => (
  <>
    {look.stocks.map((stock) => (
      <div class="stock">
        <Money
          amount={heldText(stock)}
          currency={stock.symbol}
          id={figureId(look, stock)}
        />
        <Missing stock={stock} />
      </div>
    ))}
    {look.outputs !== null && (
      <div class="small quiet">{look.outputs === 1 ? "in 1 coin" : `in ${look.outputs} coins`}</div>
    )}
  </>
);

const Missing: Component<{ stock: CurrencyStock }> = ({ stock }) => {
  if (stock.level !== "low" && stock.level !== "empty") return null;
  const missing = missingOf(stock);
  const text = missing.isZero() ? "needs some" : `needs ${missing} more`;
  if (missing.isZero() && stock.level === "low") return null;
  return <div class="small quiet">{text}</div>;
};

/** Loaded when it is opened: drawing it for each row would cost more than the rest of the page. */
const Fund: Component<{ look: WalletLook }> = ({ look: { row, network, stocks } }) => (
  <>
    <Hash text={row.address} />{" "}
    <details>
      <summary>QR code</summary>
      <p class="small">
        Send {stocks.map(({ symbol }) => symbol).join(" or ")} on {networkName(network)} to
      </p>
      <p>
        <Address text={row.address} />
      </p>
      <img
        class="qr"
        loading="lazy"
        src={`${BASE}/wallets/${row.id}/qr.svg`}
        alt={`QR code of ${row.address}`}
      />
    </details>
  </>
);

/** For an open page: what they hold; a change in `levels` reloads the page. */
export function walletFigures(looks: readonly WalletLook[]) {
  const figures = looks.flatMap((look) =>
    look.stocks.map((stock) => [figureId(look, stock), heldText(stock)] as const)
  );
  const levels = looks.map(({ row, level, stocks }) => `${row.id} ${level} ${stocks.length}`);
  return { figures: Object.fromEntries(figures), levels: levels.join() };
}

function heldText({ held }: CurrencyStock): string {
  return held?.toString() ?? "unknown";
}

function figureId({ row }: WalletLook, { symbol }: CurrencyStock): string {
  return `wallet-${row.id}-${symbol}`;
}
