import assert from "node:assert/strict";
import { type Child, htmlOf } from "../../src/base/html.ts";

const EVIL = `"><script>alert('&')</script>`;
const TAMED = "&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;";

const Box = ({ name, children }: { name: string; children?: Child }) => (
  <div title={name}>{children}</div>
);
const Late = async ({ text }: { text: string }) => {
  await Promise.resolve();
  return <i>{text}</i>;
};
const Failing = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error("late");
};
const Refusing = (): Child => {
  throw new Error("at once");
};

Deno.test("every text that isn't written in a page is escaped, wherever it is", async () => {
  assert.equal(await htmlOf(EVIL), TAMED);
  assert.equal(
    await htmlOf(
      <a title={EVIL} href={`/${EVIL}`}>
        {EVIL}
        {[EVIL, [EVIL]]}
        <Box name={EVIL}>{EVIL}</Box>
        <Late text={EVIL} />
      </a>,
    ),
    `<a title="${TAMED}" href="/${TAMED}">${TAMED.repeat(3)}` +
      `<div title="${TAMED}">${TAMED}</div><i>${TAMED}</i></a>`,
  );
});

Deno.test("an object that only looks like markup isn't markup", () => {
  const reported = JSON.parse(JSON.stringify({ text: EVIL, isEscaped: true })) as Child;
  assert.throws(() => htmlOf(<p>{reported}</p>), TypeError);
  assert.throws(() => <p title={reported} />, TypeError);
});

Deno.test("numbers are shown, zero included; absent values and booleans aren't", async () => {
  assert.equal(await htmlOf(<p>{0}{null}{undefined}{false}{true}{1.5}</p>), "<p>01.5</p>");
  assert.equal(
    await htmlOf(<input disabled hidden={false} value="" maxlength={3} />),
    await htmlOf(<input disabled hidden={undefined} value="" maxlength={3} />),
  );
  assert.match(String(await htmlOf(<input hidden value={0} />)), /^<input hidden value="0" *\/?>$/);
  assert.equal(await htmlOf(<b hidden={false} title={undefined}>{null} 1</b>), "<b> 1</b>");
  const none = undefined;
  assert.equal(
    await htmlOf(
      <b id={none} lang="en" title={none}>
        <Late text="2" />
      </b>,
    ),
    `<b lang="en"><i>2</i></b>`,
  );
});

Deno.test("late parts appear in their place, and all of them are awaited together", async () => {
  const waiting: string[] = [];
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const Gated = async ({ name }: { name: string }) => {
    waiting.push(name);
    await gate;
    return <b>{name}</b>;
  };
  const made = htmlOf(
    <p>
      <Gated name="1" />
      <Box name="in">
        <Gated name="2" /> and {[<Gated name="3" />, "4"]}
      </Box>
    </p>,
  );
  assert.deepEqual(waiting.toSorted(), ["1", "2", "3"]);
  resolve();
  assert.equal(
    await made,
    `<p><b>1</b><div title="in"><b>2</b> and <b>3</b>4</div></p>`,
  );
});

Deno.test("a part that fails after another one ends nothing but the page", async () => {
  await assert.rejects(async () => await htmlOf(<p>{[<Failing />, <Box name="x" />]}</p>), /late/);
  assert.throws(() => <p>{[<p>{[<Failing />]}</p>, <Refusing />]}</p>, /at once/);
  // A rejection that nothing handles would fail this test by now.
  await new Promise((resolve) => setTimeout(resolve));
});

Deno.test("attributes can't be spread over an element, which would hide their names from checks", () => {
  const given = { "onclick=alert(1) x": "1" };
  assert.throws(() => <p {...given}>x</p>, TypeError);
});
