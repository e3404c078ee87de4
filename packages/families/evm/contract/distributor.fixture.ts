// Lists what the distributor must do and refuse, as named checks: the tests run them on the artefact, the mutation test on mutants.
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict'
import {
  type Address,
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  hexToBigInt,
  type PrivateKeyAccount,
  zeroAddress,
} from 'viem'
import { blacklistToken } from './artifacts/blacklist-token.ts'
import { contractAccount } from './artifacts/contract-account.ts'
import { distributor } from './artifacts/distributor.ts'
import { falseReturnToken } from './artifacts/false-return-token.ts'
import { feeToken } from './artifacts/fee-token.ts'
import { noReturnToken } from './artifacts/no-return-token.ts'
import { reentrantAccount } from './artifacts/reentrant-account.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { testToken } from './artifacts/test-token.ts'
import type { ContractFixture } from './contract.fixture.ts'
import type { TokenArtifact } from './htlc.fixture.ts'

interface Claim {
  readonly recipient: Address
  readonly token: Address
  readonly total: bigint
}

interface DistributorSetup {
  readonly fixture: ContractFixture
  readonly contract: Address
  readonly token: Address
  readonly signer: PrivateKeyAccount
  readonly affiliate: PrivateKeyAccount
  readonly stranger: PrivateKeyAccount
  deployToken(artifact: TokenArtifact): Promise<Address>
}

const FUNDS = 1_000_000n
const invalid = 'HTLC__InvalidSignature'
const nothingDue = 'Distributor__NothingDue'
const failed = 'HTLC__TransferFailed'

async function createSetup(fixture: ContractFixture, bytecode: Hex): Promise<DistributorSetup> {
  const [signer, affiliate, stranger] = fixture.accounts
  const contract = await fixture.deploy({ ...distributor, bytecode }, [signer.address])
  const mint = (token: Address) =>
    fixture.send({
      from: stranger,
      to: token,
      data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [contract, FUNDS] }),
    })
  const deployToken = async (artifact: TokenArtifact, args: readonly unknown[] = []) => {
    const token = await fixture.deploy(artifact, args)
    await mint(token)
    return token
  }
  const token = await deployToken(testToken, ['Test', 'TEST', 8])
  await fixture.send({ from: stranger, to: contract, value: FUNDS })
  return { fixture, contract, token, signer, affiliate, stranger, deployToken }
}

function typedData({ fixture, contract }: DistributorSetup, message: Claim, domain: object = {}) {
  return {
    domain: { name: 'Distributor', version: '1', chainId: fixture.chainId, verifyingContract: contract, ...domain },
    types: {
      Claim: [
        { name: 'recipient', type: 'address' },
        { name: 'token', type: 'address' },
        { name: 'total', type: 'uint256' },
      ],
    },
    primaryType: 'Claim',
    message,
  } as const
}

const claimData = ({ recipient, token, total }: Claim, signature: Hex): Hex =>
  encodeFunctionData({ abi: distributor.abi, functionName: 'claim', args: [recipient, token, total, signature] })

const balance = async ({ fixture }: DistributorSetup, token: Address, of: Address): Promise<bigint> =>
  token === zeroAddress
    ? fixture.nativeBalance(of)
    : hexToBigInt(await fixture.read(token, encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [of] })))

const paid = async ({ fixture, contract }: DistributorSetup, { recipient, token }: Claim): Promise<bigint> =>
  hexToBigInt(await fixture.read(contract, encodeFunctionData({ abi: distributor.abi, functionName: 'paid', args: [recipient, token] })))

async function submit(setup: DistributorSetup, claim: Claim, signature?: Hex) {
  const data = claimData(claim, signature ?? (await setup.signer.signTypedData(typedData(setup, claim))))
  return setup.fixture.attempt({ from: setup.stranger.address, to: setup.contract, data })
}

