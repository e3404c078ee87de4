/** These tests move money on a real SVM: what is signed, when it is signed again, and what no node may see before. */
import { randomUUID } from 'node:crypto'
import type { Address, Signature } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import { OutboxFailure } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { vaultAddress } from '../contract/client/addresses.ts'
import { systemProgram } from '../contract/client/programs.ts'
import { type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { expiresAfterOf, readAttempt } from '../terms/send/transaction.ts'
import { readHtlcState, readOrder } from './contract-state.ts'
import { createExecutor, type SolanaExecutor } from './execute.ts'
import { LIFETIME, type LocalFixture, startLocalFixture, type TestSwap } from './local-chain.fixture.ts'
import type { SolanaNode } from './nodes/node.ts'
import { createRent } from './rent.ts'
import { verifyPayout } from './send/payout.ts'

const fixture = opened(startLocalFixture)
let executor: SolanaExecutor
beforeAll(async () => {
  executor = createExecutor(fixture.node)
})

const stateOf = (contract: HtlcContract, { terms }: TestSwap) => readHtlcState(fixture.node, contract, terms)
const lamportsOf = (owner: LocalFixture['user']) => fixture.node.balance(owner.address)
const TOKEN_STATE_OFFSET = 108
const VAULT_OFFSET = 200

const newKey = () => randomUUID()

async function initiated(contract: HtlcContract, over: Partial<HtlcTerms> = {}): Promise<TestSwap> {
  const swap = await fixture.swap(contract, over)
  await executor.initiate(contract, swap.terms, fixture.solver.outbox.open(newKey()))
  fixture.mine()
  expect(await stateOf(contract, swap)).toBe('open')
  return swap
}

const nodeWith = (over: Partial<SolanaNode>): SolanaNode => ({ ...fixture.node, ...over })

describe.each(['sol', 'token'] as const)('%s', (kind) => {
  const contract = () => fixture[kind]

  it('is initiated, and redeemed to the redeemer by anyone with the secret', async () => {
    const swap = await initiated(contract())
    const { terms, secret } = swap
    const held = () => (kind === 'sol' ? lamportsOf(fixture.user) : fixture.tokensOf(fixture.user.address))
    const before = await held()
    await executor.redeem(contract(), terms, secret, fixture.relay.outbox.open(newKey()))
    fixture.mine()
    expect([await stateOf(contract(), swap), (await held()) - before]).toEqual(['redeemed', terms.amount])
  })

  it('is refunded after its timelock, not before', async () => {
    const swap = await initiated(contract(), { timelock: 20n })
    const key = newKey()
    const refund = () => executor.refund(contract(), swap.terms, fixture.solver.outbox.open(key))
    await expect(refund()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('OrderNotExpired') })
    expect(fixture.solver.outbox.attempts(key)).toEqual([])
    fixture.mine(20)
    await refund()
    fixture.mine()
    expect(await stateOf(contract(), swap)).toBe('refunded')
  })

  it.each(['refund', 'redeem'] as const)(
    'takes no %s of a closed order for one of the same terms that were initiated again',
    async (verb) => {
      const swap = await initiated(contract(), { timelock: 20n })
      const { terms, secret } = swap
      const key = newKey()
      const settle = () => {
        const outbox = fixture.relay.outbox.open(key)
        return verb === 'refund' ? executor.refund(contract(), terms, outbox) : executor.redeem(contract(), terms, secret, outbox)
      }
      fixture.mine(20)
      const first = await settle()
      fixture.mine()
      const before = await readOrder(fixture.node, contract(), terms)
      fixture.chain.passTime(10_000)
      fixture.mine()
      await createRent(fixture.node, fixture.contracts).giveBack(terms, fixture.solver.outbox.open(newKey()))
      fixture.mine()
      expect([before?.status, await stateOf(contract(), swap)]).toEqual([verb === 'refund' ? 'refunded' : 'redeemed', 'absent'])
      await executor.initiate(contract(), terms, fixture.solver.outbox.open(newKey()))
      fixture.mine(21)
      const again = await settle()
      expect(again).not.toBe(first)
      fixture.mine()
      expect(await stateOf(contract(), swap)).toBe(before?.status)
    },
  )

  it('says what is missing to initiate, with the amounts, and signs nothing', async () => {
    const [swap, key] = [await fixture.swap(contract(), { amount: 10n ** 15n }), newKey()]
    await expect(executor.initiate(contract(), swap.terms, fixture.solver.outbox.open(key))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(
        kind === 'sol' ? /holds \d+ lamports; it needs 1000000002956040:/ : /holds \d+ of .*needs 1000000000000000/,
      ),
    })
    expect(fixture.solver.outbox.attempts(key)).toEqual([])
  })
})

