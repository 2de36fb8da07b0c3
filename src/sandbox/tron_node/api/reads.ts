import type { Block } from "../blocks.ts";
import { printBlock } from "../blocks.ts";
import type { Chain } from "../chain.ts";
import { at } from "../../../base/lists.ts";
import { print } from "./proto.ts";
import type { ApiRequest } from "./request.ts";
import { TRANSACTION_INFO } from "./answer_schemas.ts";
import { printTransaction } from "../transactions.ts";
import type { Message } from "./values.ts";
import { topOf, type View } from "./view.ts";

const BLOCKS_MAX = 100;
const BLOCK_ID_LETTERS = 64;

export interface Reading {
  readonly chain: Chain;
  readonly view: View;
  readonly request: ApiRequest;
}

export function getNowBlock({ view, request }: Reading): Message {
  return whole(topOf(view), request);
}

export function getBlockByNum({ view, request }: Reading): Message {
  return whole(view.block(request.number("num")), request);
}

export function getBlockById({ view, request }: Reading): Message {
  return whole(blockById(view, request.bytes("value")), request);
}

/** Without `detail`, only the header. */
export function getBlock({ view, request }: Reading): Message {
  const text = request.text("id_or_num");
  const isWhole = request.flag("detail");
  const show = (block: Block | undefined) =>
    block ? printBlock(block, { visible: request.visible, isWhole }) : {};
  if (text === "") return show(topOf(view));
  if (/^-?\d{1,19}$/.test(text)) {
    const number = Number(text);
    return number < 0 ? { Error: "num must be non-positive number." } : show(view.block(number));
  }
  const isId = text.length === BLOCK_ID_LETTERS && /^[0-9a-fA-F]+$/.test(text);
  if (!isId || heightIn(text) > view.height) return { Error: "id must be legal block hash." };
  return show(blockById(view, text.toLowerCase()));
}

/** From `startNum` to before `endNum`; missing blocks are left out silently. */
export function getBlockByLimitNext({ view, request }: Reading): Message {
  const start = request.number("startNum", { isRequired: true });
  const end = request.number("endNum", { isRequired: true });
  if (end <= 0 || end <= start || end - start > BLOCKS_MAX) return {};
  const blocks: Message[] = [];
  for (let number = start; number < end; number++) {
    const block = view.block(number);
    if (block) blocks.push(whole(block, request));
  }
  return { block: blocks };
}

/** A transaction of the pool looks like one of a block, its result included. */
export function getTransactionById({ chain, view, request }: Reading): Message {
  const txId = request.bytes("value");
  const found = chain.mined(txId, view.height);
  if (found) return printTransaction(at(found.block.transactions, found.index), request.visible);
  const pooled = view.isPoolSeen &&
    chain.pool.find(({ transaction }) => transaction.txId === txId);
  return pooled ? printTransaction(pooled.transaction, request.visible) : {};
}

export function getTransactionInfoById({ chain, view, request }: Reading): Message {
  const found = chain.mined(request.bytes("value"), view.height);
  return found ? printInfo(at(found.block.infos, found.index), request.visible) : {};
}

/** The same empty list for a block without transactions and for none at all. */
export function getTransactionInfoByBlockNum({ view, request }: Reading): Message | Message[] {
  const number = request.number("num", { isRequired: true });
  if (number <= 0) return {};
  const infos = view.block(number)?.infos ?? [];
  return infos.map((info) => printInfo(info, request.visible));
}

export function printInfo(info: Message, visible: boolean): Message {
  return print(TRANSACTION_INFO, info, visible);
}

function whole(block: Block | undefined, { visible }: ApiRequest): Message {
  return block ? printBlock(block, { visible, isWhole: true }) : {};
}

function blockById(view: View, id: string): Block | undefined {
  const block = view.block(heightIn(id));
  return block?.id === id ? block : undefined;
}

function heightIn(id: string): number {
  return parseInt(id.slice(0, 16), 16);
}
