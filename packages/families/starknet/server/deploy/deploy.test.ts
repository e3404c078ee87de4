/** These tests deploy on the simulator: the same address for everyone, sent once, by an account that may have to be deployed first. */

import type { DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { newKey } from '../../local/starknet.fixture.ts'
import { addressOfFelt, feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { accountOf } from '../account.ts'
import { openExecutor } from '../executor.fixture.ts'
import type { Felt, StarknetNode } from '../nodes/node.ts'
import { deployOn } from './deploy.ts'

const { local, chain, node, contract, solver, user } = await openExecutor()
const classHash = (await node.classHashAt(contract.address)) ?? '0x0'
const { accountClass } = starknetDataOf(chain)
/** Each token has the decimals of the asset and is used in one test. */
const strk = { id: `${chain.id}:strk`, decimals: 18 } as DeployRequest['asset']
let said: string[] = []
let sent: string[] = []

beforeEach(() => {
  said = []
  sent = []
  local.chain.setMining('instant')
})
afterAll(() => local.chain.setMining('manual'))

function newSigner() {
  const key = createStarkKey(newKey().slice(2).padStart(64, '0'))
  return { signer: key.signerFor(testPurpose), address: accountOf(key, accountClass) }
}

function deploy(change: Partial<DeployRequest> = {}, declared: Felt = classHash, changes: Partial<StarknetNode> = {}) {
  const counting: StarknetNode = {
    ...node,
    broadcast(transaction) {
      sent.push(transaction.type)
      return node.broadcast(transaction)
    },
    ...changes,
  }
  const request = { chain, endpoints: {}, asset: strk, token: local.strk, signer: solver.key.signerFor(testPurpose), dryRun: false }
  return deployOn(counting, { ...request, onProgress: (what) => void said.push(what), ...change }, declared)
}

describe('refuses, before anything is sent', () => {
  test.each([
    ['no token', { token: null }, 'needs the address of a token'],
    ['a token that is not there', { token: `0x${'12'.repeat(20)}` }, 'there is no contract at'],
    ['the token of another asset', { token: local.wbtc }, 'expected 18 decimals, it answers 8'],
    ['a contract that is no token', { token: local.htlc }, 'decimals of'],
  ])('%s', async (_, change, reason) => {
    await expect(deploy(change)).rejects.toThrow(reason)
    expect(sent).toEqual([])
  })

  test('a class that is not declared, with the way to declare it', async () => {
    await expect(deploy({}, '0x123')).rejects.toThrow(/0x0+123, is not declared.*starknet\/contract\/README\.md/)
    expect(sent).toEqual([])
  })

  test('an account that cannot pay, with its address and the amounts, though it is not deployed', async () => {
    const { signer, address } = newSigner()
    await expect(deploy({ signer })).rejects.toThrow(
      new RegExp(`costs up to 0\\.\\d+ STRK; ${address} holds 0 STRK on .*: send it 0\\.\\d+ STRK or more, and run this again`),
    )
    expect(sent).toEqual([])
  })
})

test('an account that is not deployed deploys itself, then the HTLC; others find it', async () => {
  const { signer, address } = newSigner()
  local.fund(local.strk, address, 10n ** 18n)
  const planned = await deploy({ signer, dryRun: true })
  expect(planned).toMatchObject({ tx: null, codeHash: addressOfFelt(classHash) })
  expect(said.at(-1)).toContain(`would be deployed at ${planned.htlc}, after the account ${address}`)
  expect(sent).toEqual([])

  // The network loses the first transaction, so it is sent again.
  local.chain.faults.drop(1)
  const deployed = await deploy({ signer })
  expect(deployed).toEqual({ ...planned, tx: deployed.tx })
  expect(await node.outcome(deployed.tx ?? '')).toEqual({ kind: 'succeeded' })
  expect(await node.classHashAt(feltOf(address))).toBe(feltOf(accountClass))
  expect(sent).toEqual(['DEPLOY_ACCOUNT', 'DEPLOY_ACCOUNT', 'INVOKE'])
  expect(said.join('\n')).toMatch(/deploying the account.*verified: its class.*deployed the HTLC of \S+ at 0x\w+ in 0x/s)

  sent = []
  expect(await deploy({ signer: user.key.signerFor(testPurpose) })).toEqual(planned)
  expect(sent).toEqual([])
})
