import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOnNodes } from './utxo-story.ts'

await tellOnNodes('keys of clients', tellOfClientKeys)
