/** The local stack writes its files here, and a process knows by this file that a local stack started it. */
import { join } from 'node:path'
import { PACKAGE_ROOT } from './package-root.ts'

export const LOCAL_FOLDER = join(PACKAGE_ROOT, '.tandem')

/** This environment variable marks a process of the local stack. It reports by its channel that it runs, and ends when the channel does. */
export const OF_STACK = 'TANDEM_OF_STACK'
