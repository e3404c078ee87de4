/** Tests what a quorum of providers believes when one lies, and how a broken connection is replaced. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { RpcError } from '../../local/rpc/rpc-error.ts'
import { createFamilyFixture } from '../xrpl.fixture.ts'
import { NodeRefusal, type Outcome, type XrplNode } from './node.ts'
import { forgedCreate, lyingAbout, startTestProvider } from './provider.fixture.ts'
import { createProviderNode } from './provider-node.ts'
import { combineSubmissions, createSharedNode, validatedByQuorum } from './shared-node.ts'

const fixture = await createFamilyFixture()
afterAll(() => fixture.close())

/** Three providers answer some methods in their own way. */
function sharedBy(...changes: readonly Partial<XrplNode>[]) {
  const honest = createProviderNode(fixture.devnet.url, 2000)
  const troubles: string[] = []
  const providers = [0, 1, 2].map((i) => ({ name: `p${i}`, node: { ...honest, ...changes[i] } }))
  const node = createSharedNode(fixture.chain, providers, { quorum: 2, onTrouble: (what) => troubles.push(what) })
  return { node, honest, troubles }
}

describe('one liar of three', () => {
  test('chooses neither an account, nor an escrow, nor reserves, nor the fee', async () => {
    const { node, honest, troubles } = sharedBy({
      account: async () => null,
      escrow: async () => 'other',
      reserves: async () => ({ base: 0n, increment: 0n }),
      fee: async () => 10n ** 9n,
    })
    const { height } = (await honest.block('validated')) ?? { height: 0n }
    expect(await node.account(fixture.user.address, height)).toMatchObject({ balance: 100_000_000_000n })
    expect(await node.escrow(fixture.user.address, 1n, height)).toBeNull()
    expect(await node.reserves()).toEqual({ base: 1_000_000n, increment: 200_000n })
    expect(await node.fee()).toBe(10n)
    expect(troubles.join()).toMatch(/p0 is suspended for a while: it contradicts the others about the account/)
    honest.close()
  })

  test('does not prove that a transaction is absent, where the others cannot search all ledgers', async () => {
    const incomplete = { isAbsent: async () => Promise.reject(new NodeRefusal('incomplete', 'it cannot say')) }
    const { node, honest } = sharedBy({ isAbsent: async () => true }, incomplete, incomplete)
    await expect(node.isAbsent('AB'.repeat(32), 1n, 2n)).rejects.toMatchObject({ kind: 'unreachable' })
    honest.close()
    const { node: other, honest: second } = sharedBy({ isAbsent: async () => false })
    expect(await other.isAbsent('AB'.repeat(32), 1n, 2n)).toBe(true)
    second.close()
  })
})

test('a transaction has an outcome when a quorum has it in a validated ledger', async () => {
  const [pending, succeeded] = [{ kind: 'pending' }, { kind: 'succeeded' }] as const satisfies Outcome[]
  const failed = { kind: 'failed', result: 'tecNO_PERMISSION' } as const
  const decide = (...outcomes: readonly (Outcome | null)[]) => {
    const pool = { ranked: () => outcomes.map((node, i) => ({ name: String(i), node })) }
    const available = {
      available: pool.ranked,
      ask: async <T>(p: { node: Outcome | null }, q: (n: Outcome | null) => Promise<T>) => q(p.node),
    }
    const quorum = { pool: { ...pool, ...available, suspend: () => undefined, restore: () => undefined }, size: 2 }
    return validatedByQuorum(quorum as never, { what: 'it', ask: async (node) => node as Outcome | null })
  }
  expect(await decide(succeeded, succeeded, null)).toEqual(succeeded)
  expect(await decide(failed, failed, succeeded)).toEqual(failed)
  expect(await decide(succeeded, failed, null)).toEqual(pending)
  expect(await decide(succeeded, null, null)).toBeNull()
  expect(await decide(pending, null, null)).toBeNull()
})

test('a submission is refused as most providers refuse it, and may be public if one took it', () => {
  const of = (result: string) => ({ result, isPartlyAccepted: false })
  const [taken, used, low] = [of('tesSUCCESS'), of('tefPAST_SEQ'), of('telINSUF_FEE_P')]
  expect(combineSubmissions([taken], true)).toEqual(taken)
  expect(combineSubmissions([taken, low, used, low], false)).toEqual({ result: 'telINSUF_FEE_P', isPartlyAccepted: true })
  expect(combineSubmissions([low, low], true)).toEqual({ result: 'telINSUF_FEE_P', isPartlyAccepted: true })
  expect(combineSubmissions([low, low], false)).toEqual(low)
  expect(combineSubmissions([], true)).toBeUndefined()
})

