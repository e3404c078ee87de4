/** The route GET /feed returns orders of all apps, where the operator has turned it on. */
import { TandemError } from '@tandem/protocol/error.ts'
import { type Feed, type FeedQuery, feedToWire, publicStatuses } from '@tandem/protocol/wire/feed.ts'
import type { ServiceContext } from '../context.ts'
import { parseStatuses } from './filters.ts'
import { listMatching } from './list.ts'

export async function listFeed(context: ServiceContext, { status, ...query }: FeedQuery): Promise<Feed> {
  if (!context.settings.publicFeed)
    throw new TandemError('not_found', 'this service has no public feed: its operator turns it on with the setting public_feed')
  const asked = parseStatuses(status)
  const statuses = asked === null ? publicStatuses : publicStatuses.filter((one) => asked.includes(one))
  const { data, ...page } = await listMatching(context, { kind: 'all' }, query, statuses)
  return { data: data.filter((record) => publicStatuses.includes(record.status)).map(feedToWire), ...page }
}
