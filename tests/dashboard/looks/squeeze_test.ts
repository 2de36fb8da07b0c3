import assert from "node:assert/strict";
import { squeezedScript } from "../../../src/dashboard/assets/squeeze.ts";
import { STYLE, WRITTEN_STYLE } from "../../../src/dashboard/assets/style.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";

Deno.test("a browser reads the same rules from the style sheet without its spaces", async () => {
  await using browser = await startBrowser();
  const page = await browser.open();
  const rulesOf = (css: string) =>
    page.evaluate<string[]>(`((css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return [...sheet.cssRules].map(({ cssText }) => cssText.replaceAll(", ", ","));
})(${JSON.stringify(css)})`);
  const rules = await rulesOf(WRITTEN_STYLE);
  assert.ok(rules.length > 200, `${rules.length} rules`);
  assert.deepEqual(await rulesOf(STYLE), rules);
  assert.ok(STYLE.length < 0.9 * WRITTEN_STYLE.length);
});

Deno.test("a script without its indentation and comments keeps its lines", () => {
  const script = `
  // Why it is so.
  const url = "https://example.com"; // stays
  if (url)
    go();
`;
  assert.equal(
    squeezedScript(script),
    `const url = "https://example.com"; // stays\nif (url)\ngo();\n`,
  );
});
