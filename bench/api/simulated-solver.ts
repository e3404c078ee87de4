/** A simulated solver answers at once, without a network, so that only the service is measured. */
import { localChains } from '@tandem/families/registry.ts'
import type { SolverClient } from '@tandem/service/solver-client.ts'

const SOLVER_ID = 'simulator'
/** The generator point of secp256k1 stands for the solver's key. */
const X_ONLY_KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const ACCOUNT = `0x${'5'.repeat(40)}`

const chainOf = (asset: string) => {
  const chain = localChains.find(({ id }) => asset.startsWith(`${id}:`))
  if (chain === undefined) throw new Error(`no chain has ${asset}`)
  return chain
}
const identityOn = (asset: string) => (chainOf(asset).clock.unit === 'blocks' ? X_ONLY_KEY : ACCOUNT)
const notMeasured = () => Promise.reject(new Error('not part of the measurement'))

export const simulatedSolver: SolverClient = {
  id: SOLVER_ID,
  async quote(request) {
    const amount = request.from_amount ?? request.to_amount ?? '0'
    return {
      solver_id: SOLVER_ID,
      quote_id: crypto.randomUUID(),
      source_amount: amount,
      destination_amount: amount,
      fee_bips: 30 + request.extra_fee_bips,
      fixed_fee_usd_micros: '500000',
      estimated_time: 20,
      expires_at: Math.floor(Date.now() / 1000) + 60,
    }
  },
  async order({ source, destination }) {
    return {
      solver_id: SOLVER_ID,
      source: { redeemer: identityOn(source.asset), timelock: chainOf(source.asset).timelocks.source.toString() },
      destination: {
        initiator: identityOn(destination.asset),
        timelock: chainOf(destination.asset).timelocks.destination.toString(),
        amount: destination.amount,
      },
      price_expires_at: Math.floor(Date.now() / 1000) + 1800,
    }
  },
  fill: notMeasured,
  cosign: notMeasured,
  completeCosigned: notMeasured,
  instantRefund: notMeasured,
  liquidity: notMeasured,
  health: notMeasured,
  tellChanges: notMeasured,
  changesSince: notMeasured,
}
