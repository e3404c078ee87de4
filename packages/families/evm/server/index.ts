/** The EVM family has every chain that runs our Solidity HTLCs and speaks the Ethereum JSON-RPC. */

import { assertPayee, assertSecret } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/client.ts'
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Address, Hex } from 'viem'
import { accountOf, parseAddress, textForms } from '../terms/address.ts'
import { evmFacts } from '../terms/facts.ts'
import {
  createContracts,
  type HtlcContract,
  initiateData,
  initiateWithSignatureData,
  redeemBatchData,
  redeemData,
  refundData,
  swapIdOf,
} from '../terms/htlc.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { createContractState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createDistributor } from './distributor.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { createGasAdvice } from './fees/gas.ts'
import { legCostOf, maxRefundCost } from './fees/leg-cost.ts'
import { verifyRelayGas } from './fees/relay-gas.ts'
import { fundingOf } from './funding.ts'
import { limitsOf, parseSignature, spendableOf, verifyInitiation, verifySignature } from './gasless.ts'
import { createInstantRefund } from './instant-refund.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import { newHeadsOf } from './nodes/new-heads.ts'
import type { EvmNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { createOracle } from './oracle.ts'
import { verifyPayout } from './send/payout.ts'
import type { TransactionCall } from './send/transaction.ts'

export const evm: ChainFamily = {
  ...evmFacts,
  connect: (chain, options) => createEvmClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

export function createEvmClient(chain: Chain, options: ConnectOptions, node: EvmNode): ChainClient {
  const contracts = createContracts(chain, options.assets)
  const state = createContractState(node)
  const reader = createEventReader(node, contracts, chain)
  const executor = createExecutor(chain, node, state)
  const gas = createGasAdvice(node)
  const relay = options.relay === undefined ? null : accountOf(options.relay(evm.curve))

  return {
    chain,
    curve: evm.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),

    verifyNode: () => verifyNode(chain, node, state, contracts),
    ...blocksOf(node, chain),
    events: reader.read,
    branchEvents: reader.readBranch,
    readHtlc(terms) {
      const contract = contracts.of(terms.asset)
      return readContractHtlc(chain.id, swapIdOf(contract, terms), terms, () => state.htlc(contract, terms))
    },
    balance(asset, owner) {
      // The native coin pays for gas, even if it cannot be swapped here.
      if (asset === chain.nativeAsset) return node.balance(owner as Address)
      const { token } = contracts.of(asset)
      return token === null ? node.balance(owner as Address) : state.tokenBalance(token, owner as Address)
    },
    funding: (request) => fundingOf(node, gas, state, contracts.of(request.terms.asset), request),
    async verifyPayout(terms, to) {
      assertPayee(to?.toLowerCase() ?? null, terms.redeemer.toLowerCase())
      await verifyPayout(node, chain, contracts.of(terms.asset), terms)
    },

    checkRecipient: async (address, asset, payout) =>
      payout === null ? null : checkRecipient(node, chain, contracts.of(asset), asset, parseAddress(address), payout, relay),

    async initiate(terms, outbox) {
      const contract = contracts.of(terms.asset)
      const data = initiateData(terms, accountOf(outbox.key))
      const call = { to: contract.address, data, value: contract.token === null ? terms.amount : 0n }
      return executor.send({ verb: 'initiate', contract, terms, call, paysAmount: true }, outbox)
    },
    async redeem(terms, { to, secret }, outbox) {
      assertPayee(to?.toLowerCase() ?? null, terms.redeemer.toLowerCase())
      assertSecret(secret, terms)
      return settle('redeem', terms, redeemData(terms, secret), outbox)
    },
    async refund(terms, { to }, outbox) {
      assertPayee(to?.toLowerCase() ?? null, terms.initiator.toLowerCase())
      return settle('refund', terms, refundData(terms), outbox)
    },

    batchRedeem: {
      async areRedeemable(items) {
        const states = await Promise.all(items.map(({ terms }) => state.htlc(contracts.of(terms.asset), terms)))
        return states.map((one) => one === 'open')
      },
      redeem: redeemBatch,
    },
    instantRefund: createInstantRefund({
      contractOf: ({ asset }) => contracts.of(asset),
      maxCost: ({ asset, initiator }) => maxRefundCost(node, chain, contracts.of(asset), initiator as Address),
      send: (terms, data, outbox) => settle('refund', terms, data, outbox),
    }),
    cancel: executor.cancelUnmined,
    legCost: async (asset) => legCostOf(node, chain, contracts.of(asset)),
    gasless: {
      supports: (asset) => contracts.of(asset).token !== null,
      async verify(terms, signature) {
        const contract = contracts.of(terms.asset)
        const parsed = parseSignature(signature)
        await verifySignature(node, contract, terms, parsed)
        await verifyInitiation(node, state, contract, terms, parsed)
        await verifyRelayGas(node, chain, relayCall(contract, terms, parsed))
      },
      async initiate(terms, signature, outbox) {
        const contract = contracts.of(terms.asset)
        const parsed = parseSignature(signature)
        const call = relayCall(contract, terms, parsed)
        const { reverted: revertsPaidFor } = await limitsOf(contract, terms, parsed)
        return executor.send({ verb: 'initiate', contract, terms, call, paysAmount: false, revertsPaidFor }, outbox)
      },
      limits: async (terms, signature) => limitsOf(contracts.of(terms.asset), terms, parseSignature(signature)),
      spendable: (terms) => spendableOf(state, contracts.of(terms.asset), terms),
      hasReverted: async (tx) => (await node.outcome(tx)) === 'reverted',
    },

    oracle: createOracle(node),
    distributor: createDistributor(chain, node, contracts),
    inspectProviders: () => inspectNodes(chain, options),
    ...(options.endpoints.ws !== undefined && { newBlocks: newHeadsOf(options.endpoints.ws) }),
    async close() {
      node.close()
    },
  }

  async function redeemBatch(items: readonly RedeemItem[], outbox: Outbox): Promise<string> {
    const [first, ...others] = items
    if (first === undefined) throw new Error('a batch without redeems')
    for (const { terms, secret } of items) assertSecret(secret, terms)
    if (others.length === 0) return settle('redeem', first.terms, redeemData(first.terms, first.secret), outbox)
    const { asset, redeemer } = first.terms
    if (others.some(({ terms }) => terms.asset !== asset || terms.redeemer.toLowerCase() !== redeemer.toLowerCase()))
      throw new Error('a batch has one asset and one redeemer')
    const contract = contracts.of(asset)
    const batch = items.map(({ terms }) => terms)
    const call = { to: contract.address, data: redeemBatchData(items), value: 0n }
    return executor.send({ verb: 'redeem', contract, terms: first.terms, batch, call, paysAmount: false }, outbox)
  }

  function settle(verb: 'redeem' | 'refund', terms: HtlcTerms, data: `0x${string}`, outbox: Parameters<ChainClient['refund']>[2]) {
    const contract = contracts.of(terms.asset)
    return executor.send({ verb, contract, terms, call: { to: contract.address, data, value: 0n }, paysAmount: false }, outbox)
  }
}

function relayCall(contract: HtlcContract, terms: HtlcTerms, signature: Hex): TransactionCall {
  return { to: contract.address, data: initiateWithSignatureData(terms, signature), value: 0n }
}
