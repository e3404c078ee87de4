// `tandem refund` with the package of a deposit address runs against a real EVM here: its contract decides who may return what.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { family } from '@tandem/evm/browser/index.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { startEvmChain } from '@tandem/evm/local/evm-chain.ts'
import { createEvmSender } from '@tandem/evm/local/evm-sender.ts'
import { deployLocalContracts, type LocalContracts } from '@tandem/evm/local/local-contracts.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { type DepositPackage, writeDepositPackage } from '@tandem/protocol/funding/deposit-package.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from './command.fixture.ts'
import { type RefundOptions, refundCommand } from './refund.ts'

const [owner, stranger, poor] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
const to = privateKeyToAddress(owner).toLowerCase()
const wbtc = 'ethereum_localnet:wbtc'
const chain = opened(() => startEvmChain({ chainId: 31337, keys: [owner, stranger] }))
let contracts: LocalContracts
let folder: string
const inFolder = (name: string) => join(folder, name)

beforeAll(async () => {
  contracts = await deployLocalContracts(chain, stranger)
  folder = await mkdtemp(join(tmpdir(), 'tandem-refund-deposit-'))
  await writeFile(inFolder('owner'), `${owner.slice(2)}\n`)
  await writeFile(inFolder('stranger'), `${stranger}\n`)
  await writeFile(inFolder('poor'), poor)
  await writeFile(inFolder('no-key'), 'zz\n')
})
afterAll(() => rm(folder, { recursive: true }))

const now = () => BigInt(Math.floor(Date.now() / 1000))

/** The package of a new order. */
function packageFor(deadline: bigint, initiator = to): DepositPackage {
  const [row, asset] = [localChains.find(({ id }) => id === 'ethereum_localnet'), localAssets.find(({ id }) => id === wbtc)]
  if (row === undefined || asset === undefined || family.depositAddresses === undefined)
    throw new Error('the chain has no deposit addresses')
  const terms = {
    asset: asset.id,
    initiator,
    redeemer: `0x${'5'.repeat(40)}`,
    timelock: 1_200n,
    amount: 1_000n,
    secretHash: hashSecret(createSecret()),
  }
  const deployment = { htlc: contracts.htlcs.wbtc.toLowerCase(), token: contracts.tokens.wbtc.toLowerCase() }
  const address = family.depositAddresses.addressOf({ chain: row, asset, deployment, terms, deadline })
  return writeDepositPackage({ family: row.family, chain: row.id, terms, deadline, address }, deployment)
}

async function pay(address: string, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [address as Address, amount] })
  await createEvmSender(chain, stranger).send([{ to: contracts.tokens.wbtc, data }])
}

async function paid(deadline: bigint, amount: bigint): Promise<DepositPackage> {
  const given = packageFor(deadline)
  await pay(given.address, amount)
  return given
}

async function balance(of: string): Promise<bigint> {
  const data = encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [of as Address] })
  return BigInt((await chain.request({ method: 'eth_call', params: [{ to: contracts.tokens.wbtc, data }, 'latest'] })) as Hex)
}

async function run(given: object, options: RefundOptions = {}) {
  await writeFile(inFolder('package.json'), JSON.stringify(given))
  const keyFile = options.keyFile === undefined ? {} : { keyFile: inFolder(options.keyFile) }
  const usual = { package: inFolder('package.json'), node: `rpc=${chain.rpcUrl}` }
  return runCommand((terminal) => refundCommand({ ...usual, ...options, ...keyFile }, terminal))
}

test('without --broadcast it shows what is there, needs no key and sends nothing; the whole answer of the service is understood', async () => {
  const given = await paid(now() + 600n, 700n)
  const { notes, answer } = await run({ status: 'Ok', result: { order_id: 'ab', refund_package: given } })
  expect(answer).toBe('700')
  expect(notes).toMatch(`holds     700 of ${wbtc}`)
  expect(notes).toMatch(`goes to   ${to}`)
  expect(notes).toMatch('Nothing is sent')
  const told = { chain: 'ethereum_localnet', address: given.address, asset: wbtc, held: '700', to, deadline: Number(given.deadline) }
  expect(JSON.parse((await run(given, { json: true })).answer)).toEqual({ ...told, txid: null, sent: false })
  expect(await balance(given.address)).toBe(700n)
  expect((await run(packageFor(now()))).notes).toMatch('There is nothing to return')
})

