import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOnSimulators } from './coin-story.ts'

tellOnSimulators('keys of clients', tellOfClientKeys, { kinds: ['bitcoin'] })
