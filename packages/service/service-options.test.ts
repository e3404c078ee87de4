/** Tests that every setting of the configuration is used, or its default. */
import type { ServiceConfig } from '@tandem/party/config/schema.ts'
import { expect, test } from 'vitest'
import { completeSettings } from './context.ts'
import { serviceOptions } from './service-options.ts'

const config: ServiceConfig = {
  environment: 'testnet',
  database_url: 'postgres://127.0.0.1/none',
  listen: { host: '127.0.0.1', port: 0 },
  chains: {},
  prices: {},
  vault_key: { env: 'NONE' },
  relay_key: { env: 'NONE' },
  solver_signing_key: { env: 'NONE' },
  solvers: [],
}

test('takes every setting from the configuration', () => {
  const configured: ServiceConfig = {
    ...config,
    public_url: 'https://swap.example/base/',
    fees: { service_bips: 5, max_affiliate_bips: 50 },
    policy: { default: 'closed', whitelist_overrides: ['* -> *'] },
    app_id_headers: ['Service-App-Id', 'X-App'],
    rate_limit: { per_minute: 7 },
    allow_any_origin: true,
    quote_budget_ms: 250,
    destination_gas: { usd: { base: '0.20' }, solvers: ['ours'] },
  }
  expect(serviceOptions(configured)).toEqual({
    environment: 'testnet',
    publicUrl: 'https://swap.example/base',
    serviceFeeBips: 5,
    maxAffiliateFeeBips: 50,
    policy: { default: 'closed', isolation_groups: [], blacklist_pairs: [], whitelist_overrides: ['* -> *'] },
    appIdHeaders: ['service-app-id', 'x-app'],
    rateLimitPerMinute: 7,
    allowAnyOrigin: true,
    quoteBudgetMs: 250,
    destinationGas: { usdMicros: new Map([['base', 200_000n]]), solvers: ['ours'] },
  })
})

test('uses the default of each missing setting', () => {
  expect(completeSettings(serviceOptions(config))).toMatchObject({ allowAnyOrigin: false, rateLimitPerMinute: 600, serviceFeeBips: 0 })
  expect(completeSettings(serviceOptions({ ...config, environment: 'local' })).allowAnyOrigin).toBe(true)
  expect(completeSettings(serviceOptions({ ...config, fees: {} })).maxAffiliateFeeBips).toBe(1000)
})
