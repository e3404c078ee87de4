/** These tests use the executor on the simulator: nonces, crashes, lost, reverted and rejected transactions. */

import { nonceOf } from '@tandem/chain-kit/contract/nonces.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { selectorOf } from '../contract/client/felt.ts'
import { feltOf } from '../terms/address.ts'
import { createContractState } from './contract-state.ts'
import { openExecutor } from './executor.fixture.ts'
import type { Outcome } from './nodes/node.ts'
import { readAttempt } from './send/transaction.ts'

const { local, chain, node, contract, solver, user, executor, executorWith, termsFor, stateOf } = await openExecutor()
const mine = (blocks = 1) => local.chain.mine(blocks)
const outbox = openedForEach(async () => createMemoryOutbox(solver.key))
let secret: string

function newTerms(over?: Partial<HtlcTerms>): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, over)
}

const initiate = (key: string, terms: HtlcTerms, options?: Parameters<MemoryOutbox['open']>[1], on = executor) =>
  on.initiate(contract, terms, outbox.open(key, options))
const redeem = (key: string, terms: HtlcTerms, by = outbox) => executor.redeem(contract, terms, secret, by.open(key))
const refund = (key: string, terms: HtlcTerms) => executor.refund(contract, terms, outbox.open(key))
const states = (...terms: readonly HtlcTerms[]) => Promise.all(terms.map(stateOf))

function only(attempts: readonly Attempt[]): Attempt {
  expect(attempts).toHaveLength(1)
  return attempts[0] as Attempt
}

/** Another transaction of the solver's account is mined at once. */
const foreign = () =>
  solver.sender.execute([{ to: BigInt(contract.token), selector: BigInt(selectorOf('balance_of')), calldata: [BigInt(solver.address)] }])

describe('an initiation', () => {
  it('is one transaction with its exact allowance, and is sent once', async () => {
    const terms = newTerms()
    const tx = await initiate('a', terms)
    expect(readAttempt(only(outbox.attempts('a'))).call.calls.map(({ to }) => to)).toEqual([contract.token, contract.address])
    expect(await initiate('a', terms)).toBe(tx)
    mine()
    expect(await stateOf(terms)).toBe('open')
    expect(await createContractState(node).allowance(contract.token, feltOf(solver.address), contract.address)).toBe(0n)
    expect(await initiate('a', terms)).toBe(tx)
    expect(outbox.attempts('a')).toHaveLength(1)
    await expect(initiate('b', terms)).rejects.toMatchObject({ kind: 'superseded' })
  })

  it('for somebody else locks money that goes back to the initiator of the terms', async () => {
    const terms = newTerms({ initiator: user.address, redeemer: solver.address })
    await initiate('a', terms)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })

  it('of more than the balance fails, with the amounts', async () => {
    await expect(initiate('a', newTerms({ amount: 10n ** 30n }))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/holds \d+ of starknet_sepolia:wbtc, needs 1000000000000000000000000000000/),
    })
    expect(outbox.attempts('a')).toEqual([])
  })
})

describe('nonces', () => {
  it('are taken without a gap by actions at the same time, and all are mined', async () => {
    const terms = [newTerms(), newTerms(), newTerms()]
    await Promise.all(terms.map((each, index) => initiate(`${index}`, each)))
    const nonces = ['0', '1', '2'].map((key) => nonceOf(only(outbox.attempts(key)))).toSorted((a, b) => Number(a - b))
    expect(nonces).toEqual([nonces[0], (nonces[0] ?? 0n) + 1n, (nonces[0] ?? 0n) + 2n])
    mine()
    expect(await states(...terms)).toEqual(['open', 'open', 'open'])
  })

  it('of a crash between record and broadcast are kept, and the recorded transaction is sent', async () => {
    const [lost, behind] = [newTerms(), newTerms()]
    await expect(initiate('lost', lost, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    await initiate('behind', behind)
    mine()
    expect(await states(lost, behind)).toEqual(['absent', 'absent'])
    expect(await initiate('lost', lost)).toBe(only(outbox.attempts('lost')).tx)
    mine()
    expect(await states(lost, behind)).toEqual(['open', 'open'])
  })

  it('that another transaction of the account used are signed again', async () => {
    const terms = newTerms()
    await expect(initiate('a', terms, { fault: 'dies-after-recording' })).rejects.toThrow(OutboxFailure)
    foreign()
    await initiate('a', terms)
    expect(
      outbox
        .attempts('a')
        .map(nonceOf)
        .map((nonce, _, [first = 0n]) => nonce - first),
    ).toEqual([0n, 1n])
    mine()
    expect(await stateOf(terms)).toBe('open')
  })
})

describe('a call that the contract would revert', () => {
  it('fails with its words before anything is signed', async () => {
    const terms = newTerms()
    await expect(redeem('r', terms)).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('not initiated') })
    await initiate('a', terms)
    mine()
    await expect(refund('f', terms)).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringContaining('HTLC: order not expired'),
    })
    expect([...outbox.attempts('r'), ...outbox.attempts('f')]).toEqual([])
    local.chain.passSeconds(601)
    await refund('f', terms)
    mine()
    expect(await stateOf(terms)).toBe('refunded')
  })

  it('because another redeem was first is superseded, and is not sent again', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    mine()
    const ours = await redeem('r', terms)
    const rival = createMemoryOutbox(user.key)
    local.chain.faults.evict(ours)
    const theirs = await redeem('r', terms, rival)
    mine()
    expect(await redeem('r', terms, rival)).toBe(theirs)
    await expect(redeem('r', terms)).rejects.toMatchObject({ kind: 'superseded' })
    expect(outbox.attempts('r')).toHaveLength(1)
  })

  it('only when it is mined is noted as reverted, and is repeated when it no longer would', async () => {
    const balance = await createContractState(node).tokenBalance(contract.token, feltOf(solver.address))
    const pay = (name: string, calldata: readonly bigint[]) => ({
      to: BigInt(contract.token),
      selector: BigInt(selectorOf(name)),
      calldata,
    })
    solver.sender.execute([pay('approve', [BigInt(user.address), balance, 0n])])
    const terms = newTerms()
    const tx = await initiate('a', terms)
    // The tip decides the order: the solver's money is spent before the initiation is executed.
    const taking = pay('transfer_from', [BigInt(solver.address), BigInt(user.address), balance, 0n])
    local.chain.node.submit(user.sender.invoke([taking], { tip: 10n ** 12n }))
    mine()
    expect(await node.outcome(tx)).toMatchObject({ kind: 'reverted' })
    const failed = { kind: 'would-fail', message: expect.stringContaining('holds 0'), revertedTx: tx }
    await expect(initiate('a', terms)).rejects.toMatchObject(failed)
    expect(outbox.reverted).toEqual(new Set([tx]))
    expect(outbox.attempts('a')).toHaveLength(1)
    user.sender.execute([pay('transfer', [BigInt(solver.address), balance, 0n])])
    expect(await initiate('a', terms)).not.toBe(tx)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })
})

