// Tests which signatures are valid, for what, and how often.
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  concat,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBigInt,
  numberToHex,
  parseSignature,
  slice,
  toHex,
  zeroAddress,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { EdrRequestError } from '../local/edr-provider.ts'
import { contractAccount } from './artifacts/contract-account.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { malformedAccount } from './artifacts/malformed-account.ts'
import { testToken } from './artifacts/test-token.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from './htlc-order.fixture.ts'

const curveOrder = secp256k1.Point.Fn.ORDER
const invalidSignature = 'HTLC__InvalidSignature'
let setup: HtlcSetup
beforeEach(async () => {
  setup = await createHtlcSetup('ERC-20')
})

const sign = (order: HtlcOrder) => setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
const relay = (order: HtlcOrder, signature: Hex) => setup.send(setup.stranger, htlcCall.initiateWithSignature(order, signature))

const approveDigest = (account: Hex, digest: Hex, signature: Hex) =>
  setup.fixture.send({
    from: setup.stranger,
    to: account,
    data: encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digest, signature] }),
  })

/** The relay is only simulated, which is quicker where many are refused. */
async function simulated(order: HtlcOrder, signature: Hex): Promise<void> {
  try {
    await setup.fixture.read(setup.htlc, htlcCall.initiateWithSignature(order, signature))
  } catch (error) {
    if (!(error instanceof EdrRequestError) || typeof error.data !== 'string') throw error
    throw new Error(decodeErrorResult({ abi: htlcErc20.abi, data: error.data as Hex }).errorName)
  }
}

function signatureBytes({ r, s }: { r: Hex; s: Hex }, lastByte: number): Hex {
  return concat([r, s, numberToHex(lastByte, { size: 1 })])
}

