/** Tests the Tron family under the conformance suite, on the simulator, with a token that answers as Tether does. The wallet is TronWeb. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { RefusedByChain } from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { tetherTron } from '@tandem/evm/contract/artifacts/tether-tron.ts'
import { EdrRequestError, type JsonRpcCall } from '@tandem/evm/local/edr-provider.ts'
import { openTestProviders, startTestProvider, type TestProvider } from '@tandem/evm/server/nodes/provider.fixture.ts'
import { type EvmStrangers, evmWays, mimic, mimickedData } from '@tandem/evm/server/strangers.fixture.ts'
import { initiateDepositData, reclaimDepositedData } from '@tandem/evm/terms/deposit.ts'
import { type HtlcContract, initiateData } from '@tandem/evm/terms/htlc.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, encodeFunctionData, type Hex, maxUint256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createTronSender } from '../local/tron-sender.ts'
import { openTronWeb } from '../local/tron-web.ts'
import { signInitiation } from '../local/wallet.ts'
import { fromEvmAddress, toEvmAddress } from '../terms/address.ts'
import { evmSwap } from '../terms/deposit.ts'
import { JSON_RPC_PATH } from '../terms/facts.ts'
import { evmTerms, tokenOf, tronContracts } from '../terms/htlc.ts'
import { tron } from './index.ts'
import { createTronFixture, type TronFixture } from './tron.fixture.ts'

/** The simulator of java-tron runs contracts in an EVM, so strangers can initiate in the ways of EVM chains, by Tron's transactions. */
const WEALTH = 10n ** 12n
const WEALTH_SUN = 10n ** 11n
const FEE_LIMIT = 1_000_000_000

