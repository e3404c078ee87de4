// Starts a local chain for contract tests and gas measurements. Each call is mined at once.
import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeDeployData,
  type Hex,
  numberToHex,
  type PrivateKeyAccount,
  type RpcTransactionReceipt,
  size,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createEdrProvider } from '../local/edr-provider.ts'
import { distributor } from './artifacts/distributor.ts'
import { htlcCore } from './artifacts/htlc-core.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'

interface Call {
  readonly from: PrivateKeyAccount
  readonly to: Address
  readonly data?: Hex
  readonly value?: bigint
}

interface Attempt extends Omit<Call, 'from'> {
  readonly from: Address
}

export interface ContractFixture {
  readonly chainId: number
  readonly deployer: PrivateKeyAccount
  readonly accounts: readonly [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
  request: Awaited<ReturnType<typeof createEdrProvider>>['request']
  deploy(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args?: readonly unknown[]): Promise<Address>
  send(call: Call): Promise<RpcTransactionReceipt>
  attempt(call: Attempt): Promise<{ readonly receipt: RpcTransactionReceipt; readonly error: string | null }>
  read(to: Address, data: Hex): Promise<Hex>
  /** EIP-7702 gives an account the code of a contract, as its key's owner would. */
  delegate(account: PrivateKeyAccount, to: Address): Promise<void>
  nativeBalance(address: Address): Promise<bigint>
  passTime(seconds: bigint): Promise<void>
}

const gasLimit = 5_000_000n
const maxFeePerGas = 10_000_000_000n
const initialBalance = 10n ** 24n
const knownErrors = [...htlcTrc20.abi, ...htlcNative.abi, ...htlcCore.abi, ...distributor.abi].filter((item) => item.type === 'error')

const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** The same deployer gives contracts the same addresses on several chains. */
export async function createContractFixture({ chainId = 31337, deployer = newAccount() } = {}): Promise<ContractFixture> {
  const accounts = [newAccount(), newAccount(), newAccount()] as const
  const funded = [deployer, ...accounts].map((account) => account.address)
  const { request } = await createEdrProvider({ chainId, funded, balance: initialBalance, autoMine: true })

  const receiptOf = async (hash: unknown) =>
    (await request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt

  /** The sender is impersonated: contracts cannot see the difference, and signing takes longer. */
  async function mine(from: Address, transaction: { to?: Address; data: Hex; value?: Hex }): Promise<RpcTransactionReceipt> {
    await request({ method: 'hardhat_impersonateAccount', params: [from] })
    const fees = { gas: numberToHex(gasLimit), gasPrice: numberToHex(maxFeePerGas) }
    return receiptOf(await request({ method: 'eth_sendTransaction', params: [{ from, ...transaction, ...fees }] }))
  }

  const fixture: ContractFixture = {
    chainId,
    deployer,
    accounts,
    request,
    async deploy(artifact, args = []) {
      const receipt = await mine(deployer.address, { data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }) })
      if (receipt.status !== '0x1') throw new Error(`deployment reverted with ${await revertName(receipt.transactionHash)}`)
      if (!receipt.contractAddress) throw new Error('the receipt of a deployment names no contract')
      return receipt.contractAddress
    },
    async send({ from, ...call }) {
      const { receipt, error } = await fixture.attempt({ from: from.address, ...call })
      if (error !== null) throw new Error(`reverted with ${error}`)
      return receipt
    },
    async attempt({ from, to, data = '0x', value = 0n }) {
      const receipt = await mine(from, { to, data, value: numberToHex(value) })
      return { receipt, error: receipt.status === '0x1' ? null : await revertName(receipt.transactionHash) }
    },
    async read(to, data) {
      return (await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
    },
    async delegate(account, to) {
      const nonceOf = async (of: Address) => Number(await request({ method: 'eth_getTransactionCount', params: [of, 'latest'] }))
      const authorization = await account.signAuthorization({ contractAddress: to, chainId, nonce: await nonceOf(account.address) })
      const signed = await deployer.signTransaction({
        type: 'eip7702',
        authorizationList: [authorization],
        chainId,
        nonce: await nonceOf(deployer.address),
        gas: gasLimit,
        maxFeePerGas,
        to: deployer.address,
      })
      const receipt = await receiptOf(await request({ method: 'eth_sendRawTransaction', params: [signed] }))
      if (receipt.status !== '0x1') throw new Error('delegation reverted')
    },
    async nativeBalance(address) {
      return BigInt((await request({ method: 'eth_getBalance', params: [address, 'latest'] })) as Hex)
    },
    async passTime(seconds) {
      await request({ method: 'evm_increaseTime', params: [numberToHex(seconds)] })
      await request({ method: 'evm_mine' })
    },
  }
  return fixture

  /** A receipt has no revert data, so the name is read from the trace. */
  async function revertName(hash: Hex): Promise<string> {
    const options = { disableStorage: true, disableMemory: true, disableStack: true }
    const trace = (await request({ method: 'debug_traceTransaction', params: [hash, options] })) as { returnValue: string }
    const data: Hex = trace.returnValue.startsWith('0x') ? (trace.returnValue as Hex) : `0x${trace.returnValue}`
    return size(data) < 4 ? 'no reason' : decodeErrorResult({ abi: knownErrors, data }).errorName
  }
}
