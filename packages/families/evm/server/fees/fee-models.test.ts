/** Tests the fee models of chains: how each changes transactions, the funds that an account needs, and gas limits. */

import { REDEEMS_KEPT } from '@tandem/chain-kit/contract/funds.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { createMemoryOutbox, type MemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import {
  type Address,
  bytesToHex,
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  parseAbi,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerializedLegacy,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { allowancesOf } from '../../terms/allowance.ts'
import type { EvmData, FeeModel } from '../../terms/chain-data.ts'
import { evmDataOf } from '../../terms/chain-data.ts'
import { createContracts, initiateData, redeemData } from '../../terms/htlc.ts'
import { rows } from '../../terms/registry.ts'
import { openEvmClient } from '../client.fixture.ts'
import { createContractState } from '../contract-state.ts'
import { createExecutor } from '../execute.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { verifyPayout } from '../send/payout.ts'
import { readAttempt } from '../send/transaction.ts'
import { dataFeeOf, dataFees, dataGasOf } from './data-fee.ts'
import { feeModelOf, suggestFees } from './fees.ts'
import { fallbackGas, gasFor, safeGas } from './gas.ts'
import { legCostOf, maxRefundCost } from './leg-cost.ts'

const GWEI = 10n ** 9n

const { fixture, node, termsFor, phaseOf } = await openEvmClient()
let outbox: MemoryOutbox
let secret: string
beforeEach(() => {
  outbox = createMemoryOutbox(fixture.solver.signer)
})

const charging = (fees: Partial<FeeModel>, more: Partial<EvmData> = {}): Chain => ({
  ...fixture.chain,
  familyData: { ...evmDataOf(fixture.chain), ...more, fees: { ...feeModelOf(fixture.chain), ...fees } },
})

function newTerms(): HtlcTerms {
  secret = createSecret()
  return termsFor(secret, 'eth')
}

function send(chain: Chain, verb: 'initiate' | 'redeem', terms: HtlcTerms, key: string, changes: Partial<EvmNode> = {}): Promise<string> {
  const changed = { ...node, ...changes }
  const contract = createContracts(chain, fixture.assets).of(terms.asset)
  const data = verb === 'initiate' ? initiateData(terms, fixture.solver.address) : redeemData(terms, secret)
  const call = { to: contract.address, data, value: verb === 'initiate' ? terms.amount : 0n }
  const action = { verb, contract, terms, call, paysAmount: verb === 'initiate' }
  return createExecutor(chain, changed, createContractState(changed), allowancesOf(fixture.assets)).send(action, outbox.open(key))
}

const answering = (call: EvmNode['call']): Pick<EvmNode, 'call' | 'callAmount'> => ({
  call,
  callAmount: async (request, amountOf) => amountOf(await call(request)),
})
const last = (key: string): Attempt => {
  const attempt = outbox.attempts(key).at(-1)
  if (attempt === undefined) throw new Error(`nothing was signed for ${key}`)
  return attempt
}

