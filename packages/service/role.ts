/** The roles of a process of the service. */

/**
 * both    the API and an engine
 * api     HTTP only; engines of other processes move the money
 * engine  watches chains, redeems, refunds and delivers webhooks; serves no HTTP
 */
export const roles = ['both', 'api', 'engine'] as const
export type Role = (typeof roles)[number]
