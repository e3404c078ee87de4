/** Tests what a signer grants: nothing that its own nodes, prices, limits and journal do not allow, whoever asks. */
import { copyFile } from 'node:fs/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { btc, DOLLAR, honestLock, NOW, openTestSigner, orderPurpose, type TestSigner, wbtc } from './signer.fixture.ts'
import type { AskedAction, AskedPurpose } from './wire/question.ts'

let signer: TestSigner
beforeEach(async () => {
  signer = await openTestSigner()
})
afterEach(() => signer.close())

const ask = (purpose: AskedPurpose, ...args: readonly unknown[]) => signer.gate().sign(signer.question(purpose, ...args), 'the solver')
const lockOf = ({ chain, action }: { readonly chain: string; readonly action: AskedAction }, change: Partial<AskedAction> = {}) =>
  orderPurpose(chain, { ...action, ...change })
const kinds = async () => (await signer.entries()).map(({ kind }) => kind)
const hashOf = (number: number) => number.toString(16).padStart(64, '0')

describe('a lock', () => {
  test.each(['bitcoin', 'ethereum'] as const)('of an order whose source on %s is there is granted, and in the journal', async (from) => {
    const lock = honestLock(signer, from)
    expect(await ask(lockOf(lock), 'a lock', 1)).toBe('signed a lock with more')
    expect(await signer.entries()).toEqual([
      expect.objectContaining({ kind: 'lock', client: 'the solver', secret_hash: 'ab'.repeat(32), worth: String(600n * DOLLAR) }),
    ])
  })

  const changed = (lock: ReturnType<typeof honestLock>, change: object) => {
    const { paidBy } = lock.action
    return lockOf(lock, { paidBy: { ...paidBy, ...change } as never })
  }

  test.each<[string, (lock: ReturnType<typeof honestLock>) => AskedPurpose, RegExp]>([
    [
      'that does not say what it is paid with',
      ({ chain, action: { paidBy: _, ...action } }) => orderPurpose(chain, action),
      /what it is paid with/,
    ],
    ['of a source', (lock) => lockOf(lock, { leg: 'source' }), /only a destination/],
    ['with gas for somebody', (lock) => lockOf(lock, { gas: 1n }), /no party/],
    ['to another address', (lock) => lockOf(lock, { to: 'the thief' }), /no party/],
    ['of two orders', ({ chain, action }) => orderPurpose(chain, action, action), /one order/],
    ['with a redeem', ({ chain, action }) => orderPurpose(chain, action, { ...action, verb: 'redeem' }), /several things/],
    [
      'whose source pays another',
      (lock) => changed(lock, { terms: { ...lock.action.paidBy?.terms, redeemer: 'b3'.repeat(32) } }),
      /does not pay us/,
    ],
    [
      'that refunds to another',
      (lock) => lockOf(lock, { terms: { ...lock.action.terms, initiator: `0x${'7e'.repeat(20)}` } }),
      /not be refunded to us/,
    ],
    ['with another secret', (lock) => lockOf(lock, { terms: { ...lock.action.terms, secretHash: 'cd'.repeat(32) } }), /different secrets/],
    ['that pays more', (lock) => lockOf(lock, { terms: { ...lock.action.terms, amount: 1_011_000n } }), /it pays 606600000 /],
    ['that outlives its source', (lock) => lockOf(lock, { terms: { ...lock.action.terms, timelock: 10n ** 7n } }), /outlives it by/],
    ['without a timelock', (lock) => lockOf(lock, { terms: { ...lock.action.terms, timelock: 0n } }), /no timelock/],
    ['of an asset of another chain', (lock) => lockOf(lock, { terms: { ...lock.action.terms, asset: btc } }), /not an asset/],
    ['whose source is on a chain that is not served', (lock) => changed(lock, { chain: 'solana_localnet' }), /not in the configuration/],
    [
      'whose source was paid by another deposit',
      (lock) => changed(lock, { deposits: [{ id: `${'cd'.repeat(32)}:0`, height: 1099n }] }),
      /"waiting"/,
    ],
    ['whose source is in a block to come', (lock) => changed(lock, { deposits: [{ id: lock.deposit, height: 99_999n }] }), /not there/],
    ['whose source is in another block', (lock) => changed(lock, { deposits: [{ id: lock.deposit, height: 1n }] }), /"waiting"/],
    ['whose source has other terms', (lock) => changed(lock, { terms: { ...lock.action.paidBy?.terms, timelock: 999_999n } }), /"waiting"/],
  ])('%s is refused, and the refusal is in the journal', async (_, purpose, why) => {
    await expect(ask(purpose(honestLock(signer, 'bitcoin')), 'x')).rejects.toThrow(why)
    expect(await signer.entries()).toEqual([expect.objectContaining({ kind: 'refused', why: expect.stringMatching(why) })])
  })

  test('without the confirmations of its amount is refused', async () => {
    const needed = signer.bitcoin.chain.requiredConfirmations
    const lock = honestLock(signer, 'bitcoin', { confirmations: 1, amount: 1_000_000n })
    for (let missing = needed - 1; missing > 0; missing -= 1) {
      await expect(ask(lockOf(lock), 'x', 'c')).rejects.toThrow(/"seen"/)
      signer.bitcoin.grow(1)
    }
    expect(await ask(lockOf(lock), 'x', 'c')).toBe('signed x with more')
  })

  test('needs the confirmations of what was paid, and not of what its source is said to be', async () => {
    for (const asset of [btc, wbtc]) signer.world.prices[asset] = 600n * 10n ** 8n
    const lock = honestLock(signer, 'bitcoin', { confirmations: 1, amount: 50_000_000n })
    const { paidBy } = lock.action
    if (paidBy === undefined) throw new Error('it is paid')
    // An address takes any amount, so a smaller one has the same address.
    const { swapId } = lock
    signer.bitcoin.swapId = () => swapId
    const small = lockOf(lock, { paidBy: { ...paidBy, terms: { ...paidBy.terms, amount: 1n } } })
    await expect(ask(small, 'x')).rejects.toThrow(/has 1 of 2 confirmations/)
    signer.bitcoin.grow(1)
    expect(await ask(small, 'x')).toBe('signed x')
  })

  test('is refused when its source is spent, or gone after a reorg', async () => {
    const lock = honestLock(signer, 'ethereum')
    signer.ethereum.mempool = [
      { kind: 'refunded', swapId: lock.swapId, tx: 't', index: 'log:0', block: null, deposit: lock.deposit, secret: null },
    ]
    await expect(ask(lockOf(lock), 'x', 'c')).rejects.toThrow(/money of its source is not there/)
    signer.ethereum.mempool = []
    signer.ethereum.drop(90)
    signer.ethereum.grow(90)
    await expect(ask(lockOf(lock), 'x', 'c')).rejects.toThrow(/"waiting"/)
  })

  test('is refused without a price, and decided later while a node does not answer', async () => {
    const lock = honestLock(signer, 'bitcoin')
    const { [wbtc]: price, ...others } = signer.world.prices
    signer.world.prices = others
    await expect(ask(lockOf(lock), 'x')).rejects.toThrow(/no price of ethereum_localnet:wbtc/)
    signer.world.prices = { ...others, [wbtc]: price ?? 0n }
    signer.bitcoin.before.readHtlc = () => {
      throw new ChainFailure('unreachable', 'silent')
    }
    await expect(ask(lockOf(lock), 'x')).rejects.toThrow(ChainFailure)
    delete signer.bitcoin.before.readHtlc
    expect(await ask(lockOf(lock), 'x')).toBe('signed x')
  })

  test('is signed again with any nonce where the chain refuses a second one, and only as long as its source outlives it', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(lockOf(lock), 'x', 1)
    signer.bitcoin.asked.length = 0
    expect(await ask(lockOf(lock), 'x', 2)).toBe('signed x with more')
    expect(signer.bitcoin.asked).toEqual([])
    signer.world.now = NOW + 10n ** 6n
    await expect(ask(lockOf(lock), 'x', 1)).rejects.toThrow(/too little time/)
  })

  test('is signed again with coins that exclude all earlier ones where it could be paid twice', async () => {
    const lock = honestLock(signer, 'ethereum')
    await ask(lockOf(lock), 'x', 'a', 'b')
    await ask(lockOf(lock), 'x', 'b', 'c')
    await expect(ask(lockOf(lock), 'x', 'a')).rejects.toThrow(/a second time/)
    await expect(ask(lockOf(lock), 'x', 'c')).rejects.toThrow(/a second time/)
    await expect(ask(lockOf(lock), 'x')).rejects.toThrow(/a second time/)
    await signer.restart()
    await expect(ask(lockOf(lock), 'x', 'd')).rejects.toThrow(/a second time/)
    expect(await ask(lockOf(lock), 'x', 'b')).toBe('signed x with more')
  })

  test('is not signed again with another amount, although its address takes any', async () => {
    const lock = honestLock(signer, 'ethereum')
    signer.bitcoin.swapId = () => 'one address for all amounts'
    await ask(lockOf(lock), 'x', 'a')
    const of = (amount: bigint) => lockOf(lock, { terms: { ...lock.action.terms, amount } })
    await expect(ask(of(100_000_000n), 'x', 'a')).rejects.toThrow(/it pays 60000000000 /)
    await expect(ask(of(999_999n), 'x', 'a')).rejects.toThrow(/another lock with its secret hash/)
    expect(await ask(lockOf(lock), 'x', 'a')).toBe('signed x with more')
  })

  test('is one for each secret and each deposit', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(lockOf(lock), 'x')
    const other = lockOf(lock, { terms: { ...lock.action.terms, redeemer: `0x${'7e'.repeat(20)}` } })
    await expect(ask(other, 'x')).rejects.toThrow(/another lock with its secret hash/)
  })
})