describe('an initiation', () => {
  it('names the same end in every attempt, at its deadline at the latest', async () => {
    const [swap, key] = [await fixture.swap(fixture.token), newKey()]
    fixture.chain.faults.drop(1)
    const tip = await fixture.node.block('latest')
    const open = (secondsLeft: bigint) => fixture.solver.outbox.open(key, { secondsLeft })
    await executor.initiate(fixture.token, swap.terms, open(900n))
    fixture.passLifetime()
    await executor.initiate(fixture.token, swap.terms, open(800n))
    expect(fixture.solver.outbox.attempts(key)).toHaveLength(2)
    fixture.mine()
    expect(await readOrder(fixture.node, fixture.token, swap.terms)).toMatchObject({ initiateBefore: (tip?.time ?? 0n) + 900n })
  })

  it('is refused shortly before its deadline', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    await expect(executor.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key, { secondsLeft: 4n }))).rejects.toMatchObject({
      kind: 'would-fail',
      message: 'initiate: too close to its deadline',
    })
  })

  it('cannot be mined after its deadline', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    await executor.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key, { secondsLeft: 10n }))
    fixture.chain.passTime(30)
    fixture.mine()
    expect(await stateOf(fixture.sol, swap)).toBe('absent')
  })

  it('reserves what unmined transactions of its key may take', async () => {
    const { solver, sol } = fixture
    const amount = 3_000_000_000n
    const before = await lamportsOf(solver)
    fixture.setLamports(solver.address, 5_000_000_000n)
    const [first, second, key] = [await fixture.swap(sol, { amount }), await fixture.swap(sol, { amount }), newKey()]
    await executor.initiate(sol, first.terms, solver.outbox.open(newKey()))
    await expect(executor.initiate(sol, second.terms, solver.outbox.open(key))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/holds 5000000000 lamports, of which 3\d+ are reserved for unmined transactions; it needs 3\d+/),
    })
    expect(solver.outbox.attempts(key)).toEqual([])
    fixture.mine()
    // A mined transaction reserves nothing.
    fixture.setLamports(solver.address, 3_500_000_000n)
    await executor.initiate(sol, second.terms, solver.outbox.open(key))
    fixture.mine()
    expect(await stateOf(sol, second)).toBe('open')
    fixture.setLamports(solver.address, before)
  })

  it('leaves enough for redeems: those are owed, and an initiation is not', async () => {
    const { solver, sol, token } = fixture
    const before = await lamportsOf(solver)
    const owed = await initiated(token)
    fixture.setLamports(solver.address, 30_000_000n)
    const key = newKey()
    for (const contract of [sol, token]) {
      const { terms } = await fixture.swap(contract)
      await expect(executor.initiate(contract, terms, solver.outbox.open(key))).rejects.toMatchObject({ kind: 'would-fail' })
    }
    expect(solver.outbox.attempts(key)).toEqual([])
    await executor.redeem(token, owed.terms, owed.secret, solver.outbox.open(newKey()))
    fixture.mine()
    expect(await stateOf(token, owed)).toBe('redeemed')
    fixture.setLamports(solver.address, before)
  })

  it('of several orders is mined in one block', async () => {
    const swaps = await Promise.all([1, 2, 3, 4].map(() => fixture.swap(fixture.token)))
    await Promise.all(swaps.map(({ terms }) => executor.initiate(fixture.token, terms, fixture.solver.outbox.open(newKey()))))
    fixture.mine()
    for (const swap of swaps) expect(await stateOf(fixture.token, swap)).toBe('open')
  })
})

