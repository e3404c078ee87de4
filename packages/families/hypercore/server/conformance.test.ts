/** Tests the HyperCore family under the conformance suite, on the simulator. */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { blacklistToken } from '@tandem/evm/contract/artifacts/blacklist-token.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { openTestProviders, startTestProvider } from '@tandem/evm/server/nodes/provider.fixture.ts'
import { mimic, mimickedData } from '@tandem/evm/server/strangers.fixture.ts'
import { type Address, encodeFunctionData, erc20Abi, getAddress, maxUint256 } from 'viem'
import { coreTokens } from '../local/core-state-machine.ts'
import { accountAt, initiateConsentedData, withdrawData } from '../terms/htlc.ts'
import { transfer } from './htlc-core-order.fixture.ts'
import { callsOf, createHypercoreFixture, EVM_PER_CORE, transactionOf } from './hypercore.fixture.ts'
import { hypercore } from './index.ts'
import { hypercoreWays } from './strangers.fixture.ts'

const abilities = [
  'branchEvents',
  'instantRefund',
  'cancel',
  'checkRecipient',
  'gasless',
  'prefund',
  'inspectProviders',
  'legCost',
  'newBlocks',
  'deployHtlc',
] as const

describeConformance('hypercore', { family: hypercore, abilities }, async () => {
  const fixture = await createHypercoreFixture()
  const { user, solver, relay, contract } = fixture
  const client = fixture.connect()
  const secondClient = fixture.connect()
  const twin = await fixture.deploy(htlcCore, [1n])
  /** The keys are calldata of the consent. */
  const swaps = new Map<string, PrefundedSwap>()
  /** The user consented until this time, and until then nobody else may empty the account. */
  let latest = 0n

  const collect = (of: PrefundedSwap) => fixture.sendAs(relay, { to: contract.address, data: initiateConsentedData(of) })

  async function emptyAccount(): Promise<void> {
    await fixture.sendAs(user, { to: contract.address, data: withdrawData(coreTokens.purr) })
    await fixture.mine()
  }

  const approve = (spender: Address, amount: bigint) =>
    fixture.sendAs(user, {
      to: contract.token,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
    })

  const paidBy = (data: string): PrefundedSwap => {
    const paid = swaps.get(data)
    if (paid === undefined) throw new Error('no swap is known for this funding')
    return paid
  }

  return {
    client: remembering(client, swaps),
    secondClient,
    asset: fixture.asset.id,
    amount: 1_500_000n,
    feeAllowance: 0n,
    timelock: 600n,
    termsAreUsedOnce: true,
    user: user.signer,
    solver: solver.signer,
    addresses: {
      good: [getAddress(user.address), user.address].map((text) => ({ text, canonical: user.address })),
      wrongChecksum: ['0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
      wrongNetwork: [
        'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        '0x2000000000000000000000000000000000000001',
        '0x2222222222222222222222222222222222222222',
      ],
      wrongLength: ['0x', user.address.slice(0, 41), `${user.address}0`, user.address.slice(2)],
    },
    async fund(funding) {
      latest = paidBy(callsOf(funding).initiate.data).deadline
      const { transfer: move, initiate } = callsOf(funding)
      await emptyAccount()
      await fixture.sendAs(user, transactionOf(move))
      await fixture.mine()
      await fixture.sendAs(user, transactionOf(initiate))
      // The money arrives with the block after.
      await fixture.mine(2)
      await collect(paidBy(initiate.data))
    },
    /** The user consents, and pays nothing in. */
    async underfund(_of, funding) {
      const { initiate } = callsOf(funding)
      latest = paidBy(initiate.data).deadline
      await emptyAccount()
      await fixture.sendAs(user, transactionOf(initiate))
      await fixture.mine()
      await collect(paidBy(initiate.data))
    },
    async lookAlike(of) {
      await approve(twin, maxUint256)
      const { redeemer, timelock, amount, secretHash } = of
      const args = [redeemer as Address, timelock, amount, `0x${secretHash}`] as const
      await fixture.sendAs(user, { to: twin, data: encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiate', args }) })
      await fixture.sendAs(user, { to: await fixture.deploy(mimic), data: mimickedData(client.swapId(of), of) })
    },
    gasless: {
      async sign(funding) {
        await approve(contract.address, maxUint256)
        await fixture.mine()
        // Wallets get the typed data as JSON.
        return user.account.signTypedData(JSON.parse(JSON.stringify(callsOf(funding).typedData)))
      },
      async revokeApproval() {
        await approve(contract.address, 0n)
        await fixture.mine()
      },
    },
    strangers: {
      open: () => hypercoreWays(fixture),
      held: async () => (await fixture.evmBalance(contract.address)) / EVM_PER_CORE,
      sdk: { url: fixture.local.rpcUrl, deployment: fixture.asset.deployment },
    },
    async incapableRecipient() {
      const code = await fixture.local.request({ method: 'eth_getCode', params: [await fixture.deploy(blacklistToken), 'latest'] })
      await fixture.local.request({ method: 'hardhat_setCode', params: [contract.token, code] })
      const address = '0x00000000000000000000000000000000000b1ac4'
      const data = encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [address, true] })
      await fixture.deployer.send([{ to: contract.token, data }])
      return address
    },
    mine: (blocks) => fixture.mine(blocks),
    async reorg(depth, { drop }) {
      await fixture.local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', blocks: depth + 1 })
    },
    expire: (of) => fixture.passSeconds(of.timelock),
    prefund: {
      async consent(funding) {
        await emptyAccount()
        await fixture.sendAs(user, transactionOf(callsOf(funding).initiate))
        await fixture.mine()
      },
      async pay(amount) {
        await fixture.sendAs(user, { to: contract.token, data: transfer(accountAt(contract, user.address), amount * EVM_PER_CORE) })
      },
      async passDeadline(deadline) {
        if (deadline > latest) latest = deadline
        // The clock of a local chain and the times of its blocks may be some seconds apart.
        await fixture.passSeconds(latest - (await client.tip()).time + 60n)
      },
    },
    providers: () =>
      openTestProviders({
        start: () => startTestProvider(fixture.local),
        connect: (rpc, options) => hypercore.connect(fixture.chain, { assets: [fixture.asset], endpoints: { rpc }, ...options }),
        forged: (terms) => [contract, terms],
      }),
    replacesUnmined: true,
    deploy: {
      request: {
        chain: { ...fixture.chain, pollMs: 1 },
        endpoints: { rpc: [fixture.local.rpcUrl] },
        asset: fixture.asset,
        token: contract.token,
        signer: solver.signer,
        dryRun: true,
        bringDeployer: true,
        onProgress: () => undefined,
      },
      wrongTokens: [{ token: `0x${'12'.repeat(20)}`, reason: /HyperCore links none of its tokens to 0x1212/ }],
      async whileMining(run) {
        fixture.local.setMining({ kind: 'instant' })
        try {
          return await run()
        } finally {
          fixture.local.setMining({ kind: 'manual' })
        }
      },
      connect: (htlc) => fixture.connect(htlc as Address),
    },
    async close() {
      await Promise.all([client.close(), secondClient.close()])
      await fixture.close()
    },
  }
})

function remembering(client: ChainClient, swaps: Map<string, PrefundedSwap>): ChainClient {
  return {
    ...client,
    async funding(request) {
      const funding = await client.funding(request)
      swaps.set(callsOf(funding).initiate.data, request)
      return funding
    },
  }
}
