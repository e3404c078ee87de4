// Shows a simulated chain and a real node the same blocks. Their verdicts about transactions and blocks must agree.
import { type CoreNode, startCoreNode } from '../../../../../test/nodes/core-node.ts'
import type { NodeName } from '../../../../../test/nodes/packages.ts'
import { type Block, serializeBlock } from '../chain/block.ts'
import { MISSING_INPUTS } from '../mempool/evaluate-transaction.ts'
import type { MempoolEntry } from '../mempool/mempool.ts'
import { type BitcoinNetwork, bitcoinRegtest, litecoinRegtest } from '../network.ts'
import { type Instruction, OP, readInstructions } from '../script/opcodes.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'
import { createTestChain, type TestChain } from './test-chain.ts'

export type Candidate = { readonly name: string; readonly transaction: Transaction }
export type Disagreement = { readonly name: string; readonly ours: string; readonly theirs: string; readonly raw: string }

export type Oracle = {
  readonly chain: TestChain
  readonly node: CoreNode
  mirror(): Promise<void>
  /** The mempools must agree. `withBlocks` also compares a block with the transaction. */
  compare(candidates: readonly Candidate[], withBlocks: boolean): Promise<Disagreement[]>
  close(): Promise<void>
}

type Acceptance = { readonly allowed: boolean; readonly vsize?: number; readonly 'reject-reason'?: string }

type Dialect = {
  readonly network: BitcoinNetwork
  readonly blocks: number
  inWordsOfCore(reason: string, place: 'mempool' | 'block'): string
  vsizeOf(entry: MempoolEntry): number
  isOwnPolicy(reason: string, transaction: Transaction): boolean
}

const dialects: Readonly<Record<NodeName, Dialect>> = {
  bitcoind: {
    network: bitcoinRegtest,
    blocks: 130,
    /** The bitcoind here is Knots: its error texts are more detailed and its policy is stricter than Bitcoin Core's; consensus is the same. */
    inWordsOfCore(reason, place) {
      if (place === 'block') return reason
      if (/^bad-witness-/.test(reason)) return 'bad-witness-nonstandard'
      return /^bad-txns-input-/.test(reason) ? 'bad-txns-nonstandard-inputs' : reason
    },
    vsizeOf: ({ vsize }) => vsize,
    /** Knots relays neither conditionals in tapscript, nor pushes over 256 bytes, nor long output scripts. */
    isOwnPolicy(reason, transaction) {
      const scripts = transaction.inputs.flatMap(({ witness }) => witness).map((element) => readInstructions(element) ?? [])
      const some = (test: (instruction: Instruction) => boolean) => scripts.some((instructions) => instructions.some(test))
      if (reason === 'bad-txns-vout-script-toolarge') return true
      if (reason.includes('must be minimal in tapscript')) return some(({ opcode }) => opcode === OP.IF || opcode === OP.NOTIF)
      return reason.includes('Push value size limit exceeded') && some(({ data }) => data !== null && data.length > 256)
    },
  },
  litecoind: {
    network: litecoinRegtest,
    // BIP65 is the last rule, from 1351 on.
    blocks: 1_355,
    /** The error text of a failed script depends on the kind of rule, also in a block. */
    inWordsOfCore: (reason, place) =>
      reason.replace(
        /^(non-mandatory-script-verify-flag|mandatory-script-verify-flag-failed) /,
        `${place === 'block' ? 'mandatory' : 'mempool'}-script-verify-flag-failed `,
      ),
    // The vsize excludes the weight of signature operations, but the fee must pay for them.
    vsizeOf: ({ transaction }) => transaction.vsize,
    isOwnPolicy: () => false,
  },
}

export async function startOracle(name: NodeName): Promise<Oracle> {
  const { network, blocks, inWordsOfCore, vsizeOf, isOwnPolicy } = dialects[name]
  const node = await startCoreNode(name)
  const pending: Block[] = []
  const { minrelaytxfee } = await node.rpc<{ minrelaytxfee: number }>('getmempoolinfo')
  const chain = createTestChain({
    network,
    blocks,
    onBlock: (block) => pending.push(block),
    minRelaySatsPerKvb: BigInt(Math.round(minrelaytxfee * 1e8)),
  })

  async function mirror(): Promise<void> {
    for (const block of pending.splice(0)) {
      const refusal = await node.rpc('submitblock', [toHex(serializeBlock(block))])
      if (refusal !== null) throw new Error(`${name} refused our block ${block.hash}: ${refusal}`)
    }
    const tip = await node.rpc('getbestblockhash')
    if (tip !== chain.node.chain.tip().block.hash) throw new Error(`${name} is at ${tip}`)
  }

  function ourVerdict(transaction: Transaction): string {
    const evaluation = chain.node.evaluate(transaction)
    if (evaluation.refusal === null) return `allowed, ${vsizeOf(evaluation.entry)} vB`
    return evaluation.refusal === MISSING_INPUTS ? 'missing-inputs' : evaluation.refusal
  }

  async function theirVerdict(transaction: Transaction): Promise<string> {
    const [verdict] = await node.rpc<Acceptance[]>('testmempoolaccept', [[toHex(transaction.raw)], 0])
    return verdict?.allowed ? `allowed, ${verdict.vsize} vB` : inWordsOfCore(verdict?.['reject-reason'] ?? 'no verdict', 'mempool')
  }

  return {
    chain,
    node,
    mirror,
    async compare(candidates, withBlocks) {
      await mirror()
      const disagreements: Disagreement[] = []
      for (const { name: candidate, transaction } of candidates) {
        const raw = toHex(transaction.raw)
        const [ours, theirs] = [ourVerdict(transaction), await theirVerdict(transaction)]
        if (ours !== theirs && !isOwnPolicy(theirs, transaction)) disagreements.push({ name: candidate, ours, theirs, raw })
        if (!withBlocks) continue
        const { block, refusal } = chain.mineWith([transaction])
        const answer = await node.rpc<string | null>('submitblock', [toHex(serializeBlock(block))])
        const theirRefusal = answer === null ? null : inWordsOfCore(answer, 'block')
        if (refusal !== theirRefusal)
          disagreements.push({ name: `${candidate} (in a block)`, ours: String(refusal), theirs: String(theirRefusal), raw })
      }
      await mirror()
      return disagreements
    },
    close: node.stop,
  }
}
