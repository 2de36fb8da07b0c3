import { shownText } from "../words/amounts.ts";
import { isLocal } from "../mode.ts";
import { VolumeChart } from "../parts/chart.tsx";
import { AMOUNT, STATUS } from "../parts/columns.tsx";
import { Age, Card, EmptyState, Facts, Hash, Long, Money, Status, Time } from "../parts/facts.tsx";
import { Field, Select } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { page } from "../routes.ts";
import { BASE, NotFound, type Visit } from "../visit.ts";

const HASH = `0x${"c0ffee42".repeat(8)}`;
const USERS = ["customer-7", "x".repeat(120), "محمد العربي", "🚀👩‍👩‍👧 rocket", "ann@example.com"];
const AMOUNTS = ["46540.15", "0.000000000123456", "9".repeat(78), "1", "-12.5"];
const STATUSES = ["confirmed", "detected", "failed", "below_minimum", "sweep_pending"];

const SAMPLES = USERS.map((user, i) => ({
  user,
  amount: AMOUNTS[i] ?? "0",
  currency: i % 2 === 0 ? "USDT" : "ETH",
  status: STATUSES[i] ?? "confirmed",
}));
type Sample = typeof SAMPLES[number];

/** Every part with ordinary and with extreme contents, for whoever works on the dashboard. */
const partsPage = page({
  path: "/parts",
  ability: "see",
  show: async (visit) => {
    if (!isLocal((await visit.deps.catalog.current()).networks)) throw new NotFound();
    return (
      <Page
        visit={visit}
        title="Parts"
        extra="home"
        actions={<a class="button" href={BASE}>Button</a>}
      >
        <Verdicts />
        <Card title="Table">
          <Table caption="Samples" rows={SAMPLES} empty="" columns={columnsFor(visit)} />
        </Card>
        <div class="grid">
          <States />
          <Amounts visit={visit} />
        </div>
        <Fields visit={visit} />
        <Drawings />
      </Page>
    );
  },
});

const Verdicts = () => (
  <>
    {(["good", "under-way", "bad", "plain"] as const).map((tone) => (
      <section class={`verdict ${tone}`}>
        <p>
          <strong>The lead.</strong> The sentence that says the same as colour and mark.
        </p>
      </section>
    ))}
    {["done", "warn", "fault"].map((kind) => (
      <p class={`message ${kind}`}>A message of the kind {kind}</p>
    ))}
  </>
);

function columnsFor(visit: Visit): Column<Sample>[] {
  return [
    { title: "Customer", at: "title", cell: ({ user }) => <Long text={user} href={BASE} /> },
    AMOUNT,
    STATUS,
    { title: "Transaction", cell: () => <Hash text={HASH} /> },
    {
      title: "Age",
      at: "age",
      isNumber: true,
      cell: () => <Age atMs={visit.nowMs - 120_000} nowMs={visit.nowMs} />,
    },
  ];
}

const States = () => (
  <Card title="States">
    <p class="actions">{STATUSES.map((value) => <Status value={value} />)}</p>
    <ol class="timeline">
      <li>
        <strong>Seen</strong>
      </li>
      <li class="ahead now" aria-current="step">2 of 3 blocks</li>
      <li class="ahead">Credited</li>
    </ol>
    <EmptyState title="Nothing here yet" next={<a href={BASE}>What to do next</a>}>
      An empty state says what will be here.
    </EmptyState>
  </Card>
);

const Amounts = ({ visit }: { visit: Visit }) => (
  <Card title="Amounts and times">
    <Facts
      rows={[
        ...AMOUNTS.map((amount) => ["Shortened, whole", <Both amount={amount} />] as const),
        ["Time", <Time atMs={visit.nowMs} hasAge />],
        ["No time", <Time atMs={null} />],
        ["Long text", <Long text={"y".repeat(120)} />],
      ]}
    />
  </Card>
);

const Both = ({ amount }: { amount: string }) => (
  <>
    <Money amount={amount} currency="ETH" />
    <br />
    <Money amount={amount} currency="ETH" isWhole />
  </>
);

const Fields = ({ visit }: { visit: Visit }) => (
  <Card title="Fields">
    <form class="column">
      <Field visit={visit} name="sample" label="Field" hint="What goes in here" isRequired />
      <Select
        visit={visit}
        name="choice"
        label="Choice"
        options={USERS.map((value) => ({ value, label: value }))}
      />
      <p class="actions">
        <button type="button">Primary</button>
        <button type="button" class="plain">Plain</button>
        <button type="button" class="danger">Danger</button>
      </p>
    </form>
  </Card>
);

const BARS = Array.from({ length: 14 }, (_, i) => ({
  label: `11-${i + 10}`,
  inText: String((i * 37) % 90 + 5),
  outText: String((i * 53) % 60),
  beforeText: String((i * 29) % 80),
}));

const Drawings = () => (
  <Card title="Chart">
    <VolumeChart bars={BARS} title="Sample" unit="USDT (Ethereum)" said={shownText} />
  </Card>
);

export const PARTS_ROUTES = [partsPage];