test('before the deadline the key of the owner returns it, and no other one', async () => {
  const given = await paid(now() + 600n, 700n)
  const before = await balance(to)
  await expect(run(given, { keyFile: 'stranger', broadcast: true })).rejects.toThrow(
    /HTLC__NotReturnable: until 20.* only the owner, 0x.* wait$/,
  )
  expect(await balance(given.address)).toBe(700n)
  const { notes, answer } = await run(given, { keyFile: 'owner', broadcast: true })
  expect(notes).toMatch('It is sent:')
  expect(answer).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await balance(to)).toBe(before + 700n)
})

test('an owner whose key cannot pay the fee is not told to wait', async () => {
  const given = packageFor(now() + 600n, privateKeyToAddress(poor).toLowerCase())
  await pay(given.address, 700n)
  const error = await run(given, { keyFile: 'poor', broadcast: true }).then(String, (thrown: Error) => thrown.message)
  expect(error).toMatch(/the native coin of ethereum_localnet/)
  expect(error).not.toMatch(/until|wait/)
})

test('after the deadline any key returns it to the owner, payment after payment, and sends nothing for nothing', async () => {
  const given = await paid(now() - 60n, 700n)
  const before = await balance(to)
  const nothing = () =>
    expect(run(given, { keyFile: 'stranger', broadcast: true })).rejects.toThrow(/there is nothing of .*nothing is sent/)
  const { answer } = await run(given, { keyFile: 'stranger', broadcast: true, json: true })
  expect(JSON.parse(answer)).toMatchObject({ held: '700', sent: true, txid: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  await nothing()
  await pay(given.address, 50n)
  await run(given, { keyFile: 'stranger', broadcast: true })
  await nothing()
  expect(await balance(to)).toBe(before + 750n)
})

test.each<[string, Partial<Record<keyof DepositPackage, string | null>>, RegExp]>([
  ['owner', { initiator: `0x${'6'.repeat(40)}` }, /parts of the package disagree/],
  ['redeemer', { redeemer: `0x${'6'.repeat(40)}` }, /parts of the package disagree/],
  ['amount', { amount: '1001' }, /parts of the package disagree/],
  ['timelock', { timelock: '1201' }, /parts of the package disagree/],
  ['secret hash', { secret_hash: 'cd'.repeat(32) }, /parts of the package disagree/],
  ['deadline', { deadline: '7' }, /parts of the package disagree/],
  ['contract', { htlc: `0x${'6'.repeat(40)}` }, /parts of the package disagree/],
  ['address', { address: `0x${'6'.repeat(40)}` }, /parts of the package disagree/],
  ['family', { family: 'tron' }, /parts of the package disagree/],
  ['token', { token: `0x${'6'.repeat(40)}` }, /is not that of our HTLC|no code|token/],
  ['chain', { chain: 'ethereum_lokalnet' }, /do you mean "ethereum_localnet"/],
  ['chain and asset', { chain: 'arbitrum_localnet', asset: 'arbitrum_localnet:wbtc' }, /disagree|expected evm:31338/],
  ['asset', { asset: 'ethereum_localnet:wbtd' }, /there is no asset "ethereum_localnet:wbtd" on ethereum_localnet/],
  ['form', { amount: '-1' }, /not the refund package of a deposit address/],
])('a package with another %s is refused, and nothing moves', async (_, change, words) => {
  const given = await paid(now() - 60n, 700n)
  await expect(run({ ...given, ...change }, { keyFile: 'owner', broadcast: true })).rejects.toThrow(words)
  expect(await balance(given.address)).toBe(700n)
})

test.each<[string, RefundOptions, RegExp]>([
  ['a recipient and a fee', { to: `0x${'6'.repeat(40)}`, feeRate: '5' }, /^--to, --fee-rate: not for a deposit address/],
  ['a deposit', { deposit: ['ab:0:1'] }, /^--deposit: not for a deposit address/],
  ['no key to send with', { broadcast: true }, /--broadcast needs a key that pays the fee: --key-file/],
  ['a node of another kind', { node: 'esplora=http://user:hidden@127.0.0.1:1' }, /give --node rpc=URL/],
])('refuses %s', async (_, options, words) => {
  const error = await run(packageFor(now()), options).then(String, (thrown: Error) => thrown.message)
  expect(error).toMatch(words)
  expect(error).not.toContain('hidden')
})

test('a malformed key is not shown', async () => {
  const given = await paid(now() - 60n, 700n)
  await expect(run(given, { keyFile: 'no-key', broadcast: true })).rejects.toThrow(/^(?!.*zz).*32 bytes as hex/)
})

test('without a node the public ones are asked, if there are any', async () => {
  await writeFile(inFolder('package.json'), JSON.stringify(packageFor(now())))
  await expect(runCommand((terminal) => refundCommand({ package: inFolder('package.json') }, terminal))).rejects.toThrow(
    'no public nodes of ethereum_localnet are known: give one with --node rpc=URL',
  )
})