describe('a provider', () => {
  test('is asked again on a new connection after its connection broke', async () => {
    const provider = await startTestProvider(fixture.devnet.chain)
    const node = createProviderNode(provider.url, 2000)
    expect(await node.networkId()).toBe(31_340)
    provider.setOffline(true)
    await expect(node.networkId()).rejects.toMatchObject({ kind: 'unreachable' })
    provider.setOffline(false)
    expect(await node.networkId()).toBe(31_340)
    node.close()
    await expect(node.networkId()).rejects.toMatchObject({ kind: 'unreachable' })
    await provider.close()
  })

  test('that does not answer in time is unreachable, and is asked again by the next request', async () => {
    const node = createProviderNode(fixture.devnet.url, 500)
    fixture.devnet.chain.faults.delay(10_000)
    await expect(node.fee()).rejects.toMatchObject({ kind: 'unreachable', message: 'no answer to fee in 500 ms' })
    fixture.devnet.chain.faults.delay(0)
    expect(await Promise.all([node.fee(), node.networkId()])).toEqual([10n, 31_340])
    node.close()
  })

  test('that answers for fewer ledgers than asked, or for another ledger, is not believed', async () => {
    const provider = await startTestProvider(fixture.devnet.chain)
    const node = createProviderNode(provider.url, 2000)
    const { height } = (await node.block('validated')) ?? { height: 0n }
    expect(await node.escrowChanges(fixture.user.address, 2n, height)).toEqual([])
    provider.behave(
      lyingAbout({
        account_tx: (_, truth) => ({ ...truth, ledger_index_min: 3 }),
        account_info: (_, truth) => ({ ...truth, ledger_index: 1 }),
      }),
    )
    await expect(node.escrowChanges(fixture.user.address, 2n, height)).rejects.toThrow(/does not have all ledgers/)
    await expect(node.account(fixture.user.address, height)).rejects.toBeInstanceOf(ChainFailure)
    await expect(node.escrowChanges(fixture.user.address, 2n, height + 1n)).rejects.toBeInstanceOf(NodeRefusal)
    node.close()
    await provider.close()
  })
  test('whose page of a history cannot be taken is asked for shorter ones', async () => {
    const provider = await startTestProvider(fixture.devnet.chain)
    const node = createProviderNode(provider.url, 2000)
    const { height } = (await node.block('validated')) ?? { height: 0n }
    const limits: unknown[] = []
    let most = 50
    provider.behave((command, request, ask) => {
      if (request.account !== fixture.user.address) return ask(command, request)
      limits.push(request.limit)
      // The provider refuses as for a page that is too long for a message, or comes too late.
      if (Number(request.limit) > most) throw new RpcError('internal')
      return ask(command, request)
    })
    const read = ({ address } = fixture.user) => node.escrowChanges(address, 2n, height)
    await expect(Promise.all([read(), read(fixture.solver)])).rejects.toMatchObject({ kind: 'unreachable' })
    await read(fixture.solver)
    expect(await read()).toEqual([])
    most = 200
    for (let i = 0; i < 3; i += 1) await read()
    expect(limits).toEqual([200, 50, 100, 200, 200])
    node.close()
    await provider.close()
  })

  describe('with 500 ledgers full of strangers’ payments to an account', () => {
    const [FROM, TO] = [2n, 501n]
    /** Each ledger has three pages: more than a thousand, which nodes give at once at most. */
    const PAGES = 3
    const LAST_PAGE = 500 * PAGES - 1
    const escrow = {
      asset: fixture.asset.id,
      initiator: fixture.user.address,
      redeemer: fixture.solver.address,
      amount: 5_000_000n,
      timelock: 600n,
      secretHash: '12'.repeat(32),
    } as const
    const made = (height: bigint) => forgedCreate(escrow, { height, hash: 'AA'.repeat(32), time: 1_800_000_000n })
    const payment = (ledger_index: number) => ({ tx_json: { TransactionType: 'Payment' }, validated: true, ledger_index })

    /** `hasFailed` tells whether the answer to this request, counted from 1, is lost. */
    async function flooded(hasFailed: (asked: number) => boolean) {
      const provider = await startTestProvider(fixture.devnet.chain)
      const node = createProviderNode(provider.url, 2000)
      provider.behave((command, request, ask) => {
        if (command !== 'account_tx') return ask(command, request)
        if (hasFailed(provider.asked.length)) throw new RpcError('internal')
        const { ledger_index_min: min, ledger_index_max: max } = request
        const page = request.marker === undefined ? (Number(min) - Number(FROM)) * PAGES : Number(request.marker)
        const ledger = Number(FROM) + Math.floor(page / PAGES)
        const transactions = [payment(ledger), page === LAST_PAGE ? made(TO) : payment(ledger)]
        const isLast = page === (Number(max) - Number(FROM) + 1) * PAGES - 1
        return { ledger_index_min: min, ledger_index_max: max, validated: true, transactions, ...(!isLast && { marker: page + 1 }) }
      })
      const read = () => node.escrowChanges(fixture.solver.address, FROM, TO)
      const close = async () => {
        node.close()
        await provider.close()
      }
      return { provider, read, close }
    }

    test('is read to the end', async () => {
      const { provider, read, close } = await flooded(() => false)
      expect(await read()).toMatchObject([{ kind: 'created', ledger: TO }])
      expect(provider.asked).toHaveLength(LAST_PAGE + 1)
      await close()
    })

    test('goes on where a page failed, and reads no ledger below again', async () => {
      const { provider, read, close } = await flooded((asked) => asked % 400 === 0)
      const failures: unknown[] = []
      let changes = null
      while (changes === null && failures.length < 4)
        changes = await read().catch((error) => {
          failures.push(error)
          return null
        })
      expect(changes).toMatchObject([{ kind: 'created', ledger: TO }])
      expect(failures).toHaveLength(3)
      expect(provider.asked.length).toBeLessThanOrEqual(LAST_PAGE + 1 + failures.length * (PAGES + 1))
      await close()
    })

    test('is given up where a node repeats a ledger for ever', async () => {
      const provider = await startTestProvider(fixture.devnet.chain)
      const node = createProviderNode(provider.url, 2000)
      const transactions = Array.from({ length: 200 }, () => payment(2))
      provider.behave(() => ({ ledger_index_min: 2, ledger_index_max: 2, validated: true, transactions, marker: 1 }))
      await expect(node.escrowChanges(fixture.solver.address, 2n, 2n)).rejects.toThrow(/at most 20000 transactions in a ledger/)
      expect(provider.asked).toHaveLength(100)
      node.close()
      await provider.close()
    })
  })
})
