// Tests deposit addresses: what is paid there opens exactly its order or goes to the initiator, whoever calls and whatever the token does.
import fc from 'fast-check'
import {
  type Address,
  concat,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  maxUint256,
  numberToHex,
  slice,
  zeroAddress,
  zeroHash,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { blacklistToken } from './artifacts/blacklist-token.ts'
import { contractAccount } from './artifacts/contract-account.ts'
import { distractedToken } from './artifacts/distracted-token.ts'
import { falseReturnToken } from './artifacts/false-return-token.ts'
import { feeToken } from './artifacts/fee-token.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { lyingToken } from './artifacts/lying-token.ts'
import { noReturnToken } from './artifacts/no-return-token.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { roundingToken } from './artifacts/rounding-token.ts'
import { testToken } from './artifacts/test-token.ts'
import { tetherTron } from './artifacts/tether-tron.ts'
import { tronDepositAccount } from './artifacts/tron-deposit-account.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { createDepositSetup, type DepositSetup, depositKinds } from './deposit.fixture.ts'
import type { HtlcKind } from './htlc.fixture.ts'
import { computeDepositAddress, htlcCall, type OrderDeposit } from './htlc-order.fixture.ts'
import { createBatches, whileCreated } from './one-transaction.fixture.ts'

const open = 3n
const otherChainId = 99
const MOVES_NOTHING = 1n

let setup: DepositSetup

describe.each(depositKinds)('a deposit address of the %s HTLC', (kind) => {
  beforeEach(async () => {
    setup = await createDepositSetup(kind)
  })

  it('is what both parties compute beforehand, and differs with each term, the deadline and the chain', async () => {
    const deposit = setup.newDeposit()
    const { order } = deposit
    const others: OrderDeposit[] = [
      { ...deposit, chainId: otherChainId },
      { ...deposit, deadline: deposit.deadline + 1n },
      ...[
        { initiator: setup.stranger.address },
        { redeemer: setup.stranger.address },
        { timelock: order.timelock + 1n },
        { amount: order.amount + 1n },
        { secretHash: numberToHex(1, { size: 32 }) },
      ].map((terms) => ({ ...deposit, order: { ...order, ...terms } })),
    ]
    const addresses: Address[] = []
    for (const one of [deposit, ...others]) {
      const address = await setup.addressOf(one)
      expect(hexToBigInt(await setup.fixture.read(setup.htlc, htlcCall.depositAddressFrom(one)))).toBe(hexToBigInt(address))
      addresses.push(address)
    }
    expect(new Set(addresses).size).toBe(8)
  })

  it('is paid by plain transfers, in parts, and anyone opens exactly the ordinary order with it', async () => {
    const deposit = setup.newDeposit()
    const { order } = deposit
    await setup.pay(deposit, order.amount - 1n)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow(/HTLC__TransferFailed|Panic/)
    await setup.pay(deposit, 1n)
    const receipt = await setup.initiateDeposit(deposit)
    const { secret: _, ...terms } = order
    expect(setup.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: setup.orderId(order) } }])
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
    expect(await setup.held(deposit)).toBe(0n)
    expect(await setup.state(order)).toBeGreaterThanOrEqual(open)
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.htlc)).toBe(0n)
    await setup.pay(deposit, order.amount)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__DuplicateOrder')
  })

  it('stays an account without code that a transfer of 21,000 gas pays, before and after it acted', async () => {
    const deposit = setup.newDeposit()
    const address = await setup.addressOf(deposit)
    for (const act of [() => setup.initiateDeposit(deposit), () => setup.reclaim(deposit), () => setup.reclaim(deposit)]) {
      await setup.pay(deposit, deposit.order.amount)
      const receipt = await setup.fixture.send({ from: setup.stranger, to: address, value: 1n })
      expect(hexToBigInt(receipt.gasUsed)).toBe(21_000n)
      await act()
      expect(await setup.fixture.request({ method: 'eth_getCode', params: [address, 'latest'] })).toBe('0x')
      expect(await setup.fixture.request({ method: 'eth_getTransactionCount', params: [address, 'latest'] })).toBe('0x0')
      expect(await setup.fixture.nativeBalance(address)).toBe(0n)
    }
  })

  it('opens until the second of its deadline, and returns from the second after', async () => {
    for (const [late, initiation, returned] of [
      [0n, null, 'HTLC__NotReturnable'],
      [1n, 'HTLC__TooLate', null],
    ] as const) {
      const deposit = await setup.paid()
      const at = async () => setup.setTime(deposit.deadline + late)
      const snapshot = await setup.fixture.request({ method: 'evm_snapshot' })
      await at()
      expect(await setup.attempt(htlcCall.initiateDeposit(deposit))).toBe(initiation)
      await setup.fixture.request({ method: 'evm_revert', params: [snapshot] })
      await at()
      expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.asset))).toBe(returned)
    }
  })

  it('is not opened for terms that no order may have, nor for nobody', async () => {
    for (const [terms, error] of [
      [{ initiator: zeroAddress }, 'HTLC__ZeroAddressInitiator'],
      [{ redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
      [{ redeemer: setup.initiator.address }, 'HTLC__SameInitiatorAndRedeemer'],
      [{ redeemer: setup.htlc }, 'HTLC__RedeemerIsHtlc'],
      [{ timelock: 0n }, 'HTLC__InvalidTimelock'],
      [{ amount: 0n }, 'HTLC__ZeroAmount'],
    ] as const) {
      const deposit = setup.newDeposit(terms)
      await setup.pay(deposit, 100_000_000n)
      await expect(setup.initiateDeposit(deposit)).rejects.toThrow(error)
      expect(await setup.held(deposit)).toBe(100_000_000n)
    }
    const absurd = setup.newDeposit({ amount: maxUint256 })
    await setup.pay(absurd, 1n)
    await expect(setup.initiateDeposit(absurd)).rejects.toThrow()
  })

  describe('before the deadline, while the order can be opened', () => {
    it('is emptied by no stranger and not by the redeemer', async () => {
      const deposit = await setup.paid()
      for (const caller of [setup.stranger, setup.redeemer])
        expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.asset), caller)).toBe('HTLC__NotReturnable')
      await setup.initiateDeposit(deposit)
    })

    it('is emptied by the initiator of the order, who may pay it again', async () => {
      const deposit = await setup.paid()
      await setup.expectReturn(deposit, deposit.order.amount, setup.initiator)
      await setup.pay(deposit, deposit.order.amount)
      await setup.initiateDeposit(deposit)
      expect(await setup.state(deposit.order)).toBeGreaterThanOrEqual(open)
    })

    it('gives other tokens to the initiator, whoever calls, and still opens the order', async () => {
      const deposit = await setup.paid()
      const other = await setup.otherToken(await setup.addressOf(deposit), 70n)
      const call = htlcCall.reclaimDeposited(deposit, other)
      if (kind === 'native') expect(await setup.attempt(call)).toBe('HTLC__NotReturnable')
      else {
        await setup.send(setup.stranger, call)
        expect(await setup.tokenBalance(other, deposit.order.initiator)).toBe(70n)
      }
      await setup.initiateDeposit(deposit)
      if (kind === 'native') await setup.send(setup.stranger, call)
      expect(await setup.tokenBalance(other, deposit.order.initiator)).toBe(70n)
    })
  })

  describe('once the order', () => {
    it.each([
      ['is open', async (_: OrderDeposit): Promise<unknown> => undefined],
      ['was redeemed', async ({ order }: OrderDeposit): Promise<unknown> => setup.send(setup.stranger, htlcCall.redeem(order))],
      [
        'was refunded',
        async ({ order }: OrderDeposit): Promise<unknown> => setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x')),
      ],
    ] as const)('%s, returns to the initiator all that comes, any number of times', async (_, settle) => {
      const deposit = await setup.paid()
      await setup.initiateDeposit(deposit)
      await settle(deposit)
      const locked = await setup.balance(setup.htlc)
      for (const amount of [1n, deposit.order.amount, 5n]) {
        await setup.pay(deposit, amount)
        await setup.expectReturn(deposit, amount, setup.stranger)
        expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.asset))).toBe('HTLC__NothingToReturn')
      }
      expect(await setup.balance(setup.htlc)).toBe(locked)
    })

    it('was opened by other money, returns the deposit', async () => {
      const deposit = await setup.paid()
      await setup.send(setup.stranger, htlcCall.initiateOnBehalf(deposit.order), kind === 'native' ? deposit.order.amount : 0n)
      await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__DuplicateOrder')
      await setup.expectReturn(deposit, deposit.order.amount, setup.stranger)
    })

    it('was revoked, returns the deposit', async () => {
      const deposit = await setup.paid()
      await setup.send(setup.initiator, htlcCall.revoke(deposit.order))
      await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__DuplicateOrder')
      await setup.expectReturn(deposit, deposit.order.amount, setup.stranger)
    })

    it('was opened from the address of another deadline, returns the deposit of this one', async () => {
      const [one, two] = [await setup.paid(), setup.newDeposit()]
      const twin = { ...one, deadline: two.deadline + 1n }
      await setup.pay(twin, one.order.amount)
      await setup.initiateDeposit(twin)
      await expect(setup.initiateDeposit(one)).rejects.toThrow('HTLC__DuplicateOrder')
      await setup.expectReturn(one, one.order.amount, setup.stranger)
    })
  })

  describe('within a transaction that does more', () => {
    const coin = 5n * 10n ** 18n

    it.each(['a contract', 'a contract that is being created', 'a key with code'] as const)(
      'acts for no stranger that is %s, or coin that comes afterwards would be burned',
      async (who) => {
        const batches = await createBatches(setup.fixture, htlcErc20.abi)
        const [paid, foreign] = [await setup.paid(), { ...setup.newDeposit(), chainId: otherChainId }]
        await setup.pay(foreign, 1n)
        for (const [deposit, data] of [
          [paid, htlcCall.initiateDeposit(paid)],
          [foreign, htlcCall.reclaimDeposited(foreign, setup.asset)],
        ] as const) {
          const address = await setup.addressOf(deposit)
          const before = await setup.fixture.nativeBalance(address)
          const act = who === 'a contract that is being created' ? whileCreated(setup.htlc, data) : { target: setup.htlc, value: 0n, data }
          const payout = [act, { target: address, value: coin, data: '0x' }] as const
          const { errors } = await (who === 'a key with code' ? batches.byKeyWithCode(payout) : batches.byContract(setup.redeemer, payout))
          expect(errors).toEqual(['HTLC__InsideTransaction', null])
          expect(await setup.fixture.nativeBalance(address)).toBe(before + coin)
          const held = await setup.fixture.nativeBalance(deposit.order.initiator)
          await setup.send(setup.stranger, data)
          const taken = deposit === paid && kind === 'native' ? deposit.order.amount : 0n
          expect(await setup.fixture.nativeBalance(deposit.order.initiator)).toBe(held + before + coin - taken)
        }
      },
    )

    it('acts for its owner, which may be a contract', async () => {
      const owner = await setup.fixture.deploy(contractAccount)
      const deposit = setup.newDeposit({ initiator: owner })
      const by = (data: Hex) => encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [setup.htlc, data] })
      for (const data of [htlcCall.reclaimDeposited(deposit, setup.asset), htlcCall.initiateDeposit(deposit)]) {
        await setup.pay(deposit, deposit.order.amount)
        await setup.fixture.send({ from: setup.stranger, to: owner, data: by(data) })
      }
      expect([await setup.balance(owner), await setup.balance(setup.htlc)]).toEqual([deposit.order.amount, deposit.order.amount])
    })
  })

  it('keeps a surplus of the token for a return, and gives a surplus of native coin to the initiator at once', async () => {
    const deposit = await setup.paid(7n)
    const before = await setup.balance(deposit.order.initiator)
    const receipt = await setup.initiateDeposit(deposit)
    expect(await setup.balance(setup.htlc)).toBe(deposit.order.amount)
    if (kind === 'native') {
      expect(await setup.balance(deposit.order.initiator)).toBe(before + 7n)
      expect(setup.events(receipt).at(-1)).toEqual(await setup.returned(deposit, zeroAddress, 7n))
    } else {
      expect(await setup.held(deposit)).toBe(7n)
      await setup.expectReturn(deposit, 7n, setup.stranger)
    }
  })

  it('gives native coin beside a token to the initiator with whatever happens next', async () => {
    if (kind === 'native') return
    for (const act of [setup.initiateDeposit, (deposit: OrderDeposit) => setup.reclaim(deposit, setup.initiator)]) {
      const deposit = await setup.paid()
      const owner = await setup.fixture.deploy(contractAccount)
      const own = { ...deposit, order: { ...deposit.order, initiator: owner } }
      await setup.pay(own, own.order.amount)
      await setup.fixture.send({ from: setup.stranger, to: await setup.addressOf(own), value: 9n })
      if (act !== setup.initiateDeposit) await setup.setTime(own.deadline + 1n)
      const receipt = await act(own)
      expect(await setup.fixture.nativeBalance(owner)).toBe(9n)
      expect(setup.events(receipt)).toContainEqual(await setup.returned(own, zeroAddress, 9n))
    }
  })

  it('has nothing to return where nothing lies', async () => {
    const deposit = setup.newDeposit()
    const other = await setup.otherToken(setup.stranger.address, 1n)
    for (const token of [setup.asset, zeroAddress, other])
      expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, token), setup.initiator)).toBe('HTLC__NothingToReturn')
    for (const token of [setup.stranger.address, setup.htlc, '0x0000000000000000000000000000000000000004'] as const)
      expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, token), setup.initiator)).not.toBeNull()
  })

  it('tells of many addresses what they hold, in one call', async () => {
    const deposits = [await setup.paid(), setup.newDeposit(), await setup.paid(3n)]
    expect(await setup.balances(await Promise.all(deposits.map(setup.addressOf)))).toEqual([100_000_000n, 0n, 100_000_003n])
    expect(await setup.balances([])).toEqual([])
  })

  describe('for another chain', () => {
    it('opens nothing, and returns all at once, whoever calls', async () => {
      const deposit = { ...setup.newDeposit(), chainId: otherChainId }
      await setup.pay(deposit, deposit.order.amount)
      await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__OtherChain')
      await setup.expectReturn(deposit, deposit.order.amount, setup.stranger)
    })
  })

  it('holds money that a call with any other term does not reach', async () => {
    const deposit = await setup.paid()
    await setup.setTime(deposit.deadline + 1n)
    const thief = { ...deposit, order: { ...deposit.order, initiator: setup.stranger.address } }
    expect(await setup.attempt(htlcCall.reclaimDeposited(thief, setup.asset))).toBe('HTLC__NothingToReturn')
    const later = { ...deposit, deadline: deposit.deadline + 1000n }
    expect(await setup.attempt(htlcCall.initiateDeposit(later))).not.toBeNull()
    expect(await setup.held(deposit)).toBe(deposit.order.amount)
  })

  it('pays an initiator without any code of the initiator running, so that nobody is kept out', async () => {
    const owner = await setup.fixture.deploy(rejectingAccount)
    const deposit = setup.newDeposit({ initiator: owner })
    await setup.pay(deposit, deposit.order.amount)
    await setup.fixture.send({ from: setup.stranger, to: await setup.addressOf(deposit), value: 5n })
    await setup.initiateDeposit(deposit)
    expect(await setup.fixture.nativeBalance(owner)).toBe(5n)
    await setup.pay(deposit, 11n)
    await setup.reclaim(deposit)
    expect(await setup.balance(owner)).toBe(kind === 'native' ? 16n : 11n)
  })
})

