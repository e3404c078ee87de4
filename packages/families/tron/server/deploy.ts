/** Deploys the HTLC of a token on Tron, and verifies its code. The address follows from the transaction, so signing makes it known. */

import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { newestBlock } from '@tandem/evm/server/blocks.ts'
import { createContractState } from '@tandem/evm/server/contract-state.ts'
import { connectNode } from '@tandem/evm/server/nodes/connect-node.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { verifyToken } from '@tandem/evm/server/nodes/verify-token.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import { type Address, encodeDeployData, type Hex, hexToBytes, keccak256 } from 'viem'
import { fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { JSON_RPC_PATH } from '../terms/facts.ts'
import { htlcTrc20Code, tronContracts } from '../terms/htlc.ts'
import { withTronAddresses } from './error-addresses.ts'
import { readFunds, requireFunds } from './fees/fees.ts'
import { verifyTronNode } from './nodes/verify-node.ts'
import { createWalletApi, type WalletApi } from './nodes/wallet-api.ts'
import { referenceBlock, TTL_MS } from './send/lane.ts'
import { prefixed } from './send/raw-data.ts'
import { signCreation } from './send/transaction.ts'

/** Callers pay for their own calls. */
const CALLERS_SHARE_PERCENT = 100
/** Every creation must name this energy. It is unused where callers pay all. */
const ORIGIN_ENERGY = 10_000_000

type Creation = { readonly tx: string; readonly raw: Hex; readonly address: Address; readonly expiresMs: bigint }

export function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  return withTronAddresses(async () => {
    const node = connectNode(request.chain, request, JSON_RPC_PATH)
    const api = createWalletApi(request.chain, request)
    try {
      return await deploy(request, node, api)
    } finally {
      node.close()
      api.close()
    }
  })
}

async function deploy(request: DeployRequest, node: EvmNode, api: WalletApi): Promise<DeployedHtlc> {
  const { chain, asset, onProgress } = request
  const state = createContractState(node)
  await verifyTronNode(chain, node, api, state, tronContracts(chain, []))
  const token = await requireToken(request, node)
  const initCode = encodeDeployData({ abi: htlcTrc20.abi, bytecode: htlcTrc20.bytecode, args: [token] })
  const [priceSun, account] = [await api.energyPrice(), evmAccountOf(request.signer)]
  const energy = roughEnergy(initCode)
  onProgress(`deploying the HTLC of ${asset.id} takes up to ${energy} energy, or ${energy * priceSun} sun`)
  requireFunds(await readFunds(node, api, account), energy, priceSun)
  if (request.dryRun) return { htlc: 'an address that its transaction decides', tx: null, codeHash: 'one that depends on the address' }

  const made: Creation[] = []
  const success = async () => {
    for (const creation of made) if ((await node.outcome(`0x${creation.tx}`)) === 'success') return creation
    return null
  }
  const goal = {
    what: `deploying the HTLC of ${asset.id}`,
    isReached: async () => (await success()) !== null,
    send,
    confirmations: chain.requiredConfirmations,
  }
  await sendUntilConfirmed(chain, () => newestBlock(node), goal, onProgress)
  const creation = await success()
  if (creation === null) throw new ChainFailure('unreachable', 'a reorg undid the deployment: run this again')
  const htlc = fromEvmAddress(creation.address)
  const contracts = tronContracts(chain, [{ ...asset, deployment: { htlc, token: fromEvmAddress(token) } }])
  await verifyTronNode(chain, node, api, state, contracts)
  const codeHash = keccak256(htlcTrc20Code(chain, contracts.of(asset.id)))
  onProgress(`deployed at ${htlc} in ${creation.tx}; verified: its code has the hash ${codeHash}, and it locks ${fromEvmAddress(token)}`)
  return { htlc, tx: creation.tx, codeHash }

  async function send(): Promise<void> {
    const tip = await newestBlock(node)
    for (const { tx, raw, expiresMs } of made) {
      if ((await node.outcome(`0x${tx}`)) === 'reverted')
        throw new ChainFailure('would-fail', `the deployment ${tx} reverted: ${(await api.result(tx))?.result ?? 'no result'}`)
      if (expiresMs <= tip.time * 1000n) continue
      // Ignore the node's answer. The chain would accept a second deployment too, so none is signed before the first has expired.
      await api.broadcast({ tx, raw })
      return
    }
    const frame = {
      reference: await referenceBlock(node, tip),
      nowMs: tip.time * 1000n,
      ttlMs: TTL_MS,
      feeLimitSun: energy * priceSun,
      energyPriceSun: priceSun,
    }
    const creation = {
      initCode,
      name: htlcTrc20.contractName,
      callersSharePercent: CALLERS_SHARE_PERCENT,
      originEnergy: ORIGIN_ENERGY,
    }
    const { tx, raw } = await signCreation(request.signer, creation, frame)
    // Tron derives the address of a contract by this rule.
    const address: Address = `0x${keccak256(`0x${tx}${prefixed(account)}`).slice(-40)}`
    made.push({ tx, raw: raw as Hex, address, expiresMs: frame.nowMs + TTL_MS })
    onProgress(`deploying at ${fromEvmAddress(address)}`)
    await api.broadcast({ tx, raw: raw as Hex })
  }
}

async function requireToken({ chain, asset, token }: DeployRequest, node: EvmNode): Promise<Address> {
  if (token === null) throw new ChainFailure('would-fail', `${chain.id}: ${asset.id} is the chain's own coin, for which there is no HTLC`)
  const address = toEvmAddress(token)
  await verifyToken(chain, node, asset, address, token)
  return address
}

/** Each byte of code takes 200, doubled for the constructor and the rest. */
function roughEnergy(initCode: Hex): bigint {
  return 400n * BigInt(hexToBytes(initCode).length)
}
