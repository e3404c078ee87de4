/**
 * The rescue file: what the user agreed to in all swaps, encrypted and authenticated by a key of the phrase. With phrase and file the user redeems and
 * refunds on every chain without the service, also after the storage is lost. It has no secret and no key of the user's: those derive from the phrase.
 */
import { base64 } from '@scure/base'
import { RescueInputError } from '@tandem/chain-kit/browser/refusals.ts'
import type { SwapContext } from '../swap/context.ts'
import { addSwap, findSwap, listSwaps, type SavedSwap } from '../swap/saved-swap.ts'
import { learnSolverKeys, rememberSolverKeys, type SolverKeys, storedKeys } from './solver-keys.ts'

const KIND = 'tandem rescue file'
const VERSION = 1
const IV_BYTES = 12

type FileJson = {
  readonly kind: typeof KIND
  readonly version: number
  readonly iv: string
  readonly swaps: string
  /** Public keys of solvers by chain: they are public, and a wrong one finds nothing. Older files lack them. */
  readonly solvers?: SolverKeys
}

/** Returns the text of a file with the swaps of this moment. The user saves another one after each payment. */
export async function exportFile(context: SwapContext): Promise<string> {
  // A later swap may be with another solver. Without the service the file has the known keys.
  await learnSolverKeys(context)
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const text = new TextEncoder().encode(JSON.stringify(await listSwaps(context)))
  const sealed = await crypto.subtle.encrypt(cipherWith(iv), await fileKeyOf(context, 'encrypt'), text)
  const file: FileJson = {
    kind: KIND,
    version: VERSION,
    iv: base64.encode(iv),
    swaps: base64.encode(new Uint8Array(sealed)),
    solvers: await storedKeys(context),
  }
  return JSON.stringify(file)
}

/** Remembers the swaps of a file; those that the storage knows stay as they are, unless they were only restored. Resolves to the ids of all of them, oldest first. */
export async function importFile(context: SwapContext, text: string): Promise<readonly string[]> {
  const { iv, swaps, solvers } = parseFile(text)
  const key = await fileKeyOf(context, 'decrypt')
  const opened = await crypto.subtle
    .decrypt(cipherWith(Uint8Array.from(base64.decode(iv))), key, Uint8Array.from(base64.decode(swaps)))
    .catch(() => {
      throw new RescueInputError('the rescue file is of another phrase, or damaged')
    })
  const saved = JSON.parse(new TextDecoder().decode(opened)) as readonly SavedSwap[]
  for (const swap of saved) {
    const known = await findSwap(context, swap.orderId)
    // For a restored swap the storage has only what the service said.
    if (known === null || known.phase === 'restored') await addSwap(context, asImported(swap))
  }
  await rememberSolverKeys(context, solvers)
  return saved.map(({ orderId }) => orderId)
}

/** The file may be older than the payment: a swap that was not paid then is not paid by itself now. */
function asImported(swap: SavedSwap): SavedSwap {
  return swap.phase === 'made' ? { ...swap, phase: 'paying' } : swap
}

function parseFile(text: string): FileJson {
  const file = jsonOf(text)
  if (file?.kind !== KIND) throw new RescueInputError('this is not a rescue file')
  if (file.version !== VERSION || typeof file.iv !== 'string' || typeof file.swaps !== 'string')
    throw new RescueInputError(`this is a rescue file of version ${String(file.version)}, expected ${VERSION}`)
  return file as FileJson
}

function jsonOf(text: string): Partial<FileJson> | null {
  try {
    return JSON.parse(text) as Partial<FileJson> | null
  } catch {
    return null
  }
}

function cipherWith(iv: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(`${KIND} ${VERSION}`) }
}

async function fileKeyOf({ keys }: SwapContext, use: 'encrypt' | 'decrypt') {
  if (keys.fileKey === undefined)
    throw new Error('only keys of a rescue phrase have a file: give rescueKeys(phrase, storage) in the option keys')
  return crypto.subtle.importKey('raw', Uint8Array.from(await keys.fileKey()), 'AES-GCM', false, [use])
}
