/** These tests deploy on a real SVM: interruptions at every step, strangers' lamports, and programs that are not ours. */
import { createHash } from 'node:crypto'
import { type Address, getBase64Encoder, getSignatureFromTransaction, getTransactionDecoder, lamports, type Signature } from '@solana/kit'
import type { DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { environments } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { htlcProgram } from '../../contract/artifacts/htlc.ts'
import { createSvm, type Svm } from '../../contract/testing/svm.ts'
import type { Outcome, SolanaNode } from '../nodes/node.ts'
import { deployProgram } from './deploy.ts'
import { giveUpAuthority, initializeBuffer, loaderProgram, programDataAddress, seededAccount } from './loader.ts'
import { verifyProgram } from './verify-program.ts'

const { chains, assets } = environments.testnet
const known = chains.find(({ family }) => family === 'solana')
const sol = assets.find(({ id }) => id === 'solana_testnet:sol')
const usdc = assets.find(({ id }) => id === 'solana_testnet:usdc')
if (known === undefined || sol === undefined || usdc === undefined) throw new Error('the registry has no Solana')
const chain = { ...known, pollMs: 0, finalityBlocks: 3, requiredConfirmations: 2 }
const bytes = Buffer.from(htlcProgram.base64, 'base64')

let svm: Svm
let said: string[]
let sent: number
let interrupt: (when: 'before' | 'after') => void

beforeEach(async () => {
  svm = await createSvm()
  said = []
  sent = 0
  interrupt = () => undefined
})

const signer = createEd25519Key(createHash('sha256').update('relayer').digest('hex')).signerFor(testPurpose)
const deployer = () => svm.keys.relayer.address
const version = htlcProgram.sha256.slice(0, 20)
const programAt = async (number = 0) => (await seededAccount(deployer(), `htlc-${version}-${number}`)).address
const bufferAt = () => seededAccount(deployer(), `buffer-${version}`)

function request(change: Partial<DeployRequest> = {}): DeployRequest {
  const onProgress = (what: string) => void said.push(what)
  return { chain, endpoints: {}, asset: sol as NonNullable<typeof sol>, token: null, signer, dryRun: false, onProgress, ...change }
}

function node(): SolanaNode {
  const outcomes = new Map<Signature, Outcome>()
  const unused = () => Promise.reject(new Error('not needed here'))
  const slot = () => svm.clock().slot
  return {
    genesisHash: unused,
    blocks: unused,
    finalSlot: unused,
    signatures: unused,
    orders: unused,
    transactions: unused,
    tokenBalance: unused,
    simulate: unused,
    async block() {
      svm.moveTo({ slot: slot() + 1n })
      return { height: slot(), ordinal: slot(), hash: '', parentHash: '', time: svm.clock().time }
    },
    async accounts(addresses) {
      return addresses.map((address) => {
        const [owner, data] = [svm.owner(address), svm.data(address)]
        return owner === null || data === null ? null : { owner, data, lamports: svm.balance(address), executable: false }
      })
    },
    balance: async (address) => svm.balance(address),
    rentExempt: async (size) => svm.rent(size),
    latestBlockhash: async () => ({ blockhash: svm.svm.latestBlockhash(), lastValidBlockHeight: slot() + 150n }),
    priorityFee: async () => 1_000n,
    outcome: async (signature) => outcomes.get(signature) ?? null,
    isExpired: async () => false,
    async broadcast(raw) {
      interrupt('before')
      const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(raw))
      const signature = getSignatureFromTransaction(transaction)
      if (outcomes.has(signature)) return { kind: 'accepted' }
      const { error } = svm.submit(transaction)
      if (error !== null) return { kind: 'refused', isPartlyAccepted: false, error, logs: [] }
      outcomes.set(signature, { slot: slot(), error: null })
      sent += 1
      interrupt('after')
      return { kind: 'accepted' }
    },
    close: () => undefined,
  }
}

const deploy = (change: Partial<DeployRequest> = {}) => deployProgram(request(change), node())

test('deploys where the dry run said, verified and final; a second run sends nothing; the cost is rent and fees', async () => {
  const before = svm.balance(deployer())
  const planned = await deploy({ dryRun: true })
  expect(planned).toEqual({ htlc: await programAt(), tx: null, codeHash: `0x${htlcProgram.sha256}` })
  expect(svm.balance(deployer())).toBe(before)
  const deployed = await deploy()
  expect(deployed).toEqual({ ...planned, tx: deployed.tx })
  const dataAddress = await programDataAddress(planned.htlc as Address)
  const stored = svm.data(dataAddress)?.subarray(45) ?? new Uint8Array(0)
  expect(createHash('sha256').update(stored).digest('hex')).toBe(htlcProgram.sha256)
  await verifyProgram(node(), planned.htlc as Address)
  // Only our program answers an instruction without data in this way.
  expect((await svm.send([{ programAddress: planned.htlc as Address, accounts: [], data: new Uint8Array(0) }])).error).toBe(
    'InvalidInstruction',
  )
  expect((await svm.send([await giveUpAuthority(planned.htlc as Address, deployer())])).error).toBe('Immutable')
  expect(said.join('\n')).toMatch(
    /creating a buffer at.*0 of 32 pieces.*32 of 32 pieces.*deploying at.*giving the upgrade authority up.*deployed at/s,
  )

  const [spent, rent] = [before - svm.balance(deployer()), svm.balance(planned.htlc as Address) + svm.balance(dataAddress)]
  expect(spent - rent).toBeLessThan(38n * 5_100n)
  const fees = svm.balance(deployer())
  expect(await deploy()).toEqual(planned)
  expect(await deploy({ listedForOthers: ['11111111111111111111111111111111', planned.htlc] })).toEqual(planned)
  expect(svm.balance(deployer())).toBe(fees)
})

