/** Runs a signer: the keys of a solver, connections to nodes of its own, a journal on its own disk, and a server for the solver. */
import { readFile } from 'node:fs/promises'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { MarkReader, SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { loadFamily } from '@tandem/families/index.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { readKeyring } from '@tandem/party/config/keyring.ts'
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import type { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { connectNetwork, type NetworkSettings } from '@tandem/party/engine/network.ts'
import { openPriceFeed } from '@tandem/party/prices/open-feed.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { formatUsd, parseUsdMicros } from '@tandem/protocol/amount.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { type Closable, type Keep, startClosable } from '@tandem/runtime/closing.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { createApprovals } from './approvals.ts'
import { createGate, type Gate, type GateContext } from './gate.ts'
import { type Entry, readEntry } from './journal/entries.ts'
import { createHistory, type History, type Limits } from './journal/history.ts'
import { openJournal } from './journal/journal.ts'
import type { WithdrawalRules } from './policy/withdrawal.ts'
import { type Listen, startServer } from './server.ts'
import type { SignerStatus } from './wire/protocol.ts'

export type RunningSigner = Closable & { readonly url: string }

type Loaded = LoadedConfig<SignerConfig>

const DEFAULT_TOLERANCE_BIPS = 300
/** Without a limit of their own, fees may take this part (1/n) of what may be locked within an hour. */
const DEFAULT_FEE_PART = 20n

export function startSigner(loaded: Loaded, log: Logger): Promise<RunningSigner> {
  return startClosable(
    async (keep) => {
      const { config, readSecret } = loaded
      const keys = await readKeyring(config.private_key, loaded)
      const signingKey = createSigningKey(await readSecret(config.signing_key))
      const history = createHistory()
      const journal = await openJournal<Entry>(loaded.pathOf(config.journal), (value) => history.note(readEntry(value)))
      keep(() => journal.close())
      const settings = await networkSettings(loaded)
      const { registry, clients, close } = await connectNetwork(
        settings,
        (chain, error) =>
          log.warn({ chain, err: error }, 'the node does not answer: nothing that pays is signed on this chain until it does'),
        (warning) => log.warn(warning),
      )
      keep(close)
      const prices = await openPriceFeed({ config, registry, clients }, null)
      keep(() => prices.stop())
      const { facts, markReaders } = await openFacts(registry, clients, settings, keep)
      const gate = createGate({
        facts,
        markReaders,
        registry,
        clients,
        keys,
        prices,
        journal,
        history,
        log,
        limits: limitsOf(config.limits_usd),
        toleranceBips: BigInt(config.price_tolerance_bips ?? DEFAULT_TOLERANCE_BIPS),
        withdrawals: withdrawalRules(config.withdrawals, clients),
        ...createApprovals(loaded.pathOf(config.withdrawals?.approvals ?? 'approvals'), config.withdrawals?.approvers ?? [], log),
        now: () => BigInt(Math.floor(Date.now() / 1000)),
      })
      keep(startPasses(gate, log))
      const unchecked = [...clients.values()].filter(({ permitSigning }) => permitSigning === undefined)
      for (const { chain } of unchecked)
        log.warn({ chain: chain.id }, 'the family of this chain does not check what is signed: nothing is signed there')
      if (history.whyHeld() !== null) log.error({ why: history.whyHeld() }, 'the journal is older than what was signed')
      const server = await startServer(await listenOf(loaded), {
        gate,
        key: signingKey,
        clients: config.clients.map(({ id, public_key: publicKey }) => ({ id, publicKey })),
        status: () => ({ ...publicHalves(clients, keys), entries: journal.head().count, open: openOf(history), held: history.whyHeld() }),
        head: journal.head,
        log,
      })
      keep(server.close)
      return { url: server.url }
    },
    (failure) => log.warn({ err: failure }, 'not everything could be closed'),
  )
}

/** The nodes are those of the clients, over connections of their own: no request is sent until a lock has to be settled. */
async function openFacts(
  registry: Registry,
  clients: ReadonlyMap<ChainId, ChainClient>,
  { chains }: NetworkSettings,
  keep: Keep,
): Promise<Pick<GateContext, 'facts' | 'markReaders'>> {
  const facts = new Map<ChainId, SigningFacts>()
  const markReaders = new Map<ChainId, MarkReader>()
  for (const id of clients.keys()) {
    const chain = registry.chain(id)
    const { signingFacts: found } = await loadFamily(chain.family)
    facts.set(id, found)
    const { endpoints = {}, quorum = 1 } = chains[id] ?? {}
    const reader = found.connect?.(chain, { endpoints, quorum })
    if (reader === undefined) continue
    keep(reader.close)
    markReaders.set(id, reader)
  }
  return { facts, markReaders }
}

/** Each lock is asked for once a minute at most, and an idle signer asks nothing. */
const PASS_MS = 6_000
const LOCK_AGE_SECONDS = 60n

function startPasses(gate: Pick<Gate, 'settle'>, log: Logger): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    last = gate.settle(LOCK_AGE_SECONDS).catch((error: unknown) => log.error({ err: error }, 'open locks could not be settled'))
  }, PASS_MS)
  return async () => {
    clearInterval(timer)
    await last
  }
}

