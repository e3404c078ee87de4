/** A watcher in a process of its own, which looks when it is told to, and says what a look and the process cost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bitcoin } from '@tandem/bitcoin/server/index.ts'
import { createWatchList } from '@tandem/party/engine/watch-list.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { readInput, tellParent } from './api/child.ts'
import { watchedChain } from './seed-watched.ts'

export type ClosedInput = { readonly databaseUrl: string; readonly nodeUrl: string }
export type ClosedQuestion = 'look' | 'memory'
export type LookCost = { readonly cpuMs: number }
/** In bytes, after a full collection. `held`: the heap and all buffers. */
export type Memory = { readonly held: number; readonly resident: number }

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const { databaseUrl, nodeUrl } = readInput<ClosedInput>()
const db = await openDatabase(databaseUrl)
const client = bitcoin.connect(watchedChain(), { assets: [], endpoints: { rpc: [nodeUrl] } })
const list = createWatchList(db, client.chain)

async function look(): Promise<LookCost> {
  const before = process.cpuUsage()
  // A mempool that is read for the first time may take longer than an action would wait.
  await pollChain({ db, client, holder: 'bench', list, isBackground: true, onReorg: () => undefined })
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000 }
}

async function measureMemory(): Promise<Memory> {
  // V8 gives pages back to the system some time after it has freed them.
  for (let times = 0; times < 3; times += 1) {
    collect()
    await sleep(300)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  return { held: heapUsed + external, resident: rss }
}

process.on('message', async (question: ClosedQuestion) => {
  tellParent(question === 'look' ? await look() : await measureMemory())
})
tellParent({})
