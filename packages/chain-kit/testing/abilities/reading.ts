/** Tests the answers of some nodes beyond the core. */
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { describe, expect, it } from 'vitest'
import { type ConformanceFixture, watchOnly } from '../conformance.fixture.ts'
import { type ConformanceRun, expectWithin, type Party, required } from '../run.fixture.ts'

/** Fees vary from transaction to transaction, and a statement has a margin. */
const FACTOR = 4n

export function finalHeightSuite(run: ConformanceRun): void {
  describe('final height', () => {
    it('is not above the newest block, never decreases, and passes an initiation once it is deep enough', async () => {
      const { client, secondClient, mine } = run.fixture
      expect(client.chain.finalityTag).toBeDefined()
      const finalHeight = required(client.finalHeight, 'finalHeight')
      const swap = await run.fundedByUser()
      const block = (await run.readSwap(swap)).events[0]?.block
      if (block == null) throw new Error('the mined event has no block')
      const before = (await finalHeight()) ?? 0n
      expect(before).toBeLessThanOrEqual((await client.tip()).height)
      await mine(client.chain.finalityBlocks * 2)
      const after = (await finalHeight()) ?? 0n
      expect(after).toBeGreaterThanOrEqual(before)
      expect(after).toBeGreaterThanOrEqual(block.height)
      expect(after).toBeLessThanOrEqual((await client.tip()).height)
      expect(await required(secondClient.finalHeight, 'finalHeight')()).toBe(after)
    })
  })
}

export function unconfirmedEventsSuite(run: ConformanceRun): void {
  describe('unconfirmed events', () => {
    it('shows an unmined initiation to those who watch the swap, without a block, until it is mined', async () => {
      const { client, secondClient } = run.fixture
      const swap = await run.propose(run.user, run.solver)
      const stranger = await run.propose(run.user, run.solver)
      const unconfirmed = required(client.unconfirmedEvents, 'unconfirmedEvents')
      expect(await unconfirmed(watchOnly(client, swap.terms))).toEqual([])
      await run.fixture.fund(await run.fundingOf(swap))
      const seen = await unconfirmed(watchOnly(client, swap.terms))
      expect(seen).toMatchObject([{ kind: 'initiated', swapId: client.swapId(swap.terms), amount: swap.terms.amount, block: null }])
      expect(await required(secondClient.unconfirmedEvents, 'unconfirmedEvents')(watchOnly(secondClient, swap.terms))).toEqual(seen)
      for (const others of [watchOnly(client, stranger.terms), createWatchedSwaps([])]) expect(await unconfirmed(others)).toEqual([])
      await run.confirm()
      expect(await unconfirmed(watchOnly(client, swap.terms))).toEqual([])
    })
  })
}