test.each([
  ['the buffer is created', 0],
  ['a piece is written', 7],
  ['the program is deployed', 33],
  ['its authority is given up', 34],
])('an interruption before or after %s: another run completes it, and sends no piece twice', async (_, index) => {
  for (const interrupted of ['before', 'after']) {
    svm = await createSvm()
    sent = 0
    interrupt = (when) => {
      if (when === interrupted && sent === (when === 'before' ? index : index + 1)) throw new Error('interrupted')
    }
    await expect(deploy()).rejects.toThrow('interrupted')
    interrupt = () => undefined
    expect((await deploy()).htlc).toBe(await programAt())
    expect(sent).toBe(35)
    await verifyProgram(node(), await programAt())
  }
})

test("a stranger's lamports do not hinder it: where they block an address, the next is taken", async () => {
  const pay = (address: Address) => svm.svm.airdrop(address, lamports(5_000_000n))
  pay(await programAt(1))
  pay((await bufferAt()).address)
  pay(await programDataAddress(await programAt(0)))
  expect((await deploy()).htlc).toBe(await programAt(1))
  await verifyProgram(node(), await programAt(1))
  expect(await deploy()).toMatchObject({ htlc: await programAt(1), tx: null })
})

describe('refuses', () => {
  test('a key that cannot pay, with the amounts', async () => {
    const poor = createEd25519Key('07'.repeat(32)).signerFor(testPurpose)
    await expect(deploy({ signer: poor })).rejects.toThrow(/costs up to 0\.\d+ SOL; \w+ holds 0 SOL.*send it 0\.\d+ SOL or more/)
    expect(sent).toBe(0)
  })

  test('another program, an account without a program, and ours with an authority', async () => {
    await deploy()
    const [program, data] = [await programAt(), await programDataAddress(await programAt())]
    const code = svm.data(data) ?? new Uint8Array(0)
    await expect(verifyProgram(node(), deployer())).rejects.toThrow('there is none')
    await expect(verifyProgram(node(), data)).rejects.toThrow('not a program of the upgradeable loader')

    const withAuthority = Uint8Array.from(code)
    withAuthority.set([1, ...Buffer.alloc(32, 9)], 12)
    svm.putAccount(data, loaderProgram, withAuthority)
    await expect(verifyProgram(node(), program)).rejects.toThrow('its upgrade authority is not given up')
    await expect(deploy()).rejects.toThrow('can still change it')

    const other = Uint8Array.from(code)
    other[code.length - 1] = 1
    svm.putAccount(data, loaderProgram, other)
    await expect(verifyProgram(node(), program)).rejects.toThrow(/the SHA-256 of its code is/)
    await expect(deploy()).rejects.toThrow(ChainFailure)
    await expect(deploy({ asset: sol as NonNullable<typeof sol>, listedForOthers: [program] })).rejects.toThrow('another version of ours')
  })

  test("a buffer of somebody else's", async () => {
    const buffer = (await bufferAt()).address
    svm.putAccount(buffer, loaderProgram, new Uint8Array(37 + bytes.length))
    await svm.send([initializeBuffer(buffer, svm.keys.stranger.address)])
    await expect(deploy()).rejects.toThrow('is not our buffer')
    expect(sent).toBe(0)
  })

  test('a token that is none, of Token-2022, or with other decimals', async () => {
    const [mint, other] = [svm.keys.funder.address, svm.keys.stranger.address]
    const withToken = (token: string) => deploy({ asset: { ...usdc, decimals: 6 } as NonNullable<typeof usdc>, token })
    await expect(withToken('no address')).rejects.toThrow('is not an address')
    await expect(withToken((await bufferAt()).address)).rejects.toThrow('there is no account')
    svm.putMint(other, 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address)
    await expect(withToken(other)).rejects.toThrow('only mints of the classic Token program')
    svm.putTokens(other, mint, mint, 1n)
    await expect(withToken(other)).rejects.toThrow('it is not a mint')
    svm.putMint(mint)
    await expect(deploy({ asset: { ...usdc, decimals: 8 } as NonNullable<typeof usdc>, token: mint })).rejects.toThrow(
      'expected 8 decimals, it has 6',
    )
    expect(sent).toBe(0)
    expect((await withToken(mint)).htlc).toBe(await programAt())
  })
})
