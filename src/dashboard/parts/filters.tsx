import { stateWord } from "../words/states.ts";
import type { Component } from "../../base/html.ts";
import { distinctSymbols } from "../../domain/money/symbols.ts";
import { networkName } from "../../networks/catalogue.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { Visit } from "../visit.ts";
import { accountOptions } from "./account.tsx";
import { Field, Select } from "./form.tsx";

const ANY = { value: "", label: "All" };

/** For those who see several accounts. */
export const AccountFilter: Component<{ visit: Visit }> = async ({ visit }) => {
  if (!visit.seesAll) return null;
  const [options, asked] = [await accountOptions(visit), visit.query.get("account")?.trim() ?? ""];
  if (!options) return <NumberFilter visit={visit} name="account" label="Account number" />;
  const isOther = asked !== "" && !options.some(({ value }) => value === asked);
  if (options.length === 1 && !isOther) return null;
  const others = isOther ? [{ value: asked, label: asked }] : [];
  return (
    <Select
      visit={visit}
      name="account"
      label="Account"
      value={asked}
      options={[ANY, ...options, ...others]}
    />
  );
};

export const TextFilter: Component<{ visit: Visit; name: string; label: string }> = (
  { visit, name, label },
) => <Field visit={visit} name={name} label={label} value={visit.query.get(name) ?? ""} isFilter />;

export const NumberFilter: Component<{ visit: Visit; name: string; label: string }> = (
  { visit, name, label },
) => (
  <Field
    visit={visit}
    name={name}
    label={label}
    inputmode="numeric"
    isFilter
    value={visit.query.get(name) ?? ""}
  />
);

export const ChoiceFilter: Component<{
  visit: Visit;
  name: string;
  label: string;
  choices: readonly string[];
  wordOf?(choice: string): string;
}> = ({ visit, name, label, choices, wordOf = stateWord }) => (
  <Select
    visit={visit}
    name={name}
    label={label}
    value={visit.query.get(name) ?? ""}
    options={[ANY, ...choices.map((value) => ({ value, label: wordOf(value) }))]}
  />
);

export function networkOptions(networks: readonly NetworkRow[]) {
  return networks.map((row) => ({ value: row.code, label: networkName(row) }));
}

export function symbolsOf({ currencies }: Catalog): string[] {
  return distinctSymbols(currencies.map(({ symbol }) => symbol).toSorted());
}
