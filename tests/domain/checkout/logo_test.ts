import assert from "node:assert/strict";
import { joined, utf8 } from "../../../src/base/bytes.ts";
import { readColour } from "../../../src/checkout/rules/colour.ts";
import { readLogo } from "../../../src/checkout/rules/logo.ts";
import { cleanSvg } from "../../../src/checkout/rules/svg.ts";
import { chunk, makePng } from "../../support/checkout/pictures.ts";

const svg = (inner: string, root = 'viewBox="0 0 9 9"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inner}</svg>`;
const clean = (inner: string) => cleanSvg(svg(inner));

Deno.test("a drawing is written anew with what is seen of it, and without what editors add", () => {
  const given = `<?xml version="1.0"?><!-- made by -->
${
    svg(
      `<metadata><rdf:RDF><cc:Work rdf:about=""/></rdf:RDF></metadata><title>Logo</title>
<sodipodi:namedview id="v"><path d="M9"/></sodipodi:namedview>
<defs><linearGradient id="g"><stop offset="0" stop-color='red'/></linearGradient></defs>
<g class="x" style="fill:#fff; font-family:Arial;clip-path: url(#g)"><path d="M0,0 L1e-3 2z"
  fill="url(#g)" data-name="1"/></g>`,
      'viewBox="0 0 9 9" width="9" version="1.1" xml:space="preserve"',
    )
  }`;
  assert.equal(
    cleanSvg(given),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9">' +
      '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>' +
      '<g fill="#fff" clip-path="url(#g)"><path d="M0,0 L1e-3 2z" fill="url(#g)"/></g></svg>',
  );
  assert.equal(cleanSvg(cleanSvg(given)), cleanSvg(given));
});

const HREF = "it refers to something else";
const ATTACKS: readonly (readonly [inner: string, why: string])[] = [
  ["<script>alert(1)</script>", "<script> is not allowed"],
  ["<SCRIPT/>", "<SCRIPT> is not allowed"],
  ["<svg:script/>", "<svg:script> is not allowed"],
  ['<path onload="x()"/>', "onload is not allowed"],
  ["<g ONCLICK='x'/>", "ONCLICK is not allowed"],
  ["<foreignObject><p>x</p></foreignObject>", "<foreignObject> is not allowed"],
  ['<image href="https://evil.example/x.png"/>', "<image> is not allowed"],
  ['<use href="#a"/>', "<use> is not allowed"],
  ['<a href="javascript:alert(1)"/>', "<a> is not allowed"],
  ["<style>@import url(//evil.example)</style>", "<style> is not allowed"],
  ['<animate attributeName="d"/>', "<animate> is not allowed"],
  ['<linearGradient xlink:href="//evil.example#g"/>', HREF],
  ['<path fill="url(https://evil.example/#g)"/>', "fill has a value that is not allowed"],
  ['<path fill="url(#g) url(#h)"/>', "fill refers to something else"],
  ['<path style="fill:url(//evil.example)"/>', "its style refers to something else"],
  ['<path style="fill:u\\72l(x)"/>', "its style refers to something else"],
  ['<path fill="&#106;"/>', "fill has a value that is not allowed"],
  ['<path d="&lol;"/>', "d has a value that is not allowed"],
  ["<![CDATA[<script>]]>", "it can't be read from \"<![CDATA[<script>]]>"],
  ["<path d=M0/>", "it can't be read from \"<path d=M0/>"],
  ["<g></path>", "</path> closes nothing"],
  ["<g>".repeat(40), "its elements are nested more than 32 deep"],
  ["<g/>".repeat(2_001), "it has more than 2000 elements"],
  ['<clipPath id="a"><rect clip-path="url(#b)"/></clipPath>', "it cuts out too much"],
  ['<clipPath id="a" style="clip-path:url(#b)"/>', "it cuts out too much"],
  ['<g clip-path="url(#a)"/>'.repeat(21), "it cuts out too much"],
];

Deno.test("a drawing that runs, loads or hides anything is refused by what it contains", () => {
  for (const [inner, why] of ATTACKS) {
    assert.throws(() => clean(inner), (error: Error) => {
      assert.ok(error.message.startsWith(`This SVG can't be used: ${why}`), error.message);
      return true;
    }, inner);
  }
  const bomb = `<!DOCTYPE svg [<!ENTITY a "${"x".repeat(99)}"><!ENTITY b "&a;&a;">]>${svg("")}`;
  for (
    const [text, why] of [
      [bomb, "it can't be read from \"<!DOCTYPE"],
      [`<?xml-stylesheet href="//evil.example"?>${svg("")}`, "it can't be read"],
      [`${svg("")}${svg("")}`, "it must be one <svg> element"],
      ["<html></html>", "it must be one <svg> element"],
      ["<svg>", "its size is missing"],
      ['<svg viewBox="0 0 1 1">', "it ends too early"],
      ["", "it ends too early"],
    ] as const
  ) {
    assert.throws(() => cleanSvg(text), (error: Error) => error.message.includes(why), text);
  }
});

Deno.test("a long drawing that can't be read is refused at once", () => {
  const started = performance.now();
  for (const text of [`<svg ${" ".repeat(60_000)}`, `<svg a="1"${' a="1"'.repeat(9_000)}`]) {
    assert.throws(() => cleanSvg(text));
  }
  assert.ok(performance.now() - started < 1_000);
});

Deno.test("a PNG keeps its pixels and loses texts and whatever is behind its end", () => {
  const plain = makePng();
  assert.deepEqual(readLogo(plain), { mediaType: "image/png", bytes: plain });
  const script = utf8("<script>alert(1)</script>");
  const others = [chunk("tEXt", script), chunk("eXIf", script)];
  const full = joined([makePng({ others }), script]);
  assert.deepEqual(readLogo(full).bytes, plain);
});

Deno.test("what is no picture, a huge one or a broken one is refused", () => {
  const png = makePng();
  const wrong = png.slice();
  wrong[0] = 0x88;
  const lying = png.slice();
  lying.set([0xff, 0xff, 0xff, 0xff], 33);
  for (
    const [bytes, why] of [
      [wrong, "neither a PNG nor an SVG"],
      [utf8("GIF89a"), "neither a PNG nor an SVG"],
      [utf8("\u0000<svg/>"), "neither a PNG nor an SVG"],
      [new Uint8Array(65_537), "The logo has 65,537 bytes, and may have 65,536"],
      [makePng({ width: 1_025 }), "it is 1025 × 2 pixels"],
      [png.slice(0, 40), "it ends too early"],
      [lying, "it ends too early"],
      [joined([png.slice(0, 8), chunk("IDAT", png)]), "it doesn't begin with its size"],
    ] as const
  ) {
    assert.throws(() => readLogo(bytes), (error: Error) => error.message.includes(why), why);
  }
});

Deno.test("a colour on which white text can't be read is refused with its contrast", () => {
  assert.equal(readColour("#1B57D6"), "#1b57d6");
  assert.equal(readColour("#767676"), "#767676");
  for (const [colour, found] of [["#777777", "4.48"], ["#ffff00", "1.07"], ["#ffffff", "1.00"]]) {
    assert.throws(() => readColour(colour!), {
      message: new RegExp(`of ${colour} .* is ${found},`),
    });
  }
  for (const text of ["red", "#fff", "#12345g", "#1b57d6;x"]) {
    assert.throws(() => readColour(text), { message: "The colour must be like #1b57d6" });
  }
});