describe('a legacy gas price', () => {
  const legacy = () => charging({ gasPrice: 'legacy' })

  it("is an eighth above the node's suggestion, signed for this chain only, and parsed as it was signed", async () => {
    const terms = newTerms()
    const tx = await send(legacy(), 'initiate', terms, 'a', { gasPrice: async () => 8n * GWEI })
    const { raw, feeRate } = last('a')
    expect(parseTransaction(raw as Hex)).toMatchObject({ type: 'legacy', gasPrice: 9n * GWEI, chainId: 31337 })
    expect(await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedLegacy })).toBe(
      fixture.solver.account.address,
    )
    expect(feeRate).toBe(9n * GWEI)
    expect(readAttempt(last('a'))).toMatchObject({
      tx,
      fees: { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 9n * GWEI },
      call: { value: 1000n },
    })
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('is bumped at the same nonce when it was too low, and mined once', async () => {
    const terms = newTerms()
    const first = await send(legacy(), 'initiate', terms, 'a')
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    const second = await send(legacy(), 'initiate', terms, 'a')
    expect(second).not.toBe(first)
    const [cheap, dear] = outbox.attempts('a').map(readAttempt)
    expect(dear?.nonce).toBe(cheap?.nonce)
    expect((dear?.fees.maxFeePerGas ?? 0n) * 8n).toBeGreaterThanOrEqual((cheap?.fees.maxFeePerGas ?? 0n) * 9n)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    expect(await send(legacy(), 'initiate', terms, 'a')).toBe(second)
  })

  it.each([
    ['eip1559', 'legacy'],
    ['legacy', 'eip1559'],
  ] as const)('replaces a transaction that was signed as %s and is %s now', async (before, after) => {
    const terms = newTerms()
    await send(charging({ gasPrice: before }), 'initiate', terms, 'a')
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    await send(charging({ gasPrice: after }), 'initiate', terms, 'a')
    expect(outbox.attempts('a').map(({ raw }) => parseTransaction(raw as Hex).type)).toEqual([before, after])
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('has the cap of the chain', async () => {
    const model = { ...feeModelOf(legacy()), maxPerGas: 5n * GWEI }
    expect(await suggestFees({ ...node, gasPrice: async () => 10n ** 18n }, model)).toEqual({
      maxFeePerGas: 5n * GWEI,
      maxPriorityFeePerGas: 5n * GWEI,
    })
  })
})

it('a node that suggests no tip costs no more than a thousandth of the cap', async () => {
  const refusing = { ...node, priorityFee: () => Promise.reject(new NodeRefusal(-32601, 'method not found', null)) }
  const tipWith = async (maxPerGas: bigint) =>
    (await suggestFees(refusing, { gasPrice: 'eip1559', dataFee: 'none', maxPerGas })).maxPriorityFeePerGas
  expect(await tipWith(1000n * GWEI)).toBe(GWEI)
  expect(await tipWith(30n * GWEI)).toBe(30_000_000n)
})

describe('a data fee beside the gas', () => {
  const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
  const FEE = 10n ** 15n

  async function leave(terms: HtlcTerms, forData: bigint): Promise<void> {
    const probe = createMemoryOutbox(fixture.solver.signer)
    const kept = outbox
    outbox = probe
    await fixture.local.request({ method: 'hardhat_setBalance', params: [fixture.solver.address, numberToHex(10n ** 20n)] })
    await send(charging({}), 'initiate', terms, 'probe', { broadcast: async () => undefined })
    const { gas, fees } = readAttempt(last('probe'))
    outbox = kept
    const reserve = REDEEMS_KEPT * (fallbackGas.redeem * fees.maxFeePerGas + forData)
    const balance = terms.amount + gas * fees.maxFeePerGas + forData + reserve
    await fixture.local.request({ method: 'hardhat_setBalance', params: [fixture.solver.address, numberToHex(balance)] })
  }

  const oracle = (asked: Hex[] = []): Partial<EvmNode> =>
    answering(async (call) => {
      if (call.to !== '0x420000000000000000000000000000000000000F') return node.call(call)
      asked.push(call.data ?? '0x')
      return word(FEE)
    })
  const rated: Partial<EvmNode> = {
    block: async (height) => {
      const block = await node.block(height)
      return block && { ...block, l1FeeRate: FEE / 600n }
    },
  }

  it.each([
    ['op-stack', 'an OP Stack chain', oracle()],
    ['citrea', 'Citrea', rated],
  ] as const)('%s: an account that cannot pay it on %s is found before anything is signed', async (dataFee, _, changes) => {
    const terms = newTerms()
    await leave(terms, FEE)
    await expect(send(charging({ dataFee }), 'initiate', terms, 'a', changes)).rejects.toThrow('with all fees')
    expect(outbox.attempts('a')).toEqual([])
    await leave(terms, (FEE * 3n) / 2n)
    await send(charging({ dataFee }), 'initiate', terms, 'a', changes)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
    await fixture.local.request({ method: 'hardhat_setBalance', params: [fixture.solver.address, numberToHex(10n ** 20n)] })
  })

  it('is asked for by size alone', async () => {
    const asked: Hex[] = []
    const data = bytesToHex(new Uint8Array(100).fill(7))
    await dataFeeOf({ ...node, ...oracle(asked) }, charging({ dataFee: 'op-stack' }), { to: fixture.user.address, data, value: 0n })
    const abi = parseAbi(['function getL1FeeUpperBound(uint256)'])
    expect(asked.map((data) => decodeFunctionData({ abi, data }).args)).toEqual([[250n]])
  })

  it('of a transaction in flight counts by its length, without another request', async () => {
    const asked: Hex[] = []
    const call = (bytes: number) => ({ to: fixture.user.address, data: bytesToHex(new Uint8Array(bytes)), value: 0n })
    const feeOf = await dataFees({ ...node, ...oracle(asked) }, charging({ dataFee: 'op-stack' }), call(151))
    const usual = (FEE * 3n) / 2n
    expect([call(10), call(151), call(452), call(453)].map(feeOf)).toEqual([usual, usual, 2n * usual, (603n * usual) / 301n + 1n])
    expect(asked).toHaveLength(1)
  })

  it('is zero where the chain has no such fee, or cannot say', async () => {
    const call = { to: fixture.user.address, data: '0x', value: 0n } as const
    const refusing = { ...node, ...answering(() => Promise.reject(new NodeRefusal(-32000, 'execution reverted', null))) }
    for (const asked of [node, refusing]) expect(await dataFeeOf(asked, charging({ dataFee: 'op-stack' }), call)).toBe(0n)
    for (const dataFee of ['none', 'in-gas'] as const)
      expect(await dataFeeOf({ ...node, ...oracle() }, charging({ dataFee }), call)).toBe(0n)
    expect(await dataFeeOf(node, charging({ dataFee: 'citrea' }), call)).toBe(0n)
    const failing = { ...node, ...answering(() => Promise.reject(new Error('gone'))) }
    await expect(dataFeeOf(failing, charging({ dataFee: 'op-stack' }), call)).rejects.toThrow('gone')
  })
})

describe('a data fee inside the gas', () => {
  const EXTRA = 1_000_000n
  const component = (gas: bigint) => encodeAbiParameters([{ type: 'uint64' }, { type: 'uint256' }, { type: 'uint256' }], [gas, 1n, 1n])
  const chain = () => charging({ dataFee: 'in-gas' })
  const shown: Hex[] = []
  const nitro = answering(async (call) => {
    shown.push(call.data ?? '0x')
    return call.to === '0x00000000000000000000000000000000000000C8' ? component(EXTRA) : node.call(call)
  })

  it('is added to the gas of a redeem, without showing its secret', async () => {
    const terms = newTerms()
    await send(chain(), 'initiate', terms, 'i', nitro)
    await fixture.mine()
    shown.length = 0
    await send(chain(), 'redeem', terms, 'r', nitro)
    expect(readAttempt(last('r')).gas).toBe(300_000n + (EXTRA * 3n) / 2n)
    expect(shown.length).toBeGreaterThan(0)
    for (const data of shown) expect(data).not.toContain(secret)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('redeemed')
  })

  it('does not count against the recipient of a payout, but anything beyond it does', async () => {
    const terms = newTerms()
    const contract = createContracts(chain(), fixture.assets).of(terms.asset)
    await send(chain(), 'initiate', terms, 'i')
    await fixture.mine()
    const estimating = (gas: bigint) => ({ ...node, ...nitro, estimateGas: async () => gas })
    await verifyPayout(estimating(1_600_000n), chain(), contract, terms)
    await expect(verifyPayout(estimating(1_600_001n), chain(), contract, terms)).rejects.toThrow('we pay for 1600000')
    await expect(verifyPayout(estimating(100_001n), fixture.chain, contract, terms)).rejects.toThrow('we pay for 100000')
  })

  it('does not count against the payee, but anything beyond it does', async () => {
    const call = { from: fixture.solver.address, to: fixture.user.address, data: '0x00', value: 0n } as const
    const estimating = (gas: bigint) => ({ ...node, ...nitro, estimateGas: async () => gas })
    expect(await gasFor(estimating(1_200_000n), chain(), call, 'redeem')).toBe(1_440_000n)
    expect(await gasFor(estimating(1_700_000n), chain(), call, 'redeem')).toBe(1_800_000n)
    await expect(gasFor(estimating(1_800_001n), chain(), call, 'refund')).rejects.toThrow('we pay for 1800000')
    await expect(gasFor(estimating(300_001n), charging({ dataFee: 'none' }), call, 'redeem')).rejects.toThrow('we pay for 300000')
    for (const verb of ['initiate', 'approve', 'transfer', 'cancel'] as const) {
      const gas = (estimate: bigint) => gasFor(estimating(estimate), charging({ dataFee: 'none' }), call, verb)
      expect([await gas(500_000n), await gas(600_000n)]).toEqual([600_000n, 600_000n])
      await expect(gas(600_001n)).rejects.toThrow(`${verb}: it would take 600001 gas, and we pay for 600000`)
    }
    expect(await safeGas(estimating(0n), charging({}), call, 'approve')).toBe(150_000n)
    expect(await dataGasOf(node, chain(), call)).toBe(0n)
    expect(await dataGasOf({ ...node, ...answering(async () => component(10n ** 18n)) }, chain(), call)).toBe(20_000_000n)
  })
})

describe('a chain whose nodes hide their mempool', () => {
  const hiding: Partial<EvmNode> = { isKnown: async () => false }
  const chain = () => charging({}, { hidesUnmined: true })

  it('still gets fee bumps when a transaction waits too long', async () => {
    const terms = newTerms()
    const first = await send(chain(), 'initiate', terms, 'a', hiding)
    expect(await send(chain(), 'initiate', terms, 'a', hiding)).toBe(first)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    expect(await send(chain(), 'initiate', terms, 'a', hiding)).not.toBe(first)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('may answer a rebroadcast with "underpriced", which is no reason for a fee bump', async () => {
    const terms = newTerms()
    const first = await send(chain(), 'initiate', terms, 'a', hiding)
    const having = {
      ...hiding,
      broadcast: () => Promise.reject(new NodeRefusal(-32603, 'An existing transaction had higher priority', null)),
    }
    for (const _ of [1, 2]) expect(await send(chain(), 'initiate', terms, 'a', having)).toBe(first)
    expect(outbox.attempts('a')).toHaveLength(1)
    await fixture.mine()
    expect(await phaseOf(terms)).toBe('initiated')
  })

  it('respects the nonce of another action', async () => {
    const [a, b] = [newTerms(), newTerms()]
    await send(chain(), 'initiate', a, 'a', hiding)
    outbox.passSeconds(fixture.chain.feeBumpSeconds)
    await send(chain(), 'initiate', b, 'b', hiding)
    expect(readAttempt(last('b')).nonce).toBe(readAttempt(last('a')).nonce + 1n)
    await fixture.mine()
    expect([await phaseOf(a), await phaseOf(b)]).toEqual(['initiated', 'initiated'])
  })

  it('is Monad', () => {
    const hidden = [...rows.mainnet.chains, ...rows.testnet.chains].filter((known) => evmDataOf(known).hidesUnmined)
    expect(hidden.map(({ id }) => id)).toEqual(['monad', 'monad_testnet'])
  })
})

describe('the most that an instant refund costs', () => {
  const contractOf = (asset: AssetId) => createContracts(fixture.chain, fixture.assets).of(asset)
  const asWallet = { ...node, code: async () => '0xef0100' as const }
  const maxCost = (asset: AssetId, from: EvmNode) => maxRefundCost(from, fixture.chain, contractOf(asset), fixture.user.address as Address)

  it('is that of a refund for a key, and all gas that it is sent with for a contract that gets coins', async () => {
    const { asset } = newTerms()
    const usual = await legCostOf(node, fixture.chain, contractOf(asset))
    expect(await maxCost(asset, node)).toBe(usual.refund)
    expect((await maxCost(asset, asWallet)) * 45_000n).toBe(usual.refund * fallbackGas.refund)
  })

  it('is that of a refund for everyone who gets tokens, which call nobody', async () => {
    const token = fixture.assets.find(({ deployment }) => deployment?.token != null)?.id
    if (token === undefined) throw new Error('there is no token')
    expect(await maxCost(token, asWallet)).toBe((await legCostOf(node, fixture.chain, contractOf(token))).refund)
  })
})