/** Nothing is paid or recorded. */
async function refused(setup: DistributorSetup, claim: Claim, error: string, signature?: Hex): Promise<void> {
  const state = async () => [
    await paid(setup, claim),
    await setup.fixture.nativeBalance(setup.contract),
    await balance(setup, setup.token, setup.contract),
  ]
  const before = await state()
  equal((await submit(setup, claim, signature)).error, error)
  deepEqual(await state(), before)
}

/** The contract pays out exactly `amount`, of which `received` arrive, and its event says so. */
async function pays(setup: DistributorSetup, claim: Claim, amount: bigint, received = amount): Promise<void> {
  const { recipient, token, total } = claim
  const state = async () => [await balance(setup, token, setup.contract), await balance(setup, token, recipient)] as const
  const [held, had] = await state()
  const { receipt, error } = await submit(setup, claim)
  equal(error, null)
  deepEqual(await state(), [held - amount, had + received])
  equal(await paid(setup, claim), total)
  const events = receipt.logs.filter((log) => log.address.toLowerCase() === setup.contract.toLowerCase())
  deepEqual(
    events.map(({ data, topics }) => decodeEventLog({ abi: distributor.abi, data, topics })),
    [{ eventName: 'Claimed', args: { recipient: getAddress(recipient), token: getAddress(token), amount, total } }],
  )
}

type Check = (setup: DistributorSetup, bytecode: Hex) => Promise<void>

