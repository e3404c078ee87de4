/** A swap from a token of an EVM chain to bitcoin, with an Esplora and a service in memory, whose answers a test can change. */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import { htlcOf } from '@tandem/bitcoin/terms/htlc.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { createContracts, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Client } from '../client/client.ts'
import { newRescueKeys } from '../rescue/rescue-keys.ts'
import { type PinnedAsset, pinnedAsset } from '../verify/pinned.ts'
import type { SwapContext } from './context.ts'
import { swapRecord } from './hostile-service.fixture.ts'
import { memoryStorage } from './storage.ts'

const account = (digit: string) => `0x${digit.repeat(40)}`
export const publicKey = (digit: string) => bytesToHex(schnorr.getPublicKey(hexToBytes(digit.repeat(64))))
export const SOLVER = publicKey('6')
export const TIP = 1000
export const addresses = { bitcoin_regtest: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', ethereum_localnet: account('3') }

type Coin = { readonly txid: string; readonly vout: 0; readonly value: number; readonly height: number }
export const coin = (digits: string, value: number, height: number): Coin => ({ txid: digits.repeat(32), vout: 0, value, height })

/** `redeemer` is that of the destination. The default is the user's key. */
export async function swapToBitcoin({ redeemer }: { readonly redeemer?: string } = {}) {
  const deployments = { 'ethereum_localnet:wbtc': { htlc: account('1'), token: account('2') } }
  const source = await pinnedAsset('ethereum_localnet:wbtc', deployments)
  const destination = await pinnedAsset('bitcoin_regtest:btc', deployments)
  const storage = memoryStorage()
  const { keys } = await newRescueKeys(storage)
  const own = bytesToHex(schnorr.getPublicKey(hexToBytes(await keys.keyFor(0, 'destination'))))
  const secretHash = hashSecret(await keys.secretFor(0))
  const termsOf = ({ asset, chain }: PinnedAsset, leg: Leg, parties: Pick<HtlcTerms, 'initiator' | 'redeemer' | 'amount'>): HtlcTerms => ({
    ...parties,
    asset: asset.id,
    secretHash,
    timelock: chain.timelocks[leg],
  })
  const sourceTerms = termsOf(source, 'source', { initiator: account('3'), redeemer: account('4'), amount: 1_000_000n })
  const terms = termsOf(destination, 'destination', { initiator: SOLVER, redeemer: redeemer ?? own, amount: 990_000n })
  const { address } = htlcOf(terms, networkOf(destination.chain.reference))
  const seconds = Math.floor(Date.now() / 1000)
  const contract = createContracts(source.chain, [{ ...source.asset, deployment: source.deployment }]).of(source.asset.id)
  const record = {
    created_at: new Date(seconds * 1000).toISOString(),
    order_id: 'ab'.repeat(32),
    version: 'v3',
    nonce: '1',
    solver_id: 'solver',
    integrator: 'app',
    affiliate_fees: [],
    deadline: seconds + Number(source.chain.fundingWindowSeconds),
    price_expires_at: seconds,
    status: 'counterparty_initiated',
    next_action: { who: 'user', what: 'redeem_destination', by: null },
    source_swap: swapRecord(source, 'source', sourceTerms, swapIdOf(contract, sourceTerms)),
    destination_swap: {
      ...swapRecord(destination, 'destination', terms, address),
      ...(redeemer !== undefined && { redeemer: addresses.bitcoin_regtest, delegate: redeemer }),
    },
  } as unknown as OrderRecord

  const esplora = createEsplora(address)
  /** `refusal` is thrown at each read of the order. `told` has each PATCH. */
  const service = { record, refusal: null as Error | null, told: [] as object[] }
  const client = {
    chains: async () => [],
    orders: async ({ secret_hash = '' }) => ({ data: secret_hash.includes(secretHash) ? [record] : [] }),
    async order() {
      if (service.refusal !== null) throw service.refusal
      return service.record
    },
    async patchOrder(_id: string, action: string, body: object) {
      service.told.push({ action, ...body })
      return 'a hash of nothing'
    },
  } as unknown as Client
  const options = { baseUrl: '', appId: '', deployments, nodes: { bitcoin_regtest: 'http://esplora' }, fetch: esplora.fetch, pollMs: 1 }
  const context: SwapContext = { client, options, storage, keys }
  return { context, record, service, esplora, orderId: record.order_id, chain: destination.chain }
}

/** Like Esplora, it lists no coin that an unmined transaction spends. `sent` has all transactions. The last one is unmined until `mine`. */
function createEsplora(address: string) {
  const sent: Transaction[] = []
  /** `isRefund`: what is there instead is the solver's refund, which does not show the secret. */
  const state = { coins: [] as readonly Coin[], isMined: false, isRefund: false, rate: 5 }
  const inputsOf = (transaction: Transaction | undefined) =>
    Array.from({ length: transaction?.inputsLength ?? 0 }, (_, index) => transaction?.getInput(index)).map((input) => ({
      txid: bytesToHex(input?.txid ?? new Uint8Array()),
      witness: (input?.finalScriptWitness ?? []).map(bytesToHex),
    }))
  const isSpent = ({ txid }: Coin) => inputsOf(sent.at(-1)).some((input) => input.txid === txid)
  const newest = () => {
    const transaction = sent.at(-1)
    if (transaction === undefined) return []
    const vin = inputsOf(transaction).map(({ txid, witness }) => ({
      txid,
      vout: 0,
      prevout: { value: state.coins.find((one) => one.txid === txid)?.value ?? 0, scriptpubkey_address: address },
      witness: state.isRefund ? ['00'] : witness,
    }))
    const total = vin.reduce((sum, { prevout }) => sum + prevout.value, 0)
    const paid = Number(transaction.getOutput(0).amount)
    return [{ txid: transaction.id, fee: total - paid, vin, vout: [{ value: paid }], status: { confirmed: state.isMined } }]
  }
  const answers: Readonly<Record<string, (url: string, body: string) => unknown>> = {
    utxo: () =>
      state.coins
        .filter((one) => !isSpent(one))
        .map(({ height, ...one }) => ({ ...one, status: { confirmed: true, block_height: height } })),
    'fee-estimates': () => ({ 3: state.rate }),
    hash: () => 'newest',
    newest: () => ({ height: TIP, timestamp: Math.floor(Date.now() / 1000) }),
    mempool: () => (state.isMined ? [] : newest()),
    tx(_url, raw) {
      const transaction = Transaction.fromRaw(hexToBytes(raw), { allowUnknownInputs: true, allowUnknownOutputs: true })
      sent.push(transaction)
      return transaction.id
    },
    /** This answers /tx/:txid/outspend/0. */
    0: (url) => ({
      spent: inputsOf(sent.at(-1)).some(({ txid }) => url.includes(txid)),
      txid: sent.at(-1)?.id,
      status: { confirmed: state.isMined },
    }),
  }
  /** This answers /address/:address. */
  const summary = (of: string) => {
    const [funded, spent] = [state.coins, state.coins.filter(isSpent)].map((coins) => coins.reduce((sum, { value }) => sum + value, 0))
    const chain_stats = of === address ? { funded_txo_sum: funded, spent_txo_sum: spent } : { funded_txo_sum: 0, spent_txo_sum: 0 }
    return { chain_stats, mempool_stats: { funded_txo_sum: 0, spent_txo_sum: 0 } }
  }
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const name = String(url).replace(/^.*\//, '')
    const [made] = newest()
    if (state.coins.some(({ txid }) => txid === name)) return Response.json({ vin: [{ is_coinbase: false }] })
    const result =
      name === made?.txid ? made : name.startsWith('bcrt1') ? summary(name) : answers[name]?.(String(url), String(init?.body ?? ''))
    if (result === undefined) throw new Error(`no answer for ${url}`)
    return new Response(typeof result === 'string' ? result : JSON.stringify(result))
  }
  return { state, sent, fetch, inputs: () => sent.map((one) => inputsOf(one).map(({ txid }) => txid.slice(0, 2))) }
}
