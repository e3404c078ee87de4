/** Runs requests in parallel, `limit` at a time because public nodes refuse too many. The answers are in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], ask: (item: T) => Promise<R>, limit = 8): Promise<readonly R[]> {
  const answers: R[] = []
  for (let at = 0; at < items.length; at += limit) answers.push(...(await Promise.all(items.slice(at, at + limit).map(ask))))
  return answers
}
