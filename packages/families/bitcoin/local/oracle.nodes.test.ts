// Compares our chain with real nodes: both get the same blocks and transactions and must give the same verdicts and reasons.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, expect, it } from 'vitest'
import { describeWithNode } from '../../../../test/nodes/describe-with-node.ts'
import { NODE_PACKAGES, type NodeName } from '../../../../test/nodes/packages.ts'
import { allCases } from './testing/all-cases.ts'
import { contractCases } from './testing/contract-cases.ts'
import { fuzzedCases } from './testing/fuzzed-witnesses.ts'
import { startOracle } from './testing/oracle.fixture.ts'
import { type PreparedSpend, prepareAtAges, prepareSpends } from './testing/prepared-spends.ts'
import { createRandom, mutate, randomCases } from './testing/random-scripts.ts'
import { outputOf, ownerScript, payment } from './testing/spend.ts'
import { toHex } from './wire/bytes.ts'

/** The second node gets fewer cases, because the first has covered the same rules. */
const counts: Readonly<Record<NodeName, { readonly random: number; readonly fuzzed: number; readonly mutated: number }>> = {
  bitcoind: { random: 200, fuzzed: 152, mutated: 200 },
  litecoind: { random: 60, fuzzed: 152, mutated: 60 },
}
const TIMEOUT = { timeout: 300_000 }

for (const name of Object.keys(NODE_PACKAGES) as NodeName[]) {
  await describeWithNode(name, `verdicts of our chain and of a real ${name}`, () => {
    const { random, fuzzed, mutated } = counts[name]
    const oracle = opened(() => startOracle(name))
    const named = (spends: readonly PreparedSpend[]) => spends.map(({ spendCase, transaction }) => ({ name: spendCase.name, transaction }))

    beforeAll(async () => {
      await oracle.mirror()
    })

    it('agree on the contracts of a swap at every age of theirs', TIMEOUT, async () => {
      expect(contractCases).toHaveLength(44)
      for (const spends of prepareAtAges(oracle.chain, contractCases)) expect(await oracle.compare(named(spends), true)).toEqual([])
    })

    it('agree on fuzzed witnesses of these contracts', TIMEOUT, async () => {
      const spends = prepareSpends(oracle.chain, fuzzedCases(fuzzed, 1_618))
      expect(await oracle.compare(named(spends), true)).toEqual([])
    })

    it('agree on every spend case, in the mempool and in blocks', TIMEOUT, async () => {
      expect(await oracle.compare(named(prepareSpends(oracle.chain, allCases)), true)).toEqual([])
    })

    it('agree on replacements of an unconfirmed transaction', TIMEOUT, async () => {
      const [coin, other] = oracle.chain.fund([ownerScript, ownerScript])
      if (coin === undefined || other === undefined) throw new Error('there are no coins')
      await oracle.mirror()
      const first = payment([coin], { feeSats: 2_000n })
      const child = payment([outputOf(first)], { feeSats: 2_000n })
      for (const transaction of [first, child]) {
        expect(oracle.chain.node.submit(transaction).refusal).toBeNull()
        await oracle.node.rpc('sendrawtransaction', [toHex(transaction.raw)])
      }
      const rivals = {
        'the same again': first,
        'a higher fee': payment([coin], { feeSats: 50_000n }),
        'the same fee': payment([coin], { feeSats: 2_000n, sequence: 7 }),
        'a higher fee, together with another coin': payment([coin, other], { feeSats: 60_000n }),
        'a rival of the child': payment([outputOf(first)], { feeSats: 9_000n }),
        'a child of both': payment([outputOf(child)], { feeSats: 1_000n }),
      }
      const candidates = Object.entries(rivals).map(([rival, transaction]) => ({ name: rival, transaction }))
      expect(await oracle.compare(candidates, false)).toEqual([])
      const expected = name === 'litecoind' ? 'txn-mempool-conflict' : null
      expect(oracle.chain.node.evaluate(rivals['a higher fee']).refusal).toBe(expected)
      oracle.chain.mine(1)
      await oracle.mirror()
    })

    it('agree on random scripts', TIMEOUT, async () => {
      const spends = prepareSpends(oracle.chain, randomCases(random, 20_240_229))
      expect(await oracle.compare(named(spends), true)).toEqual([])
    })

    it('agree on mutated spends', TIMEOUT, async () => {
      const choose = createRandom(7_919)
      const valid = prepareSpends(
        oracle.chain,
        allCases.filter(({ verdict, name: spend }) => verdict === 'standard' && !/^(P2WSH|P2SH|tapscript): /.test(spend)),
      )
      const candidates = Array.from({ length: mutated }, (_, i) => {
        const original = valid[i % valid.length]
        if (original === undefined) throw new Error('nothing to mutate')
        return { name: `mutation ${i} of ${original.spendCase.name}`, transaction: mutate(original.transaction, choose) }
      })
      expect(await oracle.compare(candidates, false)).toEqual([])
    })
  })
}
