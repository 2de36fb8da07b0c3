import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { utf8 } from "../../base/bytes.ts";
import { fieldFault, FormFault } from "../../dashboard/form.ts";
import {
  AccountChoice,
  accountChosen,
  accountOf,
  withAccount,
} from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { checkBatch, type CheckedBatch } from "../check_batch.ts";
import { createBatch } from "../create_batch.ts";
import { payableOf } from "../payable.ts";
import {
  BATCH_BYTES_MAX,
  BATCH_LINES_MAX,
  type LineFault,
  type ReadFile,
  readPayoutFile,
} from "../rules/read_file.ts";
import { PayableNow } from "../../withdrawals/pages/payable.tsx";
import { faultText, sumFaults } from "../../withdrawals/words/payouts.ts";

/** What the page lists; a wrong file is usually wrong in the same way everywhere. */
const FAULTS_MAX = 100;
/** Before the line's number, as the name of a field. */
const FAULT = "line ";

const newBatchPage = page({
  path: "/batches/new",
  ability: "pay",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="Pay many at once"
        up={{ path: withAccount(visit, "/withdrawals"), label: "Payouts" }}
        actions={
          <a class="button plain" href={BASE + withAccount(visit, "/batches")}>Earlier batches</a>
        }
      >
        <AccountChoice visit={visit} account={account} word="From" />
        {account && <BatchForm visit={visit} account={account} />}
      </Page>
    );
  },
});

const BatchForm = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const assets = await payableOf(visit.deps, account.id);
  const options = assets.map(({ currency: { network, symbol } }) => ({
    value: `${network}/${symbol}`,
    label: visit.asset(`${network}/${symbol}`),
  }));
  return (
    <>
      <Faults visit={visit} />
      {options.length > 0 && (
        <Card>
          <Form visit={visit} action="/batches/new" hasFile>
            <input type="hidden" name="account" value={String(account.id)} />
            <Select
              visit={visit}
              name="asset"
              label="Currency"
              hint="For lines that don't name one."
              options={options}
            />
            <FileFields visit={visit} />
            <Submit>Check</Submit>
          </Form>
          <Columns />
        </Card>
      )}
      <PayableNow visit={visit} assets={assets} />
    </>
  );
};

const newBatchAct = act({
  path: "/batches/new",
  ability: "pay",
  on: newBatchPage,
  run: async (visit) => {
    const { deps, actor } = visit;
    const account = await accountChosen(visit);
    const { lines, faults } = fileOf(visit);
    const wish = { accountId: account.id, lines };
    refuseIfAny([...faults, ...faultsOf(await checkBatch(deps, wish))]);
    const { id } = await createBatch(deps, { ...wish, actor });
    return { to: `/batches/${id}` };
  },
});

function faultsOf({ lines, references, sums }: CheckedBatch): LineFault[] {
  const faults = lines.flatMap(({ line, checked }) =>
    checked.faults.map((fault) => ({ line, text: faultText(fault, checked) }))
  );
  return [...faults, ...references, ...sums.flatMap(sumFaults)];
}

/** A file wins over pasted text. */
function fileOf({ form }: Visit): ReadFile {
  const [network = "", currency = ""] = form.read((fields) =>
    fields.required("asset", kind.text({ max: 80 }))
  ).split("/");
  const text = form.text("file") || form.text("lines");
  if (text.trim() === "") throw fieldFault("lines", "Choose a file or paste its lines");
  if (utf8(text).length > BATCH_BYTES_MAX) throw fieldFault("lines", "That is too long");
  return readPayoutFile(text, { network, currency });
}

function refuseIfAny(faults: readonly LineFault[]): void {
  if (faults.length === 0) return;
  const fields = new Map<string, string>();
  for (const { line, text } of faults.toSorted((a, b) => a.line - b.line)) {
    const name = `${FAULT}${line}`;
    const before = fields.get(name);
    fields.set(name, before === undefined ? text : `${before}. ${text}`);
  }
  throw new FormFault("Nothing was paid. Correct the errors below and check again", fields);
}

export const NEW_BATCH_ROUTES = [newBatchPage, newBatchAct];

const Columns = () => (
  <div id="columns" class="hint">
    <p>
      One payout per line:{" "}
      <code>to_address, amount, reference, currency, network</code>. The first two are required. A
      first line with these names may put them in another order. Separate them with commas,
      semicolons or tabs, and write amounts like <code>12.5</code>.
    </p>
    <p>
      At most {BATCH_LINES_MAX} lines and {BATCH_BYTES_MAX / 1024}{" "}
      KiB. Nothing is paid before you have seen all lines and their sums.
    </p>
  </div>
);

const Faults = ({ visit: { fault } }: { visit: Visit }) => {
  const lines = [...fault?.fields ?? []].filter(([name]) => name.startsWith(FAULT));
  if (lines.length === 0) return null;
  return (
    <Card title={lines.length === 1 ? "One error" : `${lines.length} errors`}>
      <ul class="faults">
        {lines.slice(0, FAULTS_MAX).map(([name, text]) => (
          <li>
            {name !== `${FAULT}0` && <strong>{`Line ${name.slice(FAULT.length)}: `}</strong>}
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
      {lines.length > FAULTS_MAX && (
        <p>{`And ${lines.length - FAULTS_MAX} more, shown once these are corrected.`}</p>
      )}
    </Card>
  );
};

/** For a file, or the same text pasted. */
const FileFields = ({ visit }: { visit: Visit }) => {
  const fault = visit.fault?.fields.get("lines");
  // A file can't be put back into its field, so its text is shown for another try.
  const text = visit.fault ? visit.form.text("file") || visit.form.text("lines") : "";
  return (
    <>
      <div class="field">
        <label for="field-file">
          CSV file <span class="quiet">(or paste it below)</span>
        </label>
        <input id="field-file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain" />
      </div>
      <div class="field">
        <label for="field-lines">
          Lines <span class="quiet">(if there is no file)</span>
        </label>
        <textarea
          id="field-lines"
          name="lines"
          class="mono lines"
          rows={10}
          spellcheck="false"
          aria-invalid={fault ? "true" : undefined}
          aria-describedby={fault ? "field-lines-fault" : "columns"}
        >
          {`\n${text}`}
        </textarea>
        {fault && <p class="field-fault" id="field-lines-fault">{fault}</p>}
      </div>
    </>
  );
};