export const distributorChecks: Readonly<Record<string, Check>> = {
  async 'pays a total less what was paid, once, whoever submits it'(setup) {
    for (const token of [setup.token, zeroAddress]) {
      const claim = { recipient: setup.affiliate.address, token, total: 300n }
      await pays(setup, claim, 300n)
      await refused(setup, claim, nothingDue)
      await pays(setup, { ...claim, total: 450n }, 150n)
      // An older signature pays nothing, in whatever order it arrives.
      await refused(setup, { ...claim, total: 449n }, nothingDue)
      await pays(setup, { ...claim, total: 451n }, 1n)
    }
  },
  async 'counts each token and each recipient on its own'(setup) {
    const claim = { recipient: setup.affiliate.address, token: setup.token, total: 100n }
    await pays(setup, claim, 100n)
    await pays(setup, { ...claim, token: zeroAddress }, 100n)
    await pays(setup, { ...claim, recipient: setup.signer.address }, 100n)
    await refused(setup, claim, nothingDue)
  },
  async 'refuses a signature for another recipient, token, total, contract or chain, or by another key'(setup) {
    const claim = { recipient: setup.affiliate.address, token: setup.token, total: 100n }
    const signed = (change: Partial<Claim>, domain: object = {}) =>
      setup.signer.signTypedData(typedData(setup, { ...claim, ...change }, domain))
    const wrong = [
      await signed({ recipient: setup.stranger.address }),
      await signed({ token: zeroAddress }),
      await signed({ total: 99n }),
      await signed({}, { verifyingContract: setup.token }),
      await signed({}, { chainId: 1 }),
      await signed({}, { name: 'HTLC-ERC20' }),
      await setup.affiliate.signTypedData(typedData(setup, claim)),
      '0x' as const,
    ]
    for (const signature of wrong) await refused(setup, claim, invalid, signature)
    await pays(setup, claim, 100n)
  },
  async 'pays nobody by a signature for the zero address'(setup) {
    await refused(setup, { recipient: zeroAddress, token: zeroAddress, total: 1n }, 'Distributor__ZeroAddressRecipient')
  },
  async 'refuses a claim that it cannot pay in full, and pays it once it is funded'(setup) {
    for (const token of [setup.token, zeroAddress]) {
      const claim = { recipient: setup.affiliate.address, token, total: FUNDS + 1n }
      await refused(setup, claim, failed)
      const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [setup.contract, 1n] })
      const funding = token === zeroAddress ? { to: setup.contract, value: 1n } : { to: token, data: mint }
      await setup.fixture.send({ from: setup.stranger, ...funding })
      await pays(setup, claim, FUNDS + 1n)
    }
  },
  async 'gains nothing to a token that calls back while it pays'(setup) {
    const token = await setup.deployToken(reentrantToken)
    const claim = { recipient: setup.affiliate.address, token, total: 100n }
    const data = claimData(claim, await setup.signer.signTypedData(typedData(setup, claim)))
    const arm = encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.contract, data, 0n] })
    await setup.fixture.send({ from: setup.stranger, to: token, data: arm })
    await pays(setup, claim, 100n)
  },
  async 'gains nothing to a recipient that calls back while it is paid'(setup) {
    const recipient = await setup.fixture.deploy(reentrantAccount)
    const claim = { recipient, token: zeroAddress, total: 100n }
    const data = claimData(claim, await setup.signer.signTypedData(typedData(setup, claim)))
    const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [setup.contract, data, 0n] })
    await setup.fixture.send({ from: setup.stranger, to: recipient, data: arm })
    await pays(setup, claim, 100n)
    const attempted = await setup.fixture.read(recipient, encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'attempted' }))
    equal(hexToBigInt(attempted), 1n)
  },
  async 'pays tokens that return nothing; a fee on the transfer is the recipient’s'(setup) {
    const recipient = setup.affiliate.address
    await pays(setup, { recipient, token: await setup.deployToken(noReturnToken), total: 100n }, 100n)
    const fee = { recipient, token: await setup.deployToken(feeToken), total: 100n }
    await pays(setup, fee, 100n, 99n)
    await refused(setup, fee, nothingDue)
  },
  async 'records nothing if the token or the recipient refuses, so that the claim can be repeated'(setup) {
    const { fixture, stranger } = setup
    const recipient = setup.affiliate.address
    const falseReturn = await setup.deployToken(falseReturnToken)
    const setFailing = (failing: boolean) =>
      fixture.send({
        from: stranger,
        to: falseReturn,
        data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [failing] }),
      })
    await setFailing(true)
    await refused(setup, { recipient, token: falseReturn, total: 100n }, failed)
    await setFailing(false)
    await pays(setup, { recipient, token: falseReturn, total: 100n }, 100n)

    const blacklist = await setup.deployToken(blacklistToken)
    const ban = encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [recipient, true] })
    await fixture.send({ from: stranger, to: blacklist, data: ban })
    await refused(setup, { recipient, token: blacklist, total: 100n }, failed)
    await refused(setup, { recipient, token: stranger.address, total: 100n }, failed)
    await refused(setup, { recipient: await fixture.deploy(rejectingAccount), token: zeroAddress, total: 100n }, failed)
  },
  async 'has a signer, which may be a contract account'(setup, bytecode) {
    const { fixture, stranger } = setup
    await rejects(fixture.deploy({ ...distributor, bytecode }, [zeroAddress]), /deployment reverted/)
    const account = await fixture.deploy(contractAccount)
    const contract = await fixture.deploy({ ...distributor, bytecode }, [account])
    const read = await fixture.read(contract, encodeFunctionData({ abi: distributor.abi, functionName: 'signer' }))
    equal(hexToBigInt(read), hexToBigInt(account))
    notEqual(contract, setup.contract)
    await fixture.send({ from: stranger, to: contract, value: 5n })
    const other = { ...setup, contract }
    const claim = { recipient: stranger.address, token: zeroAddress, total: 5n }
    equal((await submit(other, claim, '0x12')).error, invalid)
    const digest = hashTypedData(typedData(other, claim))
    const approve = encodeFunctionData({ abi: contractAccount.abi, functionName: 'approveDigest', args: [digest, '0x12'] })
    await fixture.send({ from: stranger, to: account, data: approve })
    equal((await submit(other, claim, '0x12')).error, null)
    equal(await paid(other, claim), 5n)
  },
}

export async function checkDistributor(fixture: ContractFixture, name: string, bytecode: Hex = distributor.bytecode): Promise<void> {
  await distributorChecks[name]?.(await createSetup(fixture, bytecode), bytecode)
}

export async function playDistributor(fixture: ContractFixture, bytecode: Hex): Promise<void> {
  for (const name of Object.keys(distributorChecks)) await checkDistributor(fixture, name, bytecode)
}
