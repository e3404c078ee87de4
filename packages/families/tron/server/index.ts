/**
 * The Tron family has the same Solidity HTLC in Tron's virtual machine. Nodes are read through their Ethereum JSON-RPC, with the code of
 * the EVM family. Addresses, transactions and fees are Tron's own.
 */

import { assertPayee, assertSecret } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/client.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { blocksOf } from '@tandem/evm/server/blocks.ts'
import { checkToken } from '@tandem/evm/server/check-recipient.ts'
import { createContractState } from '@tandem/evm/server/contract-state.ts'
import { limitsOf, parseSignature, spendableOf, verifyInitiation, verifySignature } from '@tandem/evm/server/gasless.ts'
import { createInstantRefund } from '@tandem/evm/server/instant-refund.ts'
import { connectNode, inspectNodes } from '@tandem/evm/server/nodes/connect-node.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { verifyToken } from '@tandem/evm/server/nodes/verify-token.ts'
import { accountOf as evmAccountOf } from '@tandem/evm/terms/address.ts'
import { allowancesOf } from '@tandem/evm/terms/allowance.ts'
import { initiateData, initiateWithSignatureData, redeemData, redeemWithGasData, refundData, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex } from 'viem'
import { accountOf, textForms, toEvmAddress } from '../terms/address.ts'
import { JSON_RPC_PATH, tronFacts } from '../terms/facts.ts'
import { evmTerms, tokenOf, tronContracts } from '../terms/htlc.ts'
import { deployHtlc } from './deploy.ts'
import { createDeposits } from './deposits.ts'
import { withTronAddresses } from './error-addresses.ts'
import { createEventReader } from './events.ts'
import { type Action, createExecutor } from './execute.ts'
import { DECIMALS, legCostOf } from './fees/fees.ts'
import { verifyRelayEnergy } from './fees/relay-energy.ts'
import { fundingOf } from './funding.ts'
import { verifyTronNode } from './nodes/verify-node.ts'
import { createWalletApi } from './nodes/wallet-api.ts'
import { createPermit } from './permit.ts'
import { tryPayout } from './send/payout.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'

export const tron: ChainFamily = {
  ...tronFacts,
  signingFacts,
  connect: (chain, options) => createClient(chain, options, connectNode(chain, options, JSON_RPC_PATH)),
  deployHtlc,
}

type Details = Pick<Action, 'paysAmount' | 'revertsPaidFor'> & { readonly value?: bigint }

