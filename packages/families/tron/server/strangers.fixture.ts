/** How strangers initiate on Tron: as on EVM chains, by Tron's transactions. On a simulator of java-tron, whose contracts run in an EVM. */

import { RefusedByChain } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import type { EvmStrangers } from '@tandem/evm/server/strangers.fixture.ts'
import type { HtlcContract } from '@tandem/evm/terms/htlc.ts'
import { TronWeb } from 'tronweb'
import { type Address, encodeFunctionData } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createTronSender } from '../local/tron-sender.ts'
import { fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { evmTerms, tokenOf } from '../terms/htlc.ts'
import type { TronFixture } from './tron.fixture.ts'

const WEALTH = 10n ** 12n
const WEALTH_SUN = 10n ** 11n
const FEE_LIMIT = 1_000_000_000

export async function openTronStrangers({ local, deployer, user }: TronFixture, contract: HtlcContract): Promise<EvmStrangers> {
  const key = generatePrivateKey()
  const sender = createTronSender(local, key)
  const token = tokenOf(contract)
  const account = toEvmAddress(await deployer.deploy(contractAccount, []))
  const stranger = toEvmAddress(sender.address)
  const wallets = new Map([
    [toEvmAddress(user.address), user.wallet],
    [stranger, new TronWeb({ fullHost: local.url, privateKey: key.slice(2) })],
  ])
  const mint = async (to: Address, amount: bigint) =>
    void (await deployer.call(fromEvmAddress(token), encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, amount] })))
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [contract.address, WEALTH] })
  const send: EvmStrangers['send'] = async (from, { to, data, value = 0n }) => {
    const wallet = wallets.get(from)
    if (wallet === undefined || to === undefined) throw new Error(`${from} cannot send this`)
    const options = { input: data.slice(2), feeLimit: FEE_LIMIT, callValue: Number(value) }
    const { transaction } = await wallet.transactionBuilder.triggerSmartContract(fromEvmAddress(to), '', options, [], fromEvmAddress(from))
    const answer = await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))
    if (!answer.result) throw new RefusedByChain(String(answer.code))
  }

  await deployer.transfer(sender.address, WEALTH_SUN)
  for (const owner of [toEvmAddress(user.address), stranger, account]) await mint(owner, WEALTH)
  for (const owner of wallets.keys()) await send(owner, { to: token, data: approve })
  const execute = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [token, approve] })
  await send(stranger, { to: account, data: execute })
  await local.mine()
  return {
    contract,
    unit: 1n,
    user: toEvmAddress(user.address),
    stranger,
    account,
    send,
    mint,
    signTypedData: (data) => privateKeyToAccount(user.key).signTypedData(data),
    forms: { ofTerms: evmTerms, party: fromEvmAddress },
  }
}
