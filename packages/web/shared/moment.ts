/** A moment in the local time of the user. */

/**
 * `at` and `now` are unix seconds. The day is named unless it is today, and the zone if the clocks change before then: an hour of that night occurs twice.
 * `zone` and `locale` are those of the browser, unless a test gives others.
 */
export function formatMoment(at: number, now: number, zone?: string, locale?: string): string {
  const inZone = zone === undefined ? {} : { timeZone: zone }
  const day = (seconds: number) => new Date(seconds * 1000).toLocaleDateString('en-CA', inZone)
  const offset = (seconds: number) =>
    new Date(seconds * 1000)
      .toLocaleTimeString('en-US', { ...inZone, timeZoneName: 'longOffset' })
      .split(' ')
      .at(-1)
  return new Date(at * 1000).toLocaleString(locale, {
    ...inZone,
    ...(day(at) !== day(now) && { weekday: 'short', day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(offset(at) !== offset(now) && { timeZoneName: 'short' }),
  })
}