export function branchEventsSuite(run: ConformanceRun): void {
  describe('events of a branch', () => {
    it('are those of its blocks, in a range and in one block', async () => {
      const { client } = run.fixture
      const branchEvents = required(client.branchEvents, 'branchEvents')
      const swap = await run.propose(run.user, run.solver)
      await run.fixture.fund(await run.fundingOf(swap))
      await run.confirm()
      const watched = watchOnly(client, swap.terms)
      const tip = await client.tip()
      const events = await client.events(watched, swap.from, tip.height)
      expect(events).toMatchObject([{ kind: 'initiated' }])
      const range = await branchEvents(watched, swap.from, tip, [swap.from, tip.height])
      expect(range.events).toEqual(events)
      expect(range.headers).toEqual(expect.arrayContaining([...(await client.headers([swap.from, tip.height]))]))
      const [header] = await client.headers([events[0]?.block?.height ?? 0n])
      if (header === undefined) throw new Error('the block of the event does not exist')
      expect((await branchEvents(watched, header.height, header, [])).events).toEqual(events)
      expect(await branchEvents(createWatchedSwaps([]), swap.from, tip, [])).toEqual({ events: [], headers: [] })
      const other = { ...tip, hash: `${tip.hash.slice(0, -4)}beef` }
      await expect(branchEvents(watched, swap.from, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
      await expect(branchEvents(watched, other.height, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
    })
  })
}

export function inspectProvidersSuite(run: ConformanceRun): void {
  describe('inspect providers', () => {
    it('reports each provider by its host, at least one of them at the tip', async () => {
      const { client } = run.fixture
      const reports = await required(client.inspectProviders, 'inspectProviders')()
      const { height } = await client.tip()
      expect(reports.some((report) => report.error === null && report.height === height && report.behind === 0n)).toBe(true)
      for (const { name } of reports) expect(name).not.toMatch(/[/@?]/)
    })
  })
}

export function legCostSuite(run: ConformanceRun): void {
  describe('leg cost', () => {
    const read = (asset = run.fixture.asset) => required(run.fixture.client.legCost, 'legCost')(asset)
    const isNative = () => run.fixture.asset === run.fixture.client.chain.nativeAsset
    const coins = ({ address }: Party) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)
    const amount = () => (isNative() ? run.fixture.amount : 0n)

    it('is what a redeem and an initiation take, within a factor of four', async () => {
      const { client, depositReserve } = run.fixture
      const stated = await read()
      expect(stated.refund).toBeGreaterThan(0n)
      const swap = await run.fundedByUser()
      const before = await coins(run.solver)
      await run.redeem(swap)
      await run.confirm()
      const redeemed = await coins(run.solver)
      // A node's estimate may change while the test runs.
      const [first, later] = [stated.redeem, (await read()).redeem]
      const [lower, higher] = first < later ? [first, later] : [later, first]
      expectWithin(before + amount() - redeemed, lower / FACTOR, higher * FACTOR)
      await run.initiate(await run.propose(run.solver, run.user))
      await run.confirm()
      const taken = redeemed - amount() - (await coins(run.solver))
      // Costs that come back later are not stated.
      const isReturned = client.chain.settledHtlcKeepsRent === true || depositReserve !== undefined
      const now = await read()
      const [low, high] = stated.initiate < now.initiate ? [stated.initiate, now.initiate] : [now.initiate, stated.initiate]
      expectWithin(taken, low / FACTOR, isReturned ? taken : high * FACTOR)
    })

    it('fails for an asset that the chain does not have', async () => {
      await expect(read(`${run.fixture.client.chain.id}:nothing`)).rejects.toThrow(/nothing/)
    })
  })
}

type RecipientRun = {
  readonly user: Pick<ConformanceRun['user'], 'address'>
  readonly fixture: Pick<ConformanceFixture, 'client' | 'asset' | 'amount' | 'solver' | 'incapableRecipient'>
}

export function checkRecipientSuite(run: RecipientRun): void {
  describe('check recipient', () => {
    async function check(address: string): Promise<string | null> {
      const { client, asset, amount, solver } = run.fixture
      const ask = (payer: string | null) =>
        required(client.checkRecipient, 'checkRecipient')(address, asset, { amount, payer, isTrusted: true })
      const [before, last] = [await ask(null), await ask(client.addressOf(solver))]
      expect(before === null).toBe(last === null)
      return last
    }

    it('accepts an account that can receive, repeatedly', async () => {
      expect(await check(run.user.address)).toBeNull()
      expect(await check(run.user.address)).toBeNull()
    })

    it('says why an account cannot receive, although its address is valid', async () => {
      const address = await required(run.fixture.incapableRecipient, 'incapableRecipient')()
      expect(run.fixture.client.text.parseAddress(address)).toBe(address)
      expect(await check(address)).toMatch(/\w+ \w+/)
    })
  })
}

export function checkSenderSuite(run: ConformanceRun): void {
  describe('check sender', () => {
    const check = (address: string) => required(run.fixture.client.checkSender, 'checkSender')(address)

    it('accepts an account that sends', async () => {
      expect(await check(run.solver.address)).toBeNull()
    })

    it('says what an account lacks, and what to do', async () => {
      const { client } = run.fixture
      const address = client.addressOf(createKey(client.curve, randomPrivateKey(client.curve)))
      expect(await check(address)).toEqual({ text: expect.stringContaining(address), advice: expect.stringContaining('tandem deploy') })
    })
  })
}

export function oracleSuite(run: ConformanceRun): void {
  describe('oracle', () => {
    const read = (contract: string) => required(run.fixture.client.oracle, 'oracle')(contract)
    const deploy = (answer: bigint) => required(run.fixture.priceFeed, 'priceFeed')({ answer, decimals: 8, updatedAt: 1_700_000_000n })

    it('reads a feed as it is, also a price that cannot be', async () => {
      for (const answer of [6_125_050_000_000n, 0n, -5n])
        expect(await read(await deploy(answer))).toEqual({ answer, decimals: 8, updatedAt: 1_700_000_000n })
    })

    it('fails for an account that is no feed, and for a text that is no address', async () => {
      await expect(read(run.solver.address)).rejects.toThrow('does not answer as a price feed')
      await expect(read('nowhere')).rejects.toThrow('nowhere')
    })
  })
}
