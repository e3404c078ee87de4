/** A gate with chains in memory, and a journal in a folder of its own. Its family permits everything, so each refusal is one of the policy. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { MarkReader, SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { signingOf } from '@tandem/keys/operations.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createGate, type Gate } from './gate.ts'
import { type Entry, readEntry } from './journal/entries.ts'
import { createHistory, type Limits } from './journal/history.ts'
import { openJournal } from './journal/journal.ts'
import type { WithdrawalRules } from './policy/withdrawal.ts'
import type { AskedAction, AskedPurpose, AskedQuestion } from './wire/question.ts'

export const [btc, wbtc] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'] as const
const eth = 'ethereum_localnet:eth'
export const NOW = 1_800_000_000n
export const DOLLAR = 1_000_000n

/** What it signs is a text; `coins` are what it uses up where the chain has coins. */
const sign = (_: unknown, text: string, ...more: readonly unknown[]) => `signed ${text}${more.length > 0 ? ' with more' : ''}`
signingOf(
  'secp256k1',
  { sign },
  { name: 'evm', locksOnce: true, usedUp: (_, [, nonce]) => (nonce === undefined ? [] : [`nonce ${nonce}`]) },
)
signingOf(
  'secp256k1',
  { sign },
  {
    name: 'bitcoin',
    usedUp: (_, [, ...coins]) => coins.flat().map((coin) => `coin ${String(coin)}`),
    refunded: (_, [, refunds]) => (Array.isArray(refunds) ? refunds.map(({ deposit }: { readonly deposit: string }) => deposit) : null),
  },
)

/** A text such as "fee 500" costs 500 millionths of a dollar: see the prices. What follows is a nonce, or coins such as "a" or "a=100". */
const factsOf = (chain: string): SigningFacts => {
  const isBitcoin = chain === 'bitcoin_regtest'
  const coins = (more: readonly unknown[]) => more.flat().filter((one): one is string => typeof one === 'string')
  return {
    feeDecimals: 6,
    worstFee: (_, [text]) => (String(text).startsWith('fee ') ? BigInt(String(text).slice(4)) : 0n),
    marks: (_, [, ...more]) =>
      isBitcoin ? coins(more).map((coin) => `coin ${coin.split('=')[0]}`) : more.map((nonce) => `nonce ${String(nonce)}`),
    transactionId: (_, [, ...more]) => (isBitcoin ? `transaction of ${coins(more).join(' ')}` : null),
    claims: (_, [, ...more]) => coins(more).flatMap((coin) => (coin.includes('=') ? [`coin ${coin.replace('=', ' ')}`] : [])),
  }
}

export type TestSigner = Awaited<ReturnType<typeof openTestSigner>>

