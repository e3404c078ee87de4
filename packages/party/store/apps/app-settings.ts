/** The settings of an app and their validation. */
import { TandemError } from '@tandem/protocol/error.ts'

/** `explain` shows the parts of quotes, which reveal the inventory and the costs of solvers. It is for the operator. */
export const appPermissions = ['read', 'trade', 'explain'] as const
export type AppPermission = (typeof appPermissions)[number]

export const appApprovals = ['exact', 'unlimited'] as const
export type AppApproval = (typeof appApprovals)[number]

export type AppSettings = {
  readonly defaultSlippageBips: number
  readonly sponsorship: boolean
  /** Programs outside browsers need no origin. */
  readonly allowedOrigins: readonly string[]
  readonly permissions: readonly AppPermission[]
  readonly rateLimitPerMinute: number | null
  /** Users are asked to approve the amount of one order, or an unlimited amount of a token. */
  readonly approval: AppApproval
  /** Initiations that we pay for in 24 hours, reverted ones included; null means no limit. */
  readonly sponsoredPerDay: number | null
}

const MAX_SLIPPAGE_BIPS = 500
const MAX_RATE_LIMIT = 1_000_000
const MAX_SPONSORED = 1_000_000

export function assertAppName(name: string): void {
  if (!/^[a-z0-9._-]{1,64}$/.test(name))
    throw new TandemError('bad_request', `"${name}" is not a valid app name: expected 1 to 64 of a-z, 0-9, ".", "-" and "_"`)
}

export function assertAppSettings(settings: Partial<AppSettings>): void {
  const { defaultSlippageBips, rateLimitPerMinute, allowedOrigins = [], permissions, approval, sponsoredPerDay } = settings
  if (defaultSlippageBips !== undefined) assertWhole('slippage', defaultSlippageBips, 0, MAX_SLIPPAGE_BIPS, 'bips')
  if (typeof rateLimitPerMinute === 'number') assertWhole('rate limit', rateLimitPerMinute, 1, MAX_RATE_LIMIT, 'requests per minute')
  if (typeof sponsoredPerDay === 'number') assertWhole('sponsored per day', sponsoredPerDay, 1, MAX_SPONSORED, 'initiations')
  if (approval !== undefined && !appApprovals.includes(approval))
    throw new TandemError('bad_request', `approval is one of ${appApprovals.join(', ')}, got "${approval}"`)
  for (const origin of allowedOrigins) assertOrigin(origin)
  if (permissions === undefined) return
  const unknown = permissions.find((permission) => !appPermissions.includes(permission))
  if (unknown !== undefined || permissions.length === 0)
    throw new TandemError('bad_request', `permissions are one or more of ${appPermissions.join(', ')}, got "${permissions.join(',')}"`)
}

function assertWhole(what: string, value: number, least: number, most: number, unit: string): void {
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new TandemError('bad_request', `${what} must be a whole number from ${least} to ${most} (${unit}), got ${value}`)
}

/** The text is compared with the `Origin` header: browsers send scheme, host and port in exactly this form (RFC 6454). */
function assertOrigin(text: string): void {
  const expected = 'expected an exact origin such as https://shop.example or https://shop.example:8443'
  if (!URL.canParse(text) || text.includes('*')) throw new TandemError('bad_request', `"${text}" is not an origin: ${expected}`)
  const url = new URL(text)
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local))
    throw new TandemError('bad_request', `"${text}" is not a secure origin: ${expected}; http is allowed for localhost only`)
  if (url.origin !== text) throw new TandemError('bad_request', `"${text}" is not an exact origin: do you mean ${url.origin}?`)
}
