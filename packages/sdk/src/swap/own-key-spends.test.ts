/** Refunds, sweeps and fee bumps with the user's own key, against an Esplora in memory. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Address, NETWORK, OutScript, Transaction } from '@scure/btc-signer'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { scriptOfAddress } from '@tandem/bitcoin/terms/script/address.ts'
import { parseUserKey } from '@tandem/bitcoin/terms/script/user-key.ts'
import { expect, test } from 'vitest'
import { createHostileService, quote, request } from './hostile-service.fixture.ts'
import { verifyAndPay } from './pay.ts'
import { makeOrder } from './prepare.ts'
import { instantRefund, refund, speedUp, sweep, whenRefundable } from './refund.ts'
import { loadSwap } from './saved-swap.ts'

const nodes = { bitcoin_regtest: 'http://esplora', ethereum_localnet: 'http://rpc' }
const TIMELOCK = 200
const TIP = 1000
const TO = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
const network = networkOf('bitcoin:regtest')

type Utxo = { readonly txid: string; readonly vout: number; readonly value: number; readonly status: object }

const utxo = (digits: string, value: number, height: number): Utxo => ({
  txid: digits.repeat(32),
  vout: 0,
  value,
  status: { confirmed: true, block_height: height },
})
const mature = TIP - TIMELOCK + 1

/** A swap that was paid, its Esplora, and what was broadcast there. */
async function paidSwap(utxos: readonly Utxo[], { rate = 1, age = 0 } = {}) {
  const service = await createHostileService(nodes)
  const { saved, created } = await makeOrder(service.context, request, quote, service.wallet)
  await verifyAndPay(service.context, saved, service.wallet, { gasless: false, created })
  const sent: Transaction[] = []
  const estimate = { rate }
  Object.assign(service.chain, {
    utxo: () => utxos,
    ...Object.fromEntries(utxos.map(({ txid }) => [txid, () => ({ vin: [{ is_coinbase: false }] })])),
    'fee-estimates': () => ({ 3: estimate.rate }),
    hash: () => 'newest',
    newest: () => ({ height: TIP, timestamp: Math.floor(Date.now() / 1000) - age }),
    mempool: () => sent.slice(-1).map((transaction) => pendingJson(transaction, utxos, service.paid[0] ?? '')),
    tx(raw: string) {
      const transaction = Transaction.fromRaw(hexToBytes(raw), { allowUnknownInputs: true, allowUnknownOutputs: true })
      sent.push(transaction)
      return transaction.id
    },
  })
  return { ...service, saved: await loadSwap(service.context, saved.orderId), sent, estimate }
}

function pendingJson(transaction: Transaction, utxos: readonly Utxo[], address: string) {
  const inputs = Array.from({ length: transaction.inputsLength }, (_, index) => transaction.getInput(index))
  const spent = inputs.map(({ txid, index, finalScriptWitness }) => {
    const found = utxos.find((one) => one.txid === bytesToHex(txid ?? new Uint8Array()) && one.vout === index)
    return {
      txid: found?.txid,
      vout: found?.vout,
      prevout: { value: found?.value, scriptpubkey_address: address },
      witness: (finalScriptWitness ?? []).map(bytesToHex),
    }
  })
  const total = spent.reduce((sum, { prevout }) => sum + (prevout.value ?? 0), 0)
  return { txid: transaction.id, fee: total - Number(transaction.getOutput(0).amount), vin: spent }
}

const amountsIn = (transaction: Transaction | undefined) => Number(transaction?.getOutput(0).amount)

test('late dust, which anybody can send, does not hold up the refund of the deposit', async () => {
  const { context, saved, sent } = await paidSwap([utxo('11', 1_000_000, mature), utxo('22', 5_000, TIP), utxo('33', 60, mature)])
  expect(await refund(context, saved.orderId)).toBe(sent[0]?.id)
  expect(sent[0]?.inputsLength).toBe(1)
  expect(bytesToHex(sent[0]?.getInput(0).txid ?? new Uint8Array())).toBe('11'.repeat(32))
  expect(amountsIn(sent[0])).toBeGreaterThan(999_000)
  expect(bytesToHex(sent[0]?.getOutput(0).script ?? new Uint8Array())).toBe(bytesToHex(scriptOfAddress(TO, network)))
})

test('before the timelock ends, and by a node that stands still, nothing is sent', async () => {
  const early = await paidSwap([utxo('11', 1_000_000, mature + 7), utxo('22', 1_000_000, TIP)])
  await expect(refund(early.context, early.saved.orderId)).rejects.toThrow('ends in 7 blocks')
  const stale = await paidSwap([utxo('11', 1_000_000, mature)], { age: 3_600 })
  await expect(refund(stale.context, stale.saved.orderId)).rejects.toMatchObject({ name: 'NodeError' })
  expect([...early.sent, ...stale.sent]).toEqual([])
})

