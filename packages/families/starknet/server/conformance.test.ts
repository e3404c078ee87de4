/** This test runs the Starknet family under the conformance suite, on the local chain. */

import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import type { Key } from '@tandem/keys/key.ts'
import { createKey, createKeyring, randomPrivateKey } from '@tandem/keys/keyring.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { getChecksumAddress } from 'starknet'
import { selectorOf } from '../contract/client/felt.ts'
import { addressOfFelt, feltOf } from '../terms/address.ts'
import { approvalCallOf, createContracts, initiateCallOf } from '../terms/htlc.ts'
import { starknet } from './index.ts'
import { openTestProviders } from './nodes/provider.fixture.ts'
import { createPermit } from './permit.ts'
import { createFamilyFixture } from './starknet.fixture.ts'
import { starknetWays } from './strangers.fixture.ts'

const abilities = [
  'branchEvents',
  'cancel',
  'checkRecipient',
  'checkSender',
  'deployAccount',
  'deployHtlc',
  'finalHeight',
  'gasless',
  'inspectProviders',
  'instantRefund',
  'legCost',
  'newBlocks',
  'payoutGas',
  'transfer',
] as const

describeConformance('starknet', { family: starknet, abilities }, open)

async function open(): Promise<ConformanceFixture> {
  const fixture = await createFamilyFixture()
  const { devnet, contract, user, solver, send } = fixture
  const { chain: local } = devnet
  const twin = { ...contract, address: fixture.deployTwin() }
  const [client, secondClient] = [fixture.connect(), fixture.connect()]
  const checksummed = getChecksumAddress(user.account)
  // An HTLC of WBTC exists already, so the suite deploys one of STRK.
  const strk: Asset = { ...fixture.asset, id: fixture.chain.nativeAsset, decimals: 18, tokenAddress: addressOfFelt(devnet.strk) }
  // A key deploys the HTLC of a token that is named for the asset, wherever the HTLC will be.
  const named = { ...strk, deployment: { htlc: addressOfFelt(twin.address), token: addressOfFelt(devnet.strk) } }
  const deployer = {
    chain: fixture.chain,
    curve: starknet.curve,
    permitSigning: createPermit(fixture.chain, createContracts(fixture.chain, [named])),
  }
  const deployedBy = (key: Key) => createKeyring([key]).of(deployer).signerFor({ kind: 'deploy', chain: fixture.chain.id, asset: strk.id })
  const deployment = { chain: fixture.chain, endpoints: { rpc: [devnet.url] }, dryRun: true, onProgress: () => undefined }
  const whileMining = async <T>(run: () => Promise<T>): Promise<T> => {
    local.setMining('instant')
    try {
      return await run()
    } finally {
      local.setMining('manual')
    }
  }

  return {
    client,
    secondClient,
    asset: fixture.asset.id,
    amount: 150_000n,
    feeAllowance: 0n,
    timelock: 600n,
    termsAreUsedOnce: true,
    user: user.key,
    solver: solver.key,
    addresses: {
      good: [user.account, user.address, checksummed, `0x${user.account.slice(2).toUpperCase()}`].map((text) => ({
        text,
        canonical: user.account,
      })),
      wrongChecksum: [swapCase(checksummed)],
      wrongNetwork: ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '0:0', `0x${'f'.repeat(64)}`],
      wrongLength: ['0x', user.account.slice(2), `${user.account}0`],
    },
    async fund(funding) {
      const { approval, initiate } = callsOf(funding)
      send(user, [approval, initiate])
    },
    async underfund(terms, funding) {
      const less = { ...terms, amount: terms.amount - 1n }
      // The initiation reverts because the allowance is too small.
      send(user, [approvalCallOf(contract, less.amount), callsOf(funding).initiate])
      send(user, [approvalCallOf(contract, less.amount), initiateCallOf(contract, less, user.account)])
    },
    async lookAlike(terms) {
      send(user, [approvalCallOf(twin, terms.amount), initiateCallOf(twin, terms, user.account)])
      send(user, [{ to: contract.token, selector: TRANSFER, calldata: [contract.address, `0x${terms.amount.toString(16)}`, '0x0'] }])
    },
    gasless: {
      async sign(funding) {
        const { approval, typedData } = callsOf(funding)
        send(user, [approval])
        local.mine()
        return fixture.sign(user, typedData)
      },
      async revokeApproval() {
        send(user, [approvalCallOf(contract, 0n)])
        local.mine()
      },
    },
    strangers: {
      open: async () => starknetWays(fixture),
      held: () => client.balance(fixture.asset.id, contract.address),
      sdk: { url: devnet.url, deployment: fixture.asset.deployment },
    },
    incapableRecipient: async () => addressOfFelt(contract.token),
    async mine(blocks) {
      local.mine(blocks)
    },
    async reorg(depth, { drop }) {
      local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', blocks: depth + 1, remine: false })
    },
    async expire({ timelock }) {
      local.passSeconds(Number(timelock))
    },
    async emptyRecipient() {
      const account = client.identityOf(createKey(starknet.curve, randomPrivateKey(starknet.curve)))
      return { identity: account, address: account }
    },
    providers: () =>
      openTestProviders({ chain: local, contract, connect: (rpc, options) => fixture.connect({ endpoints: { rpc }, ...options }) }),
    replacesUnmined: true,
    deploy: {
      request: {
        ...deployment,
        asset: strk,
        token: addressOfFelt(devnet.strk),
        signer: deployedBy(solver.key),
      },
      wrongTokens: [
        { token: `0x${'12'.repeat(20)}`, reason: /there is no contract at/ },
        { token: contract.token, reason: /expected 18 decimals, it answers 8/ },
      ],
      whileMining,
      connect: (htlc) => fixture.connect({ assets: [{ ...strk, deployment: { htlc, token: addressOfFelt(devnet.strk) } }] }),
    },
    deployAccount: {
      request: deployment,
      async fundedSigner() {
        const key = createKey(starknet.curve, randomPrivateKey(starknet.curve))
        devnet.fund(devnet.strk, feltOf(client.addressOf(key)), 10n ** 18n)
        return deployedBy(key)
      },
      whileMining,
    },
    async close() {
      await Promise.all([client.close(), secondClient.close()])
      await fixture.close()
    },
  }
}

function callsOf(funding: Funding) {
  if (funding.kind !== 'feltCalls') throw new Error(`expected calls of field elements, got ${funding.kind}`)
  return funding
}

const TRANSFER = selectorOf('transfer')

/** One letter changes its case, so the checksum is wrong. */
function swapCase(checksummed: string): string {
  const at = checksummed.search(/[a-f]/)
  return `${checksummed.slice(0, at)}${checksummed.charAt(at).toUpperCase()}${checksummed.slice(at + 1)}`
}
