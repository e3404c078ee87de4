// A chain of its own for contract tests and gas measurements, on which sending a call means mining it.
import {
  type Abi,
  type Address,
  decodeErrorResult,
  encodeDeployData,
  type Hex,
  numberToHex,
  type PrivateKeyAccount,
  type RpcTransactionReceipt,
  type SignedAuthorizationList,
  size,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createEdrProvider } from '../../devnet/evm/edr-provider.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'

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
  /** Funded with native coin; `deployer` is none of the parties of a test. */
  readonly deployer: PrivateKeyAccount
  readonly accounts: readonly [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
  request: Awaited<ReturnType<typeof createEdrProvider>>['request']
  deploy(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args?: readonly unknown[]): Promise<Address>
  /** Mines the call and resolves to its receipt; rejects with the name of the contract's error when it reverts. */
  send(call: Call): Promise<RpcTransactionReceipt>
  /** As `send`, but as anyone, without a signature to compute, and without rejecting: for long sequences of calls. */
  attempt(call: Attempt): Promise<{ readonly receipt: RpcTransactionReceipt; readonly error: string | null }>
  read(to: Address, data: Hex): Promise<Hex>
  /** Gives an account the code of a contract by EIP-7702, as its key's owner would. */
  delegate(account: PrivateKeyAccount, to: Address): Promise<void>
  nativeBalance(address: Address): Promise<bigint>
  /** Lets the given seconds pass, as seen by the next block. */
  passTime(seconds: bigint): Promise<void>
}

const gasLimit = 5_000_000n
const maxFeePerGas = 10_000_000_000n
const initialBalance = 10n ** 24n
const knownErrors = [...htlcErc20.abi, ...htlcNative.abi].filter((item) => item.type === 'error')

const newAccount = () => privateKeyToAccount(generatePrivateKey())

/** The same deployer gives contracts the same addresses on several chains. */
export async function createContractFixture({ chainId = 31337, deployer = newAccount() } = {}): Promise<ContractFixture> {
  const accounts = [newAccount(), newAccount(), newAccount()] as const
  const funded = [deployer, ...accounts].map((account) => account.address)
  const { request } = await createEdrProvider({ chainId, funded, balance: initialBalance, autoMine: true })

  async function transact(
    from: PrivateKeyAccount,
    transaction: { to?: Address; data?: Hex; value?: bigint; authorizationList?: SignedAuthorizationList },
  ): Promise<RpcTransactionReceipt> {
    const nonce = Number(await request({ method: 'eth_getTransactionCount', params: [from.address, 'latest'] }))
    const { authorizationList, ...call } = transaction
    const envelope = { chainId, nonce, gas: gasLimit, maxFeePerGas, maxPriorityFeePerGas: 0n, ...call }
    const signed =
      authorizationList === undefined
        ? await from.signTransaction({ type: 'eip1559', ...envelope })
        : await from.signTransaction({ type: 'eip7702', authorizationList, ...envelope })
    const hash = await request({ method: 'eth_sendRawTransaction', params: [signed] })
    return (await request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt
  }

  return {
    chainId,
    deployer,
    accounts,
    request,
    async deploy(artifact, args = []) {
      const receipt = await transact(deployer, { data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }) })
      if (receipt.status !== '0x1' || !receipt.contractAddress) throw new Error('deployment reverted')
      return receipt.contractAddress
    },
    async send({ from, to, data = '0x', value = 0n }) {
      const receipt = await transact(from, { to, data, value })
      if (receipt.status === '0x1') return receipt
      throw new Error(`reverted with ${await revertName(receipt.transactionHash)}`)
    },
    async attempt({ from, to, data = '0x', value = 0n }) {
      await request({ method: 'hardhat_impersonateAccount', params: [from] })
      const fees = { gas: numberToHex(gasLimit), gasPrice: numberToHex(maxFeePerGas) }
      const hash = await request({ method: 'eth_sendTransaction', params: [{ from, to, data, value: numberToHex(value), ...fees }] })
      const receipt = (await request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RpcTransactionReceipt
      return { receipt, error: receipt.status === '0x1' ? null : await revertName(receipt.transactionHash) }
    },
    async read(to, data) {
      return (await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
    },
    async delegate(account, to) {
      const nonce = Number(await request({ method: 'eth_getTransactionCount', params: [account.address, 'latest'] }))
      const authorization = await account.signAuthorization({ contractAddress: to, chainId, nonce })
      const receipt = await transact(deployer, { to: deployer.address, authorizationList: [authorization] })
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

  /** A receipt does not tell why a call reverted; its trace ends with what the contract returned. */
  async function revertName(hash: Hex): Promise<string> {
    const options = { disableStorage: true, disableMemory: true, disableStack: true }
    const trace = (await request({ method: 'debug_traceTransaction', params: [hash, options] })) as { returnValue: string }
    const data: Hex = trace.returnValue.startsWith('0x') ? (trace.returnValue as Hex) : `0x${trace.returnValue}`
    return size(data) < 4 ? 'no reason' : decodeErrorResult({ abi: knownErrors, data }).errorName
  }
}
