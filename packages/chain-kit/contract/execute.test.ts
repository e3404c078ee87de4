/** Tests the order of steps that all contract families share. Each family tests its own nodes and contracts. */
import { expect, test } from 'vitest'
import { ChainFailure } from '../port/failure.ts'
import { actionOf, createContractSimulator, SENDER } from './simulator.fixture.ts'

test('a call is simulated, signed, recorded and only then broadcast', async () => {
  const { executor, outbox, log } = createContractSimulator('nonce')
  expect(await executor.send(actionOf('initiate'), outbox.open('a'))).toBe('tx1')
  expect(log).toEqual(['estimate htlc', 'simulate htlc', 'key htlc for estimate', 'record tx1', 'broadcast tx1'])
})

test('a pending attempt is followed without the key', async () => {
  const { executor, outbox, log } = createContractSimulator('nonce')
  await executor.send(actionOf('initiate'), outbox.open('a'))
  log.length = 0
  expect(await executor.send(actionOf('initiate'), outbox.open('a'))).toBe('tx1')
  expect(log).toEqual(['follow tx1'])
})

test('no node sees the calldata of the first redeem before it is recorded', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.state = 'open'
  await simulator.executor.send(actionOf('redeem', { redeemer: SENDER }), simulator.outbox.open('r'))
  expect(simulator.log).toEqual(['try payout', 'key htlc for payout cost', 'record tx1', 'broadcast tx1'])
})

test('a payee simulates its own redeem if the family allows it, because the secret is public by then', async () => {
  const simulator = createContractSimulator('expiry')
  simulator.state = 'open'
  await simulator.executor.send(actionOf('redeem'), simulator.outbox.open('of another'))
  await simulator.executor.send(actionOf('redeem', { redeemer: SENDER }), simulator.outbox.open('own'))
  expect(simulator.log.filter((step) => /^(try|simulate)/.test(step))).toEqual(['try payout', 'simulate htlc'])
})

test('with nonces, a call is queued behind its approval', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.missingApprovals = 1
  expect(await simulator.executor.send(actionOf('initiate'), simulator.outbox.open('a'))).toBe('tx2')
  expect(simulator.log.filter((step) => step.startsWith('key'))).toEqual(['key token for estimate', 'key htlc for fixed cost'])
})

test('without nonces, a call waits until its approval is mined', async () => {
  const simulator = createContractSimulator('expiry')
  simulator.missingApprovals = 1
  const send = () => simulator.executor.send(actionOf('initiate'), simulator.outbox.open('a'))
  expect([await send(), await send()]).toEqual(['tx1', 'tx1'])
  simulator.outcomes.set('tx1', 'success')
  simulator.missingApprovals = 0
  expect(await send()).toBe('tx2')
})

test('a refused transaction is signed again, at most six times', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.refusals = 2
  expect(await simulator.executor.send(actionOf('initiate'), simulator.outbox.open('a'))).toBe('tx3')
  simulator.refusals = 100
  const refused = simulator.executor.send(actionOf('initiate'), simulator.outbox.open('b'))
  await expect(refused).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('refused 6 transactions') })
  expect(simulator.outbox.attempts('b')).toHaveLength(6)
})

test('a refusal is not final if a provider accepted the transaction', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.refusals = 100
  simulator.isPartlyAccepted = true
  await expect(simulator.executor.send(actionOf('initiate'), simulator.outbox.open('a'))).rejects.toMatchObject({ kind: 'unreachable' })
})

test('a failed replacement is no refusal of what nodes have just accepted', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.state = 'open'
  const send = () => simulator.executor.send(actionOf('redeem'), simulator.outbox.open('r'))
  await send()
  simulator.followed = { kind: 'replace', cost: 'estimate', refused: null, isSent: true }
  simulator.refusals = 100
  await expect(send()).rejects.toMatchObject({ kind: 'unreachable' })
})

