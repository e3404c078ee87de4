/** Finds a Chromium that is installed on this machine. */
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell']

/** The result is null if there is none on the PATH. */
export async function installedChromium(): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of NAMES) {
      const path = join(folder, name)
      if (await canRun(path)) return path
    }
  }
  return null
}

function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
