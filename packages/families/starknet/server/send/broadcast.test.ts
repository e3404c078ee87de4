/** These tests classify refusals of Starknet nodes: by code, and by the words of sequencers where the code is general. */
import { expect, test } from 'vitest'
import { NodeRefusal, PartialRefusal } from '../nodes/node.ts'
import { broadcast } from './broadcast.ts'

const sent = { wire: { type: 'INVOKE' }, nonce: 5n } as const
const send = (refusal: Error, onPartlyAccepted?: () => void, next = 5n) =>
  broadcast({ broadcast: () => Promise.reject(refusal) }, sent, async () => next, onPartlyAccepted)

const lowPrice = 'Resource bounds were not satisfied: Max L1DataGas price (50000) is lower than the actual gas price: 50542.'
const nonce = (account: string, got: string) =>
  `Invalid transaction nonce of contract at address 0x12. Account nonce: ${account}; got: ${got}.`

test.each([
  [59, 'A transaction with the same hash already exists in the mempool', '', 'accepted'],
  [52, 'Invalid transaction nonce', nonce('0x6', '0x5'), 'nonce-used'],
  [55, 'Account validation failed', nonce('0x0000000000022046', '0x0000000000022043'), 'nonce-used'],
  [52, 'Invalid transaction nonce', 'Expected: 6 <= nonce <= 206, got: 5.', 'nonce-used'],
  [64, 'Replacement transaction is underpriced', '', 'underpriced'],
  [65, 'Transaction fee below minimum', '', 'underpriced'],
  [53, "The transaction's resources don't cover validation or the minimal transaction fee", lowPrice, 'underpriced'],
  [55, 'Account validation failed', lowPrice, 'underpriced'],
  [53, 'Too few resources', 'Max L2Gas amount (10) is lower than the minimal gas amount: 500000.', 'wrong-gas'],
])('code %i "%s" %s is %s', async (code, message, reason, verdict) => {
  expect(await send(new NodeRefusal(code, message, reason))).toBe(verdict)
})

test('a nonce error without numbers is decided by the nonce of the account', async () => {
  expect(await send(new NodeRefusal(52, 'Invalid transaction nonce', ''), undefined, 6n)).toBe('nonce-used')
})

test('a nonce that is too far ahead waits for the earlier ones', async () => {
  await expect(send(new NodeRefusal(52, 'Invalid transaction nonce', nonce('0x2', '0x5')))).rejects.toMatchObject({ kind: 'unreachable' })
})

test.each([
  [54, 'Account balance is smaller', 'would-fail'],
  [55, 'Account validation failed', 'would-fail'],
  [63, 'An unexpected error occurred', 'unreachable'],
  [-32603, 'Internal error', 'unreachable'],
] as const)('code %i "%s" is a failure: %s', async (code, message, kind) => {
  await expect(send(new NodeRefusal(code, message, 'because'))).rejects.toMatchObject({ kind, message: expect.stringContaining('because') })
})

test('a refusal after a provider accepted it is reported', async () => {
  let isReported = false
  await send(new PartialRefusal(new NodeRefusal(64, 'underpriced')), () => {
    isReported = true
  })
  expect(isReported).toBe(true)
})