describe('a token that', () => {
  it('returns nothing, as Tether, is taken and returned', async () => {
    setup = await createDepositSetup('ERC-20', noReturnToken)
    const deposit = await setup.paid(3n)
    await setup.initiateDeposit(deposit)
    await setup.reclaim(deposit)
    expect(await setup.balance(setup.htlc)).toBe(deposit.order.amount)
    expect(await setup.held(deposit)).toBe(0n)
  })

  it('returns false from a transfer that it made, as Tether on Tron, is taken and returned', async () => {
    setup = await createDepositSetup('ERC-20', { ...tetherTron, args: ['Tether', 'USDT', 6] })
    const deposit = await setup.paid(3n)
    await setup.initiateDeposit(deposit)
    await setup.expectReturn(deposit, 3n, setup.stranger)
  })

  it('moves nothing, whatever it answers, opens nothing and returns nothing', async () => {
    for (const [token, breaks] of [
      [falseReturnToken, encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [true] })],
      [lyingToken, null],
      [{ ...tetherTron, args: ['T', 'T', 6] }, encodeFunctionData({ abi: tetherTron.abi, functionName: 'setMode', args: [MOVES_NOTHING] })],
    ] as const)
      for (const kind of ['ERC-20', 'TRC-20'] as const) {
        setup = await createDepositSetup(kind, token)
        const deposit = setup.newDeposit()
        await setup.mint(setup.token, await setup.addressOf(deposit), deposit.order.amount)
        if (breaks !== null) await setup.fixture.send({ from: setup.stranger, to: setup.token, data: breaks })
        expect(await setup.attempt(htlcCall.initiateDeposit(deposit))).toBe('HTLC__AmountNotReceived')
        expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.token), setup.initiator)).toBe('HTLC__TransferFailed')
        expect(await setup.state(deposit.order)).toBe(0n)
      }
  })

  it('takes a fee opens nothing, and what it leaves goes to the initiator', async () => {
    setup = await createDepositSetup('ERC-20', feeToken)
    const deposit = setup.newDeposit()
    await setup.mint(setup.token, await setup.addressOf(deposit), deposit.order.amount * 2n)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__AmountNotReceived')
    const before = await setup.balance(deposit.order.initiator)
    await setup.reclaim(deposit, setup.initiator)
    expect(await setup.balance(deposit.order.initiator)).toBe(before + (deposit.order.amount * 2n * 99n) / 100n)
  })

  it('leaves a unit behind, because it rounds, can still be returned', async () => {
    setup = await createDepositSetup('ERC-20', roundingToken)
    const deposit = await setup.paid()
    const receipt = await setup.reclaim(deposit, setup.initiator)
    expect(setup.events(receipt)).toEqual([await setup.returned(deposit, setup.token, deposit.order.amount - 1n)])
  })

  it('blocks the address or the initiator leaves the money there until it lets go of it', async () => {
    setup = await createDepositSetup('ERC-20', blacklistToken)
    const block = (account: Address, blacklisted: boolean) =>
      setup.fixture.send({
        from: setup.stranger,
        to: setup.token,
        data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [account, blacklisted] }),
      })
    const deposit = await setup.paid()
    await block(await setup.addressOf(deposit), true)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.token), setup.initiator)).toBe('HTLC__TransferFailed')
    await block(await setup.addressOf(deposit), false)
    await block(deposit.order.initiator, true)
    expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.token), setup.initiator)).toBe('HTLC__TransferFailed')
    await setup.initiateDeposit(deposit)
    await setup.send(setup.stranger, htlcCall.redeem(deposit.order))
    expect(await setup.balance(setup.redeemer.address)).toBe(deposit.order.amount)
  })

  it('moves nothing while a stranger pays for another order opens no two orders for one payment', async () => {
    for (const kind of ['ERC-20', 'TRC-20'] as const) {
      setup = await createDepositSetup(kind, distractedToken)
      const stranger = await setup.fixture.deploy(contractAccount)
      await setup.mint(setup.token, stranger, 10n ** 12n)
      const act = (to: Hex, data: Hex) => encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [to, data] })
      const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, maxUint256] })
      await setup.fixture.send({ from: setup.stranger, to: stranger, data: act(setup.token, approve) })
      const [deposit, paid] = [await setup.paid(), setup.newOrder({ initiator: stranger })]
      const args = [stranger, act(setup.htlc, htlcCall.initiate(paid))] as const
      await setup.fixture.send({
        from: setup.stranger,
        to: setup.token,
        data: encodeFunctionData({ abi: distractedToken.abi, functionName: 'arm', args }),
      })
      await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__AmountNotReceived')
      expect([await setup.state(deposit.order), await setup.state(paid)]).toEqual([0n, 0n])
    }
  })
})