describe('the limits', () => {
  const lockNumber = (number: number, from: 'bitcoin' | 'ethereum', amount = 1_000_000n, confirmations = from === 'bitcoin' ? 6 : 90) =>
    lockOf(honestLock(signer, from, { secretHash: hashOf(number), amount, confirmations }))

  test.each<[string, 'bitcoin' | 'ethereum', number, bigint]>([
    ['limits_usd.order', 'bitcoin', 0, 1_200_000n],
    ['limits_usd.chain_hour of bitcoin_regtest', 'ethereum', 2, 1_000_000n],
    ['limits_usd.hour', 'bitcoin', 3, 1_000_000n],
  ])('%s is kept', async (name, from, fitting, amount) => {
    for (let number = 0; number < fitting; number += 1) await ask(lockNumber(number, from), 'x', `c${number}`)
    await expect(ask(lockNumber(99, from, amount), 'x', 'c99')).rejects.toThrow(name)
  })

  test('an hour later there is room again', async () => {
    for (let number = 0; number < 3; number += 1) await ask(lockNumber(number, 'bitcoin'), 'x')
    await expect(ask(lockNumber(3, 'bitcoin'), 'x')).rejects.toThrow('limits_usd.hour')
    signer.world.now += 3_600n
    expect(await ask(lockNumber(4, 'bitcoin'), 'x')).toBe('signed x')
  })

  test('payments against deposits that are not final have one of their own', async () => {
    await signer.close()
    signer = await openTestSigner({}, { chainHour: new Map() })
    const { requiredConfirmations, finalityBlocks } = signer.ethereum.chain
    expect(finalityBlocks).toBeGreaterThan(requiredConfirmations)
    for (const number of [1, 2]) await ask(lockNumber(number, 'ethereum', 1_000_000n, requiredConfirmations), 'x', `c${number}`)
    await expect(ask(lockNumber(3, 'ethereum', 1_000_000n, requiredConfirmations), 'x', 'c3')).rejects.toThrow(
      'limits_usd.unfinal of ethereum_localnet',
    )
    expect(await ask(lockNumber(4, 'ethereum', 1_000_000n, finalityBlocks), 'x', 'c4')).toBe('signed x with more')
  })
})