test('a repeated refund is the same one; a higher fee replaces it with the same inputs', async () => {
  const { context, saved, sent, estimate } = await paidSwap([utxo('11', 1_000_000, mature), utxo('22', 500_000, mature)])
  const first = await refund(context, saved.orderId)
  expect(await refund(context, saved.orderId)).toBe(first)
  expect(sent).toHaveLength(1)
  estimate.rate = 20
  const second = await speedUp(context, saved.orderId)
  expect(second).not.toBe(first)
  const inputsOf = (one: Transaction | undefined) =>
    Array.from({ length: one?.inputsLength ?? 0 }, (_, index) => bytesToHex(one?.getInput(index).txid ?? new Uint8Array()))
  expect(inputsOf(sent[1])).toEqual(inputsOf(sent[0]))
  const feeOf = (one: Transaction | undefined) => 1_500_000 - amountsIn(one)
  expect(feeOf(sent[1])).toBeGreaterThan(15 * feeOf(sent[0]))
  // At most three times what the node estimates, however often it is called.
  for (let times = 0; times < 20; times += 1) await speedUp(context, saved.orderId)
  expect(feeOf(sent.at(-1))).toBeLessThan(4 * feeOf(sent[1]))
})

test('a service that names many deposits does not keep the page busy', async () => {
  const { context, saved, answers } = await paidSwap([])
  const { record } = answers
  if (record === null) throw new Error('no order')
  const deposits = Array.from({ length: 21 }, (_, n) => ({ deposit: `${'11'.repeat(32)}:${n}`, amount: '100000000' }))
  answers.record = { ...record, source_swap: { ...record.source_swap, deposits } } as unknown as typeof record
  Object.assign(context.client, { instantRefundHashes: async () => ['22'.repeat(32)] })
  await expect(instantRefund(context, saved.orderId)).rejects.toMatchObject({ name: 'VerificationError', field: 'source_swap.deposits' })
})

test('what was paid to the user’s own keys is moved to an address, in one transaction', async () => {
  const { context, saved, sent, chain } = await paidSwap([])
  const key = hexToBytes(await context.keys.keyFor(saved.index, 'source'))
  const publicKey = schnorr.getPublicKey(key)
  const own = parseUserKey(bytesToHex(publicKey), network)?.address ?? ''
  const asked: string[] = []
  const counting: typeof fetch = async (url, init) => {
    asked.push(String(url))
    return (context.options.fetch ?? fetch)(url, init)
  }
  const counted = { ...context, options: { ...context.options, fetch: counting } }
  expect(await sweep(counted, 'bitcoin_regtest', TO)).toBeNull()
  expect(asked).toContain(`http://esplora/address/${own}/utxo`)
  chain.utxo = () => [utxo('44', 40_000, TIP), utxo('55', 30_000, TIP), utxo('66', 50, TIP)]
  expect(await sweep(counted, 'bitcoin_regtest', TO)).toBe(sent[0]?.id)
  expect(sent[0]?.inputsLength).toBe(2)
  expect(amountsIn(sent[0])).toBeGreaterThan(69_000)
  const script = OutScript.encode(Address({ ...NETWORK, bech32: 'bcrt' }).decode(own))
  for (const index of [0, 1]) {
    const hash = sent[0]?.preimageWitnessV1(index, [script, script], 0, [40_000n, 30_000n]) ?? new Uint8Array()
    const [signature = new Uint8Array()] = sent[0]?.getInput(index).finalScriptWitness ?? []
    expect(schnorr.verify(signature, hash, script.subarray(2))).toBe(true)
  }
  await expect(sweep(context, 'ethereum_localnet', TO)).rejects.toThrow('has no keys of users')
})

test('when a payment can be taken back follows from the oldest deposit on the own node, however small', async () => {
  const now = Math.floor(Date.now() / 1000)
  const inTime = async (...utxos: readonly Utxo[]) => {
    const { context, saved } = await paidSwap(utxos)
    const time = await whenRefundable(context, saved.orderId)
    return time === null ? null : { earliest: Math.round((time.earliest - now) / 100), latest: Math.round((time.latest - now) / 100) }
  }
  expect(await inTime(utxo('11', 1_000_000, mature))).toEqual({ earliest: 0, latest: 0 })
  // 150 blocks are missing, of 2 to 10 seconds each.
  expect(await inTime(utxo('11', 1_000_000, TIP), utxo('22', 20_000, TIP - 49))).toEqual({ earliest: 3, latest: 15 })
  expect(await inTime()).toBe(null)
})
