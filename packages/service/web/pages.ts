/** Which page is served at which path. `packages/web/pages.ts` says what each consists of. */
export const PAGES: Readonly<Record<string, string>> = { '/': 'swap', '/rescue': 'rescue', '/operator': 'operator' }
/** The one for all other paths. */
export const MISSING = 'missing'
