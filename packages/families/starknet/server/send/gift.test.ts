/** These tests give the fee token with a payout. The gift must never cost the recipient its payout. */

import { nonceOf } from '@tandem/chain-kit/contract/nonces.ts'
import { redeemGiving, ShortOfCoin } from '@tandem/chain-kit/contract/payout-gas.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Felt, selectorOf } from '../../contract/client/felt.ts'
import { newKey } from '../../local/starknet.fixture.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { accountOf } from '../account.ts'
import { createContractState } from '../contract-state.ts'
import { openExecutor } from '../executor.fixture.ts'
import { highestFee } from '../fees/fees.ts'
import { NodeRefusal, type StarknetNode } from '../nodes/node.ts'
import { readAttempt, type Signed } from './transaction.ts'

/** This is more than the fee of a redeem. */
const GAS = 123_456_789_012_345_678n

const { local, chain, node, contract, solver, user, executor, executorWith, termsFor, stateOf } = await openExecutor()
const mine = () => local.chain.mine()
const state = createContractState(node)
const { accountClass } = starknetDataOf(chain)
let outbox: MemoryOutbox
let secret: string
/** Nobody has paid this account anything before. */
let recipient: string

beforeEach(() => {
  outbox = createMemoryOutbox(solver.key)
})

async function initiated(): Promise<HtlcTerms> {
  secret = createSecret()
  recipient = accountOf(createStarkKey(newKey().slice(2).padStart(64, '0')), accountClass)
  const terms = termsFor(secret, { redeemer: recipient })
  await executor.initiate(contract, terms, outbox.open(`initiate ${recipient}`))
  mine()
  return terms
}

const redeem = (terms: HtlcTerms, gas: bigint | undefined, options: Parameters<MemoryOutbox['open']>[1] = {}, on = executor) =>
  on.redeem(contract, terms, secret, outbox.open('r', options), gas)
function only(attempts: readonly Attempt[]): Signed {
  expect(attempts).toHaveLength(1)
  return readAttempt(attempts[0] as Attempt)
}

/** This is how the client redeems. */
const redeemAsClient = (terms: HtlcTerms, on = executor) => redeemGiving(GAS, (gas) => redeem(terms, gas, {}, on))
const coins = (of = recipient) => state.tokenBalance(local.strk, feltOf(of))
const tokens = () => state.tokenBalance(contract.token, feltOf(recipient))
const receipts = async () => ({ coins: await coins(), tokens: await tokens() })
const paid = { coins: GAS, tokens: 1_000n }
const paidWithoutGift = { coins: 0n, tokens: 1_000n }

/** The node says that the solver holds this much of the fee token. */
const holding = (amount: bigint): Partial<StarknetNode> => ({
  callAmount: async (call, amountOf, round) =>
    call.to === local.strk && call.calldata[0] === feltOf(solver.address) ? amount : node.callAmount(call, amountOf, round),
})

/** A node that executes `call` of one of the transaction's calls refuses it. */
function refusing(to: Felt): Partial<StarknetNode> {
  return {
    async estimate(transaction, options) {
      if (JSON.stringify(transaction).includes(`"${to}"`)) throw new NodeRefusal(41, 'Transaction execution error', "('ERC20: paused')")
      return node.estimate(transaction, options)
    },
  }
}