describe('an open lock', () => {
  const small = { open: 1_000n * DOLLAR, hour: 10n ** 6n * DOLLAR, chainHour: new Map(), unfinal: new Map() }
  beforeEach(async () => {
    await signer.close()
    signer = await openTestSigner({}, small)
  })

  const locks = (...froms: readonly ('bitcoin' | 'ethereum')[]) =>
    froms.map((from, number) => honestLock(signer, from, { secretHash: hashOf(number) }))
  const isFull = async (lock: ReturnType<typeof honestLock>, nonce: unknown = 'other') => {
    signer.world.now += 60n
    return ask(lockOf(lock), 'x', nonce).then(
      () => false,
      (error) => {
        if (!String(error).includes('limits_usd.open')) throw error
        return true
      },
    )
  }
  let asked = 100
  const late = () => honestLock(signer, 'bitcoin', { secretHash: hashOf(asked++) })
  const spend = ({ source, swapId, deposit }: ReturnType<typeof honestLock>) =>
    source.mine({ kind: 'redeemed', swapId, tx: 'a redeem', index: 'in:0', block: null, deposit, secret: null })

  test.each(['bitcoin', 'ethereum'] as const)('whose source on %s is collected is settled, and its room is free', async (from) => {
    const [first, second] = locks(from, from)
    if (first === undefined || second === undefined) throw new Error('two locks')
    await ask(lockOf(first), 'x', 'c')
    expect(await isFull(second)).toBe(true)
    spend(first)
    expect(await isFull(second)).toBe(false)
    expect(await signer.entries()).toContainEqual(
      expect.objectContaining({ kind: 'settled', secret_hash: hashOf(0), why: 'its source is collected' }),
    )
  })

  test('stays open when its source is gone after a refund of it was possible, also after a restart and for ever', async () => {
    const [first, second] = locks('bitcoin', 'bitcoin')
    if (first === undefined || second === undefined) throw new Error('two locks')
    await ask(lockOf(first), 'x', 7)
    const [entry] = await signer.entries()
    if (entry?.kind !== 'lock') throw new Error('a lock')
    signer.world.now = BigInt(entry.source_ends)
    spend(first)
    for (const days of [0n, 1n, 10n, 1_000n]) {
      signer.world.now += days * 86_400n
      expect(await isFull(late())).toBe(true)
      await signer.restart()
    }
  })

  test('that was never sent stays open after all timelocks, until its nonce is used by another', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    await ask(lockOf(first), 'x', 8)
    signer.world.now += 10n ** 7n
    expect(await isFull(late())).toBe(true)
    signer.world.used.add('nonce 7')
    expect(await isFull(late())).toBe(true)
    signer.world.now += 700n
    // The transaction with the other nonce could still be mined.
    expect(await isFull(late())).toBe(true)
    signer.world.used.add('nonce 8')
    // One node may know of a nonce what another does not show yet, so it is read again later.
    expect(await isFull(late())).toBe(true)
    signer.world.now += 700n
    expect(await isFull(late())).toBe(false)
  })

  const readAs = (client: TestSigner['bitcoin'], state: 'redeemed' | 'refunded' | 'absent') => {
    const { readHtlc } = client
    client.readHtlc = async (terms, deposits) => ({
      ...(await readHtlc(terms, deposits)),
      deposits: [{ id: client.swapId(terms), state }],
    })
    return () => {
      client.readHtlc = readHtlc
    }
  }
  const pass = async () => {
    await signer.gate().settle()
    signer.world.now += 10n
    return (await kinds()).includes('settled')
  }

  test('that was refunded is settled; one that was redeemed while its source was refunded is lost, and stays open', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    readAs(signer.bitcoin, 'refunded')
    const asLost = readAs(signer.ethereum, 'redeemed')
    signer.world.used.add('nonce 7')
    signer.world.now += 10n ** 7n
    expect([await pass(), await pass()]).toEqual([false, false])
    asLost()
    readAs(signer.ethereum, 'refunded')
    expect(await pass()).toBe(true)
  })

  test('whose coins came back is settled, where the chain does not tell what became of them', async () => {
    const [first] = locks('ethereum')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 'a')
    await ask(lockOf(first), 'x', 'a', 'b')
    expect(await pass()).toBe(false)
    signer.world.back.add('transaction of a b')
    expect(await pass()).toBe(true)
  })

  test('on a chain that shows no marks is settled when the chain takes its transaction no more, and it is not there', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    signer.markReaders.delete('ethereum_localnet')
    const [entry] = await signer.entries()
    if (entry?.kind !== 'lock') throw new Error('a lock')
    signer.world.now = BigInt(entry.ends) + 3n * 86_400n - 1n
    expect(await pass()).toBe(false)
    expect(await pass()).toBe(true)
  })

  test('stays open while a node does not answer', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    spend(first)
    signer.bitcoin.before.readHtlc = () => {
      throw new ChainFailure('unreachable', 'silent')
    }
    expect(await pass()).toBe(false)
    delete signer.bitcoin.before.readHtlc
    expect(await pass()).toBe(true)
  })

  test('that is signed again after it was dead is open again', async () => {
    const [first] = locks('ethereum')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 'a', 'b')
    signer.world.used.add('coin b')
    await signer.gate().settle()
    signer.world.now += 600n
    await signer.gate().settle()
    expect(await kinds()).toEqual(['lock', 'settled'])
    // It spends the other coin of the first.
    await ask(lockOf(first), 'x', 'a', 'c')
    expect(await isFull(late(), 7)).toBe(true)
    await signer.restart()
    expect(await isFull(late(), 7)).toBe(true)
  })

  test('that would be open again is refused where too much is open', async () => {
    const [first] = locks('ethereum')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 'a', 'b')
    signer.world.used.add('coin b')
    await signer.gate().settle()
    signer.world.now += 600n
    await ask(lockOf(late()), 'x', 7)
    await expect(ask(lockOf(first), 'x', 'a', 'c')).rejects.toThrow(/was settled, and with it too much would be open/)
  })

  test('that is there is not dead, although its nonce is used', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    const { terms } = first.action
    const swapId = signer.ethereum.swapId(terms)
    const at = { swapId, tx: 'the lock', index: 'log:0', block: null, deposit: swapId }
    signer.ethereum.mine({ ...at, kind: 'initiated', amount: terms.amount, expiresAt: null })
    signer.world.used.add('nonce 7')
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await isFull(late())).toBe(true)
      signer.world.now += 700n
    }
  })

  test('makes few requests, however many locks are asked for', async () => {
    const [first, ...others] = locks(...Array.from({ length: 6 }, () => 'bitcoin' as const))
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 7)
    signer.ethereum.asked.length = 0
    await Promise.allSettled(others.map((lock) => ask(lockOf(lock), 'x', 8)))
    expect(signer.ethereum.asked.filter((what) => what === 'readHtlc').length).toBe(1)
  })

  test('is settled by a slow pass too, while no lock is asked for', async () => {
    const [first] = locks('bitcoin')
    if (first === undefined) throw new Error('a lock')
    await ask(lockOf(first), 'x', 'c')
    const slowly = async () => {
      signer.bitcoin.asked.length = 0
      signer.world.now += 30n
      await signer.gate().settle(60n)
      return signer.bitcoin.asked.length > 0
    }
    expect([await slowly(), await slowly()]).toEqual([true, false])
    expect(await kinds()).toEqual(['lock'])
    spend(first)
    expect(await slowly()).toBe(true)
    expect(await kinds()).toEqual(['lock', 'settled'])
    expect([await slowly(), await slowly()]).toEqual([false, false])
  })

  test('is read sooner the more are open, and those first that were read longest ago', async () => {
    await signer.close()
    signer = await openTestSigner({}, { ...small, open: 10n ** 6n * DOLLAR })
    const many = Array.from({ length: 72 }, (_, number) =>
      honestLock(signer, 'ethereum', { secretHash: hashOf(number), confirmations: number === 71 ? 90 : 1 }),
    )
    for (const [number, lock] of many.entries()) await ask(lockOf(lock), 'x', `c${number}`)
    const read = new Set<string>()
    const { readHtlc } = signer.ethereum
    signer.ethereum.readHtlc = (terms, deposits) => {
      read.add(terms.secretHash)
      return readHtlc(terms, deposits)
    }
    for (const expected of [9, 18, 27]) {
      signer.world.now += 10n
      await signer.gate().settle()
      expect(read.size).toBe(expected)
    }
  })
})

