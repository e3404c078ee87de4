/** The list of benchmarks. */
import { type Load, measureApi } from './api/api.ts'
import { type Bench, ratio } from './bench.ts'
import { measureGas } from './gas.ts'
import { gasPaths, isCheapEnough } from './gas-paths.ts'
import { LATENCY_LIMIT_MS, measureLatency } from './latency.ts'
import { LISTS_LIMIT_MS, measureLists, SEEDED_ORDERS, YARDSTICK } from './lists.ts'
import { measureMemory } from './memory.ts'
import { measureRpc, RPC_SIZE } from './rpc/rpc.ts'
import { measureVbytes } from './vbytes.ts'
import { BLOCK_TRANSACTIONS, FRESH_TRANSACTIONS, MEMPOOL_TRANSACTIONS } from './watch.fixture.ts'
import { measureWatch, WATCH_LIMIT_MS, WATCHED } from './watch.ts'

export const benches: readonly Bench[] = [
  {
    name: 'gas',
    about: 'gas of every contract operation, against HTLCs in the field',
    conditions:
      'Median of 5; plain ERC-20; unlimited approval given before; all parties and the HTLC already hold a balance. A path is an initiation and the settlement after it. Limits by path: 0.50 of the struct-storing HTLC, 1.03 of the best commitment HTLC. The latter has no signed initiation to protect, clears its slot and so gets 4,800 gas back on settlement; ours keeps the mark of every order. For the native coin that is more than the code could win back: two transactions and their calldata (44,912), the slot (27,100), the payment (9,300), hashes (316) and events (3,786) are 85,414 of the 85,432 that 1.03 would be. Without that refund ours would be the cheaper one there, too.',
    async run() {
      const operations = await measureGas()
      const paths = gasPaths(operations)
      return {
        ok: paths.every(isCheapEnough),
        table: {
          columns: ['operation or path', 'gas', 'first version of ours', 'struct-storing HTLC', 'ratio', 'best commitment HTLC', 'ratio'],
          rows: [...operations, ...paths].map((row) => [
            row.operation,
            row.gas,
            row.prototypeGas ?? '–',
            row.structStoringGas ?? '–',
            gasRatio(row.gas, row.structStoringGas),
            row.bestCommitmentGas ?? '–',
            gasRatio(row.gas, row.bestCommitmentGas),
          ]),
        },
      }
    },
  },
  {
    name: 'vbytes',
    about: 'virtual size of every Bitcoin spend',
    conditions: 'Signed transactions paying to P2WPKH; one deposit unless said.',
    async run() {
      const rows = await measureVbytes()
      return {
        ok: true,
        table: {
          columns: ['operation', 'vB', 'reference vB', 'ratio'],
          rows: rows.map((row) => [row.operation, row.vbytes, row.reference ?? '–', ratio(row.vbytes, row.reference)]),
        },
      }
    },
  },
  {
    name: 'latency',
    about: `source confirmed → destination redeemed on instantly mined chains, limit ${LATENCY_LIMIT_MS} ms median`,
    conditions: 'Whole local stack, blocks mined at once, one swap after the other, seen from outside through the API.',
    async run(onProgress) {
      const rows = await measureLatency(onProgress)
      return {
        ok: rows.every((row) => row.medianMs < LATENCY_LIMIT_MS),
        table: {
          columns: ['route', 'swaps', 'median ms', 'slowest ms', 'limit ms', 'ratio'],
          rows: rows.map((row) => [
            row.route,
            row.swaps,
            row.medianMs,
            row.slowestMs,
            LATENCY_LIMIT_MS,
            ratio(row.medianMs, LATENCY_LIMIT_MS),
          ]),
        },
      }
    },
  },
  {
    name: 'memory',
    about: 'memory of the whole local stack at rest',
    conditions:
      '`tandem start` as one process plus PostgreSQL; proportional set size after 20 s without work; all local chains unless said, solver and service included.',
    async run(onProgress) {
      const rows = await measureMemory(onProgress)
      return {
        ok: true,
        table: { columns: ['part', 'processes', 'MB'], rows: rows.map((row) => [row.part, row.processes, row.megabytes]) },
      }
    },
  },
  {
    name: 'api',
    about: 'the hot endpoints, against the same framework and driver doing the least possible',
    conditions:
      'The API in a process of its own, embedded PostgreSQL with its usual durability, an EVM node simulated in another process, a solver simulated by functions; 20 connections; medians of 3 rounds of 4 s, ours and the peer in turn. 50 different questions for GET /quote, whose answers are reused for a second; POST /orders makes a new order from a native coin every time, for 50 owners in turn.',
    async run(onProgress) {
      const rows = await measureApi(onProgress)
      return {
        ok: rows.every((row) => row.ratio >= row.leastRatio),
        table: {
          columns: ['endpoint', 'per second', 'p50 ms', 'p99 ms', 'peer', 'per second', 'p50 ms', 'p99 ms', 'ratio', 'at least'],
          rows: rows.map((row) => [
            row.endpoint,
            ...loadCells(row.ours),
            row.peerName,
            ...loadCells(row.peer),
            row.ratio.toFixed(2),
            row.leastRatio,
          ]),
        },
      }
    },
  },
  {
    name: 'rpc',
    about: 'requests to the nodes: idle, with an open order, for a swap, catching up a day',
    conditions: `Counted by a proxy in front of each node; each call inside a JSON-RPC batch counts. Local stack: ${RPC_SIZE.seconds} s idle and ${RPC_SIZE.seconds} s with open orders, ${RPC_SIZE.swaps} swaps one after the other from the quote to the last redeem, with all polls in between; blocks every second and for every transaction. Four blocks a second: the registry's data of a public chain, a simulator of its node, one provider.`,
    async run(onProgress) {
      const rows = await measureRpc(onProgress, RPC_SIZE)
      return {
        ok: rows.every(({ calls, limit }) => limit === null || calls <= limit),
        table: {
          columns: ['what', 'chain', 'calls', 'HTTP requests', 'limit', 'ratio', 'most asked'],
          rows: rows.map((row) => [row.what, row.chain, row.calls, row.http, row.limit ?? '–', ratio(row.calls, row.limit), row.mostAsked]),
        },
      }
    },
  },
  {
    name: 'lists',
    about: `GET /orders over ${SEEDED_ORDERS.toLocaleString('en-US')} orders, limit ${LISTS_LIMIT_MS} ms at the 99th percentile`,
    conditions: `${SEEDED_ORDERS.toLocaleString('en-US')} orders, 950,000 of them of the app that asks, 20,000 of one busy owner; through HTTP, one request after the other, 10 orders a page unless said. Deep: the older half of what is found, to its last page.`,
    async run(onProgress) {
      const rows = await measureLists(onProgress)
      return {
        ok: rows.every((row) => row.filter === YARDSTICK || row.p99Ms <= LISTS_LIMIT_MS),
        table: {
          columns: ['filter', 'place', 'orders found', 'p50 ms', 'p99 ms', 'limit ms', 'ratio'],
          rows: rows.map((row) => [
            row.filter,
            row.place,
            row.found,
            row.p50Ms.toFixed(1),
            row.p99Ms.toFixed(1),
            LISTS_LIMIT_MS,
            ratio(row.p99Ms, LISTS_LIMIT_MS),
          ]),
        },
      }
    },
  },
  {
    name: 'watch',
    about: `processor time of watching ${WATCHED.map(count).join(' or ')} addresses through a block of ${count(BLOCK_TRANSACTIONS)} transactions, limit ${WATCH_LIMIT_MS} ms`,
    conditions: `The watcher with its real client against PostgreSQL and a node simulated in another process; nine of ten orders are finished. User and system time of the watching process for one look, database and HTTP included; median of 5 after 2 to warm up. Block: ${count(BLOCK_TRANSACTIONS)} transactions, 2 inputs and 2.5 outputs each, every second output taproot, 5 deposits and 2 spends among them. Mempool: no new block, ${count(MEMPOOL_TRANSACTIONS)} transactions of which ${FRESH_TRANSACTIONS} are new.`,
    async run(onProgress) {
      const rows = await measureWatch(onProgress)
      return {
        ok: rows.every((row) => row.cpuMs < WATCH_LIMIT_MS),
        table: {
          columns: ['look', 'addresses watched', 'CPU ms', 'limit ms', 'ratio', 'events found'],
          rows: rows.map((row) => [
            row.what,
            row.watched,
            Number(row.cpuMs.toFixed(1)),
            WATCH_LIMIT_MS,
            ratio(row.cpuMs, WATCH_LIMIT_MS),
            row.events,
          ]),
        },
      }
    },
  },
]

/** To a thousandth, because limits are percents. */
function gasRatio(ours: number, theirs: number | null): string {
  return theirs === null ? '–' : (ours / theirs).toFixed(3)
}

function count(n: number): string {
  return n.toLocaleString('en-US')
}

function loadCells(load: Load): readonly number[] {
  return [Math.round(load.perSecond), Number(load.p50Ms.toFixed(1)), Number(load.p99Ms.toFixed(1))]
}