export async function openTestSigner(rules: Partial<WithdrawalRules> = {}, changed: Partial<Limits> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-signer-'))
  const path = join(folder, 'journal')
  const world = {
    now: NOW,
    approvals: [] as string[],
    /** Marks that mined transactions have used up, transactions whose money came back, and the true amounts of coins. */
    used: new Set<string>(),
    back: new Set<string>(),
    amounts: new Map<string, bigint>(),
    prices: { [btc]: 60_000n * 10n ** 8n, [wbtc]: 60_000n * 10n ** 8n, [eth]: 10n ** 8n } as Record<string, bigint>,
  }
  const reader: MarkReader = { isUsedByOther: async (mark) => world.used.has(mark), close: async () => undefined }
  const coinReader: MarkReader = {
    ...reader,
    cameBack: async (transaction) => world.back.has(transaction),
    amountOf: async (mark) => world.amounts.get(mark) ?? null,
  }
  const markReaders = new Map([
    ['bitcoin_regtest', coinReader],
    ['ethereum_localnet', reader],
  ])
  const pace = { blockMs: 2_000, clock: () => world.now }
  const permitSigning = () => undefined
  const bitcoin = Object.assign(createMemoryChain('bitcoin_regtest', NOW, pace), { permitSigning })
  const ethereum = Object.assign(createMemoryChain('ethereum_localnet', NOW, pace), { permitSigning })
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  const key = createKey('secp256k1', '22'.repeat(32))
  const keys = createKeyring([key])
  const limits = {
    order: 700n * DOLLAR,
    hour: 2_000n * DOLLAR,
    open: 3_000n * DOLLAR,
    feesPerHour: 10n * DOLLAR,
    chainHour: new Map([['bitcoin_regtest', 1_300n * DOLLAR]]),
    unfinal: new Map([['ethereum_localnet', 1_250n * DOLLAR]]),
    ...changed,
  }
  const withdrawals: WithdrawalRules = { addresses: new Map(), delaySeconds: 0, maxPerDay: null, approvedAbove: null, ...rules }

  async function open() {
    const history = createHistory()
    const journal = await openJournal<Entry>(path, (value) => history.note(readEntry(value)))
    const gate: Gate = createGate({
      facts: new Map([...clients.keys()].map((id) => [id, factsOf(id)])),
      markReaders,
      registry: localRegistry({ [btc]: { htlc: null, token: null }, [wbtc]: { htlc: '0x01', token: '0x02' } }),
      clients,
      keys,
      prices: { find: (asset) => createStaticFeed(world.prices).find(asset) },
      journal,
      history,
      limits,
      toleranceBips: 100n,
      withdrawals,
      findApprovals: async () => world.approvals,
      log: { warn: () => undefined },
      now: () => world.now,
    })
    return { gate, journal }
  }

  let running = await open()
  const own = (client: typeof bitcoin) => client.identityOf(key)

  return {
    world,
    bitcoin,
    ethereum,
    markReaders,
    folder,
    path,
    own,
    gate: () => running.gate,
    head: () => running.journal.head(),
    async restart(change: () => Promise<void> = async () => undefined) {
      await running.journal.close()
      await change()
      running = await open()
    },
    async entries(): Promise<readonly Entry[]> {
      const text = await readFile(path, 'utf8')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => readEntry(JSON.parse(line).entry))
    },
    question: (purpose: AskedPurpose, ...args: readonly unknown[]): AskedQuestion => ({
      way: 'operation',
      name: 'sign',
      signers: [{ curve: 'secp256k1', public_key: bytesToHex(key.publicKey), purpose }],
      args: [...args],
    }),
    async close() {
      await running.journal.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An order whose source on `from` is there, with its confirmations: what an honest solver asks for. */
export function honestLock(
  signer: TestSigner,
  from: 'bitcoin' | 'ethereum',
  {
    amount = 1_000_000n,
    secretHash = 'ab'.repeat(32),
    // A source by blocks must still outlive its lock.
    confirmations = from === 'bitcoin' ? 6 : 90,
  }: { amount?: bigint; secretHash?: string; confirmations?: number } = {},
) {
  const [source, destination] = from === 'bitcoin' ? [signer.bitcoin, signer.ethereum] : [signer.ethereum, signer.bitcoin]
  const userOn = (client: typeof source) => (client === signer.bitcoin ? 'a2'.repeat(32) : `0x${'a1'.repeat(20)}`)
  const termsOn = (client: typeof source, leg: 'source' | 'destination'): HtlcTerms => ({
    asset: client === signer.bitcoin ? btc : wbtc,
    initiator: leg === 'source' ? userOn(client) : signer.own(client),
    redeemer: leg === 'source' ? signer.own(client) : userOn(client),
    amount,
    secretHash,
    timelock: client.chain.timelocks[leg],
  })
  const terms = termsOn(source, 'source')
  const swapId = source.swapId(terms)
  const deposit = source === signer.bitcoin ? `${secretHash}:0` : swapId
  const { height } = source.mine({
    kind: 'initiated',
    swapId,
    tx: `tx of ${secretHash}`,
    index: 'log:0',
    block: null,
    deposit,
    amount,
    expiresAt: null,
  })
  if (confirmations > 1) source.grow(confirmations - 1)
  const action: AskedAction = {
    order: `order of ${secretHash.slice(0, 4)}`,
    leg: 'destination',
    verb: 'initiate',
    terms: termsOn(destination, 'destination'),
    paidBy: { chain: source.chain.id, terms, deposits: [{ id: deposit, height }] },
  }
  return { chain: destination.chain.id, action, swapId, deposit, source, destination }
}

export function orderPurpose(chain: string, ...actions: readonly AskedAction[]): AskedPurpose {
  return { kind: 'order', chain, actions: actions as Extract<AskedPurpose, { kind: 'order' }>['actions'] }
}
