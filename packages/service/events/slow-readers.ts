/** Bounds the memory that all streams take together. A client that does not read is cheap to run by the thousand. */
import type { EventStream } from './event-stream.ts'

/** What all streams may hold together for clients that have not read it. */
const MAX_BYTES = 64 * 1024 * 1024
/** A client that reads hardly ever has more than this waiting. */
const USUAL_BYTES = 32 * 1024

/** Beyond the limit, cuts those with more than usual. A client that still reads comes back with its `Last-Event-ID`. */
export function cutSlowReaders(streams: Iterable<Pick<EventStream, 'buffered' | 'cut'>>): void {
  const all = [...streams]
  const bytes = all.reduce((sum, { buffered }) => sum + buffered, 0)
  if (bytes > MAX_BYTES) for (const stream of all) if (stream.buffered > USUAL_BYTES) stream.cut()
}
