import assert from "node:assert/strict";
import { renderAnswer } from "../../src/cli/render.ts";

Deno.test("one object is a line for each field, whatever the field contains", () => {
  const answer = {
    code: "ETH",
    is_active: true,
    halted_reason: null,
    gaps: [],
    rpc_urls: ["http://a", "http://b"],
    endpoints: [
      { host: "a", reachable: true, last_error: null },
      { host: "b", reachable: false, last_error: "gone\nfor good" },
    ],
    fees: { flat: "1", percent: "0" },
  };
  assert.equal(
    renderAnswer(answer),
    `code:          ETH
is active:     yes
halted reason: -
gaps:          -
rpc urls:      http://a, http://b
endpoints:     host a, reachable yes, last error -; host b, reachable no, last error gone for good
fees:          flat 1, percent 0
`,
  );
});
