import { claimedOf } from "../../../src/sweeps/reads/collecting.ts";
import { tryWrite } from "../../../src/store/engine/write_probe.ts";
import { longestGap } from "../../../src/accounts/reads/gap.ts";
import * as accountReads from "../../../src/accounts/reads/accounts.ts";
import * as addressReads from "../../../src/wallets/reads/addresses.ts";
import * as keyReads from "../../../src/store/reads/key_indexes.ts";
import { openTampered } from "../../../src/alerts/reads.ts";
import { accountWords } from "../../../src/control/reads/account_words.ts";
import {
  firstWord,
  lastProofs,
  lastReceiverWords,
  lastSaidOf,
  lastWords,
  refundWords,
} from "../../../src/control/reads/last_words.ts";
import * as auditReads from "../../../src/audit/reads/audit.ts";
import { actorNames } from "../../../src/audit/reads/named.ts";
import {
  accountsWithCoin,
  collectingFees,
  collectorRows,
  deploymentOf,
  depositAddresses,
  sweepsUnderWay,
} from "../../../src/collectors/reads.ts";
import { addressesInNeed, lastChangeOf } from "../../../src/energy/reads.ts";
import { countsOf } from "../../../src/upkeep/reads/counts.ts";
import { allFreezes, fewAccounts, fewBalances } from "../../../src/store/reads/few_rows.ts";
import { attemptsOfDelivery } from "../../../src/webhooks/reads/endpoints.ts";
import * as depositReads from "../../../src/deposits/reads/deposits.ts";
import * as inputReads from "../../../src/deposits/reads/inputs.ts";
import * as followReads from "../../../src/following/reads.ts";
import * as healthReads from "../../../src/networks/reads/health.ts";
import * as housekeeping from "../../../src/store/upkeep/housekeeping.ts";
import * as instanceReads from "../../../src/upkeep/reads/instances.ts";
import { entriesSince, lastEntryId } from "../../../src/books/reads/balances.ts";
import { creditsWorth, debitsWorth } from "../../../src/books/reads/worths.ts";
import * as ledgerReads from "../../../src/books/reads/ledger.ts";
import * as listReads from "../../../src/store/reads/pages/lists.ts";
import { creditsOf } from "../../../src/deposits/reads/requests_listed.ts";
import { countNotes, notesOn } from "../../../src/notes/reads.ts";
import { countNotices, noticesOf } from "../../../src/notifications/reads/page.ts";
import * as coinReads from "../../../src/accounts/reads/coins.ts";
import * as costReads from "../../../src/costs/reads.ts";
import * as homeReads from "../../../src/home/reads.ts";
import {
  changedRefunds,
  countJudgedAgain,
  dueInvoices,
  paidInvoices,
  paymentCounts,
} from "../../../src/invoices/reads/listed.ts";
import { networkUse, partsOf, walletsOf } from "../../../src/networks/reads/use.ts";
import * as requestReads from "../../../src/request_log/reads.ts";
import * as reconcileReads from "../../../src/reconcile/reads.ts";
import { ENCRYPTED_TABLES, rowsAfter } from "../../../src/store/reads/sealed.ts";
import { hasSecrets } from "../../../src/store/reads/secrets.ts";
import { standingOf } from "../../../src/store/reads/standing.ts";
import {
  codeRecords,
  failingTokens,
  failuresOf,
  latestOutcomes,
} from "../../../src/withdrawals/reads/recipients.ts";
import * as payoutReads from "../../../src/payouts/reads.ts";
import * as statementReads from "../../../src/books/reads/statement.ts";
import * as sweepReads from "../../../src/sweeps/reads/sweeps.ts";
import {
  forgetServers,
  lastWrittenAtMs,
  numberFrom,
} from "../../../src/store/upkeep/restored_ids.ts";
import { PRIMARY } from "../../../src/store/tables/table.ts";
import { hasMoved, topHeights } from "../../../src/deposits/reads/transactions.ts";
import type { OutputRow } from "../../../src/outputs/table.ts";
import * as outputReads from "../../../src/outputs/reads.ts";
import * as transferReads from "../../../src/transfers/reads/transfers.ts";
import * as claimReads from "../../../src/transfers/reads/claims.ts";
import * as placeReads from "../../../src/transfers/reads/places.ts";
import { openBidsOfHotWallets } from "../../../src/transfers/reads/open_bids.ts";
import * as userReads from "../../../src/access/reads/users.ts";
import * as volumeReads from "../../../src/accounts/reads/volumes.ts";
import * as dueReads from "../../../src/webhooks/reads/due.ts";
import { failingWebhooks, lastAnswer } from "../../../src/webhooks/reads/failing.ts";
import * as webhookReads from "../../../src/webhooks/reads/events.ts";
import { LEDGER_START } from "../../../src/books/rules/ledger_walk.ts";
import { makeNetwork, makeOutput, makeRequest, makeSigned } from "../reads/make_rows.ts";
import { makeEndpoint } from "../reads/make_webhook_rows.ts";
import { makeUser } from "../reads/make_users.ts";
import type { Ask } from "./page_examples.ts";