describe('a token that calls back while it moves', () => {
  /** The token is the initiator, because others make an account act only by a whole transaction. */
  const paidToken = async (surplus = 0n) => {
    const deposit = setup.newDeposit({ initiator: setup.token })
    await setup.pay(deposit, deposit.order.amount + surplus)
    return deposit
  }
  const arm = (data: Hex, withheld = 0n) =>
    setup.fixture.send({
      from: setup.stranger,
      to: setup.token,
      data: encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.htlc, data, withheld] }),
    })
  const didCall = async () =>
    hexToBigInt(await setup.fixture.read(setup.token, encodeFunctionData({ abi: reentrantToken.abi, functionName: 'callSucceeded' }))) ===
    1n

  it('gets the same deposit neither twice nor to another place', async () => {
    for (const kind of ['ERC-20', 'TRC-20'] as const) {
      setup = await createDepositSetup(kind, reentrantToken)
      for (const inner of [htlcCall.initiateDeposit, (of: OrderDeposit) => htlcCall.reclaimDeposited(of, setup.token)]) {
        const deposit = await paidToken(2n)
        const locked = await setup.balance(setup.htlc)
        await arm(inner(deposit))
        await setup.initiateDeposit(deposit)
        expect(await didCall()).toBe(false)
        expect(await setup.balance(setup.htlc)).toBe(locked + deposit.order.amount)
        await arm(htlcCall.initiateDeposit(deposit))
        await setup.expectReturn(deposit, 2n, setup.stranger)
        expect(await didCall()).toBe(false)
      }
    }
  })

  it('may act for another deposit meanwhile, each with its own money', async () => {
    for (const kind of ['ERC-20', 'TRC-20'] as const) {
      setup = await createDepositSetup(kind, reentrantToken)
      const [one, two] = [await setup.paid(), await paidToken()]
      await arm(htlcCall.initiateDeposit(two))
      await setup.initiateDeposit(one)
      expect(await didCall()).toBe(true)
      expect(await setup.balance(setup.htlc)).toBe(one.order.amount + two.order.amount)
      expect([await setup.held(one), await setup.held(two)]).toEqual([0n, 0n])
    }
  })

  it('cannot let the payment of another deposit count for one that it withholds', async () => {
    setup = await createDepositSetup('ERC-20', reentrantToken)
    const [one, two] = [await setup.paid(), await paidToken()]
    await arm(htlcCall.initiateDeposit(two), one.order.amount)
    await expect(setup.initiateDeposit(one)).rejects.toThrow('HTLC__AmountNotReceived')
    expect([await setup.state(one.order), await setup.state(two.order)]).toEqual([0n, 0n])
  })

  it('redeems no order whose deposit it withholds', async () => {
    setup = await createDepositSetup('ERC-20', reentrantToken)
    await setup.open()
    const deposit = await setup.paid()
    await arm(htlcCall.redeem(deposit.order), deposit.order.amount)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await setup.balance(setup.redeemer.address)).toBe(0n)
  })
})

