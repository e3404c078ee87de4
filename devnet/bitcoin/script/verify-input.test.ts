// Judges every spend case with our own node: what the mempool says, and what a block may carry; real nodes judge the same ones elsewhere.
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

  it('have names of their own', () => {
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
  it('are spent as their parties agreed, when they agreed, and in no other way', () => {
    const chain = createTestChain({ network })
    let judged = 0
    for (const spends of prepareAtAges(chain, contractCases)) {
      for (const spend of spends) expectVerdicts(chain, spend)
      judged += spends.length
    }
    expect(judged).toBe(44)
  })
})
