// These tests use the official SDK, unmodified, on the simulator: what works there must work here in the same way.
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { Account, CallData, type CompiledSierra, cairo, ec, hash, RpcProvider } from 'starknet'
import { beforeAll, describe, expect, it } from 'vitest'
import { initiateTypedData } from '../contract/client/typed-data.ts'
import { accountClass } from './classes/account.ts'
import { htlcAbi, htlcClassFields, htlcClassHash, knownClassHashes } from './classes/htlc-artifact.ts'
import { hex } from './felt.ts'
import { newKey, openStarknetFixture } from './starknet.fixture.ts'
import { createClassReader } from './transactions/declared-class.ts'

const STRK = 10n ** 18n

const fixture = opened(() => openStarknetFixture({ mining: 'instant' }))
let provider: RpcProvider
let user: Account
beforeAll(async () => {
  provider = await RpcProvider.create({ nodeUrl: fixture.url, transactionRetryIntervalFallback: 5 })
  const [{ address, privateKey }] = fixture.accounts
  user = new Account({ provider, address, signer: privateKey, cairoVersion: '1' })
})

describe('starknet.js', () => {
  it('knows the chain', async () => {
    expect(await provider.getSpecVersion()).toBe('0.10.0')
    expect(await provider.getChainId()).toBe(fixture.chain.chainId)
    expect(await provider.getSyncingStats()).toBe(false)
    const block = await provider.getBlock('latest')
    expect(block).toMatchObject({ status: 'ACCEPTED_ON_L2', block_number: await provider.getBlockNumber() })
  })

  it('deploys an account that paid for itself', async () => {
    const privateKey = newKey()
    const publicKey = ec.starkCurve.getStarkKey(privateKey)
    const classHash = hex(accountClass.classHash)
    const address = hash.calculateContractAddressFromHash(publicKey, classHash, [publicKey], 0)
    const account = new Account({ provider, address, signer: privateKey, cairoVersion: '1' })
    await expect(provider.getClassHashAt(address)).rejects.toMatchObject({ code: 20 })
    fixture.fund(fixture.strk, address, STRK)
    const sent = await account.deployAccount({ classHash, constructorCalldata: [publicKey], addressSalt: publicKey })
    const receipt = await provider.waitForTransaction(sent.transaction_hash)
    expect(receipt.isSuccess()).toBe(true)
    expect(await provider.getClassHashAt(address)).toBe(classHash)
    expect(await account.getNonce()).toBe('0x1')
    const fee = BigInt((receipt as unknown as { actual_fee: { amount: string } }).actual_fee.amount)
    expect(await fixture.balance(fixture.strk, address)).toBe(STRK - fee)
  })

  it('estimates and executes several calls at once, and finds their events', async () => {
    const [, { address: recipient }] = fixture.accounts
    const calls = [
      { contractAddress: fixture.wbtc, entrypoint: 'approve', calldata: CallData.compile([fixture.htlc, cairo.uint256(7)]) },
      { contractAddress: fixture.wbtc, entrypoint: 'transfer', calldata: CallData.compile([recipient, cairo.uint256(5)]) },
    ]
    const before = await fixture.balance(fixture.wbtc, recipient)
    const estimate = await user.estimateInvokeFee(calls)
    const { transaction_hash: tx } = await user.execute(calls, { tip: 5n })
    const receipt = await provider.waitForTransaction(tx)
    expect(await fixture.balance(fixture.wbtc, recipient)).toBe(before + 5n)
    const { actual_fee: fee, block_number: height } = receipt as unknown as { actual_fee: { amount: string }; block_number: number }
    expect(BigInt(fee.amount)).toBeLessThanOrEqual(estimate.overall_fee)
    const { events } = await provider.getEvents({
      address: fixture.wbtc,
      from_block: { block_number: height },
      to_block: 'latest',
      keys: [[hash.getSelectorFromName('Transfer')], [], [recipient]],
      chunk_size: 10,
    })
    expect(events.map(({ transaction_hash: hashed, data }) => [hashed, data])).toEqual([[tx, ['0x5', '0x0']]])
  })

  it('asks an account about a signature', async () => {
    const [{ address }, { address: redeemer }] = fixture.accounts
    const deployment = { chainId: fixture.chain.chainId as `0x${string}`, address: fixture.htlc }
    const data = initiateTypedData(deployment, { redeemer, amount: 5n, timelock: 60n, secretHash: 'ab'.repeat(32) })
    const typedData = JSON.parse(JSON.stringify(data))
    const signature = await user.signMessage(typedData)
    expect(await provider.verifyMessageInStarknet(typedData, signature, address)).toBe(true)
    typedData.message.timelock = '61'
    expect(await provider.verifyMessageInStarknet(typedData, signature, address)).toBe(false)
  })

  it('declares a class once, and deploys it through the UDC', async () => {
    const felt = 'core::felt252'
    const abi = [
      { type: 'function', name: 'own', inputs: [{ name: 'a', type: felt }], outputs: [{ type: felt }], state_mutability: 'view' },
    ]
    const contract = {
      sierra_program: ['0x1', '0x6', '0x0', '0x2'],
      contract_class_version: '0.1.0',
      entry_points_by_type: { CONSTRUCTOR: [], EXTERNAL: [{ selector: hash.getSelectorFromName('own'), function_idx: 0 }], L1_HANDLER: [] },
      abi,
    } as unknown as CompiledSierra
    const classHash = hash.computeSierraContractClassHash(contract)
    expect(await provider.isClassDeclared({ classHash })).toBe(false)
    const payload = { contract, compiledClassHash: '0x77' }
    const declared = await user.declare(payload)
    expect(declared.class_hash).toBe(classHash)
    await provider.waitForTransaction(declared.transaction_hash)
    await expect(user.declare(payload)).rejects.toMatchObject({ code: 51 })
    const deployed = await user.deployContract({ classHash, salt: '0x5' })
    expect(await provider.getClassHashAt(deployed.contract_address)).toBe(classHash)
    const shown = await provider.getClassAt(deployed.contract_address)
    expect(shown.abi).toEqual(abi)
    await expect(user.deployContract({ classHash: '0x999' })).rejects.toThrow('is not declared')
  })

  it('reads the HTLC through its compiled class, whose declaration the simulator recognises', async () => {
    const readClass = createClassReader(knownClassHashes)
    expect(readClass(htlcClassFields()).classHash).toBe(htlcClassHash)
    const contract = await provider.getClassAt(fixture.htlc)
    expect(contract.abi).toEqual(htlcAbi)
    await expect(openStarknetFixture({ declaresHtlc: false })).rejects.toThrow('is not declared')
  })
})
