import type { Child, Component } from "../../base/html.ts";
import { EXAMPLES, SHOPS } from "../examples.ts";
import { Code, Tabs } from "../parts/code.tsx";
import { BASE, type DocPage } from "../site.ts";

export const EXAMPLES_PAGE: DocPage = {
  path: `${BASE}/examples`,
  title: "Examples",
  group: "Start",
  show: ({ url }) => show(url),
};

const COMMANDS = [
  ["address ETH USDT order-7", "prints the order's address"],
  [
    "payout ETH USDT 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 20 payout-7",
    "pays once, and prints the withdrawal's id and status",
  ],
  [
    "verify ID TIMESTAMP SIGNATURE < body",
    "checks the headers webhook-id, webhook-timestamp and webhook-signature: exits with 0 if the body is genuine",
  ],
];

function show(url: string): Child {
  return (
    <article class="prose">
      <h1>Examples</h1>
      <p>
        One file for each language, without any packages. It signs requests, retries them safely,
        and verifies webhooks. Save it, and set four variables:
      </p>
      <Code
        text={`export CPG_URL=${url} CPG_KEY_ID=cpg_… CPG_SECRET=… CPG_WEBHOOK_SECRET=whsec_…`}
      />
      <Tabs
        id="language"
        legend="Language"
        tabs={EXAMPLES.map(({ language, file, text, start }) => ({
          label: language,
          content: (
            <>
              <Code
                title="How to run it"
                text={COMMANDS.map(([command, does]) => `# ${does}\n${start} ${command}`).join(
                  "\n",
                )}
              />
              <Code title={file} text={text} />
            </>
          ),
        }))}
      />
      <Shops />
    </article>
  );
}

const Shops: Component<object> = () => (
  <>
    <h2>Whole shops</h2>
    <p>
      In Node, with the SDK: one is paid by invoices, the other has an address for each order. In
      Python and PHP, without packages: the one that is paid by invoices. It uses{" "}
      <code>cpg.py</code> or <code>cpg.php</code> above, and{" "}
      <a href={`${BASE}/guides/shop#webhooks-in-python-and-php`}>receivers of webhooks</a>. The{" "}
      <a href={`${BASE}/guides/shop`}>guide</a> explains them part by part.
    </p>
    {SHOPS.map(({ id, file, text }) => (
      <section id={id}>
        <Code title={file} text={text} />
      </section>
    ))}
  </>
);
