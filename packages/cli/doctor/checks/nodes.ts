/** Each node must answer, serve the right chain, and be up to date. */
import type { ProviderReport } from '@tandem/chain-kit/port/abilities/reading.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { countsHeight } from '@tandem/protocol/timelock.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

/** A block's time may be this far ahead. Where miners date blocks (timelocks count height), consensus allows two hours. */
const AHEAD_SECONDS = { height: 7_200n, time: 15n } as const

export const nodes: Check = {
  name: 'nodes',
  async run(context) {
    const errors = [...(await context.nodeErrors())]
    if (errors.length === 0) return [warn('chains', 'none is configured', 'add the chains to serve, with their nodes, to chains')]
    return (await Promise.all(errors.map(([chain, error]) => checkChain(context, chain, error)))).flat()
  },
}

async function checkChain({ chainsAlone, now }: DoctorContext, id: string, error: Error | null): Promise<readonly Finding[]> {
  const client = chainsAlone.clients.get(id)
  if (client === undefined) return []
  const { chain } = client
  const place = `chains.${id}.endpoints`
  const reports = (await client.inspectProviders?.()) ?? []
  // The error of a single provider is the chain's error, so it is reported once.
  const single = reports.length === 1 && error !== null
  const providers = single ? [] : reports.map((report) => providerFinding(chain, report, place, error !== null))
  if (error instanceof ChainFailure && error.kind === 'unreachable') {
    const advice = `start the node and wait until it has caught up, or correct ${place}`
    return [fail(id, `its node does not answer: ${reasonOf(error)}`, advice), ...providers]
  }
  if (error !== null) return [fail(id, reasonOf(error), `${place} must name a node of ${chain.reference}`), ...providers]
  const answers = [ok(id, `its node serves ${chain.reference}`), ...providers]
  try {
    return [...answers, tipFinding(chain, await client.tip(), now())]
  } catch (reason) {
    const advice = `read the log of the node in ${place}; with a quorum, look for providers that disagree`
    return [...answers, fail(id, `its newest block cannot be read: ${reasonOf(reason)}`, advice)]
  }
}

/** `isMissed` says that the chain cannot be served without this provider. */
function providerFinding({ id, finalityTag }: Chain, report: ProviderReport, place: string, isMissed: boolean): Finding {
  const { name, error, height, behind, isLate, hasOldEvents, tags } = report
  const about = `${id} ${name}`
  if (error !== null) return (isMissed ? fail : warn)(about, error, `start it, correct it, or remove it from ${place}`)
  const known = tags.length > 0 ? `; knows ${tags.join(' and ')} blocks` : finalityTag === undefined ? '' : '; knows no final blocks'
  const text = `block ${height}${behind > 0n ? `, ${behind} behind another` : ''}${known}; ${hasOldEvents ? 'has' : 'lacks'} events of a week ago`
  if (isLate) return warn(about, text, `it is suspended until it has caught up; if it never does, remove it from ${place}`)
  if (!hasOldEvents)
    return warn(
      about,
      text,
      'after a long downtime we cannot read missed events from it: choose a provider that keeps old blocks and events',
    )
  if (finalityTag !== undefined && !tags.includes(finalityTag))
    return warn(about, text, `with it, finality depends on depth alone: choose a provider that supports ${finalityTag} blocks`)
  return ok(about, text)
}

function tipFinding(chain: Chain, tip: { readonly height: bigint; readonly time: bigint }, now: bigint): Finding {
  const age = now - tip.time
  const block = `block ${tip.height}`
  if (age > chain.haltSeconds)
    return fail(
      chain.id,
      `${block} is ${age} s old, and after ${chain.haltSeconds} s the chain counts as halted: nothing new is started`,
      'wait until the node has caught up; if it has, the clock of this machine is ahead, or the chain has stopped',
    )
  if (-age > AHEAD_SECONDS[countsHeight(chain.clock) ? 'height' : 'time'])
    return fail(
      chain.id,
      `${block} is ${-age} s ahead of this machine's clock`,
      'synchronise the clock of this machine (chrony, systemd-timesyncd)',
    )
  return ok(chain.id, `${block}, ${age < 0n ? 0n : age} s old`)
}
