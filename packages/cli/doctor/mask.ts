/** Masks secrets in configurations, and in errors of other programs, which may quote them. */

const HIDDEN = '***'
/** Masking shorter texts would mask ordinary words too. */
const LEAST_LENGTH = 6

/** Masks user, password, query values, and path parts that look like a key. Returns other texts unchanged. */
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

/** The same for every text in a configuration. */
export function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return maskUrl(value)
  if (Array.isArray(value)) return value.map(maskAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner)]))
}

/** For texts that may quote one of these secrets, or a part of a URL in one. */
export function createMask(secrets: Iterable<string>): (text: string) => string {
  const replacements = [...secrets]
    .flatMap((secret) => [[secret, maskUrl(secret)] as const, ...secretParts(secret).map((part) => [part, HIDDEN] as const)])
    .map(([secret, shown]) => [secret, shown === secret && parseUrl(secret) === null ? HIDDEN : shown] as const)
    .filter(([secret]) => secret.length >= LEAST_LENGTH)
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
