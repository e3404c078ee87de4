/** The pages: what is bundled for each, and its title. `src/service/web/pages.ts` says at which path each is served. */

export type Page = { readonly entry: string; readonly title: string; readonly description: string }

export const pages = {
  swap: {
    entry: 'web/pages/swap/main.tsx',
    title: 'Tandem · Swap',
    description: 'Swap between chains. Both sides complete, or both are refunded.',
  },
} as const satisfies Readonly<Record<string, Page>>

/** Of pages that the service writes itself: the reference, which must be readable without scripts. */
export const scripts = { docs: 'web/pages/docs/main.ts' } as const
