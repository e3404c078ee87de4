// Checks the verdicts of our node on every spend case, in the mempool and in a block. oracle.nodes.test.ts does the same with real nodes.
import { describe, expect, it } from 'vitest'
import { bitcoinRegtest, litecoinRegtest } from '../network.ts'
import { allCases } from '../testing/all-cases.ts'
import { contractCases } from '../testing/contract-cases.ts'
import { type PreparedSpend, prepareAtAges, prepareSpends } from '../testing/prepared-spends.ts'
import { createTestChain, type TestChain } from '../testing/test-chain.ts'

function expectVerdicts(chain: TestChain, { spendCase, transaction }: PreparedSpend): void {
  const { refusal } = chain.node.evaluate(transaction)
  if (spendCase.verdict === 'standard') expect(refusal, spendCase.name).toBeNull()
  else expect(refusal, spendCase.name).toContain(spendCase.reason ?? '')
  const block = chain.mineWith([transaction])
  if (spendCase.verdict === 'invalid') expect(block.refusal, spendCase.name).not.toBeNull()
  else expect(block.refusal, spendCase.name).toBeNull()
}

describe('spends', () => {
  const chain = createTestChain()
  const spends = prepareSpends(chain, allCases)

  it('have unique names', () => {
    expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length)
    expect(new Set(contractCases.map(({ name }) => name)).size).toBe(contractCases.length)
  })

  it.each(spends.map((spend) => [spend.spendCase.name, spend] as const))('%s', (_, spend) => {
    expectVerdicts(chain, spend)
  })
})

describe.each([
  ['Bitcoin', bitcoinRegtest],
  ['Litecoin', litecoinRegtest],
] as const)('the contracts of a swap on %s', (_, network) => {
  it('can be spent by the agreed party at the agreed age, and in no other way', () => {
    const chain = createTestChain({ network })
    let judged = 0
    for (const spends of prepareAtAges(chain, contractCases)) {
      for (const spend of spends) expectVerdicts(chain, spend)
      judged += spends.length
    }
    expect(judged).toBe(44)
  })
})
