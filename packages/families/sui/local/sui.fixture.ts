// Starts a chain for tests: our HTLC is published, with registries for SUI and USDC, and accounts own coins of both.
import { randomBytes } from 'node:crypto'
import { SuiGrpcClient } from '@mysten/sui/grpc'
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import type { Deployment } from '../contract/client/calls.ts'
import { keypairOf } from './account-keys.ts'
import { USDC_TYPE } from './chain/genesis.ts'
import { deployLocalContracts, type LocalRegistry } from './local-contracts.ts'
import { createLocalSender, type LocalSender } from './local-sender.ts'
import { SUI_TYPE } from './objects/types.ts'
import { payCoins } from './pay-coins.ts'
import { type SuiChain, type SuiChainOptions, startSuiChain } from './sui-chain.ts'

export type FixtureAccount = {
  /** The key is an ed25519 seed, as hex with 0x. */
  readonly privateKey: `0x${string}`
  readonly address: string
  readonly keypair: Ed25519Keypair
  readonly sender: LocalSender
}

export interface SuiFixture {
  readonly chain: SuiChain
  readonly url: string
  readonly client: SuiGrpcClient
  readonly packageId: string
  readonly htlcs: { readonly sui: Deployment; readonly usdc: Deployment }
  /** The faucet owns the supply. */
  readonly faucet: FixtureAccount
  /** Each account has 1,000 SUI in one coin, and 1,000,000 USDC in one coin. */
  readonly accounts: readonly [FixtureAccount, FixtureAccount, FixtureAccount]
  /** Each amount is one coin. */
  fund(coinType: string, address: string, ...amounts: readonly bigint[]): Promise<void>
  balance(coinType: string, address: string): Promise<bigint>
  close(): Promise<void>
}

export const SUI = 10n ** 9n
export const USDC = 10n ** 6n

export function newKey(): `0x${string}` {
  return `0x${randomBytes(32).toString('hex')}`
}

export function newAccount(chain: SuiChain): FixtureAccount {
  const privateKey = newKey()
  const keypair = keypairOf(privateKey)
  return { privateKey, keypair, address: keypair.toSuiAddress(), sender: createLocalSender(chain.node, keypair) }
}

/** `mining` is `manual` unless the options say otherwise; what the fixture itself needs is in checkpoints. */
export async function openSuiFixture(options: Omit<SuiChainOptions, 'owners'> = {}): Promise<SuiFixture> {
  const faucetKeypair = new Ed25519Keypair()
  const chain = await startSuiChain({ mining: 'manual', ...options, owners: [faucetKeypair.toSuiAddress()] })
  const sender = createLocalSender(chain.node, faucetKeypair)
  const { packageId, sui, usdc } = await deployLocalContracts(sender)
  const accounts = [newAccount(chain), newAccount(chain), newAccount(chain)] as const
  for (const { address } of accounts) {
    await payCoins(sender, SUI_TYPE, address, [1_000n * SUI])
    await payCoins(sender, USDC_TYPE, address, [1_000_000n * USDC])
  }
  chain.mine()
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: chain.url })
  const deployment = ({ id, initialSharedVersion, coinType }: LocalRegistry): Deployment => ({
    packageId,
    registry: id,
    initialSharedVersion,
    coinType,
  })
  return {
    chain,
    url: chain.url,
    client,
    packageId,
    htlcs: { sui: deployment(sui), usdc: deployment(usdc) },
    faucet: { privateKey: '0x', keypair: faucetKeypair, address: faucetKeypair.toSuiAddress(), sender },
    accounts,
    async fund(coinType, address, ...amounts) {
      await payCoins(sender, coinType, address, amounts)
    },
    balance: async (coinType, owner) => BigInt((await client.getBalance({ owner, coinType })).balance.balance),
    close: chain.close,
  }
}