describe('a token that a stranger made', () => {
  it('cannot move the coin of a deposit to the initiator before the deadline, nor to anyone else ever', async () => {
    setup = await createDepositSetup('native')
    const token = await setup.fixture.deploy(reentrantToken)
    const deposit = await setup.paid()
    await setup.mint(token, await setup.addressOf(deposit), 1n)
    expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, token))).toBe('HTLC__NotReturnable')
    await setup.setTime(deposit.deadline + 1n)
    const payIn = encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.htlc, '0x', 0n] })
    await setup.fixture.send({ from: setup.stranger, to: token, data: payIn })
    const before = await setup.balance(deposit.order.initiator)
    await setup.send(setup.stranger, htlcCall.reclaimDeposited(deposit, token))
    expect(await setup.balance(deposit.order.initiator)).toBe(before + deposit.order.amount)
  })

  it('acts within a return on no other account of the HTLC', async () => {
    setup = await createDepositSetup('ERC-20')
    const evil = await setup.fixture.deploy(reentrantToken)
    const [mine, victim] = [setup.newDeposit({ initiator: setup.stranger.address }), await setup.paid()]
    await setup.mint(evil, await setup.addressOf(mine), 1n)
    const arm = encodeFunctionData({
      abi: reentrantToken.abi,
      functionName: 'arm',
      args: [setup.htlc, htlcCall.reclaimDeposited(victim, setup.token), 0n],
    })
    await setup.fixture.send({ from: setup.stranger, to: evil, data: arm })
    await setup.send(setup.stranger, htlcCall.reclaimDeposited(mine, evil))
    expect(await setup.held(victim)).toBe(victim.order.amount)
  })
})