describeConformance(
  'tron token',
  {
    family: tron,
    abilities: [
      'branchEvents',
      'instantRefund',
      'cancel',
      'checkRecipient',
      'depositAddress',
      'gasless',
      'inspectProviders',
      'legCost',
      'payoutGas',
      'finalHeight',
      'transfer',
      'deployHtlc',
    ],
  },
  async () => {
    // Older nodes do not return revert data.
    const fixture = await createTronFixture({ returnsRevertData: false })
    const { user, solver, deployer, contracts } = fixture
    const [token, htlc] = [contracts.tokens.usdt, contracts.htlcs.usdt]
    const twin = await deployer.deploy(htlcTrc20, [toEvmAddress(token)])
    const mimicAddress = await deployer.deploy(mimic, [])
    const counting = await startTronProvider(fixture.local.url)
    const [client, secondClient] = [fixture.connect({ endpoints: { rpc: [counting.url] } }), fixture.connect()]
    const asset: AssetId = 'tron_localnet:usdt'
    const ofAsset = fixture.assets.find(({ id }) => id === asset)
    if (ofAsset === undefined) throw new Error(`the fixture has no ${asset}`)
    const amount = 150_000n
    const approve = (spender: string, value: bigint) => ({
      to: token,
      data: encodeFunctionData({ abi: tetherTron.abi, functionName: 'approve', args: [toEvmAddress(spender), value] }),
    })

    const refusedByToken = async () => {
      const refused: Address = '0x00000000000000000000000000000000000b1ac4'
      await deployer.call(token, encodeFunctionData({ abi: tetherTron.abi, functionName: 'setRefused', args: [refused, true] }))
      return fromEvmAddress(refused)
    }

    // The solver approves with its first swap, which therefore takes one block more.
    const secretHash = hashSecret(createSecret())
    const first = { asset, amount, timelock: 600n, initiator: solver.address, redeemer: user.address, secretHash }
    const outbox = createMemoryOutbox(solver.signer)
    for (let block = 0; block < 2; block += 1) {
      await client.initiate(first, outbox.open('first'))
      await fixture.local.mine()
    }

    return {
      client,
      secondClient,
      asset,
      amount,
      feeAllowance: 0n,
      timelock: 600n,
      termsAreUsedOnce: true,
      user: user.signer,
      solver: solver.signer,
      addresses: {
        good: [{ text: user.address, canonical: user.address }],
        wrongChecksum: ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv9', `${user.address.slice(0, -1)}${user.address.endsWith('1') ? '2' : '1'}`],
        wrongNetwork: ['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', fromEvmAddress(ZERO)],
        wrongLength: ['', 'T', user.address.slice(0, 33), `${user.address}1`],
      },
      async fund(funding) {
        const { approval, initiate } = callsOf(funding)
        if (approval !== null) await fixture.sendAs(user, approval)
        await fixture.sendAs(user, initiate)
      },
      async underfund(terms, funding) {
        await fixture.sendAs(user, approve(htlc, terms.amount - 1n))
        await fixture.sendAs(user, callsOf(funding).initiate)
        const less = evmTerms({ ...terms, amount: terms.amount - 1n })
        await fixture.sendAs(user, { to: htlc, data: initiateData(less, toEvmAddress(user.address)) })
      },
      async lookAlike(terms, funding) {
        await fixture.sendAs(user, approve(twin, maxUint256))
        await fixture.sendAs(user, { ...callsOf(funding).initiate, to: twin })
        await fixture.sendAs(user, { to: mimicAddress, data: mimickedData(client.swapId(terms), evmTerms(terms)) })
      },
      gasless: {
        async sign(funding) {
          const { approval, typedData } = callsOf(funding)
          if (approval !== null) await fixture.sendAs(user, approval)
          await fixture.local.mine()
          return signInitiation(user.wallet, user.key, typedData)
        },
        async revokeApproval() {
          await fixture.sendAs(user, approve(htlc, 0n))
          await fixture.local.mine()
        },
      },
      strangers: {
        open: async () => evmWays(await openTronStrangers(fixture, tronContracts(fixture.chain, fixture.assets).of(asset))),
        held: () => client.balance(asset, htlc),
        sdk: { url: fixture.local.url, deployment: { htlc, token } },
      },
      unpayableRedeemer: refusedByToken,
      incapableRecipient: refusedByToken,
      async emptyRecipient() {
        const address = fromEvmAddress(privateKeyToAccount(generatePrivateKey()).address)
        return { identity: address, address }
      },
      mine: (blocks) => fixture.local.mine(blocks),
      reorg: (depth, { drop }) => fixture.local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', blocks: depth + 1 }),
      expire: (terms) => fixture.local.passSeconds(Number(terms.timelock)),
      providers: () =>
        openTestProviders({
          start: () => startTronProvider(fixture.local.url),
          connect: (rpc, options) => fixture.connect({ endpoints: { rpc }, ...options }),
          forged: (terms) => [tronContracts(fixture.chain, fixture.assets).of(terms.asset), evmTerms(terms)],
          hasOldState: false,
        }),
      depositAddress: await depositsOf(fixture, { asset, client, requests: () => counting.asked.length }),
      replacesUnmined: false,
      deploy: {
        request: {
          chain: fixture.chain,
          endpoints: { rpc: [fixture.local.url] },
          asset: ofAsset,
          token,
          signer: solver.signer,
          dryRun: true,
          onProgress: () => undefined,
        },
        wrongTokens: [
          { token: user.address, reason: /there is no contract at/ },
          { token: contracts.tokens.wbtc, reason: /expected 6 decimals/ },
        ],
        async whileMining(run) {
          fixture.local.setMining({ kind: 'instant' })
          try {
            return await run()
          } finally {
            fixture.local.setMining({ kind: 'manual' })
          }
        },
        connect: (other) => fixture.connect({ assets: [{ ...ofAsset, deployment: { htlc: other, token } }] }),
      },
      async close() {
        await Promise.all([client.close(), secondClient.close()])
        await counting.close()
        await fixture.close()
      },
    }
  },
)

type Deposits = { readonly asset: AssetId; readonly client: ChainClient; requests(): number }

