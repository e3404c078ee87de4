// Holds our node against a real bitcoind: both see the same blocks and transactions and must give the same verdicts and reasons.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CoreNode, startCoreNode } from '../../test/nodes/core-node.ts'
import { describeWithNode } from '../../test/nodes/describe-with-node.ts'
import { type Block, serializeBlock } from './chain/block.ts'
import { MISSING_INPUTS } from './mempool/evaluate-transaction.ts'
import { type Instruction, OP, readInstructions } from './script/opcodes.ts'
import { allCases } from './testing/all-cases.ts'
import { type PreparedSpend, prepareSpends } from './testing/prepared-spends.ts'
import { createRandom, mutate, randomCases } from './testing/random-scripts.ts'
import { createTestChain, type TestChain } from './testing/test-chain.ts'
import type { Transaction } from './transaction/transaction.ts'
import { toHex } from './wire/hex.ts'

type Acceptance = { allowed: boolean; vsize?: number; fees?: { base: number }; 'reject-reason'?: string }
type Disagreement = { name: string; ours: string; theirs: string; raw: string }

const RANDOM_SCRIPTS = 600
const MUTATIONS = 500

await describeWithNode('bitcoind', 'verdicts of our node and of a real bitcoind', () => {
  let bitcoind: CoreNode
  let chain: TestChain
  const pendingBlocks: Block[] = []

  async function mirrorBlocks(): Promise<void> {
    for (const block of pendingBlocks.splice(0)) {
      expect(await bitcoind.rpc('submitblock', [toHex(serializeBlock(block))])).toBeNull()
    }
    expect(await bitcoind.rpc('getbestblockhash')).toBe(chain.node.chain.tip().block.hash)
  }

  async function theirMempoolVerdict(transaction: Transaction): Promise<string> {
    const [verdict] = await bitcoind.rpc<Acceptance[]>('testmempoolaccept', [[toHex(transaction.raw)], 0])
    return verdict?.allowed ? `allowed, ${verdict.vsize} vB` : (verdict?.['reject-reason'] ?? 'no verdict')
  }

  function ourMempoolVerdict(transaction: Transaction): string {
    const evaluation = chain.node.evaluate(transaction)
    if (evaluation.refusal === null) return `allowed, ${evaluation.entry.vsize} vB`
    return evaluation.refusal === MISSING_INPUTS ? 'missing-inputs' : evaluation.refusal
  }

  /** Knots, the bitcoind at hand, is finer in words and stricter in policy than Bitcoin Core; consensus is the same. */
  function inWordsOfCore(reason: string): string {
    if (/^bad-witness-/.test(reason)) return 'bad-witness-nonstandard'
    return /^bad-txns-input-/.test(reason) ? 'bad-txns-nonstandard-inputs' : reason
  }

  /** Knots relays neither conditionals in tapscript, nor pushes over 256 bytes, nor long output scripts. */
  function isKnotsOnlyPolicy(theirs: string, transaction: Transaction): boolean {
    const scripts = transaction.inputs.flatMap(({ witness }) => witness).map((element) => readInstructions(element) ?? [])
    const some = (test: (instruction: Instruction) => boolean) => scripts.some((instructions) => instructions.some(test))
    if (theirs === 'bad-txns-vout-script-toolarge') return true
    if (theirs.includes('must be minimal in tapscript')) return some(({ opcode }) => opcode === OP.IF || opcode === OP.NOTIF)
    return theirs.includes('Push value size limit exceeded') && some(({ data }) => data !== null && data.length > 256)
  }

  /** Verdicts of mempool and block must agree; a block that both accept becomes the tip of both. */
  async function compare(spends: readonly { name: string; transaction: Transaction }[], withBlocks: boolean): Promise<Disagreement[]> {
    const disagreements: Disagreement[] = []
    for (const { name, transaction } of spends) {
      const raw = toHex(transaction.raw)
      const ours = ourMempoolVerdict(transaction)
      const theirs = inWordsOfCore(await theirMempoolVerdict(transaction))
      if (ours !== theirs && !isKnotsOnlyPolicy(theirs, transaction)) disagreements.push({ name, ours, theirs, raw })
      if (!withBlocks) continue
      const { block, refusal } = chain.mineWith([transaction])
      const theirRefusal = await bitcoind.rpc<string | null>('submitblock', [toHex(serializeBlock(block))])
      if (refusal !== theirRefusal)
        disagreements.push({ name: `${name} (in a block)`, ours: String(refusal), theirs: String(theirRefusal), raw })
    }
    return disagreements
  }

  const named = (spends: readonly PreparedSpend[]) => spends.map(({ spendCase, transaction }) => ({ name: spendCase.name, transaction }))

  beforeAll(async () => {
    bitcoind = await startCoreNode('bitcoind')
    const { minrelaytxfee } = await bitcoind.rpc<{ minrelaytxfee: number }>('getmempoolinfo')
    chain = createTestChain({
      onBlock: (block) => pendingBlocks.push(block),
      minRelaySatsPerKvb: BigInt(Math.round(minrelaytxfee * 1e8)),
    })
    await mirrorBlocks()
  })
  afterAll(async () => {
    await bitcoind.stop()
  })

  it('agree on every spend case, in the mempool and in blocks', { timeout: 300_000 }, async () => {
    const spends = prepareSpends(chain, allCases)
    await mirrorBlocks()
    expect(await compare(named(spends), true)).toEqual([])
    await mirrorBlocks()
  })

  it('agree on random scripts', { timeout: 300_000 }, async () => {
    const spends = prepareSpends(chain, randomCases(RANDOM_SCRIPTS, 20_240_229))
    await mirrorBlocks()
    expect(await compare(named(spends), true)).toEqual([])
    await mirrorBlocks()
  })

  it('agree on mutated spends', { timeout: 300_000 }, async () => {
    const random = createRandom(7_919)
    const valid = prepareSpends(
      chain,
      allCases.filter(({ verdict, name }) => verdict === 'standard' && !/^(P2WSH|P2SH|tapscript): /.test(name)),
    )
    await mirrorBlocks()
    const mutated = Array.from({ length: MUTATIONS }, (_, i) => {
      const original = valid[i % valid.length]
      if (original === undefined) throw new Error('nothing to mutate')
      return { name: `mutation ${i} of ${original.spendCase.name}`, transaction: mutate(original.transaction, random) }
    })
    expect(await compare(mutated, false)).toEqual([])
  })
})
