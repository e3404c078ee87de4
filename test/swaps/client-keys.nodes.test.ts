import { tellOfClientKeys } from './client-key-stories.ts'
import { tellOnNodes } from './coin-story.ts'

await tellOnNodes('keys of clients', tellOfClientKeys)
