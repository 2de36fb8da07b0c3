/** The API, which answers a withdrawal as soon as its hold is committed. */
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { STATUS } from "../../src/withdrawals/rules/fields.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { createApp } from "../../src/http/app.ts";
import { signedCaller } from "../../src/http/caller.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { ok } from "../../src/http/reply.ts";
import {
  createWithdrawal as endpoint,
  readWithdrawalOrder,
} from "../../src/withdrawals/api/withdrawals.ts";

const config = readConfig(Deno.env.toObject());
const { deps } = await openGateway(config, { isExclusive: true });
const hold: Endpoint = {
  ...endpoint,
  handle: (deps) => async (c) => {
    const order = readWithdrawalOrder(c.env.state.body);
    const { row } = await createWithdrawal(deps, { caller: signedCaller(c), ...order });
    return ok(c, STATUS.of(row));
  },
};
const { trustedProxies, authFailuresPerMinute, bodyTimeoutMs } = config;
const metrics = createGatewayMetrics();
const app = createApp({ deps, metrics, trustedProxies, authFailuresPerMinute, bodyTimeoutMs }, [
  hold,
]);
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request, info) => app.fetch(request, { remoteIp: info.remoteAddr.hostname }),
);
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(`http://127.0.0.1:${server.addr.port}`);
