// Tests valid and invalid signatures under Tron's ecrecover, which returns 21-byte addresses, by a simulated precompile.
import type { Address, Hex } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { createContractFixture } from './contract.fixture.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { htlcCall, initiateTypedData } from './htlc-order.fixture.ts'
import { compileMutants } from './mutation/compile-mutants.ts'

const precompile: Address = '0x7400000000000000000000000000000000000041'

/** The code asks the true precompile with the same 128 bytes and puts 0x41 in front of the 20 bytes of the answer. */
const tronRecovery: Hex = '0x60805f5f3760205f60805f60015afa505f51604160a01b175f5260205ff3'

let setup: HtlcSetup
beforeAll(async () => {
  const fixture = await createContractFixture()
  await fixture.request({ method: 'hardhat_setCode', params: [precompile, tronRecovery] })
  const [htlcBytecode = '0x'] = compileMutants('ERC-20', [
    {
      name: 'recovers as on Tron',
      kind: 'ERC-20',
      file: 'Signatures.sol',
      text: 'staticcall(gas(), 1, pointer',
      replacement: `staticcall(gas(), ${precompile}, pointer`,
    },
  ])
  setup = await createHtlcSetup('ERC-20', undefined, { fixture, htlcBytecode })
})

it('an initiation by signature goes through', async () => {
  const order = setup.newOrder()
  const signature = await setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
  await setup.send(setup.stranger, htlcCall.initiateWithSignature(order, signature))
  expect(await setup.state(order)).toBeGreaterThan(2n)
})

it('a signature by another key does not', async () => {
  const order = setup.newOrder()
  const signature = await setup.stranger.signTypedData(initiateTypedData(setup.domain, order))
  await expect(setup.send(setup.stranger, htlcCall.initiateWithSignature(order, signature))).rejects.toThrow('HTLC__InvalidSignature')
})
