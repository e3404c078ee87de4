import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOnSimulators } from './utxo-story.ts'

tellOnSimulators('keys of clients', tellOfClientKeys, { kinds: ['bitcoin'] })