describe('a recorded attempt', () => {
  it('of a process that died is broadcast, not signed again', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const { outbox } = fixture.solver
    const died = executor.initiate(fixture.sol, swap.terms, outbox.open(key, { fault: 'dies-after-recording' }))
    await expect(died).rejects.toThrow(OutboxFailure)
    fixture.mine()
    expect(await stateOf(fixture.sol, swap)).toBe('absent')
    const [recorded] = outbox.attempts(key)
    expect(await executor.initiate(fixture.sol, swap.terms, outbox.open(key))).toBe(recorded?.tx)
    fixture.mine()
    expect([outbox.attempts(key).length, await stateOf(fixture.sol, swap)]).toEqual([1, 'open'])
  })

  it('that nodes dropped is broadcast again until it expires at a finalized block, and only then signed again at a higher price', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const { outbox } = fixture.solver
    const send = () => executor.initiate(fixture.sol, swap.terms, outbox.open(key))
    fixture.chain.faults.drop(1)
    const first = await send()
    const [recorded] = outbox.attempts(key)
    if (recorded === undefined) throw new Error('nothing is recorded')
    fixture.chain.faults.congest(10_000n)
    const tip = async () => (await fixture.node.block('latest'))?.ordinal ?? 0n
    while ((await tip()) < expiresAfterOf(recorded)) {
      expect(await send()).toBe(first)
      fixture.mine(25)
    }
    fixture.mine(2)
    // The blockhash is too old, but a fork could still make it valid.
    await expect(send()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(outbox.attempts(key)).toHaveLength(1)
    fixture.mine(40)
    const second = await send()
    expect(second).not.toBe(first)
    const prices = outbox.attempts(key).map((attempt) => readAttempt(attempt).budget.unitPrice)
    expect(prices[1]).toBeGreaterThan(prices[0] ?? 0n)
    fixture.chain.faults.congest(0n)
    fixture.mine()
    expect(await stateOf(fixture.sol, swap)).toBe('open')
    expect(await fixture.node.outcome(first as Signature)).toBeNull()
  })

  it('with a blockhash that no node knows waits for its expiry', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const { outbox } = fixture.solver
    // A fork drops the block of the transaction's blockhash.
    fixture.mine()
    const died = executor.initiate(fixture.sol, swap.terms, outbox.open(key, { fault: 'dies-after-recording' }))
    await expect(died).rejects.toThrow(OutboxFailure)
    fixture.chain.faults.reorg(1)
    await expect(executor.initiate(fixture.sol, swap.terms, outbox.open(key))).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('another is signed once it has expired'),
    })
    expect(outbox.attempts(key)).toHaveLength(1)
    fixture.passLifetime()
    await executor.initiate(fixture.sol, swap.terms, outbox.open(key))
    fixture.mine()
    expect([outbox.attempts(key).length, await stateOf(fixture.sol, swap)]).toEqual([2, 'open'])
  })

  it('that a fork dropped is broadcast again, and one that is in the new blocks is left alone', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const send = () => executor.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))
    const tx = await send()
    fixture.mine()
    fixture.chain.faults.reorg(1, { transactions: 'drop' })
    expect(await stateOf(fixture.sol, swap)).toBe('absent')
    expect(await send()).toBe(tx)
    fixture.mine()
    fixture.chain.faults.reorg(1)
    expect(await send()).toBe(tx)
    expect(fixture.solver.outbox.attempts(key)).toHaveLength(1)
    expect(await stateOf(fixture.sol, swap)).toBe('open')
  })

  it('that is broadcast twice is mined once', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const before = await lamportsOf(fixture.solver)
    const send = () => executor.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))
    const tx = await send()
    expect(await send()).toBe(tx)
    fixture.mine()
    expect(await send()).toBe(tx)
    fixture.mine()
    expect(before - (await lamportsOf(fixture.solver))).toBeLessThan(2n * swap.terms.amount)
  })

  it('that one provider accepted is not refused, whatever the others say', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const refused = { kind: 'refused', isPartlyAccepted: true, error: 'AccountInUse', logs: [] } as const
    const partly = createExecutor(nodeWith({ broadcast: async () => refused }))
    await expect(partly.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))).rejects.toMatchObject({ kind: 'unreachable' })
    const nobody = createExecutor(nodeWith({ broadcast: async () => ({ ...refused, isPartlyAccepted: false }) }))
    await expect(nobody.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))).rejects.toMatchObject({ kind: 'would-fail' })
    expect(fixture.solver.outbox.attempts(key)).toHaveLength(1)
  })

  it('is cancelled by waiting until it is expired at a finalized block', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const { outbox } = fixture.solver
    fixture.chain.faults.drop(1)
    const tx = await executor.initiate(fixture.sol, swap.terms, outbox.open(key))
    const cancel = () => executor.cancelUnmined(outbox.open(key))
    expect(await cancel()).toBe(tx)
    fixture.mine(LIFETIME + 2)
    expect(await cancel()).toBe(tx)
    fixture.mine(40)
    expect(await cancel()).toBeNull()
    expect(outbox.attempts(key)).toHaveLength(1)
  })

  it('pays twice the price of the one that expired, even if recent transactions pay nothing', async () => {
    const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
    const quiet = createExecutor(nodeWith({ priorityFee: async () => 0n }))
    for (let times = 0; times < 3; times += 1) {
      fixture.chain.faults.drop(1)
      await quiet.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))
      fixture.passLifetime()
    }
    const prices = fixture.solver.outbox.attempts(key).map((attempt) => readAttempt(attempt).budget.unitPrice)
    expect(prices).toEqual([0n, 1_000n, 2_000n])
  })

  it('pays more while recent transactions do, up to a cap', async () => {
    const prices: bigint[] = []
    for (const recent of [0n, 5_000n, 10n ** 12n]) {
      const [swap, key] = [await fixture.swap(fixture.sol), newKey()]
      const busy = createExecutor(nodeWith({ priorityFee: async () => recent }))
      await busy.initiate(fixture.sol, swap.terms, fixture.solver.outbox.open(key))
      const [attempt] = fixture.solver.outbox.attempts(key)
      if (attempt === undefined) throw new Error('nothing is recorded')
      const { budget, feeLamports } = readAttempt(attempt)
      prices.push(budget.unitPrice)
      expect(feeLamports).toBeLessThanOrEqual(105_000n)
    }
    fixture.mine()
    expect(prices.slice(0, 2)).toEqual([0n, 5_000n])
    expect(prices[2]).toBeLessThan(10n ** 12n)
  })
})

