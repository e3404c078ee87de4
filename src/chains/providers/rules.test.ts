/** How the answers of several providers become one. */
import { describe, expect, it } from 'vitest'
import { type Answering, dead, quorumOf, says } from './answering.fixture.ts'
import type { Rule } from './quorum.ts'
import { equalOr, failover, listedByQuorum } from './rules.ts'

function ask<T>(rule: Rule<T>, size: number, ...nodes: readonly Answering[]): Promise<T> {
  return rule(quorumOf(size, ...nodes).quorum, { what: 'the question', ask: (node) => node.answer() as Promise<T> })
}

describe('failover', () => {
  it('takes the first answer, even where two providers must agree on other things', async () => {
    expect(await ask(failover(), 2, says(1n), says(2n))).toBe(1n)
    expect(await ask(failover(), 2, dead, says(2n))).toBe(2n)
  })

  it('fails when no provider answers', async () => {
    await expect(ask(failover(), 1, dead, dead)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('what a quorum lists', () => {
  const items = listedByQuorum<string>(
    (item) => item.toLowerCase(),
    (alike) => alike.join('+'),
  )

  it('is what so many providers list, each of which counts once', async () => {
    expect(await ask(items, 2, says(['x', 'y', 'w', 'w']), says(['Y', 'z']), says([]))).toEqual(['y+Y'])
    expect(await ask(items, 1, says(['x']), says(['y']))).toEqual(['x'])
  })

  it('needs as many answers as the quorum', async () => {
    await expect(ask(items, 2, says(['x']), dead)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the question: 1 of the 2 providers needed answered; b: ECONNREFUSED',
    })
  })
})

describe('equal, or else what the caller makes of the answers', () => {
  const rule = equalOr<string>({ choose: (agreed) => agreed.toSorted().at(-1) ?? '', otherwise: (answers) => `none of ${answers}` })

  it('is what so many say', async () => {
    expect(await ask(rule, 2, says('x'), says('y'), says('y'))).toBe('y')
    expect(await ask(rule, 1, says('x'), says('y'), says('y'))).toBe('x')
  })

  it('is chosen by the caller where there are several such answers', async () => {
    expect(await ask(rule, 2, says('x'), says('y'), says('x'), says('y'))).toBe('y')
  })

  it('is made by the caller where no answer is given often enough, but never of too few', async () => {
    expect(await ask(rule, 2, says('x'), dead, says('y'))).toBe('none of x,y')
    await expect(ask(rule, 2, says('x'), dead)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
