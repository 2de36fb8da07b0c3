import type { ApiKeyRow } from "../../store/tables/setup.ts";
import { installSdk } from "../../domain/sdk_file.ts";
import type { Permission } from "../rules/permissions.ts";
import { Card, CopyButton } from "../../dashboard/parts/facts.tsx";
import { apiUrlOf, docsUrlOf } from "../../dashboard/environment.ts";
import type { Visit } from "../../dashboard/visit.ts";

const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Calls that change nothing, by what the key may do. */
const CALLS: readonly { permission: Permission; path: string; method: string }[] = [
  { permission: "read_balance", path: "/v1/_ping", method: "ping()" },
  { permission: "list_currencies", path: "/v1/currencies", method: "listCurrencies()" },
];

/** The first signed call, with the key that was just created. */
export const FirstCall = (
  { visit, row, secret }: {
    visit: Visit;
    row: Pick<ApiKeyRow, "keyId" | "permissions">;
    secret: string;
  },
) => {
  const call = CALLS.find(({ permission }) => row.permissions.includes(permission));
  if (!call) return null;
  const docs = docsUrlOf(visit.facts);
  const key = { url: apiUrlOf(visit.facts), keyId: row.keyId, secret };
  return (
    <Card title="Make your first call" id="first-call">
      <Program title="In a shell" id="first-curl" text={curlCall(key, call.path)} />
      {docs && (
        <>
          <Program title="With the SDK" id="first-sdk" text={sdkCall(key, call.method)} />
          <MoreHelp docs={docs} />
        </>
      )}
    </Card>
  );
};

const MoreHelp = ({ docs }: { docs: string }) => (
  <p class="quiet">
    The rest is in the <a href={docs}>documentation</a>. If a signature is refused,{" "}
    <a href={`${docs}/sign`}>/docs/sign</a> and the request log show why.
  </p>
);

const Program = ({ title, id, text }: { title: string; id: string; text: string }) => (
  <>
    <h3>
      {title} <CopyButton text={text} />
    </h3>
    <pre id={id}>{text}</pre>
  </>
);

interface Key {
  readonly url: string;
  readonly keyId: string;
  readonly secret: string;
}

function curlCall({ url, keyId, secret }: Key, path: string): string {
  return `CPG_URL='${url}'
CPG_KEY_ID='${keyId}'
CPG_SECRET='${secret}'
NOW=$(date +%s)
# Time, method, path, query and the hash of the body; the last two are empty here.
SIGNATURE=$(printf '%s\\nGET\\n${path}\\n\\n${EMPTY_HASH}' "$NOW" |
  openssl dgst -sha256 -hmac "$CPG_SECRET" -r | cut -d' ' -f1)
curl -sS "$CPG_URL${path}" -H "X-CPG-Key: $CPG_KEY_ID" \\
  -H "X-CPG-Timestamp: $NOW" -H "X-CPG-Signature: $SIGNATURE"`;
}

function sdkCall({ url, keyId, secret }: Key, method: string): string {
  return `// ${installSdk(url)}
import { Cpg } from "cpg-sdk";
const cpg = new Cpg({ url: "${url}", keyId: "${keyId}", secret: "${secret}" });
console.log(await cpg.${method});`;
}
