/** Tests transactions that others make revert although the simulation passes: how often we pay for them, and when we stop. */

import { backoffSeconds, weightOf } from '@tandem/chain-kit/contract/reverts.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { approvalCall } from '../../terms/approval-call.ts'
import { openEvmClient } from '../client.fixture.ts'

const TAKES: Hex = '0x00'
const REFUSES: Hex = '0x600080fd'
const RECIPIENT: Hex = `0x${'7e'.repeat(20)}`

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let secret: string

const becomes = (address: Hex, code: Hex) => fixture.local.request({ method: 'hardhat_setCode', params: [address, code] })

async function initiated(symbol: string, parties: { readonly redeemer?: string; readonly initiator?: string }): Promise<HtlcTerms> {
  secret = createSecret()
  const terms = termsFor(secret, symbol, { redeemer: RECIPIENT, ...parties })
  await client.initiate(terms, outbox.open('i'))
  await fixture.mine()
  return terms
}

const redeem = (terms: HtlcTerms) => client.redeem(terms, { deposits: [], to: null, secret }, outbox.open('r'))
const refund = (terms: HtlcTerms) => client.refund(terms, { deposits: [], to: null }, outbox.open('r'))

async function revertsOnChain(send: () => Promise<string>, culprit: Hex, takes: Hex): Promise<string> {
  const tx = await send()
  await becomes(culprit, REFUSES)
  await fixture.mine()
  await becomes(culprit, takes)
  expect(await node.outcome(tx)).toBe('reverted')
  return tx
}

describe('a payout that reverts again and again', () => {
  it.each([
    ['redeem', redeem],
    ['refund', refund],
  ] as const)('as a %s is retried with backoff, is never given up, and names the reason', async (verb, send) => {
    await becomes(RECIPIENT, TAKES)
    const terms = await initiated('eth', verb === 'redeem' ? {} : { initiator: RECIPIENT, redeemer: fixture.user.address })
    if (verb === 'refund') await fixture.passSeconds(601n)
    const failing = () => revertsOnChain(() => send(terms), RECIPIENT, TAKES)
    const all = [await failing(), await failing()]
    for (const reverts of [2, 3, 4]) {
      const pause = backoffSeconds(reverts)
      outbox.passSeconds(pause - 1n)
      await expect(send(terms)).rejects.toMatchObject({
        kind: 'would-fail',
        revertedTx: all.at(-1),
        retryAfterMs: 1000,
        refusal: expect.stringMatching(
          new RegExp(`${verb} to ${RECIPIENT}: ${reverts} transactions reverted.* anyone may call the contract`),
        ),
      })
      outbox.passSeconds(1n)
      all.push(await failing())
    }
    expect(outbox.attempts('r').map(({ tx }) => tx)).toEqual(all)
    outbox.passSeconds(backoffSeconds(all.length))
    const last = await send(terms)
    await fixture.mine()
    expect(await node.outcome(last)).toBe('success')
    expect(outbox.reverted).toEqual(new Set(all))
  })

  it('backs off longer each time, and never longer than a week', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map(backoffSeconds)).toEqual([0n, 0n, 300n, 1_200n, 4_800n, 19_200n, 76_800n])
    expect(backoffSeconds(1_000_000)).toBe(604_800n)
  })

  it('weighs as many usual relays as its gas limit would pay for, rounded up, five at most', () => {
    expect([0n, 100n, 101n, 450n, 10_000n].map((gas) => weightOf(gas, 100n))).toEqual([1, 1, 2, 5, 5])
  })

  it('to the sender itself is retried at once, however often it reverted', async () => {
    const { wbtc } = fixture.contracts.tokens
    const code = await node.code(wbtc)
    const terms = await initiated('wbtc', { initiator: fixture.user.address, redeemer: fixture.solver.address })
    for (let times = 0; times < 4; times += 1) await revertsOnChain(() => redeem(terms), wbtc, code)
    await redeem(terms)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('redeemed')
  })
})

describe('a relay', () => {
  /** The code accepts any signature (ERC-1271): PUSH4 magic, PUSH1 224, SHL, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
  const AGREES: Hex = '0x631626ba7e60e01b5f5260205ff3'

  it('for a contract account is tried once: the account can change its answer in a block', async () => {
    const { tokens, htlcs } = fixture.contracts
    await fixture.sendAs(fixture.user, approvalCall(tokens.wbtc, htlcs.wbtc, maxUint256))
    await fixture.mine()
    const { address } = fixture.user
    await becomes(address, AGREES)
    const secretHash = hashSecret(createSecret())
    const asset = `${fixture.chain.id}:wbtc` as AssetId
    const terms = { asset, initiator: address, redeemer: fixture.solver.address, amount: 1_000n, timelock: 600n, secretHash }
    const { gasless } = client
    if (gasless === undefined) throw new Error('this family has gasless initiations')
    expect(await gasless.spendable?.(terms)).toBe(await client.balance(asset, address))
    const signature = `0x${'11'.repeat(65)}`
    const relay = () => gasless.initiate(terms, signature, outbox.open('relay'))
    const dead = await revertsOnChain(relay, address, AGREES)
    await gasless.verify(terms, signature)
    await expect(relay()).rejects.toMatchObject({
      kind: 'would-fail',
      revertedTx: dead,
      refusal: expect.stringContaining('no more are paid for'),
    })
    expect(outbox.attempts('relay')).toHaveLength(1)
  })
})

describe('a recipient that accepts money only in a simulation', () => {
  /** The code reverts unless GASPRICE, ISZERO, ORIGIN, CALLER, EQ, OR give true. */
  const TWO_FACED: Hex = '0x3a1532331417600d57600080fd5b00'

  it('is found later if not at first: no second attempt is sent', async () => {
    await becomes(RECIPIENT, TAKES)
    const terms = await initiated('eth', {})
    const dead = await revertsOnChain(() => redeem(terms), RECIPIENT, TWO_FACED)
    await expect(redeem(terms)).rejects.toMatchObject({ kind: 'would-fail', revertedTx: dead })
    expect(outbox.attempts('r')).toHaveLength(1)
  })
})