describe('the HTLC for native coin', () => {
  beforeEach(async () => {
    setup = await createDepositSetup('native')
  })

  it('still refuses plain transfers, also after it took a deposit', async () => {
    await setup.initiateDeposit(await setup.paid())
    await expect(setup.send(setup.stranger, '0x', 1n)).rejects.toThrow('HTLC__WrongValue')
    expect(await setup.balance(setup.htlc)).toBe(100_000_000n)
  })
})

describe('money that was sent to the address on another chain', () => {
  it.each([
    ['native', htlcNative, []],
    ['ERC-20', htlcErc20, ['0x00000000000000000000000000000000000000aa']],
  ] as const)('goes back there by an HTLC of the same address, which anyone may create: %s', async (kind: HtlcKind, artifact, args) => {
    const here = await createContractFixture()
    const there: ContractFixture = await createContractFixture({ chainId: otherChainId, deployer: here.deployer })
    const htlc = await here.deploy(artifact, args)
    expect(await there.deploy(artifact, args)).toBe(htlc)
    setup = await createDepositSetup(kind, undefined, { fixture: there })
    const order = setup.newOrder({ initiator: setup.redeemer.address, redeemer: setup.initiator.address })
    const deposit: OrderDeposit = { chainId: here.chainId, order, deadline: 2n ** 40n }
    const address = computeDepositAddress(htlc, deposit)
    const token = await there.deploy(testToken, ['Other', 'OTHER', 18])
    await setup.mint(token, address, 50n)
    await there.send({ from: setup.stranger, to: address, value: 60n })
    await expect(there.send({ from: setup.stranger, to: htlc, data: htlcCall.initiateDeposit(deposit) })).rejects.toThrow(
      'HTLC__OtherChain',
    )
    const before = await there.nativeBalance(order.initiator)
    await there.send({ from: setup.stranger, to: htlc, data: htlcCall.reclaimDeposited(deposit, token) })
    expect(await setup.tokenBalance(token, order.initiator)).toBe(50n)
    expect(await there.nativeBalance(order.initiator)).toBe(before + 60n)
  })
})

