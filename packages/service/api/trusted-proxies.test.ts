import { afterEach, expect, test } from 'vitest'
import { startTestService, type TestService } from '../testing/service.fixture.ts'

const services: TestService[] = []
const controllers: AbortController[] = []
afterEach(async () => {
  for (const controller of controllers.splice(0)) controller.abort()
  await Promise.all(services.splice(0).map((service) => service.close()))
})

const streamLimits = { perProcess: 100, perApp: 100, perAddress: 1 }

async function start(trustedProxies: readonly string[]): Promise<(forwardedFor: string) => Promise<number>> {
  const service = await startTestService({ environment: 'local', trustedProxies, streamLimits })
  services.push(service)
  return async (forwardedFor) => {
    const controller = new AbortController()
    controllers.push(controller)
    const headers = { 'service-app-id': service.appId, 'x-forwarded-for': forwardedFor }
    return (await fetch(`${service.url}/v2/events`, { headers, signal: controller.signal })).status
  }
}

test('without a trusted proxy nobody gets another address by naming one', async () => {
  const open = await start([])
  expect([await open('1.1.1.1'), await open('2.2.2.2')]).toEqual([200, 429])
})

test('behind a trusted proxy each client has its own limit, by the last address that the proxy did not add itself', async () => {
  const open = await start(['127.0.0.1'])
  expect([await open('1.1.1.1'), await open('2.2.2.2'), await open('1.1.1.1')]).toEqual([200, 200, 429])
  // What the client wrote itself stands before what the proxy added, and does not count.
  expect(await open('9.9.9.9, 2.2.2.2')).toBe(429)
})

test('a proxy that is not named is a client', async () => {
  const open = await start(['10.0.0.0/8'])
  expect([await open('1.1.1.1'), await open('2.2.2.2')]).toEqual([200, 429])
})
