import { tellOnSimulators } from './coin-story.ts'
import { tellOfRefunds } from './refund-stories.ts'

tellOnSimulators('refunds', tellOfRefunds, { kinds: ['bitcoin'] })