function openOf(history: Pick<History, 'openLocks'>): SignerStatus['open'] {
  const open = history.openLocks()
  return { locks: open.length, usd: formatUsd(open.reduce((sum, { worth }) => sum + worth, 0n)) }
}

function publicHalves(clients: ReadonlyMap<ChainId, ChainClient>, keys: Keyring) {
  const served = [...clients.values()].flatMap((client) => {
    const key = keys.find(client)
    return key === null ? [] : [{ id: client.chain.id, key: bytesToHex(key.publicKey), address: client.addressOf(key) }]
  })
  return {
    keys: Object.fromEntries(served.map(({ id, key }) => [id, key])),
    addresses: Object.fromEntries(served.map(({ id, address }) => [id, address])),
  }
}

function limitsOf({
  order,
  hour,
  open,
  fees_per_hour: fees,
  chain_hour: chainHour = {},
  unfinal = {},
}: SignerConfig['limits_usd']): Limits {
  const byChain = (usd: Readonly<Record<string, string>>) =>
    new Map(Object.entries(usd).map(([chain, text]) => [chain, parseUsdMicros(text)]))
  return {
    order: parseUsdMicros(order),
    hour: parseUsdMicros(hour),
    open: parseUsdMicros(open),
    feesPerHour: fees === undefined ? parseUsdMicros(hour) / DEFAULT_FEE_PART : parseUsdMicros(fees),
    chainHour: byChain(chainHour),
    unfinal: byChain(unfinal),
  }
}

function withdrawalRules(config: SignerConfig['withdrawals'], clients: ReadonlyMap<ChainId, ChainClient>): WithdrawalRules {
  const { addresses = {}, delay_seconds: delaySeconds = 0, max_usd_per_day: max, approved_above_usd: above } = config ?? {}
  const parsed = Object.entries(addresses).map(([chain, texts]) => {
    const client = clients.get(chain)
    if (client === undefined) throw new Error(`withdrawals.addresses: ${chain} is not in chains`)
    return [chain, texts.map((text) => client.text.parseAddress(text))] as const
  })
  return {
    addresses: new Map(parsed),
    delaySeconds,
    maxPerDay: max === undefined ? null : parseUsdMicros(max),
    approvedAbove: above === undefined ? null : parseUsdMicros(above),
  }
}

async function listenOf({ config: { listen }, pathOf, readSecret }: Loaded): Promise<Listen> {
  if ('socket' in listen) return { socket: pathOf(listen.socket) }
  const { host, port, tls } = listen
  const [key, cert, ca] = await Promise.all([readSecret(tls.key), readFile(pathOf(tls.cert), 'utf8'), readFile(pathOf(tls.ca), 'utf8')])
  return { host, port, tls: { key, cert, ca } }
}