async function depositsOf(
  fixture: TronFixture,
  { asset, client, requests }: Deposits,
): Promise<NonNullable<ConformanceFixture['depositAddress']>> {
  const { local, deployer, user, solver, contracts, chain } = fixture
  const contract = tronContracts(chain, fixture.assets).of(asset)
  const key = generatePrivateKey()
  const wallet = openTronWeb(local.url, key.slice(2))
  const { base58 } = wallet.defaultAddress
  if (base58 === false) throw new Error('TronWeb made no address of the key')
  const stranger = { key, signer: solver.signer, address: base58, wallet }
  const transfer = (to: string, amount: bigint) =>
    encodeFunctionData({ abi: tetherTron.abi, functionName: 'transfer', args: [toEvmAddress(to), amount] })
  const { usdt, wbtc } = contracts.tokens
  await deployer.transfer(stranger.address, 10n ** 12n)
  for (const token of [usdt, wbtc]) await deployer.call(token, transferMint(stranger.address))
  const call = async (data: Hex, from = stranger) => void (await fixture.sendAs(from, { to: fromEvmAddress(contract.address), data }))
  const pay = async (token: string, to: string, amount: bigint) =>
    void (await fixture.sendAs(stranger, { to: token, data: transfer(to, amount) }))
  const ownToken = fromEvmAddress(tokenOf(contract))
  const otherToken = ownToken === usdt ? wbtc : usdt
  const reclaim = (swap: PrefundedSwap, token: string | null) =>
    reclaimDepositedData(contract, evmSwap(swap), token === null ? null : toEvmAddress(token))
  return {
    pay: (address, amount) => pay(ownToken, address, amount),
    passDeadline: async (deadline) => local.passSeconds(Number(deadline - (await client.tip()).time + 60n)),
    initiate: (swap) => call(initiateDepositData(contract, evmSwap(swap))),
    giveBack: (swap) => call(reclaim(swap, ownToken)),
    withdraw: (swap) => call(reclaim(swap, ownToken), user),
    otherMoney: [
      {
        name: 'another token',
        amount: 9n,
        pay: (address) => pay(otherToken, address, 9n),
        giveBack: (swap) => call(reclaim(swap, otherToken)),
        async balanceOf(address) {
          const other = fixture.assets.find(({ deployment }) => deployment.token === otherToken)
          if (other === undefined) throw new Error('the fixture has no other token')
          return client.balance(other.id, address)
        },
      },
      {
        name: 'TRX',
        amount: 11n,
        async pay(address) {
          const signed = await wallet.trx.sign(await wallet.transactionBuilder.sendTrx(address, 11, stranger.address))
          if (!(await wallet.trx.sendRawTransaction(signed)).result) throw new Error('the node refused a payment of TRX')
        },
        giveBack: (swap) => call(reclaim(swap, null)),
        balanceOf: (address) => client.balance(chain.nativeAsset, address),
      },
    ],
    async requestsOf(work) {
      const before = requests()
      await work()
      return requests() - before
    },
  }
}

const transferMint = (to: string) => encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [toEvmAddress(to), 10n ** 12n] })

const ZERO = '0x0000000000000000000000000000000000000000'

function callsOf(funding: Funding) {
  if (funding.kind !== 'calls') throw new Error(`expected calls, got ${funding.kind}`)
  return funding
}

/** The provider's Ethereum JSON-RPC behaves as a test says, and its HTTP API is honest. */
async function startTronProvider(node: string): Promise<TestProvider> {
  const ethereum = await startTestProvider({ request: (call) => askJsonRpc(`${node}${JSON_RPC_PATH}`, call) })
  let isOffline = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (isOffline) return request.socket.destroy()
    const to = request.url === JSON_RPC_PATH ? ethereum.url : `${node}${request.url}`
    const answer = await fetch(to, { method: 'POST', body: Buffer.concat(chunks) })
    return response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...ethereum,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setOffline(offline) {
      isOffline = offline
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await ethereum.close()
    },
  }
}

type Answer = { readonly result?: unknown; readonly error?: ConstructorParameters<typeof EdrRequestError>[0] }

async function askJsonRpc(url: string, call: JsonRpcCall): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const { result, error } = (await (await fetch(url, { method: 'POST', body })).json()) as Answer
  if (error !== undefined) throw new EdrRequestError(error)
  return result
}

async function openTronStrangers({ local, deployer, user }: TronFixture, contract: HtlcContract): Promise<EvmStrangers> {
  const key = generatePrivateKey()
  const sender = createTronSender(local, key)
  const token = tokenOf(contract)
  const account = toEvmAddress(await deployer.deploy(contractAccount, []))
  const stranger = toEvmAddress(sender.address)
  const wallets = new Map([
    [toEvmAddress(user.address), user.wallet],
    [stranger, openTronWeb(local.url, key.slice(2))],
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
