import { addPlannedNetwork } from "../add_planned.ts";
import { lookAtNode } from "../look_at_node.ts";
import { type NetworkOrder, planNetwork } from "../plan.ts";
import { FAMILY_NAMES, type FamilyName } from "../../domain/families.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { networkFieldsOf, networkName, rpcUrls, warningList } from "./_settings.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, type Html, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { ChainFacts, Doubts, FEE_MODELS, type Node, Settings } from "./_review.tsx";

const UP = { path: "/networks", label: "Networks" };
const FAMILY_LABELS: Readonly<Record<FamilyName, string>> = {
  evm: "EVM (like Ethereum)",
  tron: "TRON",
};
const FAMILY_CHOICES = FAMILY_NAMES.map((value) => ({ value, label: FAMILY_LABELS[value] }));

const nodePage = page({
  path: "/networks/new",
  ability: "operate",
  isSensitive: true,
  show: (visit) => (
    <Page visit={visit} title="Add a custom network" up={UP}>
      <Card>
        <Form visit={visit} action="/networks/new">
          <Select
            visit={visit}
            name="family"
            label="Chain type"
            value="evm"
            options={FAMILY_CHOICES}
          />
          <Field
            visit={visit}
            name="rpc_url"
            label="Node URL"
            hint="JSON-RPC (TRON: HTTP API) over http or https; separate several with spaces"
            isRequired
          />
          <Submit>Check node</Submit>
        </Form>
      </Card>
    </Page>
  ),
});

const lookAct = act({
  path: "/networks/new",
  ability: "operate",
  on: nodePage,
  run: (visit) => confirm(visit),
});

/** Asked again when it is added, because a form can't be trusted about a node. */
async function nodeOf({ deps, form }: Visit): Promise<Node> {
  const { family, urls } = form.read((fields) => ({
    family: fields.required("family", kind.choice(FAMILY_NAMES)),
    urls: fields.required("rpc_url", rpcUrls),
  }));
  return { family, urls, seen: await lookAtNode(deps, { family, rpcUrls: urls }) };
}

async function confirm(visit: Visit): Promise<Html> {
  const node = await nodeOf(visit);
  return (
    <Page visit={visit} title="Is this the right chain?" up={UP}>
      <Doubts node={node} />
      <Card title="Reported by the node">
        <ChainFacts node={node} />
      </Card>
      <Card title="Name and connection">
        <Settings visit={visit} node={node} />
      </Card>
    </Page>
  );
}

const confirmationPage = page({
  path: "/networks/new",
  ability: "operate",
  isSensitive: true,
  show: confirm,
});

const addAct = act({
  path: "/networks/new/confirm",
  ability: "operate",
  on: confirmationPage,
  run: async (visit) => {
    const node = await nodeOf(visit);
    const { deps, form, actor } = visit;
    const { chainId, genesisHash } = node.seen.identity;
    if (form.text("chain_id") !== chainId || form.text("genesis") !== genesisHash) {
      throw new OperatorError("The node is now on a different chain than the one you reviewed");
    }
    const plan = planNetwork(orderOf(visit, node));
    const { warnings, listener } = warningList();
    const { code } = await addPlannedNetwork(deps, { plan, actor, listener });
    return done(`/networks/${code}`, [`${code} added`, ...warnings].join(". "));
  },
});

function orderOf({ form }: Visit, { family, urls, seen: { identity } }: Node): NetworkOrder {
  const fields = form.read((fields) => ({
    ...networkFieldsOf(fields),
    code: fields.required("code", kind.networkCode),
    name: fields.required("name", networkName),
    nativeSymbol: fields.required("native_symbol", kind.symbol),
    nativeDecimals: fields.required("native_decimals", kind.decimals),
    startBlock: fields.required("start_block", kind.blockOrLatest),
    feeModel: fields.required("fee_model", kind.choice(FEE_MODELS)),
  }));
  return { ...fields, family, rpcUrls: urls, chainId: identity.chainId };
}

export const NEW_NETWORK_ROUTES = [nodePage, lookAct, addAct];
