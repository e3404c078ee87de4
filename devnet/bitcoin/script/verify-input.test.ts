// Judges every spend case with our own node: what the mempool says, and what a block may carry; a real bitcoind judges the same ones elsewhere.
import { describe, expect, it } from 'vitest'
import { allCases } from '../testing/all-cases.ts'
import { prepareSpends } from '../testing/prepared-spends.ts'
import { createTestChain } from '../testing/test-chain.ts'

const chain = createTestChain()
const spends = prepareSpends(chain, allCases)

describe('spends', () => {
  it('have names of their own', () => {
    expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length)
  })

  it.each(spends.map((spend) => [spend.spendCase.name, spend] as const))('%s', (_, { spendCase, transaction }) => {
    const { refusal } = chain.node.evaluate(transaction)
    if (spendCase.verdict === 'standard') expect(refusal).toBeNull()
    else expect(refusal).toContain(spendCase.reason ?? '')
    const block = chain.mineWith([transaction])
    if (spendCase.verdict === 'invalid') expect(block.refusal).not.toBeNull()
    else expect(block.refusal).toBeNull()
  })
})
