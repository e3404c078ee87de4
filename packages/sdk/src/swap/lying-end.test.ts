/** The end of a swap is what the user's own node shows, whatever the service says: before and after a reload. */

import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHostileService, quote, request } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder } from './prepare.ts'
import { resumeSwap } from './run.ts'
import { loadSwap, saveSwap } from './saved-swap.ts'
import type { SwapStep } from './swap-step.ts'

const ethereum = { ethereum_localnet: 'http://rpc' }
const hex = (value: number) => `0x${value.toString(16)}`
const HOUR_MS = 3_600_000
const [REDEEMED, REFUNDED] = [1, 2]

/** `slot`: of the destination, as the user's own node shows it. */
async function paidSwap(secret: 'client' | 'service', nodes: Readonly<Record<string, string>> = ethereum) {
  const service = await createHostileService({ bitcoin_regtest: 'http://esplora', ...nodes })
  const { context, chain, answers, wallet } = service
  const seconds = Math.floor(Date.now() / 1000)
  const node = { slot: seconds - 5, reads: 0 }
  chain.eth_getBlockByNumber = () => ({ number: hex(100), timestamp: hex(seconds) })
  chain.eth_call = () => {
    node.reads += 1
    return hex(node.slot)
  }
  const { saved, created } = await makeOrder(context, { ...request, secret }, quote, wallet)
  await verifyAndPay(context, saved, wallet, { gasless: false, created })
  const { record } = answers
  if (record === null) throw new Error('no order')
  const say = (status: string, next_action: object | null = null) => {
    answers.record = { ...record, status, next_action } as OrderRecord
  }
  const sendSecret = async () =>
    saveSwap(context, { ...(await loadSwap(context, saved.orderId)), phase: 'revealed', secretSentAt: Date.now() })
  /** A new page does the same. */
  const resume = () => {
    const steps: SwapStep[] = []
    const state = { isEnded: false }
    const end = (async () => {
      for await (const step of resumeSwap(context, saved.orderId, null)) steps.push(step)
      state.isEnded = true
    })()
    end.catch(() => undefined)
    return { end, steps, state, kinds: () => steps.map(({ kind }) => kind) }
  }
  return { ...service, node, say, sendSecret, resume }
}

/** The node is asked again and again, and the swap has not ended. */
async function untilAskedOften(node: { reads: number }): Promise<void> {
  const { reads } = node
  await vi.waitUntil(() => node.reads > reads + 20, { timeout: 60_000 })
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const lies = ['redeemed', 'counterparty_redeemed'] as const

test.each(lies)('%s is not the end while the lock is open: the service gets the secret, and the node is asked', async (status) => {
  const { say, resume, node, answers } = await paidSwap('client')
  say(status)
  const { end, state, kinds } = resume()
  await untilAskedOften(node)
  expect({ ...state, kinds: kinds(), redeems: answers.redeems }).toEqual({ isEnded: false, kinds: ['changed'], redeems: 1 })
  vi.setSystemTime(Date.now() + HOUR_MS)
  await expect(end).rejects.toMatchObject({ name: 'UnredeemedError', call: { chain: 'ethereum_localnet' } })
})

test.each([...lies, 'refunded', 'expired', 'counterparty_initiated'])(
  'once the secret was sent, a reload does not end the watching: the service says %s, and the lock is open',
  async (status) => {
    const { say, sendSecret, resume, node } = await paidSwap('client')
    await sendSecret()
    say(status)
    const { end, state, kinds } = resume()
    await untilAskedOften(node)
    expect({ ...state, kinds: kinds() }).toEqual({ isEnded: false, kinds: [] })
    vi.setSystemTime(Date.now() + HOUR_MS)
    await expect(end).rejects.toMatchObject({ name: 'UnredeemedError' })
    // The next page warns without waiting for another claim, once the service had a moment to use it.
    const again = resume()
    await untilAskedOften(node)
    vi.setSystemTime(Date.now() + 30_000)
    await expect(again.end).rejects.toMatchObject({ name: 'UnredeemedError' })
    node.slot = REDEEMED
    say('redeemed')
    const last = resume()
    await last.end
    expect(last.kinds()).toEqual(['received', 'changed'])
  },
)

test.each([...lies, 'refunded'])('once the secret was sent and the solver took its payment back, %s is not the end', async (status) => {
  const { say, sendSecret, resume, node } = await paidSwap('client')
  await sendSecret()
  node.slot = REFUNDED
  say(status)
  await expect(resume().end).rejects.toMatchObject({ name: 'UnpaidError', shown: 'refunded', chain: 'ethereum_localnet' })
})

test.each(lies)('with a secret of the service, %s is the end only when the node shows it', async (status) => {
  const { say, resume, node, answers } = await paidSwap('service')
  say(status)
  const { end, state, kinds } = resume()
  await untilAskedOften(node)
  expect({ ...state, kinds: kinds(), redeems: answers.redeems }).toEqual({ isEnded: false, kinds: ['changed'], redeems: 0 })
  vi.setSystemTime(Date.now() + HOUR_MS)
  await expect(end).rejects.toMatchObject({ name: 'UnpaidError', shown: 'unpaid' })
  node.slot = REFUNDED
  await expect(resume().end).rejects.toMatchObject({ name: 'UnpaidError', shown: 'refunded' })
  node.slot = REDEEMED
  const paid = resume()
  await paid.end
  expect(paid.kinds()).toEqual(['changed', 'received'])
})

test('without a node the end is told as the service’s word; so is it when the node does not answer for the time of a claim', async () => {
  const { say, resume } = await paidSwap('service', {})
  say('redeemed')
  const { end, steps } = resume()
  await end
  expect(steps.at(-1)).toMatchObject({ kind: 'unverified', reason: expect.stringContaining('no node of ethereum_localnet was named') })
  const silent = await paidSwap('service')
  delete silent.chain.eth_call
  silent.say('redeemed')
  const waiting = silent.resume()
  await vi.waitUntil(() => waiting.kinds().includes('delayed'), { timeout: 60_000 })
  expect(waiting.state.isEnded).toBe(false)
  vi.setSystemTime(Date.now() + HOUR_MS)
  await waiting.end
  expect(waiting.steps.at(-1)).toMatchObject({ kind: 'unverified', reason: expect.stringContaining('the node does not answer') })
})
