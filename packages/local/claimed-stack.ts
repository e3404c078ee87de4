/** The local stack of this clone locks its folder, so that only one process uses it. */
import { LOCAL_FOLDER } from '@tandem/runtime/local-stack.ts'
import { claimFolder } from './local-folder.ts'
import { type LocalStack, type LocalStackOptions, startLocalStack } from './stack.ts'

export async function startClaimedStack(options: Omit<LocalStackOptions, 'folder'>): Promise<LocalStack> {
  const release = await claimFolder(LOCAL_FOLDER)
  try {
    const stack = await startLocalStack({ ...options, folder: LOCAL_FOLDER })
    return {
      ...stack,
      async stop() {
        await stack.stop()
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}
