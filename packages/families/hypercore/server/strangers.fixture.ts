/** Strangers can initiate on HyperCore as on EVM chains with tokens of HyperEVM, and out of accounts that were paid before. */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { type AgreedSwap, type StrangersWay, strangersWay } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { type EvmStrangers, evmWays, PLAIN_FORMS } from '@tandem/evm/server/strangers.fixture.ts'
import fc from 'fast-check'
import { type Address, encodeFunctionData, erc20Abi, getContractAddress } from 'viem'
import { accountAt, initiateConsentedData, initiateFromAccountData } from '../terms/htlc.ts'
import { EVM_PER_CORE, type HypercoreFixture } from './hypercore.fixture.ts'

/** The unit is that of HyperCore. */
const WEALTH = 2n * 10n ** 10n

export async function hypercoreWays(fixture: HypercoreFixture): Promise<readonly StrangersWay[]> {
  const { contract, user, relay, local } = fixture
  const stranger = await fixture.party()
  const account = await fixture.deploy(contractAccount)
  const onToken = (functionName: 'transfer' | 'approve', to: Address, amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName, args: [to, amount * EVM_PER_CORE] })
  const mint = async (to: Address, amount: bigint) => {
    await fixture.sendAs(user, { to: contract.token, data: onToken('transfer', to, amount) })
    await fixture.mine()
  }
  const send: EvmStrangers['send'] = async (from, transaction) => {
    const party = from === user.address ? user : stranger
    const nonce = Number(await local.request({ method: 'eth_getTransactionCount', params: [from, 'pending'] }))
    const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const raw = await party.account.signTransaction({
      type: 'eip1559',
      chainId: contract.chainId,
      nonce,
      gas: 3_000_000n,
      ...fees,
      ...transaction,
    })
    await local.request({ method: 'eth_sendRawTransaction', params: [raw] })
  }
  for (const owner of [stranger.address, account]) await mint(owner, WEALTH)
  const approve = onToken('approve', contract.address, WEALTH)
  for (const owner of [user.address, stranger.address]) await send(owner, { to: contract.token, data: approve })
  const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [contract.token, approve] })
  await send(stranger.address, { to: account, data: execute })
  await fixture.mine()

  const prefunded = ({ terms, deadline }: AgreedSwap, payer: Address): PrefundedSwap => ({ terms, deadline, payer })
  return [
    ...evmWays({
      contract,
      unit: EVM_PER_CORE,
      user: user.address,
      stranger: stranger.address,
      account,
      send,
      nextContract: async () => {
        const nonce = await local.request({ method: 'eth_getTransactionCount', params: [stranger.address, 'pending'] })
        return getContractAddress({ from: stranger.address, nonce: BigInt(nonce as string) })
      },
      mint,
      signTypedData: (data) => user.account.signTypedData(data),
      forms: PLAIN_FORMS,
    }),
    strangersWay("out of the account of a payer, with more in it than is needed, and by anybody's call", {
      outcome: 'counts',
      choices: fc.record({ more: fc.bigInt(0n, 1000n), consentsFirst: fc.boolean() }),
      async initiate(swap, { more, consentsFirst }) {
        const payer = stranger.address
        const paid = () => mint(accountAt(contract, payer), swap.terms.amount + more)
        const consent = () => send(payer, { to: contract.address, data: initiateFromAccountData(prefunded(swap, payer)) })
        if (!consentsFirst) {
          await paid()
          return consent()
        }
        await consent()
        await fixture.mine()
        await paid()
        await fixture.sendAs(relay, { to: contract.address, data: initiateConsentedData(prefunded(swap, payer)) })
      },
    }),
  ]
}