describe('in a machine whose CREATE2 hashes another byte first', () => {
  /** The code asks for the coinbase in place of CREATE2, and that is the address that the machine would give. */
  async function createIn(prefix: Hex): Promise<Address> {
    const create2 = '6000808080f5'
    expect(htlcTrc20.bytecode.split(create2)).toHaveLength(2)
    const bytecode: Hex = `0x${htlcTrc20.bytecode.slice(2).replace(create2, '415b5b5b5b5b')}`
    const { fixture } = setup
    const nonce = await fixture.request({ method: 'eth_getTransactionCount', params: [fixture.deployer.address, 'latest'] })
    const from = getContractAddress({ from: fixture.deployer.address, nonce: BigInt(nonce as Hex) })
    const created = slice(keccak256(concat([prefix, from, zeroHash, keccak256('0x')])), 12)
    await fixture.request({ method: 'hardhat_setCoinbase', params: [created] })
    return fixture.deploy({ ...htlcTrc20, bytecode }, [setup.token])
  }

  beforeEach(async () => {
    setup = await createDepositSetup('TRC-20')
  })

  it.each(['0x41', '0xff'] as const)('%s: the HTLC finds the rule out, and deposit addresses follow it', async (prefix) => {
    const [htlc, deposit] = [await createIn(prefix), setup.newDeposit()]
    expect(hexToBigInt(await setup.fixture.read(htlc, htlcCall.depositAddressFrom(deposit)))).toBe(
      hexToBigInt(computeDepositAddress(htlc, deposit, { prefix, accountCode: tronDepositAccount.bytecode })),
    )
  })

  it('any other: the HTLC cannot be created, because nobody could move what is paid to its addresses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 255 }).filter((byte) => byte !== 0x41 && byte !== 0xff),
        async (byte) => {
          await expect(createIn(numberToHex(byte, { size: 1 }))).rejects.toThrow('HTLC__UnknownAddressRule')
        },
      ),
      { numRuns: 10, examples: [[0x42], [0x00]] },
    )
  })
})
