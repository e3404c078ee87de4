/** Declares the Sui family: our Move module locks SUI and any other coin, in one shared registry for each type. Heights are checkpoints. */

import { contractClient } from '@tandem/chain-kit/contract/client.ts'
import type { ChainClient, FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { accountOf, parseAddress, textForms } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { suiFacts } from '../terms/facts.ts'
import { type Contracts, coinTypeOf, createContracts, swapIdOf } from '../terms/htlc.ts'
import { initiateCallOf, transactionWith } from '../terms/send/call.ts'
import { blocksOf } from './blocks.ts'
import { readHtlcState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createDeployments, type Deployed } from './deployments.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { legCostOf, payoutGas } from './fees/gas.ts'
import { createInstantRefund } from './instant-refund.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import type { NodeCoin, SuiNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { createPermit } from './permit.ts'
import { chooseCoins } from './send/coins.ts'
import { tryPayout } from './send/payout.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'
import { verifyPackage } from './verify-package.ts'

export const sui: ChainFamily = {
  ...suiFacts,
  signingFacts,
  connect: (chain, options) => createSuiClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

/** The client closes `node`. */
function createSuiClient(chain: Chain, options: ConnectOptions, node: SuiNode): ChainClient {
  const contracts = createContracts(chain, options.assets)
  const deployments = createDeployments(node, (packageId) => verifyPackage(node, packageId))
  const reader = createEventReader(node, contracts, deployments)
  const executor = createExecutor(chain, node, deployments)

  return {
    chain,
    curve: sui.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    permitSigning: createPermit(chain, contracts),
    ...contractClient({
      chain,
      contracts,
      swapIdOf,
      stateOf: async (contract, terms) => readHtlcState(node, await deployments.of(contract), terms),
      tryPayout: ({ coinType }, terms) => tryPayout(node, coinType, terms.redeemer, parseAddress(terms.initiator)),
      executor,
    }),

    verifyNode: () => verifyNode(chain, node, contracts, deployments),
    ...blocksOf(node),
    events: reader.read,
    branchEvents: reader.readBranch,
    balance: (asset, owner) => balanceOf(node, chain, contracts, asset, owner),
    funding: async (request) => fundingOf(node, await deployments.of(contracts.of(request.terms.asset)), request),
    async legCost(asset) {
      contracts.of(asset)
      return legCostOf(node)
    },
    instantRefund: createInstantRefund(contracts, executor),
    checkRecipient: (address) => checkRecipient(node, address),
    ...(contracts.all.some(({ coinType }) => coinType !== SUI_TYPE) && { payoutGas }),
    transfer: createTransfer(chain, node, contracts),
    inspectProviders: () => inspectNodes(chain, options),
    async close() {
      node.close()
    },
  }
}

function balanceOf(node: Pick<SuiNode, 'balance'>, chain: Chain, contracts: Contracts, asset: AssetId, owner: string): Promise<bigint> {
  return node.balance(parseAddress(owner), coinTypeOf(chain, contracts, asset))
}

/** Nobody could move what some recipients receive: addresses of objects have the form of accounts. The check takes one request. */
async function checkRecipient(node: Pick<SuiNode, 'object'>, address: string): Promise<string | null> {
  const found = await node.object(parseAddress(address))
  if (found === null) return null
  const what = found.type === 'package' ? 'a package' : 'an object'
  return `${address} is ${what}, not an account: nobody could spend what it receives`
}

/**
 * The user's wallet adds sender and gas to this transaction kind. All objects are named with their versions, so that wallets need no node
 * to read it. SUI is split from the gas. Other coins are the payer's own, as few as suffice.
 */
export async function fundingOf(
  node: Pick<SuiNode, 'coins'>,
  deployed: Deployed,
  { terms, deadline, payer }: FundingRequest,
): Promise<Funding> {
  const coins = deployed.coinType === SUI_TYPE ? [] : await coinsOf(node, deployed, payer ?? terms.initiator, terms.amount)
  const tx = transactionWith(initiateCallOf(deployed, terms, deadline * 1000n), coins)
  return { kind: 'programmableTransaction', bytes: await tx.build({ onlyTransactionKind: true }) }
}

/** The list is empty if the coins do not suffice: they may come later, and GET /orders/{order_id}/funding then names them. */
async function coinsOf(node: Pick<SuiNode, 'coins'>, { coinType }: Deployed, payer: string, amount: bigint): Promise<readonly NodeCoin[]> {
  const coins = await node.coins(parseAddress(payer), coinType)
  return chooseCoins(coins, amount, coins.length)?.coins ?? []
}
