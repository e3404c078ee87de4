/** The service's settings are read from its configuration. Missing ones get their defaults later. */
import type { ServiceConfig } from '@tandem/party/config/schema.ts'
import { parseUsdMicros } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { openPolicy } from '@tandem/protocol/policy.ts'
import { type ServiceOptions, STREAM_LIMITS } from './context.ts'

export function serviceOptions(config: ServiceConfig): ServiceOptions {
  const {
    environment,
    earnings,
    destination_gas: gas,
    fees = {},
    app_id_headers,
    allow_any_origin,
    rate_limit,
    public_url,
    policy,
    quote_budget_ms,
    event_streams: streams,
    trusted_proxies,
    public_feed,
    instant_refunds: refunds,
    web,
    registry,
    max_quote_deviation_bips: deviation,
  } = config
  return {
    environment,
    ...(policy !== undefined && { policy: { ...openPolicy, ...policy } }),
    ...(fees.service_bips !== undefined && { serviceFeeBips: fees.service_bips }),
    ...(fees.max_affiliate_bips !== undefined && { maxAffiliateFeeBips: fees.max_affiliate_bips }),
    ...(deviation !== undefined && { maxQuoteDeviationBips: deviation }),
    ...(earnings?.asset !== undefined && { affiliateAsset: earnings.asset as AssetId }),
    ...(earnings?.own_solvers !== undefined && { ownSolvers: earnings.own_solvers }),
    ...(gas !== undefined && {
      destinationGas: {
        usdMicros: new Map(Object.entries(gas.usd).map(([chain, usd]) => [chain as ChainId, parseUsdMicros(usd)])),
        solvers: gas.solvers,
      },
    }),
    ...(app_id_headers !== undefined && { appIdHeaders: app_id_headers.map((name) => name.toLowerCase()) }),
    ...(allow_any_origin !== undefined && { allowAnyOrigin: allow_any_origin }),
    ...(rate_limit !== undefined && { rateLimitPerMinute: rate_limit.per_minute }),
    ...(rate_limit?.per_address !== undefined && { addressLimitPerMinute: rate_limit.per_address }),
    ...(rate_limit?.per_order !== undefined && { orderLimitPerMinute: rate_limit.per_order }),
    ...(refunds !== undefined && {
      refundBudget: { ownerUsdMicros: parseUsdMicros(refunds.owner_usd_per_day), appUsdMicros: parseUsdMicros(refunds.app_usd_per_day) },
    }),
    ...(quote_budget_ms !== undefined && { quoteBudgetMs: quote_budget_ms }),
    ...(streams !== undefined && {
      streamLimits: {
        perProcess: streams.per_process ?? STREAM_LIMITS.perProcess,
        perApp: streams.per_app ?? STREAM_LIMITS.perApp,
        perAddress: streams.per_address ?? STREAM_LIMITS.perAddress,
      },
    }),
    ...(public_feed !== undefined && { publicFeed: public_feed }),
    ...(trusted_proxies !== undefined && { trustedProxies: trusted_proxies }),
    ...((web !== undefined || registry !== undefined) && {
      web: {
        appId: web?.app_id ?? null,
        nodes: web?.nodes ?? {},
        registry: registry === undefined ? null : { environment, ...registry },
        // Only a local stack has a local file, which names a faucet and a switch for the solvers.
        localFile: environment === 'local' ? (web?.local_file ?? null) : null,
      },
    }),
    ...(public_url !== undefined && { publicUrl: public_url.replace(/\/+$/, '') }),
  }
}
