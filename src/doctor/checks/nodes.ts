/** Each node answers, is the chain it should be, and is up to date. */
import { ChainFailure } from '../../chains/family.ts'
import type { Chain } from '../../protocol/chain.ts'
import { countsHeight } from '../../protocol/timelock.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { Patient } from '../patient.ts'

/** A Bitcoin block may be dated two hours ahead of its time; a block elsewhere about as much as clocks differ. */
const AHEAD_SECONDS = { height: 7_200n, time: 15n } as const

export const nodes: Check = {
  name: 'nodes',
  async look(patient) {
    const errors = [...(await patient.nodeErrors())]
    if (errors.length === 0) return [warn('chains', 'none is configured', 'name the chains to serve, with their nodes, in chains')]
    return (await Promise.all(errors.map(([chain, error]) => lookAt(patient, chain, error)))).flat()
  },
}

async function lookAt({ chainsAlone, now }: Patient, id: string, error: Error | null): Promise<readonly Finding[]> {
  const client = chainsAlone.clients.get(id)
  if (client === undefined) return []
  const place = `chains.${id}.endpoints`
  if (error instanceof ChainFailure && error.kind === 'unreachable')
    return [fail(id, `its node does not answer: ${reasonOf(error)}`, `start the node and wait until it has caught up, or correct ${place}`)]
  if (error !== null) return [fail(id, reasonOf(error), `${place} must lead to a node of ${client.chain.reference}`)]
  const answers = ok(id, `its node serves ${client.chain.reference}`)
  try {
    return [answers, tipFinding(client.chain, await client.tip(), now())]
  } catch (reason) {
    return [answers, fail(id, `its newest block cannot be read: ${reasonOf(reason)}`, `look at the log of the node in ${place}`)]
  }
}

function tipFinding(chain: Chain, tip: { readonly height: bigint; readonly time: bigint }, now: bigint): Finding {
  const age = now - tip.time
  const block = `block ${tip.height}`
  if (age > chain.haltSeconds)
    return fail(
      chain.id,
      `${block} is ${age} s old, and more than ${chain.haltSeconds} s mean that nothing new is started`,
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