describe('network fees', () => {
  const chain = 'ethereum_localnet'
  const of = (verb: AskedAction['verb'], secretHash = 'cd'.repeat(32)) => {
    const { action } = honestLock(signer, 'bitcoin')
    const { paidBy: _, ...rest } = action
    return orderPurpose(chain, { ...rest, verb, terms: { ...action.terms, secretHash: secretHash as AskedAction['terms']['secretHash'] } })
  }
  const fee = (dollars: bigint) => `fee ${dollars * DOLLAR}`

  test('of cancels have a limit for each hour and chain, and leave redeems and refunds theirs', async () => {
    await ask(of('cancel'), fee(6n), 1)
    await expect(ask(of('cancel'), fee(6n), 2)).rejects.toThrow(
      /limits_usd.fees_per_hour allows 10.00 on ethereum_localnet for all but redeems/,
    )
    await signer.restart()
    await expect(ask(of('close'), fee(6n), 3)).rejects.toThrow(/limits_usd.fees_per_hour/)
    expect(await ask(of('redeem'), fee(6n), 3)).toContain('signed')
    expect(await ask(of('refund'), fee(4n), 4)).toContain('signed')
    await expect(ask(of('redeem'), fee(1n), 5)).rejects.toThrow(/for redeems and refunds, of which 10.00 are used/)
    signer.world.now += 3_600n
    expect(await ask(of('cancel'), fee(6n), 6)).toContain('signed')
  })

  test('of transactions that exclude each other count once, with the highest', async () => {
    for (const dollars of [2n, 5n, 4n, 10n]) expect(await ask(of('cancel'), fee(dollars), 1)).toContain('signed')
    await expect(ask(of('cancel'), fee(11n), 1)).rejects.toThrow(/fees_per_hour/)
    await expect(ask(of('cancel'), fee(1n), 2)).rejects.toThrow(/fees_per_hour/)
  })

  test('of redeems that a thief makes up do not stop those of a granted lock', async () => {
    await ask(lockOf(honestLock(signer, 'bitcoin')), 'x', 1)
    await ask(of('redeem'), fee(10n), 2)
    await expect(ask(of('redeem', 'ef'.repeat(32)), fee(1n), 3)).rejects.toThrow(/fees_per_hour/)
    expect(await ask(of('refund', 'ab'.repeat(32)), fee(500n), 4)).toContain('signed')
    await expect(ask(of('refund', 'ab'.repeat(32)), fee(101n), 5)).rejects.toThrow(/fees_per_hour/)
    expect(await ask(of('refund', 'ab'.repeat(32)), fee(100n), 6)).toContain('signed')
  })

  test('without a price stop what pays, and not what collects', async () => {
    const { ethereum_localnet: _, ...prices } = signer.world.prices
    signer.world.prices = Object.fromEntries(Object.entries(prices).filter(([id]) => !id.endsWith(':eth')))
    await expect(ask(of('cancel'), fee(1n), 1)).rejects.toThrow(/no price of ethereum_localnet:eth, which pays the fees/)
    expect(await ask(of('redeem'), fee(1n), 1)).toContain('signed')
  })

  test('are not hidden behind two amounts of one coin', async () => {
    const { action } = honestLock(signer, 'ethereum')
    const { paidBy: _, ...rest } = action
    const pay = (...coins: readonly string[]) => ask(orderPurpose('bitcoin_regtest', { ...rest, verb: 'cancel' }), 'x', ...coins)
    await pay('a=100', 'b=1')
    await expect(pay('a=1', 'b=100')).rejects.toThrow(/is said to have 1, and was said/)
    signer.world.amounts = new Map([
      ['coin a', 100n],
      ['coin b', 100n],
    ])
    await expect(pay('a=1', 'b=100')).rejects.toThrow(/coin a is said to have 1, and was said/)
    await signer.restart()
    // What was said of b was false: the truth may be signed.
    expect(await pay('a=100', 'b=100')).toContain('signed')
    const both = await Promise.allSettled([pay('c=1', 'd=9'), pay('c=9', 'd=1')])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('of all that can be mined together stay within the budgets, whatever is asked for', async () => {
    const asks = fc.array(
      fc.record({
        verb: fc.constantFrom<AskedAction['verb'][]>('cancel', 'close', 'redeem', 'refund'),
        dollars: fc.nat({ max: 6 }),
        nonces: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }),
        minutes: fc.nat({ max: 40 }),
      }),
      { minLength: 1, maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(asks, async (questions) => {
        await signer.close()
        signer = await openTestSigner()
        const granted: { readonly at: bigint; readonly verb: string; readonly dollars: bigint; readonly nonces: readonly number[] }[] = []
        for (const { verb, dollars, nonces, minutes } of questions) {
          signer.world.now += BigInt(minutes) * 60n
          const isGranted = await ask(of(verb), fee(BigInt(dollars)), ...nonces).then(
            () => true,
            () => false,
          )
          if (isGranted) granted.push({ at: signer.world.now, verb, dollars: BigInt(dollars), nonces })
        }
        // The dearest set of transactions of which no two have a nonce in common, among those that were signed within an hour.
        const dearest = (of: typeof granted): bigint => {
          const [first, ...others] = of
          if (first === undefined) return 0n
          const apart = others.filter(({ nonces }) => !nonces.some((nonce) => first.nonces.includes(nonce)))
          const [with_, without] = [first.dollars + dearest(apart), dearest(others)]
          return with_ > without ? with_ : without
        }
        for (const collects of [true, false])
          for (const { at } of granted) {
            const inHour = granted.filter(
              (one) => ['redeem', 'refund'].includes(one.verb) === collects && one.at <= at && at - one.at < 3_600n,
            )
            expect(dearest(inHour)).toBeLessThanOrEqual(10n)
          }
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})

describe('a consent to a refund', () => {
  const consentTo = ({ action, source }: ReturnType<typeof honestLock>, change: Partial<AskedAction> = {}) => {
    const { paidBy, ...rest } = action
    return orderPurpose(source.chain.id, {
      ...rest,
      leg: 'source',
      verb: 'instant-refund',
      terms: paidBy?.terms ?? action.terms,
      ...change,
    })
  }

  test('excludes the lock, also after a restart', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(consentTo(lock), 'a refund')
    await expect(ask(lockOf(lock), 'x')).rejects.toThrow(/refund of its source is granted/)
    await signer.restart()
    await expect(ask(lockOf(lock), 'x')).rejects.toThrow(/refund of its source is granted/)
  })

  test('is excluded by the lock, also after a restart', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(lockOf(lock), 'x')
    await expect(ask(consentTo(lock), 'a refund')).rejects.toThrow(/lock of its order is granted/)
    await signer.restart()
    await expect(ask(consentTo(lock), 'a refund', [{ deposit: lock.deposit }])).rejects.toThrow(/is granted already/)
  })

  test('of asks at the same moment, one is granted', async () => {
    for (let number = 0; number < 3; number += 1) {
      const lock = honestLock(signer, 'bitcoin', { secretHash: hashOf(number) })
      const asked = [ask(lockOf(lock), 'x'), ask(consentTo(lock), 'a refund'), ask(lockOf(lock), 'x'), ask(consentTo(lock), 'a refund')]
      const answers = await Promise.allSettled(asked)
      const granted = answers.map(({ status }) => status === 'fulfilled')
      expect(granted[0] || granted[2]).not.toBe(granted[1] || granted[3])
    }
  })

  test('to other deposits than those that are paid for is no matter of the lock', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(consentTo(lock), 'a refund', [{ deposit: 'a stray:0' }])
    await ask(lockOf(lock), 'x')
    expect(await ask(consentTo(lock), 'a refund', [{ deposit: 'another stray:0' }])).toBe('signed a refund with more')
    await expect(ask(consentTo(lock), 'a refund', [{ deposit: 'a stray:0' }, { deposit: lock.deposit }])).rejects.toThrow(
      /is granted already/,
    )
  })

  test('is to the whole source, whatever other names stand in its data, where its family names no deposits', async () => {
    const lock = honestLock(signer, 'ethereum')
    await ask(lockOf(lock), 'x', 'c')
    await expect(ask(consentTo(lock), 'a refund', 1, { deposit: 'a decoy' })).rejects.toThrow(/lock of its order is granted/)
    const other = honestLock(signer, 'ethereum', { secretHash: hashOf(1) })
    await ask(consentTo(other), 'a refund', 1, { deposit: 'a decoy' })
    await expect(ask(lockOf(other), 'x', 'd')).rejects.toThrow(/refund of its source is granted/)
  })

  test('is to the deposits that are refunded, whatever other names stand beside them', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await ask(lockOf(lock), 'x')
    await expect(ask(consentTo(lock), 'a refund', [], { deposit: 'a decoy:0' })).rejects.toThrow(/lock of its order is granted/)
    await expect(ask(consentTo(lock), 'a refund', [{ deposit: lock.deposit, also: { deposit: 'a decoy:0' } }])).rejects.toThrow(
      /is granted already/,
    )
  })

  test('is to one source', async () => {
    const lock = honestLock(signer, 'bitcoin')
    await expect(ask(consentTo(lock, { leg: 'destination' }), 'x')).rejects.toThrow(/one source/)
  })
})

describe('a withdrawal', () => {
  const safe = `0x${'5a'.repeat(20)}`
  const pays = `1000000 ${wbtc} on ethereum_localnet to ${safe}`
  const withdrawal = (change: object = {}): AskedPurpose => ({
    kind: 'withdraw',
    chain: 'ethereum_localnet',
    asset: wbtc,
    recipient: safe,
    amount: 1_000_000n,
    ...change,
  })
  const reopen = async (rules: Parameters<typeof openTestSigner>[0]) => {
    await signer.close()
    signer = await openTestSigner({ addresses: new Map([['ethereum_localnet', [safe]]]), ...rules })
  }

  test('goes to a listed address of its chain only', async () => {
    await expect(ask(withdrawal(), 'w')).rejects.toThrow(/not in withdrawals.addresses.ethereum_localnet/)
    await reopen({})
    expect(await ask(withdrawal(), 'w', 1)).toBe('signed w with more')
    for (const change of [{ recipient: `0x${'7e'.repeat(20)}` }, { chain: 'bitcoin_regtest', asset: btc }, { recipient: 'nonsense' }])
      await expect(ask(withdrawal(change), 'w')).rejects.toThrow()
    for (const change of [{ amount: 0n }, { amount: -1n }, { asset: btc }])
      await expect(ask(withdrawal(change), 'w')).rejects.toThrow(/cannot be sent/)
  })

  test('waits its delay, which a restart does not shorten or begin again', async () => {
    await reopen({ delaySeconds: 900 })
    await expect(ask(withdrawal(), 'w', 1)).rejects.toThrow(/it is signed from/)
    signer.world.now += 600n
    await signer.restart()
    await expect(ask(withdrawal(), 'w', 1)).rejects.toThrow(/it is signed from/)
    signer.world.now += 300n
    await ask(withdrawal(), 'w', 1)
    // It would pay again, so it waits again; a fee bump does not.
    expect(await ask(withdrawal(), 'w', 1)).toBe('signed w with more')
    await expect(ask(withdrawal(), 'w', 2)).rejects.toThrow(/it is signed from/)
  })

  test('pays once for each delay, also of asks at the same moment', async () => {
    await reopen({ delaySeconds: 3_600 })
    await expect(ask(withdrawal(), 'w', 1)).rejects.toThrow(/is signed from/)
    signer.world.now += 3_600n
    const answers = await Promise.allSettled([1, 2, 3].map((nonce) => ask(withdrawal(), 'w', nonce)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('keeps to the limit of a day, which a fee bump does not use up', async () => {
    await reopen({ maxPerDay: 1_300n * DOLLAR })
    await ask(withdrawal(), 'w', 1)
    await ask(withdrawal(), 'w', 1)
    await ask(withdrawal(), 'w', 2)
    await expect(ask(withdrawal(), 'w', 3)).rejects.toThrow(/max_usd_per_day allows 1300.00, of which 1200.00 are used/)
    signer.world.now += 86_400n
    await ask(withdrawal(), 'w', 3)
  })

  test('of a large amount needs an approval, which counts once', async () => {
    await reopen({ approvedAbove: 500n * DOLLAR })
    await expect(ask(withdrawal(), 'w', 1)).rejects.toThrow(`${pays} is worth more`)
    signer.world.approvals = ['one']
    await ask(withdrawal(), 'w', 1)
    await ask(withdrawal(), 'w', 1)
    await expect(ask(withdrawal(), 'w', 2)).rejects.toThrow(/second operator/)
    await signer.restart()
    await expect(ask(withdrawal(), 'w', 2)).rejects.toThrow(/second operator/)
    expect(await ask(withdrawal({ amount: 800_000n }), 'w', 3)).toBe('signed w with more')
  })
})

test('only the purposes of a solver are served, and only with the key of the chain', async () => {
  const { action, chain } = honestLock(signer, 'bitcoin')
  const { paidBy: _, terms, ...rest } = action
  for (const verb of ['redeem', 'refund', 'close', 'cancel', 'fill', 'cosigned-redeem'] as const)
    expect(await ask(orderPurpose(chain, { ...rest, terms, verb }), verb)).toBe(`signed ${verb}`)
  // A service does them, at its own cost.
  for (const verb of ['relay', 'reclaim'] as const)
    await expect(ask(orderPurpose(chain, { ...rest, terms, verb }), verb)).rejects.toThrow(`"${verb}" is never signed`)
  const others: readonly AskedPurpose[] = [
    { kind: 'deploy', chain, asset: null },
    { kind: 'rescue', chain, terms },
    { kind: 'claim', chain, asset: wbtc, recipient: 'x', total: 1n },
    { kind: 'fund', chain, asset: wbtc, contract: 'x', amount: 1n },
  ]
  for (const purpose of others) await expect(ask(purpose, 'x')).rejects.toThrow(/nothing is signed for/)
  const question = signer.question(orderPurpose(chain, { ...rest, terms, verb: 'redeem' }), 'x')
  const as = (change: object) => signer.gate().sign({ ...question, ...change } as typeof question, 'the solver')
  const signers = question.signers.map((one) => ({ ...one, public_key: `02${'11'.repeat(32)}` }))
  await expect(as({ signers })).rejects.toThrow(/not the key/)
  await expect(as({ name: 'another' })).rejects.toThrow(/no operation "another"/)
  await expect(as({ way: 'job' })).rejects.toThrow(/no job "sign"/)
  await expect(ask(orderPurpose('solana_localnet', { ...rest, terms, verb: 'redeem' }), 'x')).rejects.toThrow(/configuration/)
  delete (signer.ethereum as { permitSigning?: unknown }).permitSigning
  await expect(ask(orderPurpose(chain, { ...rest, terms, verb: 'redeem' }), 'x')).rejects.toThrow(/does not check what is signed/)
})

test('a journal that was restored from an older copy holds locks, consents and withdrawals, and redeems go on', async () => {
  const [first, second, third] = [1, 2, 3].map((number) => honestLock(signer, 'bitcoin', { secretHash: hashOf(number) }))
  if (first === undefined || second === undefined || third === undefined) throw new Error('three locks')
  await ask(lockOf(first), 'x')
  const copy = `${signer.path}.copy`
  await copyFile(signer.path, copy)
  await ask(lockOf(second), 'x')
  const seen = signer.head()
  await signer.gate().compare(seen)
  expect(await kinds()).toEqual(['lock', 'lock'])
  await signer.restart(() => copyFile(copy, signer.path))
  await signer.gate().compare(seen)
  await expect(ask(lockOf(second), 'x')).rejects.toThrow(/restored from an older copy/)
  await expect(ask(lockOf(third), 'x')).rejects.toThrow(/restored from an older copy/)
  const { paidBy: _, ...redeem } = { ...third.action, verb: 'redeem' as const }
  expect(await ask(orderPurpose(third.chain, redeem), 'a redeem')).toBe('signed a redeem')
  await signer.restart()
  await expect(ask(lockOf(third), 'x')).rejects.toThrow(/restored from an older copy/)
})

test('of random and changed asks nothing is granted beyond the limits, and each refusal is named', async () => {
  const RUNS = 10_000
  const locks = Array.from({ length: 12 }, (_, number) =>
    honestLock(signer, number % 2 === 0 ? 'bitcoin' : 'ethereum', { secretHash: hashOf(number) }),
  )
  const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values)
  const asks = fc.record({
    lock: fc.nat({ max: locks.length - 1 }),
    verb: pick('initiate', 'initiate', 'initiate', 'instant-refund', 'redeem', 'refund', 'relay', 'fill') as fc.Arbitrary<
      AskedAction['verb']
    >,
    leg: pick('destination', 'destination', 'source') as fc.Arbitrary<AskedAction['leg']>,
    amount: pick(null, null, null, 1n, 10n ** 9n),
    redeemer: pick(null, null, 'thief'),
    other: fc.option(fc.nat({ max: locks.length - 1 }), { nil: null, freq: 4 }),
    nonce: fc.nat({ max: 5 }),
    passes: fc.nat({ max: 60 }),
  })
  let granted = 0
  for (const one of fc.sample(asks, RUNS)) {
    const { chain, action, source } = locks[one.lock] as (typeof locks)[number]
    const paidBy = locks[one.other ?? one.lock]?.action.paidBy
    const base = one.verb === 'instant-refund' ? (action.paidBy?.terms ?? action.terms) : action.terms
    const terms = {
      ...base,
      ...(one.amount !== null && { amount: one.amount }),
      ...(one.redeemer !== null && { redeemer: `0x${'7e'.repeat(20)}` }),
    }
    const on = one.verb === 'instant-refund' ? source.chain.id : chain
    const purpose = orderPurpose(on, { ...action, verb: one.verb, leg: one.leg, terms, ...(paidBy !== undefined && { paidBy }) })
    signer.world.now += BigInt(one.passes === 0 ? 60 : 0)
    const answer = await ask(purpose, 'x', one.nonce).then(
      () => true,
      () => false,
    )
    if (answer) granted += 1
  }
  const entries = await signer.entries()
  expect(entries).toHaveLength(RUNS)
  expect(entries.filter(({ kind }) => kind !== 'refused')).toHaveLength(granted)
  expect(entries.every((entry) => entry.kind !== 'refused' || entry.why !== '')).toBe(true)
  const given = entries.filter((entry) => entry.kind === 'lock')
  expect(given.length).toBeGreaterThan(0)
  const paid = new Map(given.map((lock) => [lock.secret_hash, lock.swap]))
  expect(new Set(given.map(({ secret_hash, swap }) => `${secret_hash} ${swap}`)).size).toBe(paid.size)
  const refunded = new Set(entries.flatMap((entry) => (entry.kind === 'consent' ? [entry.secret_hash] : [])))
  expect([...paid.keys()].filter((hash) => refunded.has(hash))).toEqual([])
  const worth = given.filter(({ worth }) => worth !== '0').reduce((sum, { worth }) => sum + BigInt(worth), 0n)
  expect(worth).toBeLessThanOrEqual(3_000n * DOLLAR)
}, 300_000)