describe('a signed initiation', () => {
  it("moves the initiator's tokens, whoever relays it", async () => {
    const order = setup.newOrder()
    const before = await setup.balance(setup.initiator.address)
    const relayerBefore = await setup.balance(setup.stranger.address)
    const receipt = await relay(order, await sign(order))
    expect(await setup.balance(setup.initiator.address)).toBe(before - order.amount)
    expect(await setup.balance(setup.stranger.address)).toBe(relayerBefore)
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
    const { secret: _, ...terms } = order
    expect(setup.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: setup.orderId(order) } }])
  })

  it('is valid once: not while open, not after a redeem, not after a refund', async () => {
    const order = setup.newOrder()
    const signature = await sign(order)
    await relay(order, signature)
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
    await setup.send(setup.stranger, htlcCall.redeem(order))
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')

    const other = setup.newOrder()
    const otherSignature = await sign(other)
    await relay(other, otherSignature)
    await setup.expire(other)
    await setup.send(setup.stranger, htlcCall.refund(other))
    await expect(relay(other, otherSignature)).rejects.toThrow('HTLC__DuplicateOrder')
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('binds every parameter and the signer', async () => {
    const order = setup.newOrder()
    const signature = await sign(order)
    const changes: Partial<HtlcOrder>[] = [
      { initiator: setup.stranger.address },
      { redeemer: setup.stranger.address },
      { timelock: order.timelock - 1n },
      { amount: order.amount + 1n },
      { secretHash: setup.newOrder().secretHash },
    ]
    for (const change of changes) await expect(relay({ ...order, ...change }, signature)).rejects.toThrow(invalidSignature)
    await relay(order, signature)
  })

  it('is invalid for another contract, for another chain and as another type', async () => {
    const order = setup.newOrder()
    const secondHtlc = await setup.fixture.deploy(htlcErc20, [setup.token])
    const signature = await sign(order)
    const elsewhere = { from: setup.stranger, to: secondHtlc, data: htlcCall.initiateWithSignature(order, signature) }
    await expect(setup.fixture.send(elsewhere)).rejects.toThrow(invalidSignature)
    for (const domain of [
      { ...setup.domain, chainId: 1 },
      { ...setup.domain, name: 'HTLC-Native' as const },
    ]) {
      const foreign = await setup.initiator.signTypedData(initiateTypedData(domain, order))
      await expect(relay(order, foreign)).rejects.toThrow(invalidSignature)
    }
    const refund = await setup.initiator.signTypedData(refundTypedData(setup.domain, order))
    await expect(relay(order, refund)).rejects.toThrow(invalidSignature)
  })

  it('still validates the order', async () => {
    const refused: [Partial<HtlcOrder>, string][] = [
      [{ redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
      [{ redeemer: setup.initiator.address }, 'HTLC__SameInitiatorAndRedeemer'],
      [{ amount: 0n }, 'HTLC__ZeroAmount'],
      [{ timelock: 0n }, 'HTLC__InvalidTimelock'],
      [{ amount: 10n ** 30n }, 'HTLC__TransferFailed'],
    ]
    for (const [terms, error] of refused) {
      const order = setup.newOrder(terms)
      await expect(relay(order, await sign(order))).rejects.toThrow(error)
    }
  })

  it('does not exist for the native coin', async () => {
    const native = await createHtlcSetup('native')
    const order = native.newOrder()
    const signature = await native.initiator.signTypedData(initiateTypedData(native.domain, order))
    await expect(native.send(native.stranger, htlcCall.initiateWithSignature(order, signature))).rejects.toThrow()
    expect(await native.state(order)).toBe(0n)
  })
})

describe('ECDSA forms', () => {
  it('accepts 27/28, 0/1 and EIP-2098, of either parity', async () => {
    const parities = new Set<number>()
    while (parities.size < 2) {
      for (const form of ['27/28', '0/1', 'EIP-2098'] as const) {
        const order = setup.newOrder()
        const { r, s, yParity } = parseSignature(await sign(order))
        parities.add(yParity)
        const compact = concat([r, numberToHex(hexToBigInt(s) | (BigInt(yParity) << 255n), { size: 32 })])
        await relay(order, form === 'EIP-2098' ? compact : signatureBytes({ r, s }, form === '0/1' ? yParity : 27 + yParity))
      }
    }
  })

  it('refuses a malleable signature (high s)', async () => {
    const order = setup.newOrder()
    const { r, s, yParity } = parseSignature(await sign(order))
    const highS = numberToHex(curveOrder - hexToBigInt(s), { size: 32 })
    await expect(relay(order, signatureBytes({ r, s: highS }, 28 - yParity))).rejects.toThrow(invalidSignature)
    await expect(relay(order, signatureBytes({ r, s: highS }, 1 - yParity))).rejects.toThrow(invalidSignature)
    await relay(order, signatureBytes({ r, s }, 27 + yParity))
  })

  it('refuses every other length, other recovery bytes, and numbers out of range', async () => {
    const order = setup.newOrder()
    const { r, s, yParity } = parseSignature(await sign(order))
    const valid = signatureBytes({ r, s }, 27 + yParity)
    const zero = numberToHex(0, { size: 32 })
    const maximum = numberToHex(2n ** 256n - 1n, { size: 32 })
    // A form of 64 bytes without the bit of odd parity is EIP-2098 of even parity.
    const wrongParity = concat([r, numberToHex(hexToBigInt(s) | (BigInt(1 - yParity) << 255n), { size: 32 })])
    const refused: Hex[] = [
      ...Array.from({ length: 64 }, (_, length) => (length === 0 ? '0x' : slice(valid, 0, length))),
      wrongParity,
      concat([valid, '0x00']),
      concat([valid, zero]),
      concat([zero, valid]),
      signatureBytes({ r, s }, 28 - yParity),
      ...[2, 26, 29, 255].map((lastByte) => signatureBytes({ r, s }, lastByte)),
      ...[zero, maximum, numberToHex(curveOrder, { size: 32 })].flatMap((bad) => [
        signatureBytes({ r: bad, s }, 27),
        signatureBytes({ r, s: bad }, 27),
        concat([r, bad]),
        concat([bad, s]),
      ]),
      concat([zero, zero, '0x1b']),
    ]
    for (const signature of refused) await expect(simulated(order, signature), signature).rejects.toThrow(invalidSignature)
    await relay(order, valid)
  })

  it('never accepts a failed recovery as a signature of the zero address', async () => {
    const order = setup.newOrder({ initiator: zeroAddress })
    await expect(relay(order, toHex(new Uint8Array(65)))).rejects.toThrow(invalidSignature)
    const { r, s } = parseSignature(await sign(order))
    await expect(relay(order, signatureBytes({ r, s }, 29))).rejects.toThrow(invalidSignature)
  })
})

describe('contract accounts (ERC-1271)', () => {
  async function fundedAccount() {
    const account = await setup.fixture.deploy(contractAccount)
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [account, 10n ** 12n] })
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, 10n ** 12n] })
    const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [setup.token, approve] })
    await setup.fixture.send({ from: setup.stranger, to: setup.token, data: mint })
    await setup.fixture.send({ from: setup.stranger, to: account, data: execute })
    return account
  }
  it.each<Hex>(['0x', '0x1234', `0x${'ab'.repeat(65)}`, `0x${'cd'.repeat(300)}`])(
    'initiate with a signature they approve: %s',
    async (signature) => {
      const account = await fundedAccount()
      const order = setup.newOrder({ initiator: account })
      await expect(relay(order, signature)).rejects.toThrow(invalidSignature)
      await approveDigest(account, hashTypedData(initiateTypedData(setup.domain, order)), signature)
      await expect(relay(order, concat([signature, '0x00']))).rejects.toThrow(invalidSignature)
      await relay(order, signature)
      expect(await setup.balance(account)).toBe(10n ** 12n - order.amount)
    },
  )

  it('consent to an instant refund', async () => {
    const account = await setup.fixture.deploy(contractAccount)
    const order = await setup.open({ redeemer: account })
    await expect(setup.send(setup.stranger, htlcCall.instantRefund(order, '0x12'))).rejects.toThrow(invalidSignature)
    await approveDigest(account, hashTypedData(refundTypedData(setup.domain, order)), '0x12')
    await setup.send(setup.stranger, htlcCall.instantRefund(order, '0x12'))
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['only four bytes', '0x1626ba7e'],
    ['the magic value at the wrong end', `0x${'00'.repeat(28)}1626ba7e`],
    ['the magic value with something behind it', `0x1626ba7e${'00'.repeat(27)}01`],
    ['true', `0x${'00'.repeat(31)}01`],
  ])('are refused when they answer %s', async (_, answer) => {
    const account = await setup.fixture.deploy(malformedAccount)
    const setAnswer = encodeFunctionData({ abi: malformedAccount.abi, functionName: 'setAnswer', args: [answer] })
    await setup.fixture.send({ from: setup.stranger, to: account, data: setAnswer })
    await expect(relay(setup.newOrder({ initiator: account }), '0x12')).rejects.toThrow(invalidSignature)
  })
})