describe('a redeem with a gift', () => {
  it('is one transaction of two calls, whose gas is enough for a recipient that had nothing', async () => {
    const terms = await initiated()
    const plain = createMemoryOutbox(solver.key)
    await expect(executor.redeem(contract, terms, secret, plain.open('r', { fault: 'dies-after-recording' }))).rejects.toThrow(
      OutboxFailure,
    )
    const tx = await redeem(terms, GAS)
    const [attempt, without] = [outbox, plain].map((recorded) => only(recorded.attempts('r')))
    expect(attempt?.call.calls.map(({ to }) => to)).toEqual([contract.address, local.strk])
    for (const resource of ['l2Gas', 'l1DataGas'] as const) expect(attempt?.gas[resource]).toBeGreaterThan(without?.gas[resource] ?? 0n)
    mine()
    expect(await node.outcome(tx)).toEqual({ kind: 'succeeded' })
    expect(await receipts()).toEqual(paid)
  })

  it('is sent again after a crash, and gives nothing again once it is mined', async () => {
    const terms = await initiated()
    await expect(redeem(terms, GAS, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    const tx = await redeem(terms, GAS)
    expect(outbox.attempts('r').map((attempt) => attempt.tx)).toEqual([tx])
    mine()
    expect(await redeem(terms, GAS)).toBe(tx)
    mine()
    expect(await receipts()).toEqual(paid)
  })

  it('keeps it in a fee bump, though the redeem is repeated without it', async () => {
    const terms = await initiated()
    const first = await redeem(terms, GAS)
    outbox.passSeconds(chain.feeBumpSeconds)
    const second = await redeem(terms, undefined)
    expect(second).not.toBe(first)
    expect(new Set(outbox.attempts('r').map(nonceOf)).size).toBe(1)
    mine()
    expect(await receipts()).toEqual(paid)
  })
})

describe('the sender', () => {
  it('needs the gift and the fee, and says what it holds; without the gift it pays', async () => {
    const terms = await initiated()
    const words = (held: bigint) => ({
      kind: 'would-fail',
      refusal: null,
      message: expect.stringMatching(
        new RegExp(`${solver.address} holds ${held} of the fee token of starknet_sepolia, needs [1-9]\\d+ with`),
      ),
    })
    for (const held of [0n, GAS - 1n, GAS])
      await expect(redeem(terms, GAS, {}, executorWith(holding(held)))).rejects.toMatchObject(words(held))
    const all = await coins(solver.address)
    await expect(redeem(terms, all + 1n)).rejects.toMatchObject(words(all))
    expect(outbox.attempts('r')).toEqual([])
    // Enough for the fee, and for all but one unit of the gift.
    const rich = createMemoryOutbox(solver.key)
    await executor.redeem(contract, terms, secret, rich.open('r'), GAS)
    const dry = only(rich.attempts('r'))
    local.chain.faults.evict(dry.tx)
    const needed = highestFee(dry.gas, dry.fees) + GAS
    await expect(redeem(terms, GAS, {}, executorWith(holding(needed - 1n)))).rejects.toMatchObject(words(needed - 1n))
    expect(outbox.attempts('r')).toEqual([])
    await redeemAsClient(terms, executorWith(holding(needed - 1n)))
    mine()
    expect(await receipts()).toEqual(paidWithoutGift)
  })

  it('reserves gifts in flight for their redeems', async () => {
    const terms = await initiated()
    await redeem(terms, GAS)
    const { gas, fees } = only(outbox.attempts('r'))
    const other = termsFor(createSecret(), { initiator: solver.address, redeemer: user.address })
    const opening = executorWith(holding(GAS)).initiate(contract, other, outbox.open('other'))
    const words = `${highestFee(gas, fees) + GAS} of it reserved for unmined`
    await expect(opening).rejects.toMatchObject({ message: expect.stringContaining(words) })
    mine()
    expect(await receipts()).toEqual(paid)
  })

  it('that cannot raise the fee of a redeem with its gift replaces it by one without', async () => {
    const terms = await initiated()
    const first = await redeem(terms, GAS)
    outbox.passSeconds(chain.feeBumpSeconds)
    const poor = executorWith(holding(GAS))
    await expect(redeem(terms, GAS, {}, poor)).rejects.toBeInstanceOf(ShortOfCoin)
    expect(outbox.attempts('r').map(({ tx }) => tx)).toEqual([first])
    const second = await redeemAsClient(terms, poor)
    expect(second).not.toBe(first)
    expect(new Set(outbox.attempts('r').map(nonceOf)).size).toBe(1)
    mine()
    expect(await node.outcome(second)).toEqual({ kind: 'succeeded' })
    expect(await receipts()).toEqual(paidWithoutGift)
  })
})

describe('a failed gift', () => {
  it('is not taken for a refused payout, and the other way round', async () => {
    const terms = await initiated()
    const paused = redeem(terms, GAS, {}, executorWith(refusing(local.strk)))
    await expect(paused).rejects.toMatchObject({ kind: 'would-fail', refusal: null, message: expect.stringMatching(/^giving .*paused/) })
    const blocked = redeem(terms, GAS, {}, executorWith(refusing(contract.token)))
    await expect(blocked).rejects.toMatchObject({ refusal: expect.stringMatching(/^paying .*paused/) })
    expect(outbox.attempts('r')).toEqual([])
    await redeem(terms, undefined, {}, executorWith(refusing(local.strk)))
    mine()
    expect(await receipts()).toEqual(paidWithoutGift)
  })

  it('undoes the payout too, which is paid afterwards without it', async () => {
    const terms = await initiated()
    const held = await coins(solver.address)
    const [gas, taken] = [held / 2n, (held * 3n) / 4n]
    const call = (name: string, calldata: readonly bigint[]) => ({ to: BigInt(local.strk), selector: BigInt(selectorOf(name)), calldata })
    solver.sender.execute([call('approve', [BigInt(user.address), taken, 0n])])
    const tx = await redeem(terms, gas)
    // The tip decides the order: the solver's coins are spent before the redeem is executed.
    const taking = call('transfer_from', [BigInt(solver.address), BigInt(user.address), taken, 0n])
    local.chain.node.submit(user.sender.invoke([taking], { tip: 10n ** 12n }))
    mine()
    expect(await node.outcome(tx)).toMatchObject({ kind: 'reverted', reason: expect.stringContaining('insufficient balance') })
    expect([await stateOf(terms), await receipts()]).toEqual(['open', { coins: 0n, tokens: 0n }])
    const failed = { kind: 'would-fail', revertedTx: tx, message: expect.stringContaining('of the fee token of') }
    await expect(redeem(terms, gas)).rejects.toMatchObject(failed)
    await redeem(terms, undefined)
    mine()
    expect(await receipts()).toEqual(paidWithoutGift)
  })
})
