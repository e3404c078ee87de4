/** `npm run build` without its type check. */
import { spawnSync } from 'node:child_process'
import { utimes } from 'node:fs/promises'
import { buildWeb } from '@tandem/web/build.ts'
import { bundleNode, bundleSdk } from '../../packages/sdk/build.ts'

const { status } = spawnSync('node_modules/.bin/tsx', ['build.ts', 'dist', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' })
if (status !== 0) throw new Error(`the build ended with ${status}`)
await bundleSdk('sdk/dist')
await bundleNode('sdk/dist')
await buildWeb('dist/web')
await utimes('dist/.built', new Date(), new Date())