function createClient(chain: Chain, options: ConnectOptions, node: EvmNode): ChainClient {
  const contracts = tronContracts(chain, options.assets)
  const api = createWalletApi(chain, options)
  const state = createContractState(node)
  const reader = createEventReader(node, contracts, chain)
  const allowanceOf = allowancesOf(options.assets)
  const executor = createExecutor({ chain, node, api, state, allowanceOf })

  return {
    chain,
    curve: tron.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), evmTerms(terms)),
    permitSigning: createPermit(chain, contracts, allowanceOf),

    verifyNode: () =>
      withTronAddresses(async () => {
        await verifyTronNode(chain, node, api, state, contracts)
        for (const asset of options.assets) await verifyToken(chain, node, asset, tokenOf(contracts.of(asset.id)))
      }),
    ...blocksOf(node, chain),
    events: reader.read,
    branchEvents: reader.readBranch,
    readHtlc(terms) {
      const [contract, inner] = [contracts.of(terms.asset), evmTerms(terms)]
      return readContractHtlc(chain.id, swapIdOf(contract, inner), terms, () => withTronAddresses(() => state.htlc(contract, inner)))
    },
    balance(asset, owner) {
      // TRX pays for energy and cannot be swapped.
      if (asset === chain.nativeAsset) return node.balance(toEvmAddress(owner))
      return state.tokenBalance(tokenOf(contracts.of(asset)), toEvmAddress(owner))
    },
    funding: (request) => withTronAddresses(() => fundingOf(node, api, state, contracts.of(request.terms.asset), request)),
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await withTronAddresses(() => tryPayout(api, contracts.of(terms.asset), evmTerms(terms)))
    },

    // A transfer of zero also shows whether the token blocks the recipient. Its return value means nothing here: see `HtlcTrc20.sol`.
    async checkRecipient(address, asset, payout) {
      if (payout === null) return null
      const contract = contracts.of(asset)
      const [payer, amount] = payout.payer === null ? [contract.address, 0n] : [toEvmAddress(payout.payer), payout.amount]
      return withTronAddresses(() => checkToken(node, tokenOf(contract), payer, toEvmAddress(address), amount, () => true))
    },

    initiate: (terms, outbox) =>
      send('initiate', terms, initiateData(evmTerms(terms), evmAccountOf(outbox.key)), outbox, { paysAmount: true }),
    async redeem(terms, { to, secret, gas }, outbox) {
      assertPayee(to, terms.redeemer)
      assertSecret(secret, terms)
      if (gas === undefined) return send('redeem', terms, redeemData(evmTerms(terms), secret), outbox)
      return send('redeem', terms, redeemWithGasData(evmTerms(terms), secret), outbox, { paysAmount: false, value: gas })
    },
    async refund(terms, { to }, outbox) {
      assertPayee(to, terms.initiator)
      return send('refund', terms, refundData(evmTerms(terms)), outbox)
    },

    instantRefund: createInstantRefund({
      contractOf: ({ asset }) => contracts.of(asset),
      evmTerms,
      send: (terms, data, outbox) => send('refund', terms, data, outbox),
    }),
    cancel: executor.cancelUnmined,
    payoutGas: { decimals: DECIMALS, minAmount: 0n },
    async legCost(asset) {
      tokenOf(contracts.of(asset))
      return legCostOf(api)
    },
    prefund: createDeposits({ chain, node, api, contracts, executor }),
    gasless: {
      supports: (asset) => contracts.of(asset).token !== null,
      verify: (terms, signature) =>
        withTronAddresses(async () => {
          const [contract, inner, parsed] = [contracts.of(terms.asset), evmTerms(terms), parseSignature(signature)]
          // TIP-712 hashes the 20 bytes of an address, as EIP-712 does.
          await verifySignature(node, contract, inner, parsed)
          await verifyInitiation(node, state, contract, inner, parsed)
          if ((await state.htlc(contract, inner)) !== 'absent') return
          await verifyRelayEnergy(node, { to: contract.address, data: initiateWithSignatureData(inner, parsed) })
        }),
      async initiate(terms, signature, outbox) {
        const [contract, inner, parsed] = [contracts.of(terms.asset), evmTerms(terms), parseSignature(signature)]
        const { reverted: revertsPaidFor } = await limitsOf(contract, inner, parsed)
        return send('initiate', terms, initiateWithSignatureData(inner, parsed), outbox, { paysAmount: false, revertsPaidFor })
      },
      limits: async (terms, signature) => limitsOf(contracts.of(terms.asset), evmTerms(terms), parseSignature(signature)),
      spendable: (terms) => spendableOf(state, contracts.of(terms.asset), evmTerms(terms)),
      hasReverted: async (tx) => (await node.outcome(`0x${tx}`)) === 'reverted',
    },

    transfer: createTransfer({ chain, node, api, contracts, state }),
    inspectProviders: () => inspectNodes(chain, options, JSON_RPC_PATH),
    async close() {
      node.close()
      api.close()
    },
  }

  function send(
    verb: 'initiate' | 'redeem' | 'refund',
    terms: HtlcTerms,
    data: Hex,
    outbox: Outbox,
    { value = 0n, ...limits }: Details = { paysAmount: false },
  ) {
    const contract = contracts.of(terms.asset)
    const action = { verb, contract, terms: evmTerms(terms), call: { to: contract.address, data, value }, ...limits }
    return withTronAddresses(() => executor.send(action, outbox))
  }
}
