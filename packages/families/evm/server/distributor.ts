/**
 * Deploys and uses the distributor of affiliates' earnings. Its CREATE2 address follows from its code and the account that signs claims.
 */

import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { ClaimAccount, Distributor, DistributorFunding } from '@tandem/chain-kit/port/abilities/distributor.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import { distributor } from '../contract/artifacts/distributor.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { deployedCode, signatureImmutables, verifyCode } from '../terms/deploy/verify-code.ts'
import { type Contracts, chainIdOf } from '../terms/htlc.ts'
import { newestBlock } from './blocks.ts'
import { CLAIM_DOMAIN } from './claim-typed-data.ts'
import { deployContract } from './deploy/deploy.ts'
import { claimedToken, distributorCode, distributorOf } from './distributor-address.ts'
import type { EvmNode } from './nodes/node.ts'
import { createOneTransaction } from './send/one-transaction.ts'
import { asChainFailure } from './send/revert.ts'
import { evmSigning } from './signing.ts'

const NAME = 'the distributor'

export function createDistributor(chain: Chain, node: EvmNode, contracts: Contracts): Distributor {
  const chainId = chainIdOf(chain)
  const addressOf = (key: PublicKey) => distributorOf(accountOf(key))
  const codeAt = (key: PublicKey) => (address: Address) =>
    deployedCode(distributor, { ...signatureImmutables({ chainId, address }, CLAIM_DOMAIN), _signer: accountOf(key) })
  const tokenOf = (asset: AssetId): Address => claimedToken(contracts, asset)

  async function paid(contract: Address, { recipient, asset }: ClaimAccount): Promise<bigint> {
    const functionName = 'paid'
    const data = encodeFunctionData({ abi: distributor.abi, functionName, args: [parseAddress(recipient), tokenOf(asset)] })
    try {
      return await node.callAmount(
        { to: contract, data },
        (answer) => decodeFunctionResult({ abi: distributor.abi, functionName, data: answer }),
        'up',
      )
    } catch (error) {
      throw asChainFailure(error, `${functionName} of ${contract}`)
    }
  }

  async function fund({ key, asset, amount, signer, onProgress }: DistributorFunding): Promise<string> {
    const contract = addressOf(key)
    await verifyCode(node, contract, codeAt(key)(contract), NAME)
    const { token } = contracts.of(asset)
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [contract, amount] })
    const call = token === null ? ({ to: contract, data: '0x', value: amount } as const) : { to: token, data: transfer, value: 0n }
    const what = `paying ${amount} ${asset} to ${contract}`
    const gas = async () => {
      try {
        return ((await node.estimateGas({ ...call, from: accountOf(signer) })) * 6n) / 5n
      } catch (error) {
        throw asChainFailure(error, what)
      }
    }
    const transaction = createOneTransaction(chain, node, signer, call, gas)
    // The transaction decides, not the balance: claims may be paid meanwhile.
    const isReached = async () => {
      const tx = await transaction.tx()
      return tx !== null && (await node.outcome(tx)) === 'success'
    }
    onProgress(what)
    const goal = { what, isReached, send: transaction.send, confirmations: chain.requiredConfirmations }
    await sendUntilConfirmed(chain, () => newestBlock(node), goal, onProgress)
    const tx = await transaction.tx()
    if (tx === null) throw new Error(`${what}: confirmed without a transaction`)
    return tx
  }

  return {
    contractOf: addressOf,
    tokenOf,
    async isDeployed(key) {
      const contract = addressOf(key)
      if ((await node.code(contract)) === '0x') return false
      await verifyCode(node, contract, codeAt(key)(contract), NAME)
      return true
    },
    paid: (key, accounts) => Promise.all(accounts.map((account) => paid(addressOf(key), account))),
    async sign(signer, claim) {
      const distributor = { chainId, verifyingContract: addressOf(signer) }
      const signature = await evmSigning.sign('claim', signer, distributor, claim, tokenOf(claim.asset))
      // Some wallets and libraries refuse recovery ids.
      const last = (signature[64] ?? 0) + 27
      return `0x${Buffer.from([...signature.subarray(0, 64), last]).toString('hex')}`
    },
    async deploy({ key, signer, dryRun, bringDeployer = false, onProgress }) {
      const initCode = distributorCode(accountOf(key))
      const contract = { chain, node, signer, name: NAME, what: NAME, initCode, codeAt: codeAt(key), dryRun, bringDeployer, onProgress }
      const { htlc, tx, codeHash } = await deployContract(contract)
      return { contract: htlc, tx, codeHash }
    },
    fund,
  }
}
