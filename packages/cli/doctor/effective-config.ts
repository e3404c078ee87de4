/** The effective configuration: defaults filled in, contracts and limits of every active asset, secrets masked. */
import { formatUnits } from '@tandem/protocol/amount.ts'
import { completeSettings } from '@tandem/service/context.ts'
import { serviceOptions } from '@tandem/service/service-options.ts'
import type { DoctorContext } from './doctor-context.ts'
import { maskAll } from './mask.ts'

export function effectiveConfig(context: DoctorContext): unknown {
  const { config, network } = context
  const active = network.registry.assets.filter((asset) => asset.deployment !== null)
  return maskAll({
    ...config,
    ...(context.party === 'service' && serviceDefaults(context.config)),
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
    trusted_proxies: settings.trustedProxies,
    event_streams: {
      per_process: settings.streamLimits.perProcess,
      per_app: settings.streamLimits.perApp,
      per_address: settings.streamLimits.perAddress,
    },
    webhooks: { allow_private: config.webhooks?.allow_private ?? false },
    instant_refunds: {
      owner_usd_per_day: formatUnits(settings.refundBudget.ownerUsdMicros, 6),
      app_usd_per_day: formatUnits(settings.refundBudget.appUsdMicros, 6),
    },
  }
}
