/** The EVM family has every chain that runs our Solidity HTLCs and speaks the Ethereum JSON-RPC. */

import { assertPayee, assertSecret } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/client.ts'
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Address } from 'viem'
import { accountOf, parseAddress, textForms } from '../terms/address.ts'
import { allowancesOf } from '../terms/allowance.ts'
import { evmFacts } from '../terms/facts.ts'
import { createContracts, initiateData, redeemBatchData, redeemData, redeemWithGasData, refundData, swapIdOf } from '../terms/htlc.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { createContractState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createDepositProof } from './deposit-proof.ts'
import { createDeposits, verifyDeposits } from './deposits.ts'
import { createDistributor } from './distributor.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { createGasAdvice } from './fees/gas.ts'
import { DECIMALS, legCostOf, maxRefundCost } from './fees/leg-cost.ts'
import { fundingOf } from './funding.ts'
import { createInstantRefund } from './instant-refund.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import { newHeadsOf } from './nodes/new-heads.ts'
import type { EvmNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { verifyToken } from './nodes/verify-token.ts'
import { createOneSignature } from './one-signature/one-signature.ts'
import { createOracle } from './oracle.ts'
import { createPermit } from './permit.ts'
import { createGasless } from './relay.ts'
import { verifyPayout } from './send/payout.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'

export const evm: ChainFamily = {
  ...evmFacts,
  signingFacts,
  connect: (chain, options) => createEvmClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

export function createEvmClient(chain: Chain, options: ConnectOptions, node: EvmNode): ChainClient {
  const contracts = createContracts(chain, options.assets)
  const state = createContractState(node)
  const reader = createEventReader(node, contracts, chain)
  const allowanceOf = allowancesOf(options.assets)
  const executor = createExecutor(chain, node, state, allowanceOf)
  const gas = createGasAdvice(node)
  const depositProof = createDepositProof(chain, node, contracts, options.onTrouble)
  const ways = createOneSignature(node, state)
  const relay = options.relay === undefined ? null : accountOf(options.relay(evm.curve))

  return {
    chain,
    curve: evm.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),
    permitSigning: createPermit(chain, contracts, allowanceOf),

    async verifyNode() {
      await verifyNode(chain, node, state, contracts)
      for (const asset of options.assets) {
        const { token } = contracts.of(asset.id)
        if (token !== null) await verifyToken(chain, node, asset, token)
      }
      await verifyDeposits(chain, node, contracts)
      await depositProof.find()
    },
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
    funding: (request) => fundingOf({ node, gas, state, ways }, contracts.of(request.terms.asset), request),
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
    async redeem(terms, { to, secret, gas }, outbox) {
      assertPayee(to?.toLowerCase() ?? null, terms.redeemer.toLowerCase())
      assertSecret(secret, terms)
      if (gas === undefined) return settle('redeem', terms, redeemData(terms, secret), outbox)
      if (contracts.of(terms.asset).token === null)
        throw new ChainFailure('would-fail', `redeem: ${terms.asset} is itself the coin that pays for gas, so none is given with it`)
      return settle('redeem', terms, redeemWithGasData(terms, secret), outbox, gas)
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
    ...(contracts.all.some(({ token }) => token !== null) && { payoutGas: { decimals: DECIMALS, minAmount: 0n } }),
    legCost: async (asset) => legCostOf(node, chain, contracts.of(asset)),
    prefund: { ...createDeposits(chain, node, contracts, executor), isProven: depositProof.isProven },
    gasless: createGasless({ chain, node, state, ways, contractOf: ({ asset }) => contracts.of(asset), executor }),

    oracle: createOracle(node),
    transfer: createTransfer(chain, node, contracts),
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

  function settle(verb: 'redeem' | 'refund', terms: HtlcTerms, data: `0x${string}`, outbox: Outbox, value = 0n) {
    const contract = contracts.of(terms.asset)
    return executor.send({ verb, contract, terms, call: { to: contract.address, data, value }, paysAmount: false }, outbox)
  }
}
