/** Tests the EVM family under the conformance suite, for the native coin and for a token, on a local chain. */

import type { OracleAnswer } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { ConformanceFixture, OtherMoney } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { type Conforming, describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { type Address, encodeFunctionData, getAddress, type Hex, hexToBigInt, maxUint256, numberToHex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { blacklistToken } from '../contract/artifacts/blacklist-token.ts'
import { distributor } from '../contract/artifacts/distributor.ts'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../contract/artifacts/htlc-native.ts'
import { rejectingAccount } from '../contract/artifacts/rejecting-account.ts'
import { testToken } from '../contract/artifacts/test-token.ts'
import { initiateDepositData, reclaimDepositedData } from '../terms/deposit.ts'
import { type HtlcContract, initiateData } from '../terms/htlc.ts'
import { createEvmFixture, type EvmFixture, partyOf, type TestParty } from './evm.fixture.ts'
import { evm } from './index.ts'
import { openTestProviders, startTestProvider, type TestProvider } from './nodes/provider.fixture.ts'
import { evmWays, mimic, mimickedData, openEvmStrangers } from './strangers.fixture.ts'

const conforming: Conforming = {
  family: evm,
  abilities: [
    'branchEvents',
    'batchRedeem',
    'instantRefund',
    'cancel',
    'checkRecipient',
    'depositAddress',
    'gasless',
    'inspectProviders',
    'legCost',
    'newBlocks',
    'oracle',
    'transfer',
    'distributor',
    'deployHtlc',
  ],
}

/** Gas is given with a token only. */
const conformingWithToken: Conforming = { ...conforming, abilities: [...conforming.abilities, 'payoutGas'] }

describeConformance('evm native coin', conforming, async () => {
  const fixture = await createEvmFixture()
  const asset = `${fixture.chain.id}:eth` as AssetId
  const assets = fixture.assets.filter(({ id }) => id === asset)
  const contract = { chainId: 31337, address: lower(fixture.contracts.htlcs.native), token: null }
  return {
    ...(await conformanceFixtureOf(fixture, (options) => fixture.connect({ assets, ...options }), {
      asset,
      contract,
      twin: await fixture.deploy(htlcNative),
      stranger: await openStranger(fixture),
    })),
    amount: 10n ** 18n,
    feeAllowance: 10n ** 16n,
    unpayableRedeemer: () => fixture.deploy(rejectingAccount),
    incapableRecipient: () => fixture.deploy(rejectingAccount),
  }
})

describeConformance('evm token', conformingWithToken, async () => {
  const fixture = await createEvmFixture()
  const { user, solver, deployer } = fixture
  const token = await fixture.deploy(blacklistToken)
  const [address, twin] = [await fixture.deploy(htlcErc20, [token]), await fixture.deploy(htlcErc20, [token])]
  const onToken = (functionName: 'mint' | 'setBlacklisted' | 'approve', args: readonly unknown[]) => ({
    to: token,
    data: encodeFunctionData({ abi: blacklistToken.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
  })
  async function blacklisted(): Promise<Address> {
    const address = '0x00000000000000000000000000000000000b1ac4'
    await deployer.send([onToken('setBlacklisted', [address, true])])
    return address
  }
  const stranger = await openStranger(fixture)
  await deployer.send([user, solver, stranger].map((party) => onToken('mint', [party.address, 10n ** 12n])))
  const asset = `${fixture.chain.id}:wbtc` as AssetId
  const assets = fixture.assets.map((known) =>
    known.id === asset ? { ...known, decimals: 18, deployment: { htlc: address, token } } : known,
  )
  const base = await conformanceFixtureOf(fixture, (options) => fixture.connect({ assets, ...options }), {
    asset,
    contract: { chainId: 31337, address, token },
    twin,
    stranger,
  })
  return {
    ...base,
    amount: 150_000n,
    feeAllowance: 0n,
    async underfund(terms, funding) {
      await fixture.sendAs(user, onToken('approve', [address, terms.amount - 1n]))
      await base.underfund(terms, funding)
    },
    async lookAlike(terms, funding) {
      await fixture.sendAs(user, onToken('approve', [twin, maxUint256]))
      await base.lookAlike(terms, funding)
    },
    gasless: {
      async sign(funding) {
        const { approval, typedData } = callsOf(funding)
        if (approval !== null) await fixture.sendAs(user, transactionOf(approval))
        await fixture.mine()
        return user.account.signTypedData(JSON.parse(JSON.stringify(typedData)))
      },
      async revokeApproval() {
        await fixture.sendAs(user, onToken('approve', [address, 0n]))
        await fixture.mine()
      },
    },
    unpayableRedeemer: blacklisted,
    incapableRecipient: blacklisted,
    async emptyRecipient() {
      const { address } = partyOf(generatePrivateKey())
      return { identity: address, address }
    },
  }
})

type Place = { readonly asset: AssetId; readonly contract: HtlcContract; readonly twin: Address; readonly stranger: TestParty }

async function conformanceFixtureOf(
  fixture: EvmFixture,
  connect: (options?: Partial<ConnectOptions>) => ChainClient,
  { asset, contract, twin, stranger }: Place,
): Promise<Omit<ConformanceFixture, 'amount' | 'feeAllowance'>> {
  const { user, solver } = fixture
  const provider = await startTestProvider(fixture.local)
  const client = connect({ endpoints: { rpc: [provider.url], ws: [fixture.local.webSocketUrl] } })
  const secondClient = connect()
  const { address: htlc, token } = contract
  const checksummed = getAddress(user.address)
  return {
    client,
    secondClient,
    asset,
    timelock: 600n,
    termsAreUsedOnce: true,
    user: user.signer,
    solver: solver.signer,
    addresses: {
      good: [checksummed, user.address, `0x${user.address.slice(2).toUpperCase()}`].map((text) => ({ text, canonical: user.address })),
      wrongChecksum: ['0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
      wrongNetwork: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', '0:0', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'],
      wrongLength: ['0x', user.address.slice(0, 41), `${user.address}0`, user.address.slice(2)],
    },
    async fund(funding) {
      const { approval, initiate } = callsOf(funding)
      if (approval !== null) await fixture.sendAs(user, transactionOf(approval))
      await fixture.sendAs(user, transactionOf(initiate))
    },
    async underfund(terms, funding) {
      const less = { ...terms, amount: terms.amount - 1n }
      const value = contract.token === null ? less.amount : 0n
      await fixture.sendAs(user, { ...transactionOf(callsOf(funding).initiate), value, gas: 300_000n })
      await fixture.sendAs(user, { to: contract.address, data: initiateData(less, user.address), value })
    },
    async lookAlike(terms, funding) {
      await fixture.sendAs(user, { ...transactionOf(callsOf(funding).initiate), to: twin })
      await fixture.sendAs(user, { to: await fixture.deploy(mimic), data: mimickedData(client.swapId(terms), terms) })
    },
    strangers: {
      open: async () => evmWays(await openEvmStrangers(fixture, contract)),
      held: () => client.balance(asset, contract.address),
      sdk: { url: fixture.local.rpcUrl, deployment: { htlc, token } },
    },
    mine: (blocks) => fixture.mine(blocks),
    async reorg(depth, { drop }) {
      await fixture.local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', blocks: depth + 1 })
    },
    expire: (terms) => fixture.passSeconds(terms.timelock),
    providers: () =>
      openTestProviders({
        start: () => startTestProvider(fixture.local),
        connect: (rpc, options) => connect({ endpoints: { rpc }, ...options }),
        forged: (terms) => [contract, terms],
      }),
    depositAddress: depositsOf(fixture, { contract, stranger, client, provider }),
    replacesUnmined: true,
    priceFeed: (says) => fixture.deploy({ abi: [], bytecode: priceFeedCode(says) }),
    deploy: deployOf(fixture),
    distributor: distributorOf(fixture),
    async close() {
      await Promise.all([client.close(), secondClient.close()])
      await provider.close()
      await fixture.close()
    },
  }
}

async function openStranger({ deployer }: EvmFixture): Promise<TestParty> {
  const stranger = partyOf(generatePrivateKey())
  await deployer.send([{ to: stranger.address, value: 10n ** 21n }])
  return stranger
}

type Deposits = {
  readonly contract: HtlcContract
  readonly stranger: TestParty
  readonly client: ChainClient
  readonly provider: TestProvider
}

function depositsOf(
  fixture: EvmFixture,
  { contract, stranger, client, provider }: Deposits,
): NonNullable<ConformanceFixture['depositAddress']> {
  const { user, contracts } = fixture
  const transfer = (to: Address, amount: bigint) => encodeFunctionData({ abi: testToken.abi, functionName: 'transfer', args: [to, amount] })
  const mint = (to: Address, amount: bigint) => encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, amount] })
  const send = (data: Hex, from = stranger) => fixture.sendAs(from, { to: contract.address, data })
  const { usdc: other } = contracts.tokens
  const otherToken: OtherMoney = {
    name: 'another token',
    amount: 9n,
    pay: (address) => fixture.sendAs(stranger, { to: other, data: mint(address as Address, 9n) }),
    giveBack: (swap) => send(reclaimDepositedData(contract, swap, other)),
    async balanceOf(address) {
      const data = encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [address as Address] })
      return hexToBigInt((await fixture.local.request({ method: 'eth_call', params: [{ to: other, data }, 'latest'] })) as Hex)
    },
  }
  const coin: OtherMoney = {
    name: 'the coin',
    amount: 11n,
    pay: (address) => fixture.sendAs(stranger, { to: address as Address, value: 11n }),
    giveBack: (swap) => send(reclaimDepositedData(contract, swap, null)),
    balanceOf: (address) => client.balance(fixture.chain.nativeAsset, address),
  }
  return {
    pay: (address, amount) =>
      contract.token === null
        ? fixture.sendAs(stranger, { to: address as Address, value: amount })
        : fixture.sendAs(stranger, { to: contract.token, data: transfer(address as Address, amount) }),
    passDeadline: async (deadline) => fixture.passSeconds(deadline - (await client.tip()).time + 60n),
    initiate: (swap) => send(initiateDepositData(contract, swap)),
    giveBack: (swap) => send(reclaimDepositedData(contract, swap, contract.token)),
    ...(contract.token === null
      ? { surplusLeavesWithInitiation: true }
      : // Of the coin, the initiator would have to pay the fee of the withdrawal.
        { withdraw: (swap) => send(reclaimDepositedData(contract, swap, contract.token), user) }),
    otherMoney: contract.token === null ? [otherToken] : [otherToken, coin],
    async requestsOf(work) {
      const before = provider.asked.length
      await work()
      return provider.asked.length - before
    },
  }
}

