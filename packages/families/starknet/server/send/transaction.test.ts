/** These tests hash transactions like Starknet's SDK, and read records back without a node. */

import { rawSignerOf, signerBy, testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import { constants, type EDAMode, ec, hash } from 'starknet'
import { expect, test } from 'vitest'
import { readAttempt, signInvoke } from './transaction.ts'
import { deployAccountHash, type Envelope, invokeHash } from './transaction-hash.ts'

const key = createStarkKey('01'.repeat(32))
const signer = key.signerFor(testPurpose)
const publicKey = `0x02${Buffer.from(key.publicKey).toString('hex')}`
const envelope: Envelope = {
  chainId: constants.StarknetChainId.SN_SEPOLIA,
  sender: '0xa11ce',
  nonce: 7n,
  gas: { l1Gas: 0n, l1DataGas: 192n, l2Gas: 1_500_000n },
  fees: { prices: { l1Gas: 10n ** 14n, l1DataGas: 5n * 10n ** 13n, l2Gas: 66_000_000_000n }, tip: 1_650_000_000n },
}
const call = {
  calls: [
    { to: '0x5afe', selector: '0x219', calldata: ['0xbeef', '0x3e8', '0x0'] },
    { to: '0xbeef', selector: '0x2', calldata: [] },
  ],
} as const
const calldata = ['0x2', '0x5afe', '0x219', '0x3', '0xbeef', '0x3e8', '0x0', '0xbeef', '0x2', '0x0'] as const

const common = {
  version: '0x3',
  chainId: constants.StarknetChainId.SN_SEPOLIA,
  nonce: 7n,
  nonceDataAvailabilityMode: 0 as EDAMode,
  feeDataAvailabilityMode: 0 as EDAMode,
  resourceBounds: {
    l1_gas: { max_amount: 0n, max_price_per_unit: 10n ** 14n },
    l1_data_gas: { max_amount: 192n, max_price_per_unit: 5n * 10n ** 13n },
    l2_gas: { max_amount: 1_500_000n, max_price_per_unit: 66_000_000_000n },
  },
  tip: 1_650_000_000n,
  paymasterData: [],
} as const

test('hashes of both kinds are those of the SDK', () => {
  const sender = { senderAddress: '0xa11ce', accountDeploymentData: [] }
  expect(invokeHash(envelope, calldata)).toBe(
    hash.calculateInvokeTransactionHash({ ...common, ...sender, paymasterData: [], compiledCalldata: [...calldata] }),
  )
  const account = { contractAddress: '0xa11ce', classHash: '0xc1a55', salt: '0x5a17', compiledConstructorCalldata: ['0x5a17'] }
  expect(deployAccountHash(envelope, { classHash: '0xc1a55', salt: '0x5a17', constructorCalldata: ['0x5a17'] })).toBe(
    hash.calculateDeployAccountTransactionHash({ ...common, ...account, paymasterData: [] }),
  )
})

test('a recorded invocation reads back, has its own hash, and the signature of the key', async () => {
  const attempt = await signInvoke(signer, envelope, call)
  expect(attempt).toMatchObject({ nonce: 7n, slots: [`0x${'a11ce'.padStart(64, '0')}:7`], feeRate: 67_650_000_000n })
  const read = readAttempt({ ...attempt, at: 5n })
  expect(read).toMatchObject({ tx: invokeHash(envelope, calldata), at: 5n, call, nonce: 7n, gas: envelope.gas, fees: envelope.fees })
  const [r, s] = read.wire.signature as [string, string]
  const signature = new ec.starkCurve.Signature(BigInt(r), BigInt(s))
  const isSigned = ['02', '03'].some((parity) => ec.starkCurve.verify(signature, read.tx, parity + publicKey.slice(4)))
  expect(isSigned).toBe(true)
})

test('a digest without a signature is changed by the tip, and a key that never signs fails', async () => {
  const refusing = (times: number) => {
    const raw = rawSignerOf(key)
    return signerBy({
      ...raw,
      signFelt: (digest: Uint8Array) => {
        times -= 1
        if (times >= 0) throw new Error('this digest has no signature')
        return raw.signFelt(digest)
      },
    })
  }
  const attempt = await signInvoke(refusing(2), envelope, call)
  const { fees, tx } = readAttempt({ ...attempt, at: 0n })
  expect(fees.tip).toBe(envelope.fees.tip + 2n)
  expect(tx).toBe(invokeHash({ ...envelope, fees }, calldata))
  await expect(signInvoke(refusing(3), envelope, call)).rejects.toThrow('no signature')
})