describe('accounts with delegated code (EIP-7702)', () => {
  async function delegated() {
    await setup.fixture.delegate(setup.initiator, await setup.fixture.deploy(contractAccount))
    const code = (await setup.fixture.request({ method: 'eth_getCode', params: [setup.initiator.address, 'latest'] })) as Hex
    expect(slice(code, 0, 3)).toBe('0xef0100')
  }

  it('sign with their key even if their code refuses', async () => {
    await delegated()
    const order = setup.newOrder()
    await relay(order, await sign(order))
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
  })

  it('sign by their code, too, and by nothing else', async () => {
    await delegated()
    const order = setup.newOrder()
    await expect(relay(order, '0x1234')).rejects.toThrow(invalidSignature)
    const foreign = await setup.stranger.signTypedData(initiateTypedData(setup.domain, order))
    await expect(relay(order, foreign)).rejects.toThrow(invalidSignature)
    await approveDigest(setup.initiator.address, hashTypedData(initiateTypedData(setup.domain, order)), '0x1234')
    await relay(order, '0x1234')
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
  })

  it('consent to an instant refund with their key, and receive it', async () => {
    await setup.fixture.delegate(setup.redeemer, await setup.fixture.deploy(contractAccount))
    const order = await setup.open()
    await setup.send(
      setup.stranger,
      htlcCall.instantRefund(order, await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))),
    )
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })
})
