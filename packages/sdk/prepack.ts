/** Runs before `npm pack` and `npm publish`, so that a package always has a build of today's sources. */
import { buildSdk } from './build.ts'

await buildSdk()
