/** Each solver must answer, accept the service's signature, sign its answers, have the expected id, and hold something to pay with. */

import { createSigningKey, type SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { listingOf } from '@tandem/protocol/registry/listing-digest.ts'
import type { SolverHealth } from '@tandem/protocol/wire/solver.ts'
import { createSolverClient } from '@tandem/service/solver-client.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

const TIMEOUT_MS = 5_000

export const solvers: Check = {
  name: 'solvers',
  async run(context) {
    if (context.party !== 'service') return []
    const { solvers: configured } = context.config
    if (configured.length === 0) return [fail('solvers', 'none is configured, so nothing can be quoted', 'add at least one to solvers')]
    const { solver_signing_key: reference } = context.config
    if ('public_key' in reference)
      return [
        warn('solvers', 'not asked: requests to them are signed, and only the public key is here', 'ask them where the private key is'),
      ]
    const key = await context
      .readSecret(reference)
      .then(createSigningKey)
      .catch(() => null)
    if (key === null) return [fail('solvers', 'solver_signing_key cannot be read', 'see the secrets above')]
    return (await Promise.all(configured.map((solver) => checkSolver(context, key, solver)))).flat()
  },
}

type Configured = { readonly id: string; readonly url: string; readonly public_key: string }

async function checkSolver(context: DoctorContext, key: SigningKey, { id, url, public_key }: Configured): Promise<readonly Finding[]> {
  const client = createSolverClient({ id, baseUrl: url, signingKey: key, publicKey: public_key, timeoutMs: TIMEOUT_MS })
  let answers: Finding
  try {
    answers = healthFinding(id, await client.health())
  } catch (error) {
    const advice = `start the solver, or correct its url, id and public_key in solvers; its own configuration must have our public key ${key.publicKey} in services`
    return [fail(id, reasonOf(error), advice)]
  }
  try {
    const { holdings } = await client.liquidity()
    return [
      answers,
      ...holdings.flatMap(({ asset, available, listing }) => [
        ...listingFinding(context, id, asset, listing),
        ...holdingFinding(context, id, asset, BigInt(available)),
      ]),
    ]
  } catch (error) {
    return [answers, warn(id, `its inventory cannot be read: ${reasonOf(error)}`, 'read the log of the solver')]
  }
}

function healthFinding(id: string, { overloaded = false, problem }: SolverHealth): Finding {
  if (problem !== undefined)
    return warn(id, `answers, but takes no new orders: ${problem}`, 'run `tandem doctor` with the configuration of the solver')
  return overloaded
    ? warn(id, 'answers, but is overloaded and refuses new orders', 'wait; if it lasts, give its database and its machine more resources')
    : ok(id, 'answers')
}

function listingFinding(
  { network: { registry } }: DoctorContext,
  id: string,
  assetId: string,
  listing: string | undefined,
): readonly Finding[] {
  const asset = registry.assets.find((known) => known.id === assetId)
  if (asset === undefined || asset.deployment === null || listing === undefined) return []
  if (listing === listingOf(registry, assetId)) return []
  const advice = 'compare `registry` and `deployments` of both configurations: the solver refuses every order of this asset'
  return [fail(`${id} ${assetId}`, 'the solver lists it with other contracts, decimals or timelocks than this service', advice)]
}

function holdingFinding({ network }: DoctorContext, id: string, assetId: string, available: bigint): readonly Finding[] {
  const asset = network.registry.assets.find((known) => known.id === assetId && known.deployment !== null)
  if (asset === undefined) return []
  const about = `${id} ${assetId}`
  if (available >= asset.minAmount) return [ok(about, `${available} can be paid out (smallest unit)`)]
  return [warn(about, `${available} can be paid out, less than the smallest order of ${asset.minAmount}`, 'the solver needs more of it')]
}
