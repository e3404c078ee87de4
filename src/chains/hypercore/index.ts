/**
 * The HyperCore family: tokens of Hyperliquid's spot accounts, locked in an HTLC on HyperEVM. Amounts are in the units of HyperCore.
 * HyperEVM is an EVM chain: the EVM family does everything that is not about HyperCore. It reads the events too: the contract reports amounts
 * in the units of HyperCore, as the terms have them.
 */
import { type Address, encodeFunctionData } from 'viem'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import type { Chain } from '../../protocol/chain.ts'
import { TandemError } from '../../protocol/error.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { parseAddress } from '../evm/address.ts'
import { checkToken } from '../evm/check-recipient.ts'
import { createContractState } from '../evm/contract-state.ts'
import { createGasAdvice } from '../evm/fees/gas.ts'
import { verifyRelayGas } from '../evm/fees/relay-gas.ts'
import { assertNotRefunded, limitsOf, parseSignature, spendableOf, verifyInitiation, verifySignature } from '../evm/gasless.ts'
import { createContracts, initiateWithSignatureData } from '../evm/htlc.ts'
import { createEvmClient } from '../evm/index.ts'
import { connectNode } from '../evm/nodes/connect-node.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import { verifyNode } from '../evm/nodes/verify-node.ts'
import { verifyPayout } from '../evm/send/payout.ts'
import { asChainFailure } from '../evm/send/revert.ts'
import type { PrefundedSwap } from '../port/abilities/prefund.ts'
import type { ChainClient } from '../port/client.ts'
import type { ChainFamily, ConnectOptions } from '../port/family.ts'
import type { Outbox } from '../port/outbox.ts'
import { systemAddressOf } from './core.ts'
import { spotBalanceOf } from './core-account.ts'
import { deployHtlc } from './deploy.ts'
import { createExecutor } from './execute.ts'
import { hypercoreFacts } from './facts.ts'
import { fundingOf } from './funding.ts'
import { htlcCoreCode, initiateFromDepositData, tokenOf } from './htlc.ts'
import { createPrefund } from './prefund.ts'
import { textForms } from './text-forms.ts'
import { createTokenLinks, inCoreUnits, verifyBridge, verifyLink } from './token-link.ts'

/** Twice the gas of returning a surplus, which anyone can add to a prefund after its gas was estimated. */
const SURPLUS_GAS = 200_000n

export const hypercore: ChainFamily = {
  ...hypercoreFacts,
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
  const executor = createExecutor(chain, node, contracts, state, links)
  const gas = createGasAdvice(node)

  async function verifyAllowance(terms: HtlcTerms): Promise<void> {
    const contract = contracts.of(terms.asset)
    const initiator = terms.initiator.toLowerCase() as Address
    const [allowance, balance] = await Promise.all([
      state.allowance(tokenOf(contract), initiator, contract.address),
      state.tokenBalance(tokenOf(contract), initiator),
    ])
    if (allowance >= terms.amount && balance >= terms.amount) return
    throw new TandemError(
      'bad_request',
      `${initiator} holds ${balance} of ${terms.asset} on HyperEVM and has approved ${allowance}, the order needs ${terms.amount}, and its own address does not hold that yet: send core_to_evm_transfer and, in a later block, initiate_transaction, which pays it there and needs no approval; then the order is initiated without any further call, or at once by this one`,
    )
  }

  const prefund = createPrefund(chain, node, contracts, links)

  const initiateFromPrefund = (swap: PrefundedSwap, outbox: Outbox) =>
    // Anyone can prefund in the initiator's name, so the initiator's other reverted relays do not count here.
    executor.relay(swap.terms, initiateFromDepositData(swap), { spareGas: SURPLUS_GAS }, { ...outbox, revertedRelays: 0 })

  async function isPrefunded(terms: HtlcTerms, deadline: bigint | undefined): Promise<boolean> {
    if (deadline === undefined) return false
    const [amount = 0n] = await prefund.amounts([{ terms, deadline }])
    return amount >= terms.amount
  }

  // One payout of the sum may not reach HyperCore where each of them would.
  // Price feeds are on HyperEVM: its own chain reads them.
  // The distributor pays tokens of HyperEVM only.
  const { batchRedeem: _batchRedeem, oracle: _oracle, distributor: _distributor, ...others } = base

  return {
    ...others,
    text: textForms,
    async verifyNode() {
      // Check the chain first: contracts of another chain could answer anything.
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
      return fundingOf(gas, contract, await links.of(contract), request)
    },
    async verifyPayout(terms, to) {
      if (to !== null && to.toLowerCase() !== terms.redeemer.toLowerCase()) return base.verifyPayout(terms, to)
      const contract = contracts.of(terms.asset)
      const { coreToken, evmPerCore } = await links.of(contract)
      const question = { abi: htlcCore.abi, functionName: 'reachesCore', args: [terms.redeemer as Address, terms.amount] } as const
      const answer = await node.call({ to: contract.address, data: encodeFunctionData(question) }).catch((error: unknown) => {
        throw asChainFailure(error, 'reachesCore')
      })
      const redeemer = BigInt(answer) === 1n ? systemAddressOf(coreToken) : terms.redeemer
      await verifyPayout(node, chain, contract, { ...terms, redeemer, amount: terms.amount * evmPerCore })
    },

    // The ERC-20 of those who hold it on HyperCore is at the system address.
    async checkRecipient(address, asset, payout) {
      if (payout === null) return null
      const contract = contracts.of(asset)
      const { coreToken, evmPerCore } = await links.of(contract)
      return checkToken(node, tokenOf(contract), systemAddressOf(coreToken), parseAddress(address), payout.amount * evmPerCore)
    },

    initiate: executor.initiate,

    gasless: {
      ...base.gasless,
      supports: (asset) => contracts.of(asset).token !== null,
      async verify(terms, signature, deadline) {
        const contract = contracts.of(terms.asset)
        const parsed = parseSignature(signature)
        await verifySignature(node, contract, terms, parsed)
        const found = await state.htlc(contract, terms)
        assertNotRefunded(found)
        if (found !== 'absent' || (await isPrefunded(terms, deadline))) return
        await verifyAllowance(terms)
        await verifyInitiation(node, state, contract, terms, parsed)
        await verifyRelayGas(node, chain, { to: contract.address, data: initiateWithSignatureData(terms, parsed), value: 0n })
      },
      async initiate(terms, signature, outbox, deadline) {
        const parsed = parseSignature(signature)
        // What lies at the address of the order needs no allowance.
        if (deadline !== undefined && (await isPrefunded(terms, deadline))) return initiateFromPrefund({ terms, deadline }, outbox)
        const { reverted: revertsPaidFor } = await limitsOf(contracts.of(terms.asset), terms, parsed)
        return executor.relay(terms, initiateWithSignatureData(terms, parsed), { revertsPaidFor }, outbox)
      },
      limits: async (terms, signature) => limitsOf(contracts.of(terms.asset), terms, parseSignature(signature)),
      spendable: async (terms, deadline) =>
        (await isPrefunded(terms, deadline)) ? null : spendableOf(state, contracts.of(terms.asset), terms),
    },
    prefund: { ...prefund, initiate: initiateFromPrefund },
  }
}
