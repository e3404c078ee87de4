/** Writes all files that the service serves as they are: the pages and the reference. `tsx build-pages.ts FOLDER` writes them there. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildReference } from './packages/reference/build.ts'
import type { PageManifest } from './packages/service/web/page-files.ts'
import { buildWeb } from './packages/web/build.ts'

/** The folder gets its name when all files are there: two processes may build at once. */
export async function buildPages(folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`
  await rm(partial, { recursive: true, force: true })
  const { pages, files, scripts } = await buildWeb(partial)
  const manifest: PageManifest = { pages, files, reference: await buildReference(partial, scripts.docs) }
  await writeFile(join(partial, 'manifest.json'), JSON.stringify(manifest))
  await mkdir(dirname(folder), { recursive: true })
  await rm(folder, { recursive: true, force: true })
  await rename(partial, folder)
}

const [, script, folder] = process.argv
if (script === import.meta.filename && folder !== undefined) await buildPages(folder)
