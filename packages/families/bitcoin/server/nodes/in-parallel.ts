/** Runs requests in parallel, with a limit because public servers refuse too many. */

const LIMIT = 8

export async function inParallel<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = []
  for (let i = 0; i < items.length; i += LIMIT) answers.push(...(await Promise.all(items.slice(i, i + LIMIT).map(ask))))
  return answers
}
