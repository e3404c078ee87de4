/**
 * The HyperCore family locks tokens of Hyperliquid's spot accounts in an HTLC on HyperEVM. Amounts are in the units of HyperCore.
 * HyperEVM is an EVM chain: the EVM family does everything that is not about HyperCore. It reads the events too: the contract reports
 * amounts in the units of HyperCore, as the terms have them.
 */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { checkToken } from '@tandem/evm/server/check-recipient.ts'
import { createContractState } from '@tandem/evm/server/contract-state.ts'
import { feeModelOf, suggestFees } from '@tandem/evm/server/fees/fees.ts'
import { verifyRelayGas } from '@tandem/evm/server/fees/relay-gas.ts'
import {
  assertNotRefunded,
  limitsOf,
  parseSignature,
  simulateInitiation,
  spendableOf,
  verifySignature,
} from '@tandem/evm/server/gasless.ts'
import { createEvmClient } from '@tandem/evm/server/index.ts'
import { connectNode } from '@tandem/evm/server/nodes/connect-node.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { verifyNode } from '@tandem/evm/server/nodes/verify-node.ts'
import { verifyPayout } from '@tandem/evm/server/send/payout.ts'
import { asChainFailure } from '@tandem/evm/server/send/revert.ts'
import { signingFacts } from '@tandem/evm/server/signing-facts.ts'
import { parseAddress } from '@tandem/evm/terms/address.ts'
import { allowancesOf } from '@tandem/evm/terms/allowance.ts'
import { createContracts, initiateWithSignatureData } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createMutex } from '@tandem/runtime/mutex.ts'
import { type Address, encodeFunctionData } from 'viem'
import { maxErc20AllowancesOf } from '../terms/allowance.ts'
import { hypeTokenOf, systemAddressOf, textForms } from '../terms/core.ts'
import { hypercoreFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { accountAt, htlcCoreCode, initiateConsentedData, ownerOf, tokenOf } from '../terms/htlc.ts'
import { type AccountFunds, activationNote, crossingValue, fundsOf } from './account.ts'
import { spotBalanceOf } from './core-account.ts'
import { crossToEvm, noteWastedCrossings } from './cross-to-evm.ts'
import { deployHtlc } from './deploy.ts'
import { createExecutor } from './execute.ts'
import { createPermit } from './permit.ts'
import { createPrefund } from './prefund.ts'
import { createTokenLinks, inCoreUnits, verifyBridge, verifyLink } from './token-link.ts'

export const hypercore: ChainFamily = {
  ...hypercoreFacts,
  // It signs with the operations of EVM chains, and its transactions are on HyperEVM.
  signingFacts,
  connect(chain, options) {
    const node = connectNode(chain, options)
    return createClient(chain, options, node, createEvmClient(chain, options, node))
  },
  deployHtlc,
}

function createClient(chain: Chain, { assets }: ConnectOptions, node: EvmNode, base: ChainClient): ChainClient {
  const contracts = createContracts(chain, assets)
  const links = createTokenLinks(node)
  const evmState = createContractState(node)
  const state = inCoreUnits(evmState, links, contracts.all)
  const allowanceOf = allowancesOf(assets)
  const executor = createExecutor({ chain, node, contracts, state, links, allowanceOf })

  const fundsIn = (terms: HtlcTerms, owner: Address) => fundsOf(node, state, links, contracts.of(terms.asset), owner)

  async function verifyAllowance(terms: HtlcTerms, { account, onEvm, onCore }: AccountFunds): Promise<void> {
    const contract = contracts.of(terms.asset)
    const initiator = terms.initiator.toLowerCase() as Address
    const [allowance, balance] = await Promise.all([
      state.allowance(tokenOf(contract), initiator, contract.address),
      state.tokenBalance(tokenOf(contract), initiator),
    ])
    if (allowance >= terms.amount && balance >= terms.amount) return
    const note = onEvm + onCore > 0n ? null : await activationNote(node, account, initiator)
    const held = `the account ${account} of ${initiator} at the HTLC holds ${onEvm + onCore} of ${terms.asset}, ${initiator} has approved ${allowance}, and the order needs ${terms.amount}`
    throw new TandemError(
      'bad_request',
      `${held}: send core_to_evm_transfer and repeat this call a few seconds later; if you have sent it, only repeat this call${note === null ? '' : `. ${note}`}`,
    )
  }

  /** Orders of one owner share its account, so each must see the attempts that the one before has signed. */
  const mutex = createMutex()
  const prefund = createPrefund(chain, node, contracts)

  async function initiateFromPrefund(swap: PrefundedSwap, outbox: Outbox): Promise<string> {
    const { terms } = swap
    const contract = contracts.of(terms.asset)
    const owner = ownerOf(swap)
    return mutex(accountAt(contract, owner), async () => {
      if ((await state.htlc(contract, terms)) === 'absent')
        await crossToEvm(node, chain, { contract, owner, needed: terms.amount, readFunds: () => fundsIn(terms, owner) }, outbox)
      // The consent has cost the payer a transaction. So other reverted relays only end our payments for crossings, which the payer can make too.
      return executor.relay(terms, initiateConsentedData(swap), {}, { ...outbox, revertedRelays: 0 })
    })
  }

  // There are no batches: one payout of the sum may not reach HyperCore where each single payout would.
  // Price feeds are on HyperEVM: its own chain reads them.
  // The distributor pays tokens of HyperEVM only.
  // On HyperCore, where the HTLC pays, transfers cost no gas.
  // Inventory is on HyperCore and on HyperEVM, in different units: a transfer of the EVM family knows only one of them.
  const {
    batchRedeem: _batchRedeem,
    oracle: _oracle,
    distributor: _distributor,
    payoutGas: _payoutGas,
    transfer: _transfer,
    ...others
  } = base

  return {
    ...others,
    text: textForms,
    permitSigning: createPermit(chain, contracts, maxErc20AllowancesOf(assets, allowanceOf)),
    async verifyNode() {
      // The chain is checked first, because contracts of another chain could answer anything.
      await verifyNode(chain, node, evmState, { ...contracts, all: [] })
      for (const asset of assets) {
        const contract = contracts.of(asset.id)
        const link = await links.of(contract)
        await verifyNode(chain, node, evmState, { ...contracts, all: [contract] }, (htlc) => htlcCoreCode(htlc, link))
        await verifyLink(node, asset, contract, link)
        await verifyBridge(node, asset, contract)
      }
    },
    async balance(asset, owner) {
      if (asset === chain.nativeAsset) return base.balance(asset, owner)
      const contract = contracts.of(asset)
      const { coreToken } = await links.of(contract)
      const [onEvm, spot] = await Promise.all([
        state.tokenBalance(tokenOf(contract), owner as Address),
        spotBalanceOf(node, owner as Address, coreToken),
      ])
      return onEvm + spot
    },
    async funding(request) {
      const contract = contracts.of(request.terms.asset)
      const { coreToken } = await links.of(contract)
      const owner = ownerOf(request)
      const account = accountAt(contract, owner)
      const { maxFeePerGas } = await suggestFees(node, feeModelOf(chain))
      const [crossing, note] = await Promise.all([
        crossingValue(node, account, hypeTokenOf(chain), maxFeePerGas),
        activationNote(node, account, owner),
      ])
      return { ...fundingOf(contract, coreToken, crossing, request), ...(note !== null && { note }) }
    },
    async verifyPayout(terms, to) {
      if (to !== null && to.toLowerCase() !== terms.redeemer.toLowerCase()) return base.verifyPayout(terms, to)
      const contract = contracts.of(terms.asset)
      const { coreToken, evmPerCore } = await links.of(contract)
      const read = { abi: htlcCore.abi, functionName: 'reachesCore', args: [terms.redeemer as Address, terms.amount] } as const
      const answer = await node.call({ to: contract.address, data: encodeFunctionData(read) }).catch((error: unknown) => {
        throw asChainFailure(error, 'reachesCore')
      })
      const redeemer = BigInt(answer) === 1n ? systemAddressOf(coreToken) : terms.redeemer
      await verifyPayout(node, chain, contract, { ...terms, redeemer, amount: terms.amount * evmPerCore })
    },

    // On HyperEVM, the ERC-20 of those who hold it on HyperCore is at the system address.
    async checkRecipient(address, asset, payout) {
      if (payout === null) return null
      const contract = contracts.of(asset)
      const { coreToken, evmPerCore } = await links.of(contract)
      return checkToken(node, tokenOf(contract), systemAddressOf(coreToken), parseAddress(address), payout.amount * evmPerCore)
    },

    initiate: executor.initiate,
    async cancel(outbox) {
      const waiting = await executor.cancelUnmined(outbox)
      if (waiting === null) await noteWastedCrossings(node, outbox)
      return waiting
    },

    gasless: {
      ...base.gasless,
      supports: (asset) => contracts.of(asset).token !== null,
      async verify(terms, signature) {
        const contract = contracts.of(terms.asset)
        const parsed = parseSignature(signature)
        await verifySignature(node, contract, terms, parsed)
        const found = await state.htlc(contract, terms)
        assertNotRefunded(found)
        if (found !== 'absent') return
        const funds = await fundsIn(terms, ownerOf({ terms, payer: null }))
        if (funds.onEvm < terms.amount) {
          // We bring the money to HyperEVM first. Before that the initiation cannot be simulated.
          if (funds.onEvm + funds.onCore >= terms.amount) return
          await verifyAllowance(terms, funds)
        }
        await simulateInitiation(node, contract, terms, parsed)
        await verifyRelayGas(node, chain, { to: contract.address, data: initiateWithSignatureData(terms, parsed), value: 0n })
      },
      async initiate(terms, signature, outbox) {
        const parsed = parseSignature(signature)
        const contract = contracts.of(terms.asset)
        const { reverted: revertsPaidFor } = await limitsOf(contract, terms, parsed)
        const owner = ownerOf({ terms, payer: null })
        return mutex(accountAt(contract, owner), async () => {
          if ((await state.htlc(contract, terms)) === 'absent') {
            await verifySignature(node, contract, terms, parsed).catch(asWouldFail)
            const readFunds = () => fundsIn(terms, owner)
            await crossToEvm(node, chain, { contract, owner, needed: terms.amount, readFunds, revertsPaidFor }, outbox)
          }
          return executor.relay(terms, initiateWithSignatureData(terms, parsed), { revertsPaidFor }, outbox)
        })
      },
      limits: async (terms, signature) => limitsOf(contracts.of(terms.asset), terms, parseSignature(signature)),
      async spendable(terms) {
        const outside = await spendableOf(state, contracts.of(terms.asset), terms)
        if (outside === null) return null
        const { onEvm, onCore } = await fundsIn(terms, ownerOf({ terms, payer: null }))
        return onEvm + onCore > outside ? onEvm + onCore : outside
      },
    },
    prefund: { ...prefund, initiate: initiateFromPrefund },
  }
}

/** An invalid signature, e.g. of a contract account that withdrew it, must not cost us a crossing. */
function asWouldFail(error: unknown): never {
  throw error instanceof TandemError ? new ChainFailure('would-fail', `initiate: ${error.message}`, { cause: error }) : error
}
