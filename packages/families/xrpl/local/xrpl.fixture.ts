// Starts a chain for tests, with accounts that own XRP, and raw requests to it.
import { randomBytes } from 'node:crypto'
import { localKey } from './account-keys.ts'
import type { Fields } from './ledger/metadata.ts'
import { accountOf } from './ledger/view.ts'
import { createLocalSender, type LocalSender } from './local-sender.ts'
import { RpcError } from './rpc/rpc-error.ts'
import { startXrplChain, type XrplChain, type XrplChainOptions } from './xrpl-chain.ts'

export const XRP = 1_000_000n

export type FixtureAccount = {
  readonly privateKey: `0x${string}`
  readonly address: string
  readonly sender: LocalSender
}

export interface XrplFixture {
  readonly chain: XrplChain
  readonly url: string
  readonly faucet: LocalSender
  readonly accounts: readonly [FixtureAccount, FixtureAccount, FixtureAccount]
  call(command: string, params?: Fields): Fields
  failure(command: string, params?: Fields): Fields
  fund(address: string, drops: bigint): void
  balance(address: string): bigint
  close(): Promise<void>
}

export function newKey(): `0x${string}` {
  return `0x${randomBytes(32).toString('hex')}`
}

/** `mining` is `manual` by default. The fixture closes the ledgers that it needs itself. */
export async function openXrplFixture(options: Omit<XrplChainOptions, 'masterAccount'> = {}): Promise<XrplFixture> {
  const faucetKey = newKey()
  const chain = await startXrplChain({ mining: 'manual', ...options, masterAccount: localKey(faucetKey).address })
  const { node } = chain
  const network = chain.networkId > 1_024 ? { NetworkID: chain.networkId } : {}
  const faucet = createLocalSender(node, faucetKey)
  const openAccount = (): FixtureAccount => {
    const privateKey = newKey()
    const sender = createLocalSender(node, privateKey)
    pay(sender.address, 10_000n * XRP)
    return { privateKey, address: sender.address, sender }
  }

  function pay(address: string, drops: bigint): void {
    const { result } = faucet.send({ TransactionType: 'Payment', Destination: address, Amount: String(drops), ...network })
    if (result !== 'tesSUCCESS') throw new Error(`the faucet cannot pay ${address}: ${result}`)
  }

  const accounts = [openAccount(), openAccount(), openAccount()] as const
  chain.mine()

  const call = (command: string, params: Fields = {}) => chain.answer({ command, api_version: 2, ...params })

  return {
    chain,
    url: chain.url,
    faucet,
    accounts,
    call,
    failure(command, params) {
      try {
        call(command, params)
      } catch (error) {
        if (error instanceof RpcError) return error.json
        throw error
      }
      throw new Error(`${command} succeeded`)
    },
    fund(address, drops) {
      pay(address, drops)
      chain.mine()
    },
    balance: (address) => BigInt(accountOf(node.history.state, address)?.Balance ?? 0),
    close: () => chain.close(),
  }
}
