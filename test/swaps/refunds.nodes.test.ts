import { tellOnNodes } from './coin-story.ts'
import { tellOfRefunds } from './refund-stories.ts'

await tellOnNodes('refunds', tellOfRefunds)
