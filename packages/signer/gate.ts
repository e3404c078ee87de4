/**
 * Where signatures are asked for. A question is read strictly, checked by the permit of the chain's family, then by the policy; what is granted is in the journal
 * before the key signs. Whatever is refused is in the journal too.
 */
import { createHash, randomUUID } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { MarkReader, SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { familyNamed } from '@tandem/families/index.ts'
import type { Signer } from '@tandem/keys/key.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { SigningRefused } from '@tandem/keys/permit.ts'
import type { OrderPurpose, Purpose } from '@tandem/keys/purpose.ts'
import { type BegunSigning, findSigning, type NamedSigning } from '@tandem/keys/signing-families.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { Asked, Entry } from './journal/entries.ts'
import type { History } from './journal/history.ts'
import type { Head, Journal } from './journal/journal.ts'
import { contradicts, readCost } from './policy/cost.ts'
import { decide, type PolicyContext } from './policy/policy.ts'
import { Refusal } from './policy/request.ts'
import { createSettler } from './policy/settler.ts'
import { encode } from './wire/codec.ts'
import type { AskedPurpose, AskedQuestion, Continuation } from './wire/question.ts'

export interface Gate {
  sign(question: AskedQuestion, client: string): Promise<unknown>
  begin(question: AskedQuestion, client: string): Promise<{ readonly value: unknown; readonly session: string }>
  finish(continuation: Continuation, client: string): Promise<unknown>
  /** Asks the nodes which open locks are settled, among those that were not asked for so long. */
  settle(minAgeSeconds?: bigint): Promise<void>
  /** Holds all that could be paid twice if the journal lacks what the client has seen of it. */
  compare(seen: Head): Promise<void>
}

export type GateContext = Omit<PolicyContext, 'history' | 'keys' | 'noteSeen' | 'settle'> & {
  readonly keys: Keyring
  readonly journal: Journal<Entry>
  readonly history: History
  /** By chain: what its family knows of its transactions, and what reads from its nodes what became of them. */
  readonly facts: ReadonlyMap<ChainId, SigningFacts>
  readonly markReaders: ReadonlyMap<ChainId, MarkReader>
  readonly log: Pick<Logger, 'warn'>
}

/** A session has secret nonces in memory. The oldest is dropped, and it ends by itself. */
const MAX_SESSIONS = 256
const SESSION_MS = 60_000
const MAX_REASON = 400

type Session = { readonly question: AskedQuestion; readonly begun: BegunSigning; readonly client: string; readonly endsAtMs: number }

export function createGate(context: GateContext): Gate {
  const { journal, history, clients, keys, now } = context
  const sessions = new Map<string, Session>()
  const settler = createSettler({ ...context, write })
  const policy: PolicyContext = { ...context, noteSeen: write, settle: settler.settle }

  /** The history changes at the same moment, so a later question sees it although the disk is slow. */
  async function write(entry: Entry): Promise<void> {
    history.note(entry)
    await journal.append(entry)
  }

  /** Resolves to what may be signed, once the grant is on the disk. */
  async function granted(
    question: AskedQuestion,
    client: string,
  ): Promise<{ readonly signing: NamedSigning; readonly signers: readonly Signer[] }> {
    const asked = askedOf(question, client, now())
    try {
      const { chain, signing, signers } = resolve(question)
      for (const { permit } of signers) {
        if (permit === undefined) throw new Refusal(`the family of ${chain.chain.id} does not check what is signed`)
        permit(question.name, question.args)
      }
      const purposes = question.signers.map(({ purpose }) => purpose)
      const { args } = question
      const { locksOnce } = signing
      const { verified, ...cost } = await readCost(context, chain.chain, question)
      const request = { purposes, asked, locksOnce, usedUp: signing.usedUp(args), refunded: signing.refunded(args), ...cost }
      const grant = (await decide(policy, request))(history)
      // Another question may have been granted since.
      const contested = history.contested(cost.fee?.claims ?? []).find((claim) => !verified.has(claim))
      if (contested !== undefined) throw contradicts(contested)
      const why = history.whyNotFee(grant, context.limits)
      if (why !== null) throw new Refusal(why)
      await write(grant)
      return { signing, signers }
    } catch (error) {
      const failure = asFailure(error)
      await write({ kind: 'refused', ...asked, why: failure.message.slice(0, MAX_REASON) })
      throw failure
    }
  }

  /** What a family cannot read, it cannot permit. A node that does not answer is no refusal: the same question may be granted later. */
  function asFailure(error: unknown): Error {
    if (isRefusal(error) || error instanceof ChainFailure) return error
    context.log.warn({ err: error }, 'a question could not be read: it is refused')
    return new Refusal(`it cannot be read: ${error instanceof Error ? error.message : 'unknown'}`)
  }

  function resolve({ way, name, signers: asked }: AskedQuestion) {
    const ids = new Set(asked.map(({ purpose }) => purpose.chain))
    const [id = ''] = ids
    const client = clients.get(id)
    if (client === undefined || ids.size > 1)
      throw new Refusal(`${[...ids].join(' and ')}: the signer signs for one chain of its configuration`)
    const signing = findSigning(familiesOf(client), way, name)
    if (signing === null) throw new Refusal(`there is no ${way} "${name}" on ${id}`)
    const key = keys.find(client)
    const signers = asked.map(({ curve, public_key, purpose }) => {
      if (key === null || key.curve !== curve || bytesToHex(key.publicKey) !== public_key) throw new Refusal(`this is not the key of ${id}`)
      return key.signerFor(withoutHint(purpose))
    })
    return { chain: client, signing, signers }
  }

  return {
    async sign(question, client) {
      const { signing, signers } = await granted(question, client)
      return signing.sign(signers, question.args)
    },
    async begin(question, client) {
      const { signing, signers } = await granted(question, client)
      if (signing.begin === undefined) throw new Refusal(`the ${question.way} "${question.name}" has one part`)
      const begun = await signing.begin(signers, question.args)
      const session = randomUUID()
      const [oldest] = sessions.keys()
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
      sessions.set(session, { question, begun, client, endsAtMs: performance.now() + SESSION_MS })
      return { value: begun.value, session }
    },
    async finish({ session, name, args }, client) {
      const open = sessions.get(session)
      sessions.delete(session)
      if (open === undefined || open.client !== client || performance.now() > open.endsAtMs)
        throw new Refusal('there is no such session: it was used, or took too long')
      // Its arguments are new, so it is judged as a question of its own.
      await granted({ ...open.question, name, args: [...args] }, client)
      return open.begun.finish(name, args)
    },
    settle: settler.settle,
    async compare({ count, hash }) {
      if (history.whyHeld() !== null) return
      const known = journal.hashAt(count)
      if (known === hash || (known === null && count <= journal.head().count)) return
      const why =
        'the journal of the signer lacks what it has signed: it was restored from an older copy. Nothing that could be paid twice is signed until `tandem signer confirm-restore`'
      await write({ kind: 'held', at: Number(now()), why })
    },
  }
}

export function isRefusal(error: unknown): error is Error {
  return error instanceof Refusal || error instanceof SigningRefused
}

/** A chain that signs with the code of another family has that one's operations too. */
function familiesOf({ chain: { family } }: ChainClient): readonly string[] {
  const { signsAs } = familyNamed(family)
  return signsAs === undefined ? [family] : [family, signsAs]
}

function askedOf({ way, name, signers: [first], args }: AskedQuestion, client: string, now: bigint): Asked {
  const purpose = first?.purpose
  return {
    at: Number(now),
    client,
    chain: purpose?.chain ?? '',
    what: purpose === undefined ? '' : describe(purpose),
    operation: `${way} ${name}`,
    args: createHash('sha256').update(encode(args)).digest('hex'),
  }
}

function describe(purpose: AskedPurpose): string {
  if (purpose.kind !== 'order') return purpose.kind
  return purpose.actions.map(({ verb, leg, order }) => `${verb} ${leg} of ${order}`).join(', ')
}

/** Families compare with the terms. Where the source may be is for the policy alone. */
function withoutHint(purpose: AskedPurpose): Purpose {
  if (purpose.kind !== 'order') return purpose
  const [first, ...others] = purpose.actions.map(({ paidBy: _, ...action }): OrderPurpose['actions'][number] => action)
  if (first === undefined) throw new Refusal('it is for nothing')
  return { ...purpose, actions: [first, ...others] }
}
