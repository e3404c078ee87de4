/** Deploys the HTLC of a token of HyperCore on HyperEVM, and verifies that it is ours and for that token. */

import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { createContractState } from '@tandem/evm/server/contract-state.ts'
import { deployContract } from '@tandem/evm/server/deploy/deploy.ts'
import { connectNode } from '@tandem/evm/server/nodes/connect-node.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { verifyNode } from '@tandem/evm/server/nodes/verify-node.ts'
import { parseAddress } from '@tandem/evm/terms/address.ts'
import { chainIdOf, createContracts } from '@tandem/evm/terms/htlc.ts'
import { type Address, encodeDeployData } from 'viem'
import { htlcCoreCode } from '../terms/htlc.ts'
import { hasCoreAccount, type TokenInfo, tokenInfoOf } from './core-account.ts'
import { type TokenLink, verifyBridge, verifyLink } from './token-link.ts'

/** HyperCore has far fewer tokens. */
const MAX_TOKENS = 5_000n

export async function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  const { chain, asset, onProgress } = request
  if (request.token === null) throw new ChainFailure('would-fail', `${asset.id}: only tokens of HyperCore with an ERC-20 have an HTLC here`)
  const token = parseAddress(request.token)
  const node = connectNode(chain, request)
  try {
    await verifyNode(chain, node, createContractState(node), createContracts(chain, []))
    const { coreToken, info } = await findToken(node, token)
    const link: TokenLink = { coreToken, evmPerCore: 10n ** BigInt(info.extraDecimals) }
    await verifyLink(node, asset, { chainId: chainIdOf(chain), address: token, token }, link)
    onProgress(`${asset.id} is token ${coreToken} of HyperCore, 1 of its units is ${link.evmPerCore} of ${token}`)
    onProgress(
      'the deployment takes about 2.3 million gas: if the fast blocks are too small for it, let the account of the deployer use big blocks (evmUserModify of HyperCore) meanwhile',
    )
    const initCode = encodeDeployData({ abi: htlcCore.abi, bytecode: htlcCore.bytecode, args: [coreToken] })
    const codeAt = (address: Address) => htlcCoreCode({ chainId: chainIdOf(chain), address, token }, link)
    const { htlc, tx, codeHash, isThere } = await deployContract({ ...request, node, name: `the HTLC of ${asset.id}`, initCode, codeAt })
    if (isThere) {
      await verifyBridge(node, asset, { chainId: chainIdOf(chain), address: htlc as Address, token })
      onProgress(`verified: its code has the hash ${codeHash}`)
    }
    onProgress(
      `${asset.id}: make sure that its deployer on HyperCore has no freeze privilege, which no contract can see: a payment to a frozen account there is lost`,
    )
    if (!isThere || !(await hasCoreAccount(node, htlc as Address)))
      onProgress(
        `${htlc} has no account on HyperCore: send it any token there once, with a fee of one quote token; until then it pays out on HyperEVM`,
      )
    return { htlc, tx, codeHash }
  } finally {
    node.close()
  }
}

/** HyperCore numbers its tokens from zero and names the ERC-20 of each. There is no lookup by ERC-20. */
async function findToken(node: EvmNode, erc20: Address): Promise<{ readonly coreToken: bigint; readonly info: TokenInfo }> {
  for (let coreToken = 0n; coreToken < MAX_TOKENS; coreToken += 1n) {
    const info = await infoOf(node, coreToken)
    if (info === null) break
    if (info.erc20 === erc20) return { coreToken, info }
  }
  throw new ChainFailure('would-fail', `HyperCore links none of its tokens to ${erc20}`)
}

/** Null means that the last token was passed. */
async function infoOf(node: EvmNode, coreToken: bigint): Promise<TokenInfo | null> {
  try {
    return await tokenInfoOf(node, coreToken)
  } catch (error) {
    if (coreToken > 0n && error instanceof ChainFailure && error.kind === 'would-fail') return null
    throw error
  }
}