describe('a transaction that the chain lost', () => {
  it.each(['evicted', 'dropped'])('because it was %s from the mempool is sent again as it was', async (how) => {
    const terms = newTerms()
    if (how === 'dropped') local.chain.faults.drop(1)
    const tx = await initiate('a', terms)
    if (how === 'evicted') local.chain.faults.evict(tx)
    mine()
    expect(await stateOf(terms)).toBe('absent')
    expect(await initiate('a', terms)).toBe(tx)
    mine()
    expect(await stateOf(terms)).toBe('open')
    expect(outbox.attempts('a')).toHaveLength(1)
  })

  it('with the pre-confirmed block was never done, and is sent again', async () => {
    const terms = newTerms()
    const tx = await initiate('a', terms)
    local.chain.faults.preConfirm()
    expect(await initiate('a', terms)).toBe(tx)
    expect(await stateOf(terms)).toBe('absent')
    local.chain.faults.dropPreConfirmed('drop')
    expect(await initiate('a', terms)).toBe(tx)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })

  it('in a reorg is sent again', async () => {
    const terms = newTerms()
    const tx = await initiate('a', terms)
    mine()
    expect(await stateOf(terms)).toBe('open')
    local.chain.faults.reorg(1, { transactions: 'drop' })
    expect(await stateOf(terms)).toBe('absent')
    expect(await initiate('a', terms)).toBe(tx)
    mine()
    expect(await stateOf(terms)).toBe('open')
  })

  describe('by rejecting it', () => {
    const rejected: Outcome = { kind: 'rejected', reason: 'Max L1Gas price is too low' }
    const rejecting = (tx: string, onTrouble?: (what: string) => void) =>
      executorWith({ outcome: async (asked) => (asked === tx ? rejected : node.outcome(asked)) }, onTrouble)

    it('is not done, may be sent again as it was, and is reported once with the reason', async () => {
      const terms = newTerms()
      local.chain.faults.drop(1)
      const tx = await initiate('a', terms)
      const troubles: string[] = []
      const on = rejecting(tx, (what) => troubles.push(what))
      for (let times = 0; times < 2; times += 1) expect(await initiate('a', terms, {}, on)).toBe(tx)
      expect(troubles).toEqual([`${chain.id}: the sequencer rejected our transaction ${tx}: Max L1Gas price is too low`])
      mine()
      expect(await stateOf(terms)).toBe('open')
    })

    it('is no revert: after its nonce was used it is signed again, and not noted', async () => {
      const terms = newTerms()
      local.chain.faults.drop(1)
      const tx = await initiate('a', terms)
      foreign()
      const next = await initiate('a', terms, {}, rejecting(tx))
      expect(next).not.toBe(tx)
      expect(outbox.reverted.size).toBe(0)
      mine()
      expect(await stateOf(terms)).toBe('open')
    })
  })
})

describe('cancelling', () => {
  it('replaces an unmined initiation by one that does nothing, and allows a later one', async () => {
    const terms = newTerms()
    await initiate('a', terms)
    const cancelled = await executor.cancelUnmined(outbox.open('a'))
    expect(await executor.cancelUnmined(outbox.open('a'))).toBe(cancelled)
    mine()
    expect(await stateOf(terms)).toBe('absent')
    expect(await executor.cancelUnmined(outbox.open('a'))).toBeNull()
    expect(outbox.reverted.size).toBe(0)
    await initiate('a', terms)
    mine()
    expect(await stateOf(terms)).toBe('open')
    expect(await executor.cancelUnmined(outbox.open('a'))).toBeNull()
  })
})