const NETWORK = { network: "ETH" };
const NOTED = { accountId: 1, about: "withdrawal", name: "7" } as const;
const SENDER = { ...NETWORK, sender: "0xH" };
const ASSET = { accountId: 1, network: "ETH", currency: "USDT" };
const BRANCH = { coinType: 60, account: 1, branch: 0 };
const LIMIT = { limit: 5 };
const SPAN = { ...NETWORK, fromMs: 1, untilMs: 9 };
const BETWEEN = { after: { id: 0, createdAtMs: 1 }, toMs: 9, ...LIMIT };
const OF_WEEK = { accountId: 1, fromMs: 1, untilMs: 9 };
const OLD = { beforeMs: Number.MAX_SAFE_INTEGER, ...LIMIT };

/**
 * Each query of the store in each of its variants. The test lists the SQL that none of these ran,
 * so a missing one is noticed.
 */
const OUTPUT = { txHash: "a".repeat(64), position: 0 } as OutputRow;

export const READS: readonly Ask[] = [
  (db) => failingWebhooks(db, { accountId: 1, ...LIMIT }),
  (db) => failingWebhooks(db, { accountId: null, ...LIMIT }),
  (db) => lastAnswer(db, makeEndpoint({ id: 1, failedEventId: 1 })),
  (db) => requestReads.requestTotals(db, OF_WEEK),
  (db) => accountReads.balancePage(db, { after: ASSET, ...LIMIT }),
  (db) => fewAccounts(db, 5),
  (db) => fewBalances(db, 5),
  (db) => accountReads.freezesOf(db, 1),
  (db) => accountReads.fullestAccounts(db, { dayMs: 1, percent: 80 }),
  (db) => accountReads.storageUses(db),
  (db) => accountReads.freezePage(db, 5),
  (db) => accountReads.usesOfKeys(db, ["k"]),
  (db) => addressReads.idlePoolAddresses(db, { ...NETWORK, accountId: 1, nowMs: 9 }),
  (db) => longestGap(db, { coinType: 0, account: 1, branch: 3 }),
  (db) => transferReads.orphanedSweeps(db, "ETH"),
  (db) => outputReads.outputsHeldAt(db, { ...NETWORK, addresses: ["a"], height: 5 }),
  (db) => outputReads.spentAbove(db, { ...NETWORK, height: 5, outputs: [OUTPUT] }),
  (db) => addressReads.ownedAddresses(db, { ...NETWORK, addresses: ["0xA"] }),
  (db) => addressReads.hotWalletOf(db, { ...NETWORK, accountId: 1 }),
  (db) => addressReads.walletsOf(db, 1),
  (db) => addressReads.gasWallets(db),
  (db) => addressReads.uncodedHalts(db, { afterId: 0, ...LIMIT }),
  (db) => addressReads.hotWalletPage(db, { after: { accountId: 1, network: "ETH" }, ...LIMIT }),
  (db) => addressReads.hotWallets(db, { ...NETWORK, ...LIMIT }),
  (db) => addressReads.gasWalletOf(db, "ETH"),
  (db) => addressReads.hasAddresses(db),
  (db) => keyReads.lastKeyIndex(db, BRANCH),
  (db) => keyReads.lastGivenIndex(db, { ...BRANCH, belowIndex: 9 }),
  (db) => keyReads.keyIndexesBetween(db, { ...BRANCH, from: 1, to: 9 }),
  (db) => numberFrom(db, { first: 9, poolFromMs: 9 }),
  (db) => forgetServers(db),
  (db) => lastWrittenAtMs(db),
  (db) => auditReads.auditChainAfter(db, { id: 1, ...LIMIT }),
  (db) => auditReads.auditEnd(db),
  (db) => openTampered(db, 1),
  (db) => auditReads.auditHashBefore(db, 2),
  (db) => auditReads.auditIdBefore(db, { atMs: 1, afterId: 2 }),
  (db) => actorNames(db, ["user:1", "api:a"]),
  (db) => auditReads.signInAddresses(db, 1),
  (db) => lastWords(db, "user:1"),
  (db) => lastProofs(db, "user:1"),
  (db) => lastReceiverWords(db, { accountId: 1, network: "ETH" }),
  (db) => lastSaidOf(db, { subject: "payee:1", actions: ["payee.added"] }),
  (db) => refundWords(db, "invoice:1", 1),
  (db) => firstWord(db, { subject: "key:k1", action: "key.created" }),
  (db) => accountWords(db, { id: 1, accountId: 1, network: "ETH", currency: "ETH" }),
  (db) => auditReads.isReferenceNoted(db, { subject: "account:1", reference: "a" }),
  (db) => countsOf(db),
  (db) => attemptsOfDelivery(db, { eventId: 1, endpointId: 1 }),
  (db) => depositReads.depositsOfRequest(db, makeRequest({ id: 1 })),
  (db) => depositReads.depositsOfRequest(db, makeRequest({ id: 1, userIdentifier: "u" })),
  (db) => followReads.rememberedBlocks(db, "ETH"),
  (db) => followReads.blocksBelow(db, { ...NETWORK, height: 9, ...LIMIT }),
  (db) => followReads.anchoredAbove(db, { ...NETWORK, height: 9 }),
  (db) => depositReads.bookedOf(db, { ...NETWORK, txHash: "0x1", position: 0 }),
  (db) =>
    followReads.confirmableDeposits(db, {
      ...NETWORK,
      height: 9,
      scanHeight: 9,
      after: { blockNumber: 1, id: 1 },
      exceptIds: [1],
      ...LIMIT,
    }),
  (db) => followReads.depositsAfter(db, { afterId: 0, ...LIMIT }),
  (db) => followReads.orphanedDeposits(db, { afterId: 0, ...NETWORK, ...LIMIT }),
  (db) =>
    followReads.pendingWithdrawals(db, {
      exceptIds: [1],
      ...NETWORK,
      afterId: 1,
      requestedBeforeMs: 9,
      requestedAfterMs: 90,
      ...LIMIT,
    }),
  (db) => followReads.openWithdrawalsOf(db, ASSET),
  (db) => depositReads.latestRequests(db, [{ addressId: 1, currency: "USDT" }]),
  (db) => depositReads.requestsAt(db, [{ addressId: 1, fromMs: 9, toMs: 90 }]),
  (db) => depositReads.unminedByAddress(db, "LTC"),
  (db) => depositReads.waitingDust(db, { ...NETWORK, addressIds: [1], creditFrom: 9 }),
  (db) => depositReads.unsweptAt(db, [1]),
  (db) => depositReads.overtakenDeposits(db, { ...NETWORK, height: 9, ...LIMIT }),
  (db) =>
    depositReads.unseenDeposits(db, { ...NETWORK, sinceMs: 9, exceptHashes: ["aa"], ...LIMIT }),
  (db) =>
    depositReads.hiddenDeposits(db, { ...NETWORK, sinceMs: 9, exceptHashes: ["aa"], ...LIMIT }),
  (db) => inputReads.watchedAmong(db, { ...NETWORK, outpoints: ["aa:0"] }),
  (db) => inputReads.inputsAt(db, { ...NETWORK, outpoints: ["aa:0"] }),
  (db) => inputReads.inputsOf(db, { ...NETWORK, txHash: "aa" }),
  (db) => inputReads.settledInputs(db, { ...NETWORK, height: 9, ...LIMIT }),
  (db) => inputReads.overtakenAmong(db, [{ id: 1, ...NETWORK, txHash: "aa" }]),
  (db) => outputReads.unspentOutputs(db, { ...NETWORK, addresses: ["ltc1"] }),
  (db) => outputReads.promisedAmong(db, { ...NETWORK, outputs: [makeOutput({ id: 1 })] }),
  (db) => outputReads.outputsAt(db, { ...NETWORK, outpoints: ["aa:0"] }),
  (db) => outputReads.spentForGood(db, { ...NETWORK, height: 9, ...LIMIT }),
  (db) => healthReads.networkHealth(db),
  (db) => networkUse(db, "ETH"),
  (db) => dueInvoices(db, { nowMs: 9, after: { judgeAtMs: 1, id: 1 }, ...LIMIT }),
  (db) => paidInvoices(db, { afterId: 1, ...LIMIT }),
  (db) => paymentCounts(db, [1, 2]),
  (db) => changedRefunds(db, { ids: [1, 2], limitEach: 1 }),
  (db) => countJudgedAgain(db, "ETH"),
  (db) => partsOf(db, "ETH"),
  (db) => walletsOf(db, "ETH"),
  (db) => healthReads.endpointsOf(db, "ETH"),
  (db) => healthReads.scanGaps(db),
  (db) => healthReads.openCounts(db),
  (db) => housekeeping.deleteOldRequests(db, OLD),
  (db) => housekeeping.deleteExpiredSignatures(db, 9),
  tryWrite,
  (db) => housekeeping.deleteOldRows(db, OLD),
  (db) => housekeeping.deleteSettledEvents(db, { afterId: 0, ...OLD }),
  (db) => housekeeping.deleteOldHours(db, OLD),
  (db) => housekeeping.deleteExpiredSignIns(db, 9),
  (db) => housekeeping.deleteOldCalls(db, 9),
  (db) => instanceReads.allInstances(db),
  (db) => instanceReads.beatsOf(db),
  (db) => instanceReads.instancesAndLeases(db),
  (db) => creditsWorth(db, [1]),
  (db) => debitsWorth(db, [1]),
  (db) => ledgerReads.newestEntry(db, ASSET),
  (db) => ledgerReads.entriesAfter(db, { ...ASSET, id: 1, ...LIMIT }),
  (db) => ledgerReads.assetsAfter(db, { after: ASSET, ...LIMIT }),
  (db) => ledgerReads.ledgerTails(db, { assets: [{ ...ASSET, mark: LEDGER_START }], ...LIMIT }),
  (db) => payoutReads.unsweptAmounts(db, { ...NETWORK, accountId: 1, ...LIMIT }),
  (db) => payoutReads.withdrawalsReferred(db, { keyId: "k", references: ["a"] }),
  (db) => payoutReads.draftIds(db, { accountId: 1, createdBy: "user:1" }),
  (db) => payoutReads.batchOf(db, { accountId: 1, reference: "a", requestedAtMs: 1 }),
  (db) => statementReads.ledgerIdAt(db, { ...ASSET, atMs: 9 }),
  (db) => statementReads.entryBefore(db, { ...ASSET, id: 9 }),
  (db) => statementReads.entriesIn(db, { ...ASSET, fromId: 1, belowId: 9, ...LIMIT }),
  (db) =>
    statementReads.entriesIn(db, {
      ...ASSET,
      fromId: 1,
      belowId: 9,
      ...LIMIT,
      isNewestFirst: true,
    }),
  (db) => statementReads.amountsIn(db, { ...ASSET, fromId: 1, belowId: 9, ...LIMIT }),
  (db) => statementReads.adjustmentsAt(db, { accountId: 1, atMs: 9 }),
  (db) => entriesSince(db, { id: 1, ...LIMIT }),
  (db) => lastEntryId(db),
  (db) => listReads.allAccounts(db),
  (db) => listReads.apiKeys(db, undefined),
  (db) => listReads.apiKeys(db, 1),
  (db) => listReads.roleKeys(db, undefined),
  (db) => listReads.roleKeys(db, 1),
  (db) => listReads.pressingAlerts(db, 5),
  (db) => listReads.wallets(db, undefined),
  (db) => listReads.wallets(db, "ETH"),
  (db) => listReads.currenciesOf(db, 1),
  (db) => listReads.balancesOf(db, 1),
  (db) => creditsOf(db, [makeRequest({ id: 1 })]),
  homeReads.setUpFacts,
  homeReads.beforeMoneyFacts,
  (db) => homeReads.underWay(db, null),
  (db) => homeReads.underWay(db, 1),
  (db) => homeReads.sweepingAmounts(db, { accountId: 1, limit: 5 }),
  (db) => homeReads.openPayouts(db, { accountId: 1, limit: 5 }),
  (db) => coinReads.coinMoves(db, LIMIT),
  (db) => costReads.costHours(db, SPAN),
  (db) => costReads.costMarks(db, LIMIT),
  (db) => costReads.nodeCalls(db, SPAN),
  (db) => costReads.monthsWithCosts(db, { network: "ETH", months: [{ name: "2026-10", ...SPAN }] }),
  (db) => costReads.paidFor(db, { ...SPAN, hasOutputs: true }),
  (db) => costReads.keptOnAddresses(db, { network: "ETH", currency: "ETH", newMax: 5 }),
  (db) => coinReads.coinsOf(db, { accountId: 1, newMax: 5 }),
  (db) => homeReads.lastFailed(db, 1),
  (db) => homeReads.accountsThatPay(db, [1]),
  (db) => noticesOf(db, { accountId: 1, limit: 5 }),
  (db) => countNotices(db, 1),
  (db) => countNotices(db, null),
  (db) => notesOn(db, { ...NOTED, limit: 5 }),
  (db) => countNotes(db, NOTED),
  (db) => transferReads.signedForWithdrawal(db, 1),
  (db) => transferReads.signedForSweep(db, 1),
  (db) => transferReads.isMoving(db, { ...NETWORK, address: "0xA" }),
  (db) => transferReads.sweepsSignedSince(db, { sweepIds: [1, 2], signedIds: [1] }),
  (db) =>
    reconcileReads.bookedAddresses(db, {
      ...NETWORK,
      pick: { afterId: 3, limit: 5 },
      unseenFrom: -2,
    }),
  (db) => reconcileReads.bookedAddresses(db, { ...NETWORK, pick: { ids: [1, 2] }, unseenFrom: -2 }),
  (db) =>
    reconcileReads.bookedAddresses(db, {
      ...NETWORK,
      pick: { receivedAfterId: 3, limit: 5 },
      unseenFrom: -2,
    }),
  (db) =>
    reconcileReads.bookedAddresses(db, {
      ...NETWORK,
      pick: { accountId: 1, afterId: 3, limit: 5 },
      unseenFrom: -2,
    }),
  (db) => openBidsOfHotWallets(db, { ...NETWORK, ...LIMIT }),
  (db) => allFreezes(db),
  ...ENCRYPTED_TABLES.flatMap((table): Ask[] => [
    (db) => rowsAfter(db, table, { after: undefined, ...LIMIT }),
    (db) => rowsAfter(db, table, { after: table.keys[PRIMARY]!.map(() => "k"), ...LIMIT }),
  ]),
  (db) => hasSecrets(db),
  (db) => standingOf(db, { network: makeNetwork("ETH", null), nowMs: 9 }).catch(() => {}),
  (db) => sweepReads.depositsOfSweep(db, 1),
  (db) => sweepReads.unsweptDeposits(db, { ...NETWORK, ...LIMIT }),
  (db) =>
    sweepReads.unsweptAt(db, { ...NETWORK, accountId: 1, addressId: 1, currency: "ETH", ...LIMIT }),
  (db) => sweepReads.sweptAt(db, { addressId: 1, currency: "ETH", isUnspent: false, ...LIMIT }),
  (db) => sweepReads.sweptAt(db, { addressId: 1, currency: "BTC", isUnspent: true, ...LIMIT }),
  (db) => sweepReads.unmovedDeposits(db, { ...ASSET, addressId: 1 }),
  (db) => sweepReads.accountsWithSweeps(db, { ...NETWORK, nowMs: 9, afterId: 0, ...LIMIT }),
  (db) => sweepReads.dueSweeps(db, { ...NETWORK, nowMs: 9, accountIds: [1], limitEach: 9 }),
  (db) => sweepReads.parkedSweeps(db, ASSET, { sinceMs: 1 }),
  (db) => failingTokens(db, "ETH"),
  (db) =>
    latestOutcomes(db, {
      ...{ network: "ETH", sender: "0xa", contract: null, limit: 40 },
      ...{ kind: "account_failing", subject: "account:1 ETH/USDT" },
    }),
  (db) => codeRecords(db, { ...NETWORK, sender: "0x1", sinceMs: 9 }),
  (db) => failuresOf(db, { ...NETWORK, sender: "0x1", address: "0x2", contract: null }),
  (db) => topHeights(db),
  (db) => hasMoved(db, { ...NETWORK, symbol: "USDT" }),
  (db) => transferReads.openTransactionsOf(db, SENDER),
  (db) => transferReads.newestTransactionsOf(db, { ...SENDER, ...LIMIT, offset: 20 }),
  (db) => transferReads.openTransactions(db, "ETH"),
  (db) => transferReads.unsettledPayments(db, "ETH"),
  (db) => transferReads.paymentsOf(db, [makeSigned({ id: 1 })]),
  (db) => transferReads.openPaymentOfWithdrawal(db, 1),
  (db) => transferReads.settledPaymentOfWithdrawal(db, 1),
  (db) => transferReads.wasSignedFor(db, 1),
  (db) => transferReads.revokedWithdrawals(db, [1]),
  (db) => transferReads.topUpsOfSweep(db, 1),
  (db) => transferReads.topUpsSince(db, { ...NETWORK, address: "0xA", sinceId: 1 }),
  (db) => accountsWithCoin(db, { ...NETWORK, symbol: "ETH", accountIds: [1] }),
  (db) => claimedOf(db, { ...NETWORK, claims: ["0xA/1"] }),
  (db) => claimReads.lastClaimed(db, SENDER),
  (db) => claimReads.authorizedFrom(db, { ...SENDER, fromPlace: 1 }),
  (db) => claimReads.claimsOf(db, [1]),
  (db) => claimReads.bidsFor(db, { id: 1 }),
  (db) => claimReads.newestSpender(db, makeSigned({ id: 1 })),
  (db) => claimReads.unminedBefore(db, makeSigned({ id: 1 })),
  (db) => outputReads.unminedSignedBy(db, { ...NETWORK, addresses: ["0xA"] }),
  (db) => outputReads.signedWithIds(db, [1]),
  (db) => outputReads.claimsFor(db, { ...NETWORK, claims: ["ab:1"] }),
  (db) => outputReads.undoneSpentBy(db, { ...NETWORK, signedIds: [1] }),
  (db) => outputReads.signedUnder(db, { ...NETWORK, hashes: ["ab"] }),
  (db) => outputReads.outputsMadeBy(db, { ...NETWORK, hashes: ["ab"] }),
  (db) => outputReads.outputsAbove(db, { ...NETWORK, height: 5 }),
  (db) => collectorRows(db, NETWORK.network),
  (db) => collectingFees(db, NETWORK.network),
  (db) => depositAddresses(db, NETWORK.network),
  (db) => addressesInNeed(db, { ...NETWORK, addresses: ["TA", "TB"] }),
  (db) => lastChangeOf(db, { ...NETWORK, address: "TA" }),
  (db) => sweepsUnderWay(db, 1),
  (db) => deploymentOf(db, { ...NETWORK, owner: "0xA", nonce: 1 }),
  (db) => claimReads.topUpOnItsWay(db, { ...NETWORK, address: "0xA" }),
  (db) => placeReads.heldFrom(db, { ...SENDER, fromPlace: 5 }),
  (db) => placeReads.heldCostsFrom(db, { ...SENDER, fromPlace: 5 }),
  (db) => placeReads.costsOf(db, [1]),
  (db) => placeReads.placesFrom(db, { ...SENDER, fromPlace: 7 }),
  (db) => placeReads.lastPlace(db, SENDER),
  (db) => placeReads.isPlaceHeld(db, { ...SENDER, place: 5 }),
  (db) => placeReads.transactionAhead(db, { ...SENDER, place: 5 }),
  (db) => placeReads.unexplainedSpends(db, { ...NETWORK, ...LIMIT }),
  (db) => placeReads.foreignFrom(db, { ...SENDER, fromPlace: 1 }),
  (db) => placeReads.minedPlaces(db, { ...SENDER, fromPlace: 1, belowPlace: 3 }),
  (db) => userReads.userPage(db, { afterId: 0, ...LIMIT }),
  (db) => userReads.userPage(db, { accountId: 1, afterId: 0, ...LIMIT }),
  (db) => userReads.hasOperator(db),
  (db) => userReads.loginsWith(db, "ann@example.com"),
  (db) => userReads.liveSessions(db, { user: makeUser({ id: 1 }), nowMs: 9, idleMs: 1, ...LIMIT }),
  (db) => volumeReads.volumeCursor(db),
  (db) => volumeReads.entriesAfter(db, { entryId: 0, ...LIMIT }),
  (db) => volumeReads.volumesSince(db, { accountId: 1, span: "day", sinceMs: 9, newMax: 5 }),
  (db) => volumeReads.depositCounts(db, { accountId: 1, sinceMs: 9 }),
  (db) => dueReads.webhookEndpoints(db, undefined),
  (db) => dueReads.webhookEndpoints(db, 1),
  (db) => dueReads.failingEndpoints(db, LIMIT),
  (db) => dueReads.dueEndpointIds(db, 9),
  (db) => dueReads.dueDeliveries(db, { endpointId: 1, nowMs: 9, exceptEventIds: [1], ...LIMIT }),
  (db) => webhookReads.listDeliveries(db, { state: "dead", endpointId: undefined, ...LIMIT }),
  (db) => webhookReads.listDeliveries(db, { state: undefined, endpointId: undefined, ...LIMIT }),
  (db) => webhookReads.listDeliveries(db, { state: "delivered", endpointId: undefined, ...LIMIT }),
  (db) => webhookReads.listDeliveries(db, { state: undefined, endpointId: 1, ...LIMIT }),
  (db) => webhookReads.eventPage(db, { accountId: 1, cursor: 9, ...LIMIT }),
  (db) => webhookReads.deliveriesOf(db, { eventId: 1, ...LIMIT }),
  (db) => webhookReads.attemptsOf(db, { eventId: 1, ...LIMIT }),
  (db) => webhookReads.eventsBetween(db, { accountId: undefined, ...BETWEEN }),
  (db) => webhookReads.eventsBetween(db, { accountId: 1, ...BETWEEN }),
  (db) => webhookReads.deadDeliveries(db, { accountId: undefined, ...LIMIT }),
  (db) => webhookReads.deadDeliveries(db, { accountId: 1, ...LIMIT }),
  (db) => dueReads.webhookBacklog(db),
];
