// Tests redeems that also give the redeemer coin: the payout never fails because of it, and the contract keeps none.
import { encodeFunctionData, type Hex, hexToBigInt, numberToHex, type PrivateKeyAccount } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractAccount } from './artifacts/contract-account.ts'
import { htlcCore } from './artifacts/htlc-core.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { reentrantAccount } from './artifacts/reentrant-account.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { acceptances, accountWith, asking, newAddress, refusals } from './gas-accounts.fixture.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, refundTypedData } from './htlc-order.fixture.ts'

const redeemed = 1n
const COIN = 10n ** 15n

describe.each(['ERC-20', 'TRC-20'] as const)('the %s HTLC', (kind) => {
  let setup: HtlcSetup
  beforeAll(async () => {
    setup = await createHtlcSetup(kind)
    await setup.open()
    // Coin that came in another way stays: only the value of a call is given.
    await setup.fixture.request({ method: 'hardhat_setBalance', params: [setup.htlc, numberToHex(COIN)] })
  })
  const coins = (address: Hex) => setup.fixture.nativeBalance(address)

  /** The caller pays the network fee and `paid`. The contract has as much coin as before. */
  async function redeem(order: HtlcOrder, { from = setup.stranger, value = COIN }: { from?: PrivateKeyAccount; value?: bigint } = {}) {
    const before = await coins(from.address)
    const { receipt, error } = await setup.fixture.attempt({
      from: from.address,
      to: setup.htlc,
      data: htlcCall.redeemWithGas(order),
      value,
    })
    const fee = hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice)
    expect(await coins(setup.htlc)).toBe(COIN)
    return { receipt, error, gas: Number(receipt.gasUsed), paid: before - (await coins(from.address)) - fee }
  }

  async function expectPaid(order: HtlcOrder): Promise<void> {
    expect(await setup.state(order)).toBe(redeemed)
    expect(await setup.balance(order.redeemer)).toBe(order.amount)
  }

  it('pays the redeemer as redeem does, and gives it the value', async () => {
    const order = await setup.open({ redeemer: newAddress() })
    const { receipt, paid } = await redeem(order)
    await expectPaid(order)
    expect(await coins(order.redeemer)).toBe(COIN)
    expect(paid).toBe(COIN)
    expect(setup.events(receipt)).toEqual([{ eventName: 'Redeemed', args: { orderId: setup.orderId(order), secret: order.secret } }])
  })

  it('gives nothing, and all is as before, unless the order is open', async () => {
    const [open, done, refunded] = [await setup.open(), await setup.open(), await setup.open()]
    await redeem(done)
    await setup.send(setup.redeemer, htlcCall.instantRefund(refunded, '0x'))
    const wrong = [
      [{ ...open, secret: open.secretHash }, 'HTLC__OrderNotInitiated'],
      [{ ...open, amount: open.amount + 1n }, 'HTLC__OrderNotInitiated'],
      [{ ...open, redeemer: setup.stranger.address }, 'HTLC__OrderNotInitiated'],
      [done, 'HTLC__OrderSettled'],
      [refunded, 'HTLC__OrderSettled'],
    ] as const
    const held = await coins(setup.redeemer.address)
    for (const [order, reason] of wrong) expect(await redeem(order)).toMatchObject({ error: reason, paid: 0n })
    expect(await coins(setup.redeemer.address)).toBe(held)
    expect(await setup.state(open)).toBeGreaterThan(redeemed)
  })

  it('is possible without coin, and by the redeemer', async () => {
    const [nothing, own] = [await setup.open({ redeemer: newAddress() }), await setup.open({ redeemer: setup.stranger.address })]
    expect((await redeem(nothing, { value: 0n })).paid).toBe(0n)
    await expectPaid(nothing)
    expect((await redeem(own)).paid).toBe(0n)
    expect(await setup.state(own)).toBe(redeemed)
  })

  it('takes no coin with a plain redeem', async () => {
    const order = await setup.open()
    await expect(setup.send(setup.stranger, htlcCall.redeem(order), 1n)).rejects.toThrow('no reason')
    expect(await setup.state(order)).toBeGreaterThan(redeemed)
  })

  it.each(Object.entries(acceptances))('gives coin to a redeemer that %s', async (_, code) => {
    const order = await setup.open({ redeemer: await accountWith(setup.fixture, code) })
    expect((await redeem(order)).paid).toBe(COIN)
    await expectPaid(order)
    expect(await coins(order.redeemer)).toBe(COIN)
  })

  it.each(Object.entries(refusals))('pays a redeemer that %s, and gives the coin back', async (_, code) => {
    const order = await setup.open({ redeemer: await accountWith(setup.fixture, code) })
    const { paid, gas } = await redeem(order)
    expect(paid).toBe(0n)
    await expectPaid(order)
    expect(await coins(order.redeemer)).toBe(0n)
    // The plain redeem of a new holder takes 68,000.
    expect(gas).toBeLessThan(105_000)
  })

  it('lets no caller keep the coin by sending too little gas', async () => {
    const code = acceptances['needs nearly all the gas there is'] ?? '0x'
    const outcomes = new Set<string>()
    for (let gas = 60_000n; gas < 110_000n; gas += 250n) {
      const order = await setup.open({ redeemer: await accountWith(setup.fixture, code) })
      const call = { from: setup.stranger.address, to: setup.htlc, data: htlcCall.redeemWithGas(order), value: numberToHex(COIN) }
      await setup.fixture.request({ method: 'eth_sendTransaction', params: [{ ...call, gas: numberToHex(gas) }] })
      const isPaid = (await setup.state(order)) === redeemed
      outcomes.add(`${isPaid} ${await coins(order.redeemer)}`)
    }
    expect([...outcomes].sort()).toEqual(['false 0', `true ${COIN}`])
  })

  it('has settled and paid before the code of the redeemer runs', async () => {
    const redeemer = newAddress()
    const order = await setup.open({ redeemer })
    const code = asking(setup.htlc, setup.token, setup.orderId(order), redeemer)
    await setup.fixture.request({ method: 'hardhat_setCode', params: [redeemer, code] })
    const { receipt } = await redeem(order)
    const answers = receipt.logs.filter(({ address }) => address === redeemer.toLowerCase()).map(({ data }) => hexToBigInt(data))
    expect(answers).toEqual([redeemed, order.amount])
  })

  describe('called by a contract', () => {
    /** The contract sends the transaction itself: the HTLC sees no difference. */
    async function asSender(address: Hex): Promise<PrivateKeyAccount> {
      await setup.fixture.request({ method: 'hardhat_setBalance', params: [address, numberToHex(10n ** 20n)] })
      return { ...setup.stranger, address }
    }
    const refusingRedeemer = () => accountWith(setup.fixture, '0x5f5ffd')

    it('gives back what is refused, if it accepts coin', async () => {
      const order = await setup.open({ redeemer: await refusingRedeemer() })
      const account = await setup.fixture.deploy(contractAccount)
      const data = encodeFunctionData({
        abi: contractAccount.abi,
        functionName: 'execute',
        args: [setup.htlc, htlcCall.redeemWithGas(order)],
      })
      await setup.fixture.send({ from: setup.stranger, to: account, data, value: COIN })
      expect(await coins(account)).toBe(COIN)
      await expectPaid(order)
    })

    it('reverts if that refuses what its redeemer has refused: the plain redeem is still possible', async () => {
      const order = await setup.open({ redeemer: await refusingRedeemer() })
      const from = await asSender(await setup.fixture.deploy(rejectingAccount))
      expect(await redeem(order, { from })).toMatchObject({ error: 'HTLC__TransferFailed', paid: 0n })
      await setup.send(setup.stranger, htlcCall.redeem(order))
      await expectPaid(order)
    })

    const attacks: Readonly<Record<string, (order: HtlcOrder, consent: Hex) => Hex>> = {
      redeemWithGas: htlcCall.redeemWithGas,
      redeem: htlcCall.redeem,
      redeemBatch: (order) => htlcCall.redeemBatch(order.redeemer, [order]),
      instantRefund: htlcCall.instantRefund,
    }

    it.each(Object.keys(attacks))('gains nothing by %s while it gets coin back', async (attack) => {
      const account = await setup.fixture.deploy(reentrantAccount)
      const order = await setup.open({ redeemer: await refusingRedeemer() })
      const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
      const call = attacks[attack]?.(order, consent) ?? '0x'
      const value = attack === 'redeemWithGas' ? COIN : 0n
      const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [setup.htlc, call, value] })
      await setup.fixture.send({ from: setup.stranger, to: account, data: arm })
      const locked = await setup.balance(setup.htlc)
      const from = await asSender(account)
      expect((await redeem(order, { from })).paid).toBe(0n)
      expect(await setup.balance(setup.htlc)).toBe(locked - order.amount)
      await expectPaid(order)
      for (const [flag, expected] of [
        ['attempted', 1n],
        ['callSucceeded', attack === 'redeemBatch' ? 1n : 0n],
      ] as const) {
        const answer = await setup.fixture.read(account, encodeFunctionData({ abi: reentrantAccount.abi, functionName: flag }))
        expect(hexToBigInt(answer)).toBe(expected)
      }
    })
  })
})

it.each([htlcNative, htlcCore])('$contractName has no such redeem: its payout is the coin, or is not where fees are paid', ({ abi }) => {
  expect(abi.some((item) => item.type === 'function' && item.name.startsWith('redeemOffering'))).toBe(false)
})
