import { hasSecondFactor } from "../../access/rules/second_factors.ts";
import type { Component } from "../../base/html.ts";
import { isSetUpOff } from "../../dashboard/environment.ts";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { BEFORE_MONEY, type BeforeMoney } from "../../upkeep/rules/before_money.ts";
import { beforeMoneyFacts } from "../reads.ts";

const THINGS: Readonly<Record<BeforeMoney, readonly [text: string, path?: string]>> = {
  factor: ["A second factor for your login", "/profile"],
  phrase: ["The recovery phrase on paper", "/begin/phrase"],
  wallet: ["Your own wallet, which deposits are moved to, and gas for moving them", "/wallets"],
  rule: ["A rule, so that large payouts wait for somebody", "/rules/new"],
  backup: ["A backup every hour, and a copy of the master key somewhere else"],
  notify: ['Somebody who is notified when something is wrong: "notify add"'],
};

/** Those that the books don't show, and that nobody has left out. */
async function openThings(visit: Visit) {
  const { done, leftOut } = await beforeMoneyFacts(visit.deps.db);
  if (hasSecondFactor(visit.user)) done.add("factor");
  const open = BEFORE_MONEY.filter((thing) => !done.has(thing) && !leftOut.has(thing));
  return { done, open };
}

export const BeforeMoneyList: Component<{ visit: Visit }> = async ({ visit }) => {
  const { done, open } = await openThings(visit);
  return (
    <Form visit={visit} action="/begin/end/leave-out">
      <ul class="things">
        {BEFORE_MONEY.map((thing) => {
          const [text, path] = THINGS[thing];
          return (
            <li>
              {done.has(thing) ? "✓ " : open.includes(thing) ? "○ " : "– "}
              {path === undefined ? text : <a href={BASE + path}>{text}</a>}
              {open.includes(thing) && (
                <>
                  {" "}
                  <Submit tone="link" name="thing" value={thing}>Done, or not needed</Submit>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Form>
  );
};

/** On Home, until nothing is left. */
export const StillBeforeMoney: Component<{ visit: Visit }> = async ({ visit }) => {
  const { facts } = visit;
  if (!visit.isAble("operate") || isSetUpOff(facts) || facts.isDemo) return null;
  const { open: { length } } = await openThings(visit);
  if (length === 0) return null;
  return (
    <p class="quiet">
      Before real money: {length === 1 ? "1 thing is" : `${length} things are`} left.{" "}
      <a href={`${BASE}/begin/end`}>See which</a>
    </p>
  );
};
