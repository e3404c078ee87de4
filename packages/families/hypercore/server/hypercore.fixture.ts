/** Starts the HyperCore simulator with our contracts and funded parties, for the tests of this family. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createEvmSender, type EvmSender } from '@tandem/evm/local/evm-sender.ts'
import { type ChainControls, controlsOf, partyOf, type TestParty } from '@tandem/evm/server/evm.fixture.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { coreTokens } from '../local/core-state-machine.ts'
import { type HypercoreChain, startHypercoreChain } from '../local/hypercore-chain.ts'
import { createHypercoreFaucet, type HypercoreFaucet } from '../local/hypercore-faucet.ts'
import { deployLocalHypercoreContracts } from '../local/local-hypercore-contracts.ts'
import { CORE_WRITER, SPOT_BALANCE, spotBalanceInput, spotSendData, systemAddressOf } from '../terms/core.ts'
import { hypercore } from './index.ts'

export type { TestParty } from '@tandem/evm/server/evm.fixture.ts'

export interface HypercoreFixture extends ChainControls {
  readonly local: HypercoreChain
  readonly chain: Chain
  readonly contract: HtlcContract & { readonly token: Address }
  readonly asset: Asset & { readonly deployment: Deployment }
  /** The deployer mines at once. It sends transactions that do not go through the client. */
  readonly deployer: EvmSender
  readonly faucet: HypercoreFaucet
  readonly user: TestParty
  readonly solver: TestParty
  readonly relay: TestParty
  party(): Promise<TestParty>
  connect(htlc?: Address): ChainClient
  /** A wallet sends like this, without mining. A transaction with a higher `tip` comes earlier in a block. */
  sendAs(party: TestParty, transaction: { to: Address; data?: Hex; value?: bigint; gas?: bigint; tip?: bigint }): Promise<Hex>
  spotBalance(owner: Address): Promise<bigint>
  /** The balance is in units of the ERC-20. */
  evmBalance(owner: Address): Promise<bigint>
  close(): Promise<void>
}

export const EVM_PER_CORE = 10n ** 13n
/** The user and the solver hold this much each, in units of HyperCore. Nobody else has any on HyperEVM. */
export const ON_EVM = 10n ** 11n
const GWEI = 1_000_000_000n
/** Code that is not optimised needs no more. */
const DEPLOY_GAS = 10_000_000n

export async function createHypercoreFixture(): Promise<HypercoreFixture> {
  const chain = localChains.find((known) => known.id === 'hypercore_localnet')
  const listed = localAssets.find((known) => known.id === 'hypercore_localnet:purr')
  if (chain === undefined || listed === undefined) throw new Error('the local registry has no hypercore_localnet:purr')
  const [deployerKey, userKey, solverKey, relayKey] = [
    generatePrivateKey(),
    generatePrivateKey(),
    generatePrivateKey(),
    generatePrivateKey(),
  ]
  const chainId = Number(chain.reference.split(':')[1])
  const local = await startHypercoreChain({ chainId, keys: [deployerKey, userKey, solverKey, relayKey], mining: { kind: 'manual' } })
  const { token, htlc } = await deployLocalHypercoreContracts(local, deployerKey)
  const [user, solver, relay] = [partyOf(userKey), partyOf(solverKey), partyOf(relayKey)]
  const ask = async (to: Address, data: Hex) => (await local.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
  const asset = { ...listed, deployment: { htlc, token } }
  const deployer = createEvmSender(local, deployerKey)
  const controls = controlsOf(local, deployer, DEPLOY_GAS)
  const faucet = createHypercoreFaucet(local, deployerKey)

  const sendAs: HypercoreFixture['sendAs'] = async ({ account, address }, { gas = 500_000n, tip = GWEI, ...call }) => {
    const nonce = Number(await local.request({ method: 'eth_getTransactionCount', params: [address, 'pending'] }))
    const fees = { maxFeePerGas: 10n * GWEI + tip, maxPriorityFeePerGas: tip }
    const raw = await account.signTransaction({ type: 'eip1559', chainId, nonce, gas, ...fees, ...call })
    return (await local.request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
  }

  const toEvm = spotSendData({ to: systemAddressOf(coreTokens.purr), token: coreTokens.purr, amount: ON_EVM })
  for (const party of [user, solver]) await sendAs(party, { to: CORE_WRITER, data: toEvm })
  await controls.mine(2)

  return {
    local,
    chain,
    contract: { chainId, address: htlc, token },
    asset,
    deployer,
    faucet,
    user,
    solver,
    relay,
    async party() {
      const party = partyOf(generatePrivateKey())
      await deployer.send([{ to: party.address, value: 10n ** 18n }])
      return party
    },
    connect: (other = htlc) =>
      hypercore.connect(chain, {
        assets: [{ ...asset, deployment: { htlc: other, token } }],
        endpoints: { rpc: [local.rpcUrl], ws: [local.webSocketUrl] },
      }),
    ...controls,
    sendAs,
    spotBalance: async (owner) => BigInt((await ask(SPOT_BALANCE, spotBalanceInput(owner, coreTokens.purr))).slice(0, 66)),
    evmBalance: async (owner) => BigInt(await ask(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }))),
    close: () => local.close(),
  }
}

export function callsOf(funding: Funding) {
  if (funding.kind !== 'calls' || funding.transfer === undefined) throw new Error('expected calls and a transfer before them')
  return { ...funding, transfer: funding.transfer }
}

export function transactionOf({ to, data, value, gasLimit }: Call) {
  return { to: to as Address, data: data as Hex, value, gas: gasLimit }
}
