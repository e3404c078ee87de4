// These tests ask for the cluster over JSON-RPC: identity, epochs, blockhashes, fees.

import { randomBytes } from 'node:crypto'
import { getAddressDecoder, type Instruction } from '@solana/kit'
import { localChains } from '@tandem/families/registry.ts'
import { ed25519Pair } from '@tandem/keys/ed25519-native.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, it } from 'vitest'
import { consentInstruction } from '../../contract/client/consent.ts'
import { setUnitPrice } from '../compute-budget.ts'
import { newSigner, openSolanaFixture, SOL } from '../solana.fixture.ts'

const fixture = openedForEach(() => openSolanaFixture())

it('says who it is', async () => {
  expect(await fixture.call('getHealth')).toBe('ok')
  expect(await fixture.call('getVersion')).toHaveProperty('solana-core')
  const genesisHash = await fixture.call('getGenesisHash')
  expect(localChains.map(({ reference }) => reference)).toContain(`solana:${genesisHash}`)
  expect(await fixture.call('getEpochInfo', { commitment: 'processed' })).toMatchObject({
    absoluteSlot: 1_040,
    blockHeight: 40,
    epoch: 0,
    slotIndex: 1_040,
    slotsInEpoch: 432_000,
  })
  expect(await fixture.call('getTransactionCount')).toBe(1)
  expect(await fixture.call('getMinimumBalanceForRentExemption', 0)).toBe(890_880)
  expect(await fixture.call('getMinimumBalanceForRentExemption', 165)).toBe(2_039_280)
})

describe('a blockhash', () => {
  it('is of the newest block of the commitment, and known only from that on', async () => {
    const latest = async (commitment: string) =>
      (await fixture.call('getLatestBlockhash', { commitment })) as { value: Record<string, unknown> }
    const [processed, finalized] = [await latest('processed'), await latest('finalized')]
    expect([processed.value.lastValidBlockHeight, finalized.value.lastValidBlockHeight]).toEqual([190, 159])
    const isValid = async (hash: unknown, commitment: string) =>
      ((await fixture.call('isBlockhashValid', hash, { commitment })) as { value: boolean }).value
    expect(await isValid(processed.value.blockhash, 'processed')).toBe(true)
    expect(await isValid(processed.value.blockhash, 'confirmed')).toBe(false)
    expect(await isValid(finalized.value.blockhash, 'finalized')).toBe(true)
    fixture.chain.mine()
    expect(await isValid(processed.value.blockhash, 'confirmed')).toBe(true)
  })

  it('is known up to 150 blocks later', async () => {
    const { value } = (await fixture.call('getLatestBlockhash', { commitment: 'processed' })) as { value: { blockhash: string } }
    const isValid = async () =>
      ((await fixture.call('isBlockhashValid', value.blockhash, { commitment: 'processed' })) as { value: boolean }).value
    fixture.chain.mine(150)
    expect(await isValid()).toBe(true)
    fixture.chain.mine()
    expect(await isValid()).toBe(false)
  })
})

describe('fees', () => {
  const messageOf = (...instructions: readonly Instruction[]) =>
    Buffer.from(fixture.sign(instructions).transaction.messageBytes).toString('base64')
  const feeFor = async (message: string) =>
    ((await fixture.call('getFeeForMessage', message, { commitment: 'processed' })) as { value: unknown }).value

  it('are what the runtime charges, for signatures and for the price per unit', async () => {
    const transfer = fixture.transfer(newSigner().address, SOL)
    expect(await feeFor(messageOf(transfer))).toBe(5_000)
    const wire = fixture.sign([setUnitPrice(7_000_001n), transfer])
    const fee = Number(await feeFor(Buffer.from(wire.transaction.messageBytes).toString('base64')))
    const before = fixture.chain.node.svm.balance(fixture.payer.address)
    await fixture.send(wire)
    fixture.chain.mine()
    expect(before - fixture.chain.node.svm.balance(fixture.payer.address)).toBe(SOL + BigInt(fee))
    expect(fee).toBe(5_000 + Math.ceil((6_000 * 7_000_001) / 1_000_000))
  })

  it('are charged for a signature that an instruction verifies too', async () => {
    const message = Buffer.from('consent')
    const pair = ed25519Pair(randomBytes(32))
    const key = getAddressDecoder().decode(pair.publicKey)
    const wire = fixture.sign([consentInstruction(key, pair.sign(message), message)])
    expect(await feeFor(Buffer.from(wire.transaction.messageBytes).toString('base64'))).toBe(10_000)
    const before = fixture.chain.node.svm.balance(fixture.payer.address)
    await fixture.send(wire)
    fixture.chain.mine()
    expect(before - fixture.chain.node.svm.balance(fixture.payer.address)).toBe(10_000n)
    const wrong = fixture.sign([consentInstruction(key, pair.sign(Buffer.from('another')), message)])
    await expect(fixture.send(wrong)).rejects.toThrow()
  })

  it('are unknown for an expired message, and refused for what is none', async () => {
    const message = messageOf(fixture.transfer(newSigner().address, SOL))
    fixture.chain.mine(151)
    expect(await feeFor(message)).toBeNull()
    expect((await fixture.failure('getFeeForMessage', 'AAAA')).code).toBe(-32_602)
    expect((await fixture.failure('getFeeForMessage', '%')).code).toBe(-32_602)
  })

  it('were recently what transactions paid that write to the same accounts', async () => {
    const [busy, quiet] = [newSigner().address, newSigner().address]
    await fixture.send(fixture.sign([setUnitPrice(9_000n), fixture.transfer(busy, SOL)]))
    await fixture.send(fixture.sign([setUnitPrice(100n), fixture.transfer(quiet, SOL)]))
    fixture.chain.mine()
    const newest = async (...params: unknown[]) =>
      ((await fixture.call('getRecentPrioritizationFees', ...params)) as { slot: number; prioritizationFee: number }[]).at(-1)
    expect(await newest()).toEqual({ slot: 1_041, prioritizationFee: 100 })
    expect(await newest([busy])).toEqual({ slot: 1_041, prioritizationFee: 9_000 })
    expect(await newest([quiet])).toEqual({ slot: 1_041, prioritizationFee: 100 })
    expect(await fixture.call('getRecentPrioritizationFees')).toHaveLength(42)
    fixture.chain.mine(200)
    expect(await fixture.call('getRecentPrioritizationFees')).toHaveLength(150)
    fixture.chain.faults.congest(50_000n)
    expect(await newest([quiet])).toMatchObject({ prioritizationFee: 50_000 })
    expect((await fixture.failure('getRecentPrioritizationFees', ['nobody'])).code).toBe(-32_602)
  })
})
