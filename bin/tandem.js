#!/usr/bin/env node
// Runs the command line, which is TypeScript, without a build step.
import { register } from 'tsx/esm/api'

register()
await import('../src/cli.ts')
