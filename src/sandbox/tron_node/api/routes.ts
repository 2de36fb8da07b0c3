import * as accounts from "./account_reads.ts";
import * as builds from "./builds.ts";
import * as trials from "./trials.ts";
import { printJson } from "./json.ts";
import * as network from "./network_reads.ts";
import * as reads from "./reads.ts";
import { print } from "./proto.ts";
import type { Message, Value } from "./values.ts";
import { RETURN } from "./answer_schemas.ts";
import { packTransaction, printTransaction, readTransaction } from "../transactions.ts";
import type { Broadcaster } from "./broadcast.ts";
import { DecoderFault } from "./request.ts";
import { fromHex } from "../../../base/bytes.ts";

export interface Door extends reads.Reading {
  readonly broadcaster: Broadcaster;
}

interface Route {
  readonly answer: (door: Door) => Value;
  /** Servlets without doGet answer 405; a few have an empty one. */
  readonly get: "answers" | "refused" | "empty";
}

const readable = (answer: Route["answer"]): Route => ({ answer, get: "answers" });
const posted = (answer: Route["answer"]): Route => ({ answer, get: "refused" });
const silentGet = (answer: Route["answer"]): Route => ({ answer, get: "empty" });

/** The routes that a solidity node has too. */
const EVERYWHERE: Readonly<Record<string, Route>> = {
  getnowblock: readable(reads.getNowBlock),
  getblock: readable(reads.getBlock),
  getblockbynum: readable(reads.getBlockByNum),
  getblockbyid: readable(reads.getBlockById),
  getblockbylimitnext: readable(reads.getBlockByLimitNext),
  gettransactionbyid: readable(reads.getTransactionById),
  gettransactioninfobyid: readable(reads.getTransactionInfoById),
  gettransactioninfobyblocknum: readable(reads.getTransactionInfoByBlockNum),
  getaccount: readable(accounts.getAccount),
  getdelegatedresourcev2: readable(accounts.getDelegatedResource),
  getdelegatedresourceaccountindexv2: readable(accounts.getDelegatedResourceAccountIndex),
  getcandelegatedmaxsize: readable(accounts.getCanDelegatedMaxSize),
  triggerconstantcontract: silentGet(trials.triggerConstantContract),
  estimateenergy: silentGet(trials.estimateEnergy),
  getenergyprices: readable(network.getEnergyPrices),
  getbandwidthprices: readable(network.getBandwidthPrices),
  getnodeinfo: readable(network.getNodeInfo),
};

export const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  walletsolidity: EVERYWHERE,
  wallet: {
    ...EVERYWHERE,
    broadcasthex: posted(broadcastHex),
    broadcasttransaction: posted(broadcastTransaction),
    getaccountresource: readable(accounts.getAccountResource),
    getaccountnet: readable(accounts.getAccountNet),
    validateaddress: readable(accounts.validateAddress),
    getcontract: readable(accounts.getContract),
    getcontractinfo: readable(accounts.getContractInfo),
    createtransaction: posted(builds.createTransaction),
    freezebalancev2: posted(builds.staking("FreezeBalanceV2Contract")),
    unfreezebalancev2: posted(builds.staking("UnfreezeBalanceV2Contract")),
    withdrawexpireunfreeze: posted(builds.staking("WithdrawExpireUnfreezeContract")),
    cancelallunfreezev2: posted(builds.staking("CancelAllUnfreezeV2Contract")),
    delegateresource: posted(builds.staking("DelegateResourceContract")),
    undelegateresource: posted(builds.staking("UnDelegateResourceContract")),
    triggersmartcontract: silentGet(builds.triggerSmartContract),
    getchainparameters: readable(network.getChainParameters),
  },
};

/** The transaction comes back as JSON in a string, and the message as text. */
function broadcastHex({ broadcaster, request }: Door): Message {
  const hex = request.text("transaction");
  const bytes = fromHex(hex);
  if (!bytes) throw new DecoderFault(hex);
  const transaction = readTransaction(bytes);
  const { result = false, code = "SUCCESS", message = "" } = print(
    RETURN,
    broadcaster.send(transaction),
    true,
  );
  const printed = printJson(printTransaction(transaction, true));
  return { result, code, message, transaction: printed, txid: transaction.txId };
}

function broadcastTransaction({ broadcaster, request }: Door): Message {
  const transaction = packTransaction(request.fields, request.visible);
  const sent = print(RETURN, broadcaster.send(transaction), request.visible);
  return { ...sent, txid: transaction.txId };
}
