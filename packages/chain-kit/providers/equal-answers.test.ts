/** Tests questions that need a quorum of equal answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Answering, dead, quorumOf, says, silent } from './answering.fixture.ts'
import { askUntilEqual, type Equality } from './equal-answers.ts'
import { Refusal } from './refusal.ts'

const text: Equality<unknown> = { keyOf: (answer) => (answer === null ? null : String(answer)), isImmutable: true }

function ask(size: number, nodes: readonly Answering[], equality: Partial<Equality<unknown>> = {}) {
  const { quorum, troubles } = quorumOf(size, ...nodes)
  const isExecutionError = (error: unknown) => error instanceof Refusal && error.code === 3
  const question = { what: 'the question', ask: (node: Answering) => node.answer() }
  return { answer: askUntilEqual({ ...quorum, isExecutionError }, question, { ...text, ...equality }), troubles }
}

const counted = (value: unknown) => {
  const node = { asked: 0 }
  const answer = () => {
    node.asked += 1
    return value
  }
  return Object.assign(node, says(answer))
}
const refuses = (code: number, message: string) => says(() => Promise.reject(new Refusal(code, message)))

describe('an answer', () => {
  it('needs a quorum of equal ones, and no further provider is asked', async () => {
    const [a, b, c] = [counted('x'), counted('x'), counted('x')]
    expect(await ask(2, [a, b, c]).answer).toBe('x')
    expect([a.asked, b.asked, c.asked]).toEqual([1, 1, 0])
  })

  it('of one liar is never used, in any order', async () => {
    expect(await ask(2, [says('lie'), says('truth'), says('truth')]).answer).toBe('truth')
    expect(await ask(2, [says('truth'), says('lie'), says('truth')]).answer).toBe('truth')
  })

  it('is picked by the caller among those that count as equal', async () => {
    const equality = { keyOf: (value: unknown) => String(value).toLowerCase(), pick: (alike: readonly unknown[]) => alike.at(-1) }
    expect(await ask(2, [says('x'), says('X')], equality).answer).toBe('X')
  })

  it('fails if providers contradict each other, and the error names them', async () => {
    const { answer, troubles } = ask(2, [says('x'), says('y'), dead])
    await expect(answer).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the question: providers do not agree, a against b; 2 must; c: ECONNREFUSED',
    })
    expect(troubles).toEqual(['c is suspended for a while: ECONNREFUSED'])
  })

  it('fails if too few answer', async () => {
    await expect(ask(2, [says('x'), dead]).answer).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the question: 1 of the 2 providers needed answered; b: ECONNREFUSED',
    })
  })
})

describe('a provider that contradicts the quorum', () => {
  it('is suspended if new blocks cannot change the answer', async () => {
    const { answer, troubles } = ask(2, [says('lie'), says('truth'), says('truth')])
    await answer
    expect(troubles).toEqual(['a is suspended for a while: it contradicts the others about the question'])
  })

  it('is not suspended if the answer may change with every block, or if it has none', async () => {
    const moving = ask(2, [says('old'), says('new'), says('new')], { isImmutable: false })
    expect(await moving.answer).toBe('new')
    const lacking = ask(2, [says(null), says('x'), says('x')])
    expect(await lacking.answer).toBe('x')
    expect([...moving.troubles, ...lacking.troubles]).toEqual([])
  })
})

describe('a slow provider', () => {
  it('is replaced by the next after two seconds, and suspended if the others agree', async () => {
    const { answer, troubles } = ask(1, [silent, says('x')])
    expect(await answer).toBe('x')
    expect(troubles).toEqual(['a is suspended for a while: it is slow'])
  })

  it('is not suspended if it was asked just before the answer came', async () => {
    // The second is asked after two seconds, just before the first answers.
    const { answer, troubles } = ask(1, [says(() => sleep(2_100, 'x')), silent])
    expect(await answer).toBe('x')
    expect(troubles).toEqual([])
  })
})

describe('a refusal', () => {
  it('of the chain is an answer, in any wording', async () => {
    await expect(ask(2, [refuses(3, 'reverted'), says('x'), refuses(3, 'VM error: revert')]).answer).rejects.toThrow('reverted')
    await expect(ask(1, [refuses(3, 'reverted'), says('x')]).answer).rejects.toThrow('reverted')
  })

  it('of the provider makes us ask the next one', async () => {
    const { answer, troubles } = ask(1, [refuses(-32000, 'header not found'), says('x')])
    expect(await answer).toBe('x')
    expect(troubles).toEqual([])
  })

  it('is thrown if no provider answers', async () => {
    await expect(ask(1, [dead, refuses(-32000, 'header not found')]).answer).rejects.toBeInstanceOf(Refusal)
  })
})

it('an error in our own code is thrown unchanged', async () => {
  const bug = says(() => Promise.reject(new TypeError('undefined is not a function')))
  await expect(ask(1, [bug, says('x')]).answer).rejects.toBeInstanceOf(TypeError)
})
