/** The list of benchmarks. */
import { apiBench } from './api/api.ts'
import { attackBench } from './attack.ts'
import type { Bench } from './bench.ts'
import { closedBench } from './closed.ts'
import { costsBench } from './costs/costs.ts'
import { dustBench } from './dust.ts'
import { eventsBench } from './events/events.ts'
import { floodsBench } from './floods.ts'
import { gasBench } from './gas.ts'
import { latencyBench } from './latency.ts'
import { listsBench } from './lists.ts'
import { loadBench } from './load/load.ts'
import { openBench } from './open.ts'
import { quoteBench } from './quote.ts'
import { restBench } from './rest.ts'
import { rpcBench } from './rpc/rpc.ts'
import { solanaBench } from './solana.ts'
import { starknetBench } from './starknet.ts'
import { suiBench } from './sui.ts'
import { vbytesBench } from './vbytes.ts'
import { watchBench } from './watch.ts'
import { xrplBench } from './xrpl.ts'

export const benches: readonly Bench[] = [
  gasBench,
  vbytesBench,
  solanaBench,
  starknetBench,
  suiBench,
  xrplBench,
  latencyBench,
  loadBench,
  restBench,
  apiBench,
  quoteBench,
  attackBench,
  floodsBench,
  rpcBench,
  listsBench,
  watchBench,
  closedBench,
  costsBench,
  dustBench,
  openBench,
  eventsBench,
]