describe('a redeem', () => {
  it('pays the highest price only after an attempt has expired: anyone can raise recent prices', async () => {
    const { terms, secret } = await initiated(fixture.sol)
    const [key, { outbox }] = [newKey(), fixture.relay]
    const busy = createExecutor(nodeWith({ priorityFee: async () => 10n ** 12n }))
    for (const most of [505_000n, 5_005_000n]) {
      fixture.chain.faults.drop(1)
      await busy.redeem(fixture.sol, terms, secret, outbox.open(key))
      const attempt = outbox.attempts(key).at(-1)
      if (attempt === undefined) throw new Error('nothing is recorded')
      expect(readAttempt(attempt).feeLamports).toBe(most)
      fixture.passLifetime()
    }
  })

  function watchedNode() {
    const seen: string[] = []
    const watch =
      <A extends readonly unknown[], R>(ask: (...args: A) => Promise<R>) =>
      (...args: A) => {
        seen.push(JSON.stringify(args, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)))
        return ask(...args)
      }
    const { simulate, broadcast, accounts } = fixture.node
    return { seen, node: nodeWith({ simulate: watch(simulate), broadcast: watch(broadcast), accounts: watch(accounts) }) }
  }

  it.each([
    ['sol', 'relay'],
    ['sol', 'user'],
    ['token', 'relay'],
    ['token', 'user'],
  ] as const)('of %s by the %s shows its secret to no node before the attempt is recorded', async (kind, sender) => {
    const [contract, key] = [fixture[kind], newKey()]
    const { terms, secret } = await initiated(contract)
    const { seen, node } = watchedNode()
    const { outbox } = fixture[sender]
    const lost = createExecutor(node).redeem(contract, terms, secret, outbox.open(key, { fault: 'lost-lease' }))
    await expect(lost).rejects.toThrow(OutboxFailure)
    const shows = () =>
      seen.some((text) =>
        [...text.matchAll(/"([A-Za-z0-9+/=]{100,})"/g)].some(([, base64 = '']) =>
          Buffer.from(base64, 'base64').toString('hex').includes(secret),
        ),
      )
    expect(shows()).toBe(false)
    await createExecutor(node).redeem(contract, terms, secret, outbox.open(key))
    expect(shows()).toBe(true)
    fixture.mine()
  })

  it('with a wrong secret is refused before any request', async () => {
    const { terms } = await initiated(fixture.sol)
    const { seen, node } = watchedNode()
    await expect(createExecutor(node).redeem(fixture.sol, terms, '00'.repeat(32), fixture.relay.outbox.open(newKey()))).rejects.toThrow(
      /does not match/,
    )
    expect(seen).toEqual([])
  })

  it('finds the token account of a recipient who had none: the payer of the lock paid for it', async () => {
    const redeemer = fixture.newAddress()
    const [solver, relay] = [await lamportsOf(fixture.solver), await lamportsOf(fixture.relay)]
    const { terms, secret } = await initiated(fixture.token, { redeemer })
    const locked = solver - (await lamportsOf(fixture.solver))
    expect([locked >= 4_544_880n + 2_039_280n, locked <= 4_544_880n + 2_050_000n]).toEqual([true, true])
    await verifyPayout(fixture.node, fixture.token, terms)
    await executor.redeem(fixture.token, terms, secret, fixture.relay.outbox.open(newKey()))
    fixture.mine()
    expect(await fixture.tokensOf(redeemer)).toBe(terms.amount)
    expect(relay - (await lamportsOf(fixture.relay))).toBeLessThanOrEqual(10_000n)
  })

  it('makes no second token account for a recipient who closed it, and no secret is shown to it', async () => {
    const redeemer = fixture.newAddress()
    const { terms, secret } = await initiated(fixture.token, { redeemer })
    const key = newKey()
    fixture.put(tokenAccountOf(redeemer, fixture.mint), systemProgram, new Uint8Array(0), { balance: 0n })
    const redeem = () => executor.redeem(fixture.token, terms, secret, fixture.relay.outbox.open(key))
    const waits = { kind: 'would-fail', message: expect.stringContaining('has no token account any more') }
    await expect(verifyPayout(fixture.node, fixture.token, terms)).rejects.toMatchObject(waits)
    await expect(redeem()).rejects.toMatchObject(waits)
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    await fixture.putTokens(redeemer, 0n)
    await redeem()
    fixture.mine()
    expect(await fixture.tokensOf(redeemer)).toBe(terms.amount)
  })

  it.each([
    ['is frozen', AccountState.Frozen, (f: LocalFixture) => f.user.address, /is frozen/],
    ['was given away', AccountState.Initialized, (f: LocalFixture) => f.stranger.address, /belongs to/],
  ])('is not signed while the token account of the recipient %s', async (_, state, owner, reason) => {
    const { terms, secret } = await initiated(fixture.token)
    const key = newKey()
    await fixture.putTokens(fixture.user.address, 0n, state, owner(fixture))
    const redeem = () => executor.redeem(fixture.token, terms, secret, fixture.relay.outbox.open(key))
    await expect(redeem()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(reason) })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    await fixture.putTokens(fixture.user.address, 0n)
    await redeem()
    fixture.mine()
    expect(await fixture.tokensOf(fixture.user.address)).toBe(terms.amount)
  })

  it('is not signed while the vault of the order is frozen', async () => {
    const { terms, secret } = await initiated(fixture.token)
    const key = newKey()
    const order = await readOrder(fixture.node, fixture.token, terms)
    if (order?.vault == null) throw new Error('the order has no vault')
    const vault = fixture.chain.node.svm.account(order.vault)
    if (vault === null) throw new Error('there is no vault')
    const data = Uint8Array.from(vault.data)
    data[TOKEN_STATE_OFFSET] = AccountState.Frozen
    fixture.chain.node.svm.setAccount(order.vault, { ...vault, data })
    const redeem = executor.redeem(fixture.token, terms, secret, fixture.relay.outbox.open(key))
    await expect(redeem).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/of the order, .*, is frozen/) })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
  })

  it('of an order that names another vault does not count, nor one whose vault is empty', async () => {
    const { terms, secret } = await initiated(fixture.token)
    const { svm } = fixture.chain.node
    const order = swapIdOf(fixture.token, terms) as Address
    const [account, vault] = [svm.account(order), svm.account(vaultAddress(order))]
    if (account === null || vault === null) throw new Error('the order has no accounts')
    await verifyPayout(fixture.node, fixture.token, terms)
    svm.setAccount(order, { ...account, data: Uint8Array.of(...account.data.slice(0, VAULT_OFFSET), ...new Uint8Array(32).fill(7)) })
    const contradicts = { kind: 'unreachable', message: expect.stringMatching(/contradicts its terms/) }
    await expect(verifyPayout(fixture.node, fixture.token, terms)).rejects.toMatchObject(contradicts)
    const key = newKey()
    const redeem = executor.redeem(fixture.token, terms, secret, fixture.relay.outbox.open(key))
    await expect(redeem).rejects.toMatchObject(contradicts)
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    svm.setAccount(order, account)
    svm.setAccount(vaultAddress(order), { ...vault, data: vault.data.map((byte, at) => (at >= 64 && at < 72 ? 0 : byte)) })
    const empty = { kind: 'would-fail', message: expect.stringMatching(/of the order, .*, holds 0, not/) }
    await expect(verifyPayout(fixture.node, fixture.token, terms)).rejects.toMatchObject(empty)
  })

  it('of fewer lamports than an account needs waits until the recipient has one', async () => {
    const redeemer = fixture.newAddress()
    const { terms, secret } = await initiated(fixture.sol, { redeemer, amount: 890_879n })
    const key = newKey()
    const redeem = () => executor.redeem(fixture.sol, terms, secret, fixture.relay.outbox.open(key))
    await expect(redeem()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringMatching(/890879 .* 890880/) })
    expect(fixture.relay.outbox.attempts(key)).toEqual([])
    fixture.chain.airdrop(redeemer, 1_000_000n)
    fixture.mine()
    await redeem()
    fixture.mine()
    expect(await fixture.node.balance(redeemer)).toBe(1_890_879n)
  })

  it('says how many lamports its sender lacks', async () => {
    const { terms, secret } = await initiated(fixture.sol)
    const poor = fixture.stranger
    fixture.setLamports(poor.address, 893_000n)
    await expect(executor.redeem(fixture.sol, terms, secret, poor.outbox.open(newKey()))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/redeem: .* holds 893000 lamports; it needs 89\d{4}/),
    })
  })
})

