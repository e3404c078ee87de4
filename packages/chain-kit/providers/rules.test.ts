/** Tests the rules that make one answer of those of several providers. */
import { describe, expect, it } from 'vitest'
import { type Answering, dead, quorumOf, says } from './answering.fixture.ts'
import type { Rule } from './quorum.ts'
import { Refusal } from './refusal.ts'
import { equal, equalOr, exactNumber, failover, finalHeight, listedByQuorum, movingNumber } from './rules.ts'

function ask<T>(rule: Rule<T>, size: number, ...nodes: readonly Answering[]): Promise<T> {
  return rule(quorumOf(size, ...nodes).quorum, { what: 'the question', ask: (node) => node.answer() as Promise<T> })
}

describe('failover', () => {
  it('takes the first answer, also with a quorum of two', async () => {
    expect(await ask(failover(), 2, says(1n), says(2n))).toBe(1n)
    expect(await ask(failover(), 2, dead, says(2n))).toBe(2n)
  })

  it('fails when no provider answers', async () => {
    await expect(ask(failover(), 1, dead, dead)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('items listed by a quorum', () => {
  const items = listedByQuorum<string>(
    (item) => item.toLowerCase(),
    (alike) => alike.join('+'),
  )

  it('are those that a quorum lists; a provider that repeats one counts once', async () => {
    expect(await ask(items, 2, says(['x', 'y', 'w', 'w']), says(['Y', 'z']), says([]))).toEqual(['y+Y'])
    expect(await ask(items, 1, says(['x']), says(['y']))).toEqual(['x'])
  })

  it('need as many answers as the quorum', async () => {
    await expect(ask(items, 2, says(['x']), dead)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the question: 1 of the 2 providers needed answered; b: ECONNREFUSED',
    })
  })
})

describe('equal, or decided by the caller', () => {
  const rule = equalOr<string>({ choose: (agreed) => agreed.toSorted().at(-1) ?? '', otherwise: (answers) => `none of ${answers}` })

  it('is the answer of a quorum', async () => {
    expect(await ask(rule, 2, says('x'), says('y'), says('y'))).toBe('y')
    expect(await ask(rule, 1, says('x'), says('y'), says('y'))).toBe('x')
  })

  it('is chosen by the caller if several answers have a quorum', async () => {
    expect(await ask(rule, 2, says('x'), says('y'), says('x'), says('y'))).toBe('y')
  })

  it('is made by the caller if no answer has a quorum, but not from fewer answers than the quorum', async () => {
    expect(await ask(rule, 2, says('x'), dead, says('y'))).toBe('none of x,y')
    await expect(ask(rule, 2, says('x'), dead)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a number that moves', () => {
  it('need not be equal, and is rounded to the requested side', async () => {
    for (const round of ['up', 'down'] as const) expect(await ask(movingNumber(round), 2, says(41n), says(43n), says(42n))).toBe(42n)
    expect(await ask(movingNumber('down'), 2, says(41n), says(43n))).toBe(41n)
    expect(await ask(movingNumber('up'), 2, says(41n), says(43n))).toBe(43n)
    expect(await ask(movingNumber('up'), 1, says(41n), says(43n))).toBe(41n)
  })

  it.each(['up', 'down'] as const)('is never that of one liar among three, however large the lie (%s)', async (round) => {
    for (const lie of [0n, 10n ** 30n]) expect([50n, 52n]).toContain(await ask(movingNumber(round), 2, says(lie), says(50n), says(52n)))
  })

  it('is never that of two colluding liars among five', async () => {
    for (const round of ['up', 'down'] as const) {
      const liar = says(10n ** 18n)
      expect(await ask(movingNumber(round), 3, liar, liar, says(0n), says(0n), says(0n))).toBe(0n)
    }
  })

  it('is replaced by `whenFarApart` if only two answer and are far apart', async () => {
    const nodes = [says(50n), says(10n ** 30n), dead]
    expect(await ask(movingNumber('down'), 2, ...nodes)).toBe(50n)
    expect(await ask(movingNumber('up'), 2, ...nodes)).toBe(10n ** 30n)
    const constant = movingNumber('up', () => 7n)
    expect(await ask(constant, 2, ...nodes)).toBe(7n)
    expect(await ask(constant, 2, says(50n), says(52n), dead)).toBe(52n)
    expect(await ask(constant, 2, says(50n), says(10n ** 30n), says(52n))).toBe(52n)
  })

  it('fails with the refusal if too few answer and one refuses', async () => {
    const refusing = says(() => Promise.reject(new Refusal(-32601, 'method not found')))
    await expect(ask(movingNumber('up'), 2, says(5n), refusing)).rejects.toBeInstanceOf(Refusal)
    await expect(ask(movingNumber('up'), 2, says(5n), dead)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a number that must be exact', () => {
  it('is the answer of a quorum, or the median of 2k − 1 answers', async () => {
    expect(await ask(exactNumber, 2, says(7n), says(900n), says(900n))).toBe(900n)
    expect(await ask(exactNumber, 2, says(899n), says(890n), says(900n))).toBe(899n)
    expect(await ask(exactNumber, 1, says(7n), says(900n), says(900n))).toBe(7n)
  })

  it('fails if only two answer and differ, even by one', async () => {
    for (const lie of [890n, 899n, 901n])
      await expect(ask(exactNumber, 2, says(lie), says(900n), dead)).rejects.toMatchObject({
        kind: 'unreachable',
        message: 'the question: providers do not agree, a against b; 2 must; c: ECONNREFUSED',
      })
  })
})

describe('the final height', () => {
  it('is the highest that a quorum calls final', async () => {
    expect(await ask(finalHeight, 2, says(40n), says(30n), says(20n))).toBe(30n)
    expect(await ask(finalHeight, 2, says(null), says(40n), says(30n))).toBe(30n)
    expect(await ask(finalHeight, 3, says(100n), says(100n), says(36n), says(36n), says(36n))).toBe(36n)
  })

  it('is null where a quorum does not know the tag', async () => {
    expect(await ask(finalHeight, 2, says(null), says(40n), says(null))).toBeNull()
    expect(await ask(finalHeight, 2, says(null), says(null))).toBeNull()
  })

  it('is 0 while fewer than a quorum name one', async () => {
    expect(await ask(finalHeight, 2, says(null), says(99n))).toBe(0n)
    expect(await ask(finalHeight, 2, says(0n), says(99n))).toBe(0n)
  })
})

it('by default no provider is suspended for another answer, because it may change with every block', async () => {
  const { quorum, troubles } = quorumOf(2, says('old'), says('new'), says('new'))
  expect(await equal()(quorum, { what: 'the question', ask: (node) => node.answer() })).toBe('new')
  expect(troubles).toEqual([])
})
