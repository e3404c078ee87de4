/** Before `npm pack` and `npm publish`: a package is never without its build, nor with an old one. */
import { buildSdk } from './build.ts'

await buildSdk()
