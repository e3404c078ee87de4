/** The pages: what is bundled for each, and its title. `packages/service/web/web-routes.ts` says at which path each is served. */

/** `plain` is shown where scripts do not run. */
export type Page = { readonly entry: string; readonly title: string; readonly description: string; readonly plain?: string }

export const pages = {
  swap: {
    entry: 'packages/web/pages/swap/main.tsx',
    title: 'Tandem · Swap',
    description: 'Swap between chains. Both sides complete, or both are refunded.',
  },
  rescue: {
    entry: 'packages/web/pages/rescue/main.tsx',
    title: 'Tandem · Rescue',
    description: 'Finish a swap, or take your money back, with your rescue phrase.',
  },
  operator: {
    entry: 'packages/web/pages/operator/main.tsx',
    title: 'Tandem · Operator',
    description: 'Chains, orders in progress, solvers and budgets of this service, for its operator.',
  },
  missing: {
    entry: 'packages/web/pages/missing/main.tsx',
    title: 'Tandem · Not found',
    description: 'There is no page at this address.',
    plain: 'There is no page at this address. <a href="/">Swap</a> <a href="/docs">Docs</a> <a href="/rescue">Rescue</a>',
  },
} as const satisfies Readonly<Record<string, Page>>

/** Scripts of pages that `packages/reference` writes: the reference must be readable without scripts. */
export const scripts = { docs: 'packages/web/pages/docs/main.ts' } as const

/** Pages that a user can save as one file, which works without the service. */
export const copies = ['rescue'] as const satisfies readonly (keyof typeof pages)[]
