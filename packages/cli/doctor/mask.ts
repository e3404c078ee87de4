/** Secrets are masked in configurations, and in errors of other programs, which may quote them. */
import { formatUnits } from '@tandem/protocol/amount.ts'
import { completeSettings } from '@tandem/service/context.ts'
import { serviceOptions } from '@tandem/service/service-options.ts'
import type { DoctorContext } from './doctor-context.ts'

const HIDDEN = '***'
/** Masking shorter texts would mask ordinary words too. */
const MIN_LENGTH = 6

/** User, password, query values, and path parts that look like a key are masked. Other texts stay unchanged. */
export function maskUrl(text: string): string {
  const url = parseUrl(text)
  if (url === null) return text
  const user = url.username === '' && url.password === '' ? '' : `${HIDDEN}@`
  // `URL` adds a path even if the text has none.
  const written = url.pathname === '/' && !text.endsWith('/') ? '' : url.pathname
  const path = written.split('/').map((part) => (isSecretPart(url, part) ? HIDDEN : part))
  const query = [...url.searchParams.keys()].map((name) => `${name}=${HIDDEN}`)
  return `${url.protocol}//${user}${url.host}${path.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

export function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return maskUrl(value)
  if (Array.isArray(value)) return value.map(maskAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, name === 'command' ? maskCommand(inner) : maskAll(inner)]))
}

/** The arguments of a program that prints a secret may be secret too. */
function maskCommand(value: unknown): unknown {
  return Array.isArray(value) ? value.map((part, at) => (at === 0 ? part : HIDDEN)) : maskAll(value)
}

export function createMask(secrets: Iterable<string>): (text: string) => string {
  const replacements = [...secrets]
    .flatMap((secret) => [[secret, maskUrl(secret)] as const, ...secretParts(secret).map((part) => [part, HIDDEN] as const)])
    .map(([secret, shown]) => [secret, shown === secret && parseUrl(secret) === null ? HIDDEN : shown] as const)
    .filter(([secret]) => secret.length >= MIN_LENGTH)
    .toSorted(([a], [b]) => b.length - a.length)
  return (text) => replacements.reduce((masked, [secret, shown]) => masked.replaceAll(secret, shown), text)
}

function parseUrl(text: string): URL | null {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null
}

/** Providers put keys into paths. Plain words and versions are not keys. The path of a database URL is the name of the database. */
function isSecretPart({ protocol }: URL, part: string): boolean {
  return protocol.startsWith('http') || protocol.startsWith('ws') ? !/^([a-z]{0,12}|v[0-9]+)$/i.test(part) : false
}

function secretParts(text: string): readonly string[] {
  const url = parseUrl(text)
  if (url === null) return []
  const given = [url.username, url.password, ...url.pathname.split('/').filter((part) => isSecretPart(url, part))]
  return [...given, ...given.map(decodeURIComponent), ...url.searchParams.values()]
}

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
