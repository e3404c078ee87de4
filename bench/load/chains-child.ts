/** The local chains and the database run here without service and solver. Each user gets some of an asset. */
import { join } from 'node:path'
import { startLocalStack } from '@tandem/local/stack.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { readInput, tellParent } from '../api/child.ts'

export type ChainsInput = {
  readonly folder: string
  readonly chains: readonly string[]
  /** The solver has its keys in a signer. */
  readonly hasSigner: boolean
  readonly gifts: readonly { readonly asset: string; readonly address: string; readonly amount: string }[]
}

const { folder, chains, hasSigner, gifts } = readInput<ChainsInput>()
const stack = await startLocalStack({
  folder: join(folder, 'stack'),
  port: 0,
  log: createLogger({ name: 'load', level: 'warn' }),
  mining: 'instant',
  chains,
  startParties: false,
  // Of the processes that it would start, the signer is the only one here.
  split: hasSigner,
})
for (const { asset, address, amount } of gifts) await stack.network.fund(asset, address, BigInt(amount))
const cpu = () => ({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system })
process.on('message', (question) => {
  if (question === 'cpu') return tellParent(cpu())
  stack.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
tellParent({ info: stack.info, ...stack.configs })
