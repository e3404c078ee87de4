/** Durations for people. */

/** 0:52, 12:05, 3 h 20 min, 2 d 4 h. */
export function formatCountdown(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds))
  if (left < 3600) return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  if (left < 172_800) return `${Math.floor(left / 3600)} h ${Math.floor((left % 3600) / 60)} min`
  return `${Math.floor(left / 86_400)} d ${Math.floor((left % 86_400) / 3600)} h`
}

/** Writes an estimated duration: 20 s, 5 min, 3 h. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
