import { tellOfRefunds } from './refund-stories.ts'
import { tellOnNodes } from './utxo-story.ts'

await tellOnNodes('refunds', tellOfRefunds)