test('an attempt that does more than is wanted now is replaced, once it cannot be sent', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.state = 'open'
  const send = () => simulator.executor.send(actionOf('redeem'), simulator.outbox.open('r'))
  await send()
  simulator.exceeds = true
  expect(await send()).toBe('tx1')
  simulator.followed = new ChainFailure('unreachable', 'no answer')
  await expect(send()).rejects.toBe(simulator.followed)
  simulator.followed = new ChainFailure('would-fail', 'too little of the coin')
  expect(await send()).toBe('tx2')
  simulator.exceeds = false
  await expect(send()).rejects.toBe(simulator.followed)
})

test('a done action resolves to the hash of our own transaction, or fails as superseded', async () => {
  const simulator = createContractSimulator('expiry')
  const send = (key: string) => simulator.executor.send(actionOf('initiate'), simulator.outbox.open(key))
  await send('a')
  simulator.state = 'open'
  simulator.outcomes.set('tx1', 'success')
  expect(await send('a')).toBe('tx1')
  await expect(send('b')).rejects.toMatchObject({ kind: 'superseded' })
  expect(simulator.outbox.attempts('b')).toEqual([])
})

test('a relay of an order that its initiator has revoked fails, with a reason for the user', async () => {
  const simulator = createContractSimulator('nonce')
  simulator.state = 'refunded'
  const send = (paysAmount: boolean) => simulator.executor.send({ ...actionOf('initiate'), paysAmount }, simulator.outbox.open('a'))
  await expect(send(false)).rejects.toMatchObject({
    kind: 'would-fail',
    refusal: 'refunded, or revoked by its initiator; make a new order',
  })
  // Our own initiation was refunded, so the swap is over.
  await expect(send(true)).rejects.toMatchObject({ kind: 'superseded' })
  simulator.state = 'redeemed'
  await expect(send(false)).rejects.toMatchObject({ kind: 'superseded' })
})

test('the state of the swap is not asked for before a first initiation, unless its simulation fails', async () => {
  const simulator = createContractSimulator('nonce')
  const send = (key: string) => simulator.executor.send(actionOf('initiate'), simulator.outbox.open(key))
  await send('a')
  expect(simulator.stateReads).toBe(0)
  simulator.missingApprovals = 1
  await send('b')
  expect(simulator.stateReads).toBe(1)
})

test('reverts are counted, and the next try backs off unless we are the payee', async () => {
  for (const [redeemer, attempts] of [
    ['redeemer', 2],
    [SENDER, 3],
  ] as const) {
    const simulator = createContractSimulator('nonce')
    simulator.state = 'open'
    const send = () => simulator.executor.send(actionOf('redeem', { redeemer }), simulator.outbox.open('r'))
    for (const tx of ['tx1', 'tx2']) {
      await send()
      simulator.outcomes.set(tx, 'reverted')
    }
    if (redeemer === SENDER) await send()
    else await expect(send()).rejects.toMatchObject({ kind: 'would-fail', revertedTx: 'tx2', retryAfterMs: 300_000 })
    expect(simulator.outbox.attempts('r')).toHaveLength(attempts)
    expect(simulator.outbox.reverted).toEqual(new Set(['tx1', 'tx2']))
    expect([...simulator.outbox.revertWeights.values()]).toEqual([1, 2])
  }
})

test('an unmined attempt is cancelled by a replacement, or by waiting for its expiry where nothing can be replaced', async () => {
  const withNonces = createContractSimulator('nonce')
  await withNonces.executor.send(actionOf('initiate'), withNonces.outbox.open('a'))
  expect(await withNonces.executor.cancelUnmined(withNonces.outbox.open('a'))).toBe('tx2')
  expect(withNonces.log.slice(-4)).toEqual(['estimate self', 'key self for estimate', 'record tx2', 'broadcast tx2'])

  const withExpiry = createContractSimulator('expiry')
  await withExpiry.executor.send(actionOf('initiate'), withExpiry.outbox.open('a'))
  const cancel = () => withExpiry.executor.cancelUnmined(withExpiry.outbox.open('a'))
  expect(await cancel()).toBe('tx1')
  expect(withExpiry.outbox.attempts('a')).toHaveLength(1)
  withExpiry.outcomes.set('tx1', 'reverted')
  expect(await cancel()).toBeNull()
  expect([...withExpiry.outbox.revertWeights]).toEqual([['tx1', 1]])
})
