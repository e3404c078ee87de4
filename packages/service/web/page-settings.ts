/** GET /web.json: the settings of the pages. On the local network they include a faucet, a switch for the solvers, and a way to let time pass. */
import { readFile } from 'node:fs/promises'
import { familyNamed } from '@tandem/families/index.ts'
import type { FastifyRequest } from 'fastify'
import type { PageRegistry, ServiceContext } from '../context.ts'

/** A browser may know this part of `local.json`. It holds no keys: the play wallet makes its own. */
export type PlayRecord = {
  readonly faucet_url: string
  readonly solver_switch_url: string
  readonly time_url: string
  /** A swap can pay these funded users, one per chain. */
  readonly addresses: Readonly<Record<string, string>>
}

export type PageSettings = {
  /** The app is null if the operator has made none for the pages. */
  readonly app_id: string | null
  readonly nodes: Readonly<Record<string, string>>
  /** This is filled on the local network only, and with what an operator had to name: the SDK knows the public deployments. */
  readonly deployments: Readonly<Record<string, { readonly token?: string; readonly htlc?: string; readonly firstBlock?: string }>>
  /** What the operator added to the registry, which the SDK of the pages does not have; null if nothing was added. */
  readonly registry: PageRegistry | null
  /** On chains whose parties are keys, the saved copy of the rescue page needs the solvers' public keys to find deposits. */
  readonly solver_keys: Readonly<Record<string, readonly string[]>>
  readonly play: PlayRecord | null
}

type LocalFile = {
  readonly app_id: string
  readonly faucet_url: string
  readonly solver_switch_url: string
  readonly time_url: string
  readonly chains: Readonly<Record<string, { readonly assets: PageSettings['deployments'] } & Readonly<Record<string, unknown>>>>
  readonly wallets: readonly { readonly chains: readonly string[]; readonly address: string }[]
}

/** `isHere` means that the request comes from this machine. */
export async function pageSettings(
  { settings, registry, solverKeys }: Pick<ServiceContext, 'settings' | 'registry' | 'solverKeys'>,
  isHere: boolean,
): Promise<PageSettings> {
  const { appId, nodes, localFile, registry: added } = settings.web
  const keys = registry.chains.map(({ id }) => [id, solverKeys.of(id)] as const).filter(([, known]) => known.length > 0)
  const solver_keys = Object.fromEntries(keys)
  const local = isHere && localFile !== null ? await readLocal(localFile) : null
  if (local === null) {
    const deployments = { ...firstBlocksOf(registry), ...contractsOf(registry, added) }
    return { app_id: appId, nodes, deployments, registry: added, solver_keys, play: null }
  }
  const chains = Object.entries(local.chains)
  return {
    app_id: local.app_id,
    nodes: Object.fromEntries(chains.flatMap(([id, chain]) => nodeOf(chain).map((url) => [id, url]))),
    deployments: Object.assign({}, ...chains.map(([, { assets }]) => assets)),
    registry: added,
    solver_keys,
    play: {
      faucet_url: local.faucet_url,
      solver_switch_url: local.solver_switch_url,
      time_url: local.time_url,
      addresses: Object.fromEntries(local.wallets.toReversed().flatMap(({ chains: ids, address }) => ids.map((id) => [id, address]))),
    },
  }
}

/** The tokens are in the additions. */
function contractsOf({ assets }: ServiceContext['registry'], added: PageRegistry | null): PageSettings['deployments'] {
  const own = assets.filter(({ id }) => Object.hasOwn(added?.assets ?? {}, id))
  return Object.fromEntries(
    own.flatMap(({ id, deployment }) => (deployment?.htlc == null ? [] : [[id, { htlc: deployment.htlc }] as const])),
  )
}

function firstBlocksOf({ chains }: ServiceContext['registry']): PageSettings['deployments'] {
  const named = chains.flatMap((chain) => {
    const hash = familyNamed(chain.family).firstBlock?.of(chain) ?? null
    return hash === null ? [] : [[chain.nativeAsset, { firstBlock: hash }] as const]
  })
  return Object.fromEntries(named)
}

export function askedByPages({ nodes, play }: PageSettings): readonly string[] {
  return [...Object.values(nodes), ...(play === null ? [] : [play.faucet_url, play.solver_switch_url, play.time_url])]
}

/** Returns true for a browser on this machine. The host is checked too: another site could point its own name to this address. */
export function isFromHere({ socket, hostname }: Pick<FastifyRequest, 'socket' | 'hostname'>): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '') && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** Clients of the chain use an index of addresses if there is one. */
function nodeOf(chain: Readonly<Record<string, unknown>>): readonly string[] {
  const url = chain.esplora_url ?? chain.rpc_url
  return typeof url === 'string' ? [url] : []
}

/** Resolves to null while the local stack is starting, because it writes the file last. */
async function readLocal(path: string): Promise<LocalFile | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LocalFile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