function deployOf(fixture: EvmFixture): NonNullable<ConformanceFixture['deploy']> {
  const asset = fixture.assets.find(({ symbol }) => symbol === 'USDC')
  if (asset === undefined) throw new Error('the fixture has no USDC')
  const { token } = asset.deployment
  return {
    request: {
      chain: fixture.chain,
      endpoints: { rpc: [fixture.local.rpcUrl] },
      asset,
      token,
      signer: fixture.solver.signer,
      dryRun: true,
      bringDeployer: true,
      onProgress: () => undefined,
    },
    wrongTokens: [
      { token: `0x${'12'.repeat(20)}`, reason: /there is no contract at 0x1212/ },
      { token: fixture.contracts.tokens.wbtc, reason: /not the token of .*:usdc: expected 6 decimals/ },
    ],
    whileMining: (run) => whileMining(fixture, run),
    connect: (htlc) => fixture.connect({ assets: [{ ...asset, deployment: { htlc, token } }] }),
  }
}

async function whileMining<T>(fixture: EvmFixture, run: () => Promise<T>): Promise<T> {
  fixture.local.setMining({ kind: 'instant' })
  try {
    return await run()
  } finally {
    fixture.local.setMining({ kind: 'manual' })
  }
}

function distributorOf(fixture: EvmFixture): NonNullable<ConformanceFixture['distributor']> {
  const { local, user } = fixture
  return {
    whileMining: (run) => whileMining(fixture, run),
    async claim({ contract, token, recipient, total }, signature) {
      const args = [recipient as Address, token as Address, total, signature as Hex] as const
      const data = encodeFunctionData({ abi: distributor.abi, functionName: 'claim', args })
      await fixture.sendAs(user, { to: contract as Address, data, gas: 300_000n })
      await fixture.mine()
      const block = (await local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as {
        readonly transactions: readonly Hex[]
      }
      const receipt = (await local.request({ method: 'eth_getTransactionReceipt', params: [...block.transactions] })) as {
        readonly status: Hex
      }
      return receipt.status === '0x1'
    },
  }
}

function callsOf(funding: Funding) {
  if (funding.kind !== 'calls') throw new Error(`expected calls, got ${funding.kind}`)
  return funding
}

function transactionOf({ to, data, value, gasLimit }: Call) {
  return { to: to as Address, data: data as Hex, value, gas: gasLimit }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}

/**
 * The feed always says the same. Its runtime: if the first four bytes of the calldata are those of decimals(), return the decimals;
 * else store the answer at word 1 and the time at word 3, and return five words.
 */
function priceFeedCode({ answer, decimals, updatedAt }: OracleAnswer): Hex {
  const word = (value: bigint) => numberToHex(value, { size: 32, signed: value < 0n }).slice(2)
  const round = `7f${word(answer)}6020527f${word(updatedAt)}60605260a05ff3`
  return `0x60638060095f395ff35f3560e01c63313ce56714605a57${round}5b60${numberToHex(decimals, { size: 1 }).slice(2)}5f5260205ff3`
}