describe('a refund', () => {
  it('says how many lamports its sender lacks', async () => {
    const { terms } = await initiated(fixture.sol, { timelock: 1n })
    fixture.mine(2)
    const poor = fixture.stranger
    fixture.setLamports(poor.address, 0n)
    await expect(executor.refund(fixture.sol, terms, poor.outbox.open(newKey()))).rejects.toMatchObject({
      kind: 'would-fail',
      message: expect.stringMatching(/refund: .* holds 0 lamports; it needs 895880/),
    })
  })

  it('to an initiator that closed its token account waits for a new one: we do not pay for it', async () => {
    const { user, solver, token, relay } = fixture
    const terms = { ...(await fixture.swap(token)).terms, initiator: user.address, redeemer: solver.address, timelock: 5n }
    await executor.initiate(token, terms, user.outbox.open(newKey()))
    fixture.mine(6)
    const tokens = await fixture.putTokens(user.address)
    fixture.chain.node.svm.setAccount(tokens, null)
    const key = newKey()
    const refund = () => executor.refund(token, terms, relay.outbox.open(key))
    await expect(refund()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('has no token account any more') })
    expect(relay.outbox.attempts(key)).toEqual([])
    // The owner creates the token account itself.
    await executor.refund(token, terms, user.outbox.open(newKey()))
    fixture.mine()
    expect(await fixture.tokensOf(user.address)).toBe(terms.amount)
    await fixture.putTokens(user.address)
  })
})
