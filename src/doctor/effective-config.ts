/** The configuration as it works: defaults filled in, contracts and limits of every active asset, secrets hidden. */
import { completeSettings } from '../service/context.ts'
import { serviceOptions } from '../service/service-options.ts'
import type { Patient } from './doctor-context.ts'
import { maskAll } from './mask.ts'

export function effectiveConfig(patient: Patient): unknown {
  const { config, network } = patient
  const active = network.registry.assets.filter((asset) => asset.deployment !== null)
  return maskAll({
    ...config,
    ...(patient.party === 'service' && serviceDefaults(patient.config)),
    deployments: Object.fromEntries(active.map(({ id, deployment }) => [id, deployment])),
    limits: Object.fromEntries(active.map(({ id, minAmount, maxAmount }) => [id, { min: `${minAmount}`, max: `${maxAmount}` }])),
  })
}

function serviceDefaults(config: Parameters<typeof serviceOptions>[0]) {
  const settings = completeSettings(serviceOptions(config))
  return {
    public_url: settings.publicUrl,
    fees: { service_bips: settings.serviceFeeBips, max_affiliate_bips: settings.maxAffiliateFeeBips },
    policy: settings.policy,
    app_id_headers: settings.appIdHeaders,
    rate_limit: { per_minute: settings.rateLimitPerMinute },
    allow_any_origin: settings.allowAnyOrigin,
  }
}
