/** Tests that the configuration page has every setting, the right defaults, and examples that load. */
import { checkConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { SignerConfig } from '@tandem/party/config/signer-schema.ts'
import { completeSettings } from '@tandem/service/context.ts'
import { expect, test } from 'vitest'
import { configurationPage, serviceExample, solverExample } from './configuration-page.ts'

test('the examples pass the loader and use every top-level setting', async () => {
  expect((await checkConfig(ServiceConfig, 'service.json', serviceExample)).config).toBe(serviceExample)
  expect((await checkConfig(SolverConfig, 'solver.json', solverExample)).config).toBe(solverExample)
  // The example has `vault_key`, and no configuration has both.
  expect(new Set([...Object.keys(serviceExample), 'sealing'])).toEqual(new Set(Object.keys(ServiceConfig.properties)))
  // The example has private keys, and with a signer no configuration has.
  expect(new Set([...Object.keys(solverExample), 'signer'])).toEqual(new Set(Object.keys(SolverConfig.properties)))
})

test('the page describes every setting', () => {
  const page = configurationPage()
  for (const setting of [
    ...Object.keys(ServiceConfig.properties),
    ...Object.keys(SolverConfig.properties),
    ...Object.keys(SignerConfig.properties),
    'chains.<chain>.endpoints',
    'chains.<chain>.endpoints.<kind>',
    'chains.<chain>.quorum',
    'deployments.<asset>.htlc',
    'limits.<asset>.min',
    'solvers[].public_key',
    'policy.isolation_groups',
    'listen.port',
  ])
    expect(page).toMatch(new RegExp(`^\\| \`${setting.replaceAll(/[[\]<>.]/g, '\\$&')}\` \\| [^|]+ \\| [^|]* \\| [^|]{3,} \\|$`, 'm'))
})

test('the documented defaults are the defaults of the service', () => {
  const { fees, policy, app_id_headers, rate_limit } = ServiceConfig.properties
  const settings = completeSettings({ environment: 'testnet' })
  expect({
    serviceFeeBips: Reflect.get(fees.properties.service_bips, 'default'),
    maxAffiliateFeeBips: Reflect.get(fees.properties.max_affiliate_bips, 'default'),
    appIdHeaders: Reflect.get(app_id_headers, 'default'),
    rateLimit: Reflect.get(rate_limit, 'default'),
    policy: Reflect.get(policy, 'default'),
  }).toMatchObject({
    serviceFeeBips: settings.serviceFeeBips,
    maxAffiliateFeeBips: settings.maxAffiliateFeeBips,
    appIdHeaders: settings.appIdHeaders,
    rateLimit: { per_minute: settings.rateLimitPerMinute },
    policy: { default: settings.policy.default },
  })
})
