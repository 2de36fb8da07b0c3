import assert from "node:assert/strict";
import { ASSETS } from "../../../src/dashboard/assets/assets.ts";
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

Deno.test("a script keeps its lines and texts, without indentation, comments and spaces at signs", () => {
  const script = `
  // Why it is so.
  const url = "https://example.com?a = b, c"; // stays
  if (url !== \`a = \${url}\` && url ? true : !{ url })
    go((one, two) => one ?? two);
`;
  assert.equal(
    squeezedScript(script),
    'const url="https://example.com?a = b, c"; // stays\n' +
      "if (url!==`a = ${url}`&&url?true:!{url})\n" +
      "go((one,two)=>one??two);\n",
  );
});

Deno.test("what is served is a script still, and the ends of its texts are where they seem", () => {
  for (const { path, text } of ASSETS.filter(({ type }) => type === "text/javascript")) {
    assert.doesNotThrow(() => new Function(text), path);
    assert.doesNotMatch(text, /'|\\["`]/, path);
    for (const line of text.split("\n")) {
      for (const mark of ['"', "`"]) {
        assert.equal(line.split(mark).length % 2, 1, `${path}: ${line}`);
      }
    }
  }
});
