import assert from "node:assert/strict";
import {
  BROKEN_FAULTS,
  canHit,
  type FaultKind,
  LIES,
} from "../../../src/sandbox/faults/fault_kinds.ts";
import {
  deciderOf,
  type Decision,
  evenly,
  type FaultPlan,
} from "../../../src/sandbox/faults/fault_plan.ts";
import type { RpcCall } from "../../../src/sandbox/faults/rpc_proxy.ts";

const KINDS = evenly([...BROKEN_FAULTS, ...LIES]);
const PLAN: FaultPlan = { seed: 7, rate: 0.3, kinds: KINDS };

function call(method: string, ...params: unknown[]): RpcCall {
  return { id: 0, method, params };
}

const HEAD = [call("eth_blockNumber")];
const LOGS = [call("eth_getBlockByNumber", "latest", false), call("eth_getLogs", {})];

function drawn(plan: FaultPlan, requests: readonly (readonly RpcCall[])[]) {
  const decide = deciderOf(plan);
  return requests.map((calls) => decide(calls));
}

function times(count: number, calls: readonly RpcCall[]): (readonly RpcCall[])[] {
  return Array.from({ length: count }, () => calls);
}

function kindsOf(decisions: readonly (Decision | undefined)[]): Set<FaultKind> {
  return new Set(decisions.flatMap((decision) => decision ? [decision.kind] : []));
}

Deno.test("the same seed disturbs the same requests in the same way, another seed others", () => {
  const requests = [...times(100, HEAD), ...times(100, LOGS)];
  assert.deepEqual(drawn(PLAN, requests), drawn({ ...PLAN }, requests));
  assert.notDeepEqual(drawn(PLAN, requests), drawn({ ...PLAN, seed: 8 }, requests));
});

Deno.test("requests of another kind in between don't change a kind's faults", () => {
  const alone = drawn(PLAN, times(100, HEAD));
  const mixed = drawn(PLAN, times(100, HEAD).flatMap((calls) => [LOGS, calls, LOGS]));
  assert.deepEqual(mixed.filter((_, i) => i % 3 === 1), alone);
});

Deno.test("the share of disturbed requests is the rate, for each kind, and all faults occur", () => {
  for (const calls of [HEAD, LOGS]) {
    const decisions = drawn(PLAN, times(10_000, calls));
    const disturbed = decisions.filter(Boolean).length;
    assert.ok(Math.abs(disturbed - 3_000) < 200, `${disturbed} of 10000`);
    const possible = [...BROKEN_FAULTS, ...LIES].filter((kind) =>
      calls.some((one) => canHit(kind, one, calls.length))
    );
    assert.deepEqual(kindsOf(decisions), new Set(possible));
  }
  assert.equal(kindsOf(drawn(PLAN, times(10_000, LOGS))).size, BROKEN_FAULTS.length + LIES.length);
});

Deno.test("weights are proportions, and a fault hits only calls that it suits", () => {
  const kinds = { empty_logs: 3, lagging_head: 1, delay: 0 };
  const decisions = drawn({ seed: 1, rate: 1, kinds }, times(4_000, LOGS));
  const found = Map.groupBy(decisions, (decision) => `${decision?.kind} of ${decision?.at}`);
  assert.deepEqual([...found.keys()].toSorted(), ["empty_logs of 1", "lagging_head of 0"]);
  assert.ok(Math.abs(found.get("empty_logs of 1")!.length - 3_000) < 150);
});

Deno.test("a request that suits no fault of the plan is left alone", () => {
  const kinds = { shuffled_batch: 1, empty_logs: 1 };
  assert.deepEqual(kindsOf(drawn({ seed: 1, rate: 1, kinds }, times(50, HEAD))), new Set());
});

Deno.test("a plan ends after its limit, keeps to its methods, and an override takes precedence", () => {
  const always = { seed: 3, rate: 1, kinds: { delay: 1 } };
  const isHit = (plan: FaultPlan, requests: (readonly RpcCall[])[]) =>
    drawn(plan, requests).map((decision) => decision?.kind);
  assert.deepEqual(isHit({ ...always, until: 2 }, [HEAD, LOGS, HEAD]), [
    "delay",
    "delay",
    undefined,
  ]);
  const onlyLogs = { ...always, methods: ["eth_getLogs"] };
  assert.deepEqual(isHit(onlyLogs, [HEAD, LOGS]), [undefined, "delay"]);
  for (const decision of drawn(onlyLogs, times(50, LOGS))) assert.equal(decision?.at, 1);
  const overrides = { eth_blockNumber: { rate: 1, kinds: { null_result: 1 } } };
  assert.deepEqual(isHit({ ...onlyLogs, overrides }, [HEAD, LOGS]), ["null_result", "delay"]);
  assert.deepEqual(isHit({ ...always, rate: 0, overrides }, [HEAD, LOGS]), [
    "null_result",
    undefined,
  ]);
});
