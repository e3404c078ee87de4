/** Each solver answers, accepts our token, has the id we expect, and holds something to pay with. */
import { createSolverClient } from '../../service/solver-client.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

const TIMEOUT_MS = 5_000

export const solvers: Check = {
  name: 'solvers',
  async run(context) {
    if (context.party !== 'service') return []
    const { solvers: configured } = context.config
    if (configured.length === 0) return [fail('solvers', 'none is configured, so nothing can be quoted', 'add at least one to solvers')]
    return (await Promise.all(configured.map((solver) => checkSolver(context, solver)))).flat()
  },
}

type Configured = { readonly id: string; readonly url: string; readonly token: Parameters<DoctorContext['readSecret']>[0] }

async function checkSolver(context: DoctorContext, { id, url, token: reference }: Configured): Promise<readonly Finding[]> {
  const token = await context.readSecret(reference).catch(() => null)
  if (token === null) return [fail(id, 'its token cannot be read', 'see the secrets above')]
  const client = createSolverClient({ id, baseUrl: url, token, timeoutMs: TIMEOUT_MS })
  let answers: Finding
  try {
    const { overloaded = false } = await client.health()
    answers = overloaded
      ? warn(id, 'answers, but is overloaded and refuses new orders', 'wait; if it lasts, give its database and its machine more')
      : ok(id, 'answers')
  } catch (error) {
    const advice = 'start the solver, or correct its url, id and token in solvers: the token must be the one of its own configuration'
    return [fail(id, reasonOf(error), advice)]
  }
  try {
    const { holdings } = await client.liquidity()
    return [answers, ...holdings.flatMap(({ asset, available }) => holdingFinding(context, id, asset, BigInt(available)))]
  } catch (error) {
    return [answers, warn(id, `its inventory cannot be read: ${reasonOf(error)}`, 'read the log of the solver')]
  }
}

function holdingFinding({ network }: DoctorContext, id: string, assetId: string, available: bigint): readonly Finding[] {
  const asset = network.registry.assets.find((known) => known.id === assetId && known.deployment !== null)
  if (asset === undefined) return []
  const about = `${id} ${assetId}`
  if (available >= asset.minAmount) return [ok(about, `${available} can be paid out (smallest unit)`)]
  return [warn(about, `${available} can be paid out, less than the smallest order of ${asset.minAmount}`, 'the solver needs more of it')]
}
